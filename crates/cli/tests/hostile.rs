//! Files made to hurt: a message that says what and where, exit code 2, and nothing left behind.

mod common;
#[path = "../../io/tests/hardening/crc.rs"]
mod crc;
#[path = "../../io/tests/hardening/hostile.rs"]
mod hostile;

use std::path::Path;

use common::{Folder, noisy_sphere, pellucid};
use pellucid::cloud::PointCloud;
use pellucid::io::{Document, Format, WriteOptions, write_bytes};

fn sound() -> hostile::Sound {
    let of = |format| {
        let document = Document::from(PointCloud::new(noisy_sphere(20)));
        write_bytes(&document, format, &WriteOptions::default()).unwrap()
    };
    hostile::Sound { las: of(Format::Las), laz: of(Format::Laz), e57: of(Format::E57) }
}

#[test]
fn hostile_files_are_refused_and_leave_nothing() {
    for file in hostile::all(&sound()) {
        let folder = Folder::new();
        let input = folder.file(file.file, &file.bytes);
        let out = folder.path("out.ply");
        let ran = pellucid([Path::new("convert"), &input, &out]).code(2);
        ran.says(&[file.file]).says(file.says);
        assert_eq!(folder.names(), [file.file]);
    }
}

#[test]
fn every_command_survives_endless_times() {
    let file = hostile::all(&sound()).into_iter().find(|h| h.file == "endless-times.laz").unwrap();
    let folder = Folder::new();
    let input = folder.file(file.file, &file.bytes);
    let out = folder.path("out.laz");
    let (input, out) = (input.as_os_str(), out.as_os_str());
    let word = std::ffi::OsStr::new;
    for args in [
        vec![word("info"), input],
        vec![word("denoise"), input, out],
        vec![word("denoise"), input, out, word("--memory"), word("200M")],
    ] {
        pellucid(args).code(2).says(&[file.file]).says(file.says);
    }
}

#[test]
fn an_output_that_was_there_survives_a_hostile_input() {
    for file in hostile::all(&sound()).into_iter().step_by(7) {
        let folder = Folder::new();
        let input = folder.file(file.file, &file.bytes);
        let out = folder.file("out.ply", "precious");
        let args = [Path::new("denoise"), &input, &out, Path::new("--overwrite")];
        pellucid(args).code(2).says(&[file.file]);
        assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    }
}

#[test]
fn files_without_points_are_no_accident() {
    let empty = Document::from(PointCloud::new(Vec::new()));
    for format in [Format::Ply, Format::Las, Format::Laz, Format::Pcd, Format::Npy, Format::E57] {
        let folder = Folder::new();
        let name = format!("empty.{}", format.extensions()[0]);
        let bytes = write_bytes(&empty, format, &WriteOptions::default()).unwrap();
        let input = folder.file(&name, bytes);
        let out = folder.path("out.ply");
        pellucid([Path::new("denoise"), &input, &out]).code(2).says(&[name.as_str(), "point"]);
        assert_eq!(folder.names(), [name]);
    }
}
