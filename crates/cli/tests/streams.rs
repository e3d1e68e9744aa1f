//! `-` as stdin and stdout.

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::{Folder, PROGRAM, Ran, noisy_sphere, pellucid, ply, points_of};
use pellucid::io::{self, Format};

/// Runs the program with `input` on stdin.
fn piped(args: &str, input: &[u8]) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may end before it has read all.
        let _ = stdin.write_all(&input);
    });
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    out
}

fn refused(args: &str, input: &[u8], words: &[&str]) {
    let out = piped(args, input);
    assert!(out.stdout.is_empty(), "{args}: something went to stdout");
    Ran::from(out).code(2).says(words);
}

#[test]
fn a_cloud_goes_through_a_pipe_as_through_files() {
    let folder = Folder::new();
    let text = ply(&noisy_sphere(800));
    let input = folder.file("in.ply", &text);
    let output = folder.path("out.ply");
    pellucid(["denoise".as_ref(), input.as_os_str(), output.as_os_str()]).code(0);
    let out = piped("denoise - -", text.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert_eq!(out.stdout, std::fs::read(&output).unwrap());
    // The line about the run is there, but not in the cloud.
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("stdin -> stdout: 800 points"), "{said}");
}

#[test]
fn formats_of_streams_are_sniffed_or_given() {
    let points = noisy_sphere(60);
    let text = ply(&points);
    for (format, flags) in [(Format::Las, "las"), (Format::Pcd, "PCD"), (Format::Npz, "npz")] {
        let out = piped(&format!("convert - - --format {flags}"), text.as_bytes());
        assert_eq!(Format::from_content(&out.stdout), Some(format), "{out:?}");
        let back = piped("convert - - --format ply", &out.stdout);
        let cloud = io::read_bytes(&back.stdout, Format::Ply, "back").unwrap().cloud;
        for (p, q) in cloud.positions().iter().zip(&points) {
            assert!((0..3).all(|c| (p[c] - q[c]).abs() < 1e-7), "{p:?} {q:?}");
        }
    }
    let csv = piped("convert - - --out-format csv", text.as_bytes());
    assert!(csv.stdout.starts_with(b"x,y,z\n"), "{:?}", String::from_utf8_lossy(&csv.stdout));
    let info = piped("info - --json", &csv.stdout);
    let json: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!((&json["points"], &json["file"]), (&60.into(), &"stdin".into()));
    piped("info - --format ply", text.as_bytes());
    let folder = Folder::new();
    let truth = folder.file("truth.ply", &text);
    let compared = piped(&format!("compare - {} --json", truth.display()), text.as_bytes());
    let json: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(json["hausdorff"], 0.0);
    let noisy = piped("noise - - --level 0.1 --scale absolute", text.as_bytes());
    let cloud = io::read_bytes(&noisy.stdout, Format::Ply, "noisy").unwrap().cloud;
    assert_eq!(cloud.len(), 60);
    let square = |(a, b): (&_, &_)| pellucid::cloud::vec3::distance2(*a, *b);
    let sum: f64 = cloud.positions().iter().zip(&points).map(square).sum();
    let sigma = (sum / 180.0).sqrt();
    assert!((0.07..0.13).contains(&sigma), "noise of {sigma}, not 0.1");
    let marked = piped("outliers - -", text.as_bytes());
    let cloud = io::read_bytes(&marked.stdout, Format::Ply, "marked").unwrap().cloud;
    assert!(cloud.attribute("outlier").is_some());
}

#[test]
fn files_and_streams_mix() {
    let folder = Folder::new();
    let points = noisy_sphere(50);
    let input = folder.file("in.ply", ply(&points));
    let out = piped(&format!("convert {} -", input.display()), b"");
    assert_eq!(out.stdout, std::fs::read(&input).unwrap());
    let output = folder.path("out.xyz");
    let out = piped(&format!("convert - {} --in-format ply", output.display()), &out.stdout);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert_eq!(points_of(&output), points);
}

#[test]
fn what_cannot_be_streamed_is_refused_with_the_fix() {
    let text = ply(&noisy_sphere(50));
    let text = text.as_bytes();
    refused("denoise - - --json", text, &["--json", "--report"]);
    refused("outliers - - --json", text, &["--json", "--report"]);
    refused("denoise - other.ply out/", text, &["stdin", "alone"]);
    refused("denoise - out/", text, &["out/", "name a file"]);
    refused("convert - - --format nope", text, &["nope", "ply, pcd"]);
    refused("convert - - --in-format nope", text, &["nope", "ply, pcd"]);
    refused("convert - - --in-format las", text, &["stdin", "PLY"]);
    refused("convert - out.ply --format las", text, &["out.ply", "--format las", "stdout"]);
    refused("convert in.ply - --in-format ply", text, &["in.ply", "--in-format"]);
    refused("compare - -", text, &["stdin"]);
    refused("convert - -", b"", &["stdin", "empty"]);
    refused("convert - -", b"\x00\x01\x02\x03 what is this", &["stdin", "--in-format"]);
    refused("denoise - -", ply(&[]).as_bytes(), &["stdin", "0 usable points"]);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(20_000)));
    let mut child = Command::new(PROGRAM)
        .args(["convert".as_ref(), input.as_os_str(), "-".as_ref()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert!(out.stderr.is_empty(), "{out:?}");
}
