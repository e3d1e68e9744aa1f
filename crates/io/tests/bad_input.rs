//! Every bad input is reported with file, place and fault, and none makes a reader panic.

mod common;

use std::path::Path;

use common::{cloud, rng};
use pellucid_io::{
    Document, Encoding, Format, IoError, WriteOptions, read, read_bytes, read_mesh_bytes,
    write_bytes,
};
use rand::RngExt;

fn ply(header: &str, body: &[u8]) -> Vec<u8> {
    [b"ply\nformat ", header.as_bytes(), b"end_header\n", body].concat()
}

#[track_caller]
fn fails(bytes: &[u8], part: &str) {
    let e = read_bytes(bytes, Format::Ply, "scan.ply").unwrap_err();
    let text = e.to_string();
    assert!(text.starts_with("scan.ply: ") && text.contains(part), "{text}");
    assert!(e.is_input_fault());
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";

#[test]
fn headers_that_are_wrong() {
    let xyz = |what: &str| format!("binary_little_endian 1.0\n{what}\n{XYZ}");
    fails(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "line 1: the first line must be \"ply\"");
    fails(b"ply\n", "line 2: the file ends inside the header");
    fails(b"ply\nend_header\n", "line 2: the header ends without a \"format\" line");
    fails(&ply("ascii 2.0\n", b""), "line 2: version 2.0");
    fails(&ply("utf8 1.0\n", b""), "line 2: format \"utf8\"");
    fails(&ply("ascii 1.0\nformat ascii 1.0\n", b""), "line 3: a second \"format\"");
    fails(&ply("ascii 1.0\nproperty float x\n", b""), "line 3: a property before any element");
    fails(
        &ply("ascii 1.0\nelement vertex -1\n", b""),
        "line 3: \"-1\" is not a number of elements",
    );
    fails(&ply("ascii 1.0\nelement vertex\n", b""), "line 3: \"element\" does not belong here");
    fails(
        &ply("ascii 1.0\nelement vertex 1\nproperty real x\n", b""),
        "line 4: \"real\" is no type",
    );
    fails(&ply("ascii 1.0\nelement a 1\nproperty list float int x\n", b""), "line 4: the count");
    fails(&ply("ascii 1.0\n", b""), "no element \"vertex\"");
    fails(&ply("ascii 1.0\nelement vertex 0\nproperty float x\n", b""), "lack the properties x, y");
    fails(&ply(&xyz("element vertex 0\nelement vertex 0"), b""), "two elements \"vertex\"");
    let list = "ascii 1.0\nelement vertex 0\nproperty list uchar float x\nproperty float y\n\
                property float z\n";
    fails(&ply(list, b""), "lack the properties x, y");
    let many = "element e 0\n".repeat(2000);
    fails(&ply(&format!("ascii 1.0\n{many}"), b""), "more than 1024 elements");
    let many = "property char c\n".repeat(2000);
    fails(&ply(&format!("ascii 1.0\nelement e 0\n{many}"), b""), "more than 1024 properties");
    let endless = "comment nothing\n".repeat(100_000);
    fails(&ply(&format!("ascii 1.0\n{endless}"), b""), "no \"end_header\" in the first");
}

#[test]
fn counts_that_are_wrong() {
    let header = |encoding: &str, n: &str| format!("{encoding} 1.0\nelement vertex {n}\n{XYZ}");
    let little = "binary_little_endian";
    fails(&ply(&header(little, "2"), &[0; 23]), "promises 2 \"vertex\" records");
    fails(&ply(&header(little, "1"), &[1; 13]), "1 bytes follow the last record");
    fails(&ply(&header("ascii", "2"), b"1 2 3\n4 5\n"), "promises 2 \"vertex\" records");
    fails(&ply(&header("ascii", "2"), b"1 2 3\n4000 5000\n"), "after 1 of the 2");
    fails(&ply(&header("ascii", "1"), b"1 2 3\n4 5 6\n"), "line 9: 6 bytes follow");
    fails(&ply(&header("ascii", "1"), b"1 2 three\n"), "line 8: \"three\" is no f32 for \"z\"");
    // More than memory, more than 64 bits: refused before anything is allocated.
    for n in ["4000000000", "1000000000000", "18446744073709551615"] {
        for encoding in [little, "binary_big_endian", "ascii"] {
            fails(&ply(&header(encoding, n), b"0 0 0 0 0 0\n"), "promises");
        }
    }
    fails(&ply(&header(little, "18446744073709551616"), b""), "is not a number of elements");
    let padded = ply(&header(little, "1"), &[&[1; 12][..], b"\0\n"].concat());
    assert_eq!(read_bytes(&padded, Format::Ply, "a").unwrap().cloud.len(), 1);
}

#[test]
fn lists_that_are_wrong() {
    let header = format!(
        "binary_big_endian 1.0\nelement vertex 1\n{XYZ}element face 1\n\
         property list int uchar vertex_indices\n"
    );
    let body = |count: i32, rest: &[u8]| [&[0; 12][..], &count.to_be_bytes(), rest].concat();
    fails(&ply(&header, &body(-1, b"")), "a list of -1 values in \"face\" record 0");
    fails(&ply(&header, &body(i32::MAX, b"")), "after 0 of the 1 \"face\" records");
    fails(&ply(&header, &body(2, b"x")), "after 0 of the 1 \"face\" records");
    let ascii = format!(
        "ascii 1.0\nelement vertex 1\n{XYZ}element face 1\n\
         property list int uchar vertex_indices\n"
    );
    fails(&ply(&ascii, b"0 0 0\n-1 5\n"), "line 11: \"-1\" is no count of a list");
    fails(&ply(&ascii, b"0 0 0\n3 0 0 256\n"), "line 11: \"256\" is no u8");
    fails(&ply(&ascii, b"0 0 0\n4000000000 0\n"), "after 0 of the 1 \"face\" records");
}

#[test]
fn no_points_where_the_header_says_so() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let bytes = ply(&format!("{encoding} 1.0\nelement vertex 0\n{XYZ}"), b"");
        let document = read_bytes(&bytes, Format::Ply, "a").unwrap();
        assert!(document.cloud.is_empty());
        let again = write_bytes(&document, Format::Ply, &WriteOptions::default()).unwrap();
        assert_eq!(again, bytes);
    }
}

#[test]
fn odd_but_sound_files_are_read() {
    let crlf = ply(&format!("ascii 1.0\nelement vertex 1\n{XYZ}"), b"1 2 3\n");
    let crlf = String::from_utf8(crlf).unwrap().replace('\n', "\r\n");
    let cr = crlf.replace("\r\n", "\r");
    for text in [crlf, cr] {
        let d = read_bytes(text.as_bytes(), Format::Ply, "a").unwrap();
        assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0]]);
    }
    // Values of a record over several lines, a whole number printed with a point.
    let wrapped = ply(
        "ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\n",
        b"1\n\n2.0 3",
    );
    let d = read_bytes(&wrapped, Format::Ply, "a").unwrap();
    assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0]]);
    // The same name twice, and names that are not UTF-8, are both kept.
    let twice = [
        b"ply\nformat ascii 1.0\ncomment caf\xe9\nelement vertex 1\n".as_slice(),
        XYZ.as_bytes(),
        b"property uchar a\nproperty char a\nproperty uchar caf\xe9\nend_header\n1 2 3 4 -5 6\n",
    ]
    .concat();
    let d = read_bytes(&twice, Format::Ply, "a").unwrap();
    assert_eq!(d.cloud.attribute("a_2").unwrap().values().get_f64(0), Some(-5.0));
    assert_eq!(write_bytes(&d, Format::Ply, &WriteOptions::default()).unwrap(), twice);
}

#[test]
fn paths_that_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let put = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).unwrap();
    assert!(matches!(read(&at("no.ply")), Err(IoError::Missing { .. })));
    assert!(matches!(read(folder.path()), Err(IoError::Directory { .. })));
    put("empty.xyz", b"");
    assert!(matches!(read(&at("empty.xyz")), Err(IoError::Empty { .. })));
    put("scan.weird", b"\0\x01\x02");
    assert!(matches!(read(&at("scan.weird")), Err(IoError::UnknownFormat { .. })));
    put("noext", b"1 2 3\n");
    assert_eq!(read(&at("noext")).unwrap().source.format(), Some(Format::Text));
    let good = ply(&format!("ascii 1.0\nelement vertex 1\n{XYZ}"), b"1 2 3\n");
    put("really_ply.xyz", &good);
    let e = read(&at("really_ply.xyz")).unwrap_err().to_string();
    assert!(e.contains("really_ply.xyz: byte 0: the name says text but the content is PLY"), "{e}");
    put("really_text.ply", b"1 2 3\n4 5 6\n");
    assert!(matches!(read(&at("really_text.ply")), Err(IoError::WrongFormat { .. })));
    put("garbage.xyz", &(0..=255).collect::<Vec<u8>>());
    let e = read(&at("garbage.xyz")).unwrap_err().to_string();
    assert!(e.contains("garbage.xyz: byte 0: byte 0x00 is not text"), "{e}");
}

#[cfg(unix)]
#[test]
fn files_one_may_not_read_and_names_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("locked.xyz");
    std::fs::write(&path, b"1 2 3\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read anything, and there is then nothing to test.
    if std::fs::File::open(&path).is_err() {
        let e = read(&path).unwrap_err();
        assert!(matches!(e, IoError::Read { .. }) && e.is_input_fault(), "{e}");
    }
    let odd = folder.path().join(Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9.xyz")));
    let document = Document::from(pellucid_cloud::PointCloud::new(vec![[1.0, 2.0, 3.0]]));
    pellucid_io::write(&odd, &document, &WriteOptions::default()).unwrap();
    assert_eq!(read(&odd).unwrap().cloud.positions(), [[1.0, 2.0, 3.0]]);
}

/// Small files of every kind, by our own writers.
fn seeds() -> Vec<(Vec<u8>, Format)> {
    let mut all = Vec::new();
    for seed in 0..4 {
        let document = Document::from(cloud(&mut rng(seed), 3, true));
        for encoding in [Encoding::Ascii, Encoding::BinaryLittle, Encoding::BinaryBig] {
            let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
            all.push((write_bytes(&document, Format::Ply, &options).unwrap(), Format::Ply));
        }
        let text = write_bytes(&document, Format::Text, &WriteOptions::default()).unwrap();
        all.push((text, Format::Text));
    }
    all.push((b"//X;Y;Z\n2\n1;2;3\n4;5;6\n".to_vec(), Format::Text));
    all
}

#[test]
fn a_truncated_file_never_panics_and_a_truncated_binary_one_is_refused() {
    for (bytes, format) in seeds() {
        let binary = format == Format::Ply && !bytes.starts_with(b"ply\nformat ascii");
        for cut in 0..bytes.len() {
            let result = read_bytes(&bytes[..cut], format, "cut");
            assert!(!binary || result.is_err(), "cut at {cut} of {}", bytes.len());
            let _ = read_mesh_bytes(&bytes[..cut], "ply", "cut");
        }
    }
}

#[test]
fn flipped_bytes_never_panic_and_what_is_read_can_be_written() {
    let mut r = rng(7);
    let seeds = seeds();
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let (bytes, format) = &seeds[r.random_range(0..seeds.len())];
        let mut bytes = bytes.clone();
        for _ in 0..r.random_range(1..6) {
            let at = r.random_range(0..bytes.len());
            match r.random_range(0..4) {
                0 => bytes[at] = r.random(),
                1 => bytes[at] ^= 1 << r.random_range(0..8),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789-.,; \nexn"[r.random_range(0..19usize)]),
            }
        }
        match read_bytes(&bytes, *format, "flipped") {
            Ok(document) => {
                good += 1;
                for to in [Format::Ply, Format::Text] {
                    write_bytes(&document, to, &WriteOptions::default()).unwrap_or_else(|e| {
                        assert!(matches!(e, IoError::Unfit { .. }), "{e}");
                        Vec::new()
                    });
                }
            }
            Err(_) => bad += 1,
        }
        let extension = ["ply", "off", "obj"][r.random_range(0..3usize)];
        let _ = read_mesh_bytes(&bytes, extension, "flipped");
    }
    // Both ways must really have been taken.
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}
