//! Outputs are whole or absent, and inputs are safe.

use std::fs;
use std::path::Path;

use pellucid_cloud::{Attribute, List, PointCloud, Values};
use pellucid_io::{
    Document, Encoding, Format, IoError, Part, WriteOptions, check_output, read, read_bytes, write,
    write_bytes,
};

fn document(n: usize) -> Document {
    PointCloud::new((0..n).map(|i| [i as f64, 0.0, 0.5]).collect()).into()
}

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}

fn over() -> WriteOptions {
    WriteOptions { overwrite: true, ..Default::default() }
}

#[test]
fn an_existing_output_is_refused_or_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    write(&path, &document(2), &WriteOptions::default()).unwrap();
    let e = write(&path, &document(3), &WriteOptions::default()).unwrap_err();
    assert!(matches!(e, IoError::OutputExists { .. }) && e.is_input_fault());
    assert_eq!(read(&path).unwrap().cloud.len(), 2);
    write(&path, &document(3), &over()).unwrap();
    assert_eq!(read(&path).unwrap().cloud.len(), 3);
    assert_eq!(names(folder.path()), ["out.ply"]);
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.ply");
    write(&path, &document(2), &WriteOptions::default()).unwrap();
    let before = fs::read(&path).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let roundabout = folder.path().join("sub").join("..").join("in.ply");
    let options =
        WriteOptions { overwrite: true, forbid: vec![path.clone()], ..Default::default() };
    let mut aliases = vec![path.clone(), roundabout];
    #[cfg(unix)]
    {
        let link = folder.path().join("link.ply");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        aliases.push(link);
    }
    for alias in aliases {
        let e = write(&alias, &document(3), &options).unwrap_err();
        assert!(matches!(e, IoError::OutputIsInput { .. }), "{e}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn faults_are_found_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let check = |p: &Path| check_output(p, &WriteOptions::default()).unwrap_err();
    assert!(matches!(check(folder.path()), IoError::OutputIsDirectory { .. }));
    assert!(matches!(check(Path::new("..")), IoError::OutputIsDirectory { .. }));
    assert!(matches!(check(&folder.path().join("no/out.ply")), IoError::NoFolder { .. }));
    let e = write(&folder.path().join("out.wat"), &document(1), &over()).unwrap_err();
    assert!(matches!(e, IoError::UnknownFormat { .. }) && e.to_string().contains(".ply"), "{e}");
    check_output(&folder.path().join("new.ply"), &WriteOptions::default()).unwrap();
    assert_eq!(names(folder.path()), Vec::<String>::new());
    #[cfg(unix)]
    {
        let nowhere = folder.path().join("nowhere.ply");
        std::os::unix::fs::symlink(folder.path().join("gone"), &nowhere).unwrap();
        assert!(matches!(check(&nowhere), IoError::OutputExists { .. }));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_never_replaced() {
    for make in [Part::beside, |p: &Path, o: &WriteOptions| Part::in_folder(p, p, o)] {
        let e = make(Path::new("/dev/null"), &over()).err().unwrap();
        assert!(matches!(e, IoError::Unfit { .. }) && e.to_string().contains("device"), "{e}");
    }
}

#[test]
fn a_writer_that_fails_leaves_the_old_output_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.xyz");
    fs::write(&path, "1 2 3\n").unwrap();
    let binary = WriteOptions { encoding: Some(Encoding::BinaryBig), ..over() };
    let e = write(&path, &document(1), &binary).unwrap_err();
    assert!(matches!(e, IoError::Unfit { .. }), "{e}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "1 2 3\n");
    assert_eq!(names(folder.path()), ["out.xyz"]);
}

/// The device accepts no byte, as a full disk; it is written to directly, so this covers the
/// message and the exit class. That nothing stays behind is tested above and in `atomic`.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_fault_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full.ply");
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    for n in [1, 200_000] {
        let e = write(&path, &document(n), &over()).unwrap_err();
        assert!(matches!(e, IoError::Write { .. }) && !e.is_input_fault(), "{e}");
        assert!(e.to_string().contains("full.ply: cannot be written"), "{e}");
    }
    assert_eq!(names(folder.path()), ["full.ply"]);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    write(&path, &document(1), &over()).unwrap();
    let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode(&path), mode(&plain), "a new file is like any other new file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link.ply");
    symlink(&path, &link).unwrap();
    write(&link, &document(2), &over()).unwrap();
    assert_eq!((mode(&path), read(&path).unwrap().cloud.len()), (0o640, 2));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    let e = write(&path, &document(3), &over()).unwrap_err();
    assert!(matches!(e, IoError::OutputReadOnly { .. }), "{e}");
}

#[test]
fn what_ply_cannot_hold_is_reported_or_kept_exactly_in_another_type() {
    let mut cloud = PointCloud::new(vec![[0.0; 3]; 2]);
    let mut set = |name: &str, v: Values| cloud.set_attribute(Attribute::scalar(name, v)).unwrap();
    set("small", Values::I64(vec![-5, i64::from(i32::MAX)]));
    set("unsigned", Values::U64(vec![0, u64::from(u32::MAX)]));
    set("exact", Values::I64(vec![1 << 60, -3]));
    set("inexact", Values::U64(vec![(1 << 53) + 1, 0]));
    set("words", Values::Text(vec!["a".to_owned(), "b".to_owned()]));
    let broken = List { offsets: vec![0, 9, 2], values: Values::U8(vec![1, 2]) };
    set("broken", Values::List(Box::new(broken)));
    let wide = List { offsets: vec![0, 1, 2], values: Values::U64(vec![1, 1 << 40]) };
    set("wide list", Values::List(Box::new(wide)));
    set("x", Values::U8(vec![1, 2]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    let written = write(&path, &cloud.into(), &WriteOptions::default()).unwrap();
    let dropped: Vec<&str> = written.dropped.iter().map(|d| d.attribute.as_str()).collect();
    assert_eq!(dropped, ["inexact", "words", "broken"]);
    let back = read(&path).unwrap().cloud;
    let values = |name: &str| back.attribute(name).unwrap().values().clone();
    assert_eq!(values("small"), Values::I32(vec![-5, i32::MAX]));
    assert_eq!(values("unsigned"), Values::U32(vec![0, u32::MAX]));
    assert_eq!(values("exact"), Values::F64(vec![(1u64 << 60) as f64, -3.0]));
    let Values::List(list) = values("wide_list") else { unreachable!() };
    assert_eq!(list.values, Values::F64(vec![1.0, (1u64 << 40) as f64]));
    assert_eq!(values("x_2"), Values::U8(vec![1, 2]));
    assert_eq!(back.positions(), [[0.0; 3]; 2]);
}

const MESH: &[u8] =
    b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
property float nx\nproperty float ny\nproperty float nz\n\
element face 1\nproperty list uchar int vertex_indices\nend_header\n\
0 0 0 1 2 3 0 0 1\n1 0 0 4 5 6 0 0 1\n3 0 1 0\n";

#[test]
fn changed_attributes_change_only_their_properties() {
    let mut d = read_bytes(MESH, Format::Ply, "a").unwrap();
    d.cloud.remove_attribute("normal");
    let alpha = Values::U8(vec![1, 2, 3, 255, 4, 5, 6, 255]);
    d.cloud.set_attribute(Attribute::vector("color", 4, alpha)).unwrap();
    d.cloud.set_attribute(Attribute::scalar("new", Values::F64(vec![0.1, 0.2]))).unwrap();
    let text = write_bytes(&d, Format::Ply, &WriteOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("uchar blue\nproperty uchar alpha\nproperty double new\nelement face 1"));
    assert!(text.ends_with("0 0 0 1 2 3 255 0.1\n1 0 0 4 5 6 255 0.2\n3 0 1 0\n"), "{text}");
}

#[test]
fn faces_go_when_the_points_they_name_are_gone() {
    let mut d = read_bytes(MESH, Format::Ply, "a").unwrap();
    d.cloud = d.cloud.select(&[1]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    let written = write(&path, &d, &WriteOptions::default()).unwrap();
    assert_eq!(written.dropped[0].attribute, "face");
    let back = read(&path).unwrap();
    assert_eq!((back.cloud.len(), back.source.other_elements().len()), (1, 0));
}

#[test]
fn every_format_has_a_row_and_its_own_extensions() {
    let mut seen = std::collections::HashSet::new();
    for info in Format::all() {
        assert_eq!(info.format.info().name, info.name);
        for e in info.extensions {
            assert!(seen.insert(*e), "{e} twice");
            assert_eq!(Format::from_name(e), Some(info.format));
        }
    }
    assert_eq!(Format::Text.info().format, Format::Text);
    assert_eq!(Format::from_name("Ply"), Some(Format::Ply));
}
