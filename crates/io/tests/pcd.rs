//! PCD: what is kept, and what is refused.

mod common;

use common::{assert_same, cloud, rng};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

fn options(encoding: Option<Encoding>) -> WriteOptions {
    WriteOptions { encoding, ..Default::default() }
}

fn again(bytes: &[u8]) -> Vec<u8> {
    let d = read_bytes(bytes, Format::Pcd, "a.pcd").unwrap();
    write_bytes(&d, Format::Pcd, &WriteOptions::default()).unwrap()
}

const HEAD: &str = "# .PCD v0.7 - Point Cloud Data file format\n# seen by a robot\nVERSION 0.7\n\
    FIELDS rgb x y z normal_x normal_y normal_z _ fpfh intensity label t\n\
    SIZE 4 4 4 4 4 4 4 1 4 4 1 8\nTYPE F F F F F F F U F F I U\n\
    COUNT 1 1 1 1 1 1 1 3 2 1 1 1\nWIDTH 2\nHEIGHT 3\nVIEWPOINT 1 2 3 0 1 0 0\nPOINTS 6\n";

/// Six random records under [`HEAD`], the second of them NaN in x, y and z.
fn records() -> Vec<u8> {
    let mut r = rng(1);
    let mut bytes: Vec<u8> = (0..6 * 52).map(|_| r.random()).collect();
    // A payload that hardware would quieten.
    for k in 0..3 {
        bytes[52 + 4 + 4 * k..][..4].copy_from_slice(&0x7f80_0001u32.to_le_bytes());
    }
    bytes
}

#[test]
fn binary_comes_back_byte_for_byte() {
    let bytes = [HEAD.as_bytes(), b"DATA binary\n", &records()].concat();
    let d = read_bytes(&bytes, Format::Pcd, "a.pcd").unwrap();
    assert_eq!(d.cloud.len(), 6);
    assert_eq!(d.source.grid(), Some((2, 3)));
    assert_eq!(d.source.viewpoints(), [[1.0, 2.0, 3.0]]);
    assert_eq!(d.source.comments(), ["seen by a robot"]);
    assert!(d.cloud.positions()[1].iter().all(|x| x.is_nan()));
    let widths: Vec<(String, usize)> =
        d.cloud.attributes().map(|a| (a.name().to_owned(), a.width())).collect();
    let expected = [
        ("color", 4),
        ("normal", 3),
        ("_", 3),
        ("fpfh", 2),
        ("intensity", 1),
        ("label", 1),
        ("t", 1),
    ];
    assert_eq!(widths, expected.map(|(n, w)| (n.to_owned(), w)));
    assert_eq!(again(&bytes), bytes);
}

#[test]
fn compressed_and_binary_hold_the_same() {
    let binary = [HEAD.as_bytes(), b"DATA binary\n", &records()].concat();
    let a = read_bytes(&binary, Format::Pcd, "a.pcd").unwrap();
    // One run of literals a piece, field after field, as a simple writer would pack them.
    let sizes = [4, 4, 4, 4, 4, 4, 4, 3, 8, 4, 1, 8];
    let mut plain = Vec::new();
    let mut start = 0;
    for size in sizes {
        records().chunks(52).for_each(|r| plain.extend_from_slice(&r[start..start + size]));
        start += size;
    }
    let mut packed = Vec::new();
    for run in plain.chunks(32) {
        packed.push(run.len() as u8 - 1);
        packed.extend_from_slice(run);
    }
    let sizes = [(packed.len() as u32).to_le_bytes(), (plain.len() as u32).to_le_bytes()].concat();
    let compressed = [HEAD.as_bytes(), b"DATA binary_compressed\n", &sizes, &packed].concat();
    let b = read_bytes(&compressed, Format::Pcd, "a.pcd").unwrap();
    assert_same(&a.cloud, &b.cloud);
    let back = read_bytes(&again(&compressed), Format::Pcd, "a.pcd").unwrap();
    assert_same(&a.cloud, &back.cloud);
    assert!(again(&compressed).windows(23).any(|w| w == b"DATA binary_compressed\n"));
}

#[test]
fn ascii_comes_back_and_old_headers_are_read() {
    let text = "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS x y z rgb\n\
        SIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\n\
        VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n\
        0.93773 0.33763 0 4210800\nnan nan nan 9.403955e-38\n";
    let d = read_bytes(text.as_bytes(), Format::Pcd, "a").unwrap();
    assert!(d.source.viewpoints().is_empty(), "the usual pose says nothing");
    let Values::U8(c) = d.cloud.attribute("color").unwrap().values() else { panic!() };
    // 4210800 is 0x4a8080e0.
    assert_eq!(c[..4], [0x80, 0x80, 0xe0, 0x4a]);
    assert_eq!(String::from_utf8(again(text.as_bytes())).unwrap(), text);
    let old = b"COLUMNS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n";
    let d = read_bytes(old, Format::Pcd, "a").unwrap();
    assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0]]);
    assert_eq!(again(old), old);
}

#[test]
fn every_type_and_count_goes_round() {
    for seed in 0..40 {
        let mut r = rng(seed);
        let mut c = cloud(&mut r, 7, true);
        for name in ["list_0", "list_1"] {
            c.remove_attribute(name);
        }
        let wide = Values::I64((0..14).map(|_| r.random()).collect());
        c.set_attribute(Attribute::vector("wide", 2, wide)).unwrap();
        let d = Document::from(c);
        let bytes = write_bytes(&d, Format::Pcd, &options(Some(Encoding::BinaryLittle))).unwrap();
        assert_same(&d.cloud, &read_bytes(&bytes, Format::Pcd, "a").unwrap().cloud);
        let back = read_bytes(&bytes, Format::Pcd, "a").unwrap();
        assert_eq!(write_bytes(&back, Format::Pcd, &options(None)).unwrap(), bytes);
        // Text keeps all but what stands behind a NaN.
        let text = write_bytes(&d, Format::Pcd, &options(Some(Encoding::Ascii))).unwrap();
        let from_text = read_bytes(&text, Format::Pcd, "a").unwrap();
        assert_eq!(write_bytes(&from_text, Format::Pcd, &options(None)).unwrap(), text);
    }
}

#[test]
fn to_ply_and_back() {
    let bytes = [HEAD.as_bytes(), b"DATA binary\n", &records()].concat();
    let d = read_bytes(&bytes, Format::Pcd, "a.pcd").unwrap();
    let mut plain = d.clone();
    // PLY has no 64-bit integers and no vectors but normals and colors.
    for name in ["t", "_", "fpfh"] {
        plain.cloud.remove_attribute(name);
    }
    let ply = write_bytes(&plain, Format::Ply, &options(None)).unwrap();
    let back = read_bytes(&ply, Format::Ply, "a.ply").unwrap();
    let pcd = write_bytes(&back, Format::Pcd, &options(None)).unwrap();
    assert_same(&plain.cloud, &read_bytes(&pcd, Format::Pcd, "a.pcd").unwrap().cloud);
}

/// Other readers know normals in single precision only.
#[test]
fn new_normals_are_written_in_single_precision() {
    let mut cloud = pellucid_cloud::PointCloud::new(vec![[1.0, 2.0, 3.0]]);
    cloud.set_normals(&[[0.6, 0.8, 0.0]]).unwrap();
    let bytes = write_bytes(&cloud.into(), Format::Pcd, &options(None)).unwrap();
    let head = String::from_utf8_lossy(&bytes).into_owned();
    assert!(head.contains("SIZE 8 8 8 4 4 4\n"), "{head}");
    // Normals that were estimated again keep the type of the file.
    let bytes = [HEAD.as_bytes(), b"DATA binary\n", &records()].concat();
    let mut d = read_bytes(&bytes, Format::Pcd, "a.pcd").unwrap();
    let normals = vec![[0.0, 0.6, 0.8]; d.cloud.len()];
    d.cloud.set_normals(&normals).unwrap();
    let again = write_bytes(&d, Format::Pcd, &options(None)).unwrap();
    assert_eq!(again.len(), bytes.len());
    let back = read_bytes(&again, Format::Pcd, "a.pcd").unwrap().cloud;
    assert!((back.normals().unwrap()[1][2] - 0.8).abs() < 1e-7);
}

#[test]
fn fewer_points_lose_the_grid_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = [HEAD.as_bytes(), b"DATA binary\n", &records()].concat();
    let mut d = read_bytes(&bytes, Format::Pcd, "a.pcd").unwrap();
    d.cloud = d.cloud.select(&[0, 2]);
    let path = folder.path().join("b.pcd");
    let written = pellucid_io::write(&path, &d, &options(None)).unwrap();
    assert_eq!(written.dropped.len(), 1);
    assert!(written.dropped[0].attribute.contains("2 x 3"));
    let back = pellucid_io::read(&path).unwrap();
    assert_same(&d.cloud, &back.cloud);
    assert_eq!(back.source.viewpoints(), [[1.0, 2.0, 3.0]]);
}

#[test]
fn a_field_called_color_and_attributes_that_do_not_fit() {
    let text = b"FIELDS x y z color rgb\nSIZE 4 4 4 4 4\nTYPE F F F F U\nPOINTS 1\n\
        DATA ascii\n1 2 3 4 5\n";
    let d = read_bytes(text, Format::Pcd, "a").unwrap();
    assert_eq!(d.cloud.attribute("rgb").unwrap().values(), &Values::U32(vec![5]));
    assert_eq!(again(text), text);
    let mut c = PointCloud::new(vec![[0.0; 3]]);
    c.set_attribute(Attribute::scalar("word", Values::Text(vec!["a b".into()]))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.pcd");
    let written = pellucid_io::write(&path, &Document::from(c), &options(None)).unwrap();
    assert_eq!(written.dropped[0].attribute, "word");
}

#[track_caller]
fn fails(bytes: &[u8], part: &str) {
    let e = read_bytes(bytes, Format::Pcd, "scan.pcd").unwrap_err().to_string();
    assert!(e.starts_with("scan.pcd: ") && e.contains(part), "{e}");
}

#[test]
fn what_is_wrong_is_reported() {
    let head =
        |fields: &str, rest: &str| format!("VERSION 0.7\nFIELDS {fields}\n{rest}").into_bytes();
    fails(b"VERSION 0.7\n", "line 2: the file ends inside the header");
    fails(b"VERSION 0.7\nDATA ascii\n", "line 2: the header has no line \"FIELDS\"");
    fails(&head("x y", "WIDTH 1\nDATA ascii\n"), "line 4: the fields x, y and z are missing");
    fails(&head("x y z", "DATA ascii\n"), "line 3: the header has neither WIDTH nor POINTS");
    fails(&head("x y z", "WIDTH -1\nDATA ascii\n"), "line 3: \"-1\" is no WIDTH");
    fails(&head("x y z", "POINTS 1\nPOINTS 1\nDATA ascii\n"), "line 4: a second line \"POINTS\"");
    fails(&head("x y z", "SIZE 4 4\nWIDTH 1\nDATA ascii\n"), "line 3: SIZE has 2 values for 3");
    fails(&head("x y z", "SIZE 2 4 4\nWIDTH 1\nDATA ascii\n"), "line 3: TYPE \"F\" of SIZE \"2\"");
    fails(&head("x y z", "COUNT 0 1 1\nWIDTH 1\nDATA ascii\n"), "line 3: \"0\" is no COUNT");
    fails(
        &head("x y z a", "COUNT 1 1 1 99999999\nWIDTH 1\nDATA ascii\n"),
        "more than 131072 values",
    );
    fails(&head("x y z", "WIDTH 1\nHEIGHT 2\nPOINTS 1\nDATA ascii\n"), "line 5: POINTS 1 is not");
    fails(&head("x y z", "WIDTH 1\nVIEWPOINT 0 0\nDATA ascii\n"), "line 4: VIEWPOINT takes seven");
    fails(&head("x y z", "WIDTH 1\nDATA zipped\n"), "line 4: DATA must be ascii, binary");
    fails(&head("x y z", "HOLE 1\n"), "line 3: \"HOLE\" is not a keyword");
    for n in ["4000000000", "18446744073709551615", "99999999999999999999999"] {
        for data in ["ascii", "binary", "binary_compressed"] {
            fails(&head("x y z", &format!("WIDTH {n}\nHEIGHT 1\nDATA {data}\n12345678")), "");
        }
    }
    fails(
        &head("x y z", "WIDTH 3000000000\nHEIGHT 3000000000\nDATA binary\n"),
        "more than one cloud",
    );
    fails(&head("x y z", "WIDTH 1\nDATA ascii\n1 2\n"), "do not fit");
    fails(
        &head("x y z", "WIDTH 1\nDATA ascii\n1.25 2\n"),
        "line 5: 2 values where the fields make 3",
    );
    fails(&head("x y z", "WIDTH 1\nDATA ascii\n1 2 3 4\n"), "line 5: more values than the 3");
    fails(&head("x y z", "WIDTH 1\nDATA ascii\n1 2 3\n1 2 3\n"), "line 6: more than the 1 points");
    fails(&head("x y z", "WIDTH 1\nDATA ascii\n1 2 c\n"), "line 5: \"c\" is no f32 for \"z\"");
    fails(&head("x y z", "WIDTH 2\nDATA ascii\n1.00 2.00 3.00\n"), "after 1 of the 2 points");
    fails(&head("x y z", "WIDTH 1\nDATA binary\n1234567890123"), "1 bytes follow the last point");
    let packed = |sizes: [u32; 2], rest: &[u8]| {
        let mut bytes = head("x y z", "WIDTH 1\nDATA binary_compressed\n");
        sizes.iter().for_each(|s| bytes.extend_from_slice(&s.to_le_bytes()));
        [&bytes, rest].concat()
    };
    fails(&packed([13, 13], &[11; 13]), "says that it holds 13 bytes, but 1 points of 12");
    fails(&packed([14, 12], &[11; 13]), "should have 14 bytes but 13 follow");
    fails(&packed([2, 12], &[0x20, 0]), "starts before the first byte");
    fails(&packed([13, 12], &[3; 14]), "1 bytes follow");
    fails(&packed([1, 12], &[12]), "ends inside a run");
    fails(b"ply\nformat ascii 1.0\n", "the name says PCD but the content is PLY");
}

#[test]
fn cut_or_flipped_files_never_panic() {
    let mut seeds = Vec::new();
    for seed in 0..3 {
        let d = Document::from(cloud(&mut rng(seed), 4, true));
        for encoding in [Encoding::Ascii, Encoding::BinaryLittle] {
            seeds.push(write_bytes(&d, Format::Pcd, &options(Some(encoding))).unwrap());
        }
        let binary = String::from_utf8_lossy(&seeds[seeds.len() - 1]).into_owned();
        assert!(binary.contains("DATA binary\n"));
    }
    let compressed = b"FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 2\nHEIGHT 1\n\
        DATA binary_compressed\n\x05\0\0\0\x20\0\0\0\0\0\xe0\x16\0"
        .to_vec();
    assert_eq!(read_bytes(&compressed, Format::Pcd, "a").unwrap().cloud.len(), 2);
    seeds.push(compressed);
    for bytes in &seeds {
        let binary = bytes.windows(11).any(|w| w == b"DATA binary");
        for cut in 0..bytes.len() {
            let result = read_bytes(&bytes[..cut], Format::Pcd, "cut");
            assert!(!binary || result.is_err(), "cut at {cut} of {}", bytes.len());
        }
    }
    let mut r = rng(5);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = seeds[r.random_range(0..seeds.len())].clone();
        for _ in 0..r.random_range(1..5) {
            let at = r.random_range(0..bytes.len());
            match r.random_range(0..3) {
                0 => bytes[at] = r.random(),
                1 => bytes[at] ^= 1 << r.random_range(0..8),
                _ => bytes.insert(at, b"0123456789-. \nUFI"[r.random_range(0..17usize)]),
            }
        }
        match read_bytes(&bytes, Format::Pcd, "flipped") {
            Ok(d) => {
                good += 1;
                write_bytes(&d, Format::Pcd, &options(None)).unwrap();
                write_bytes(&d, Format::Ply, &options(None)).unwrap();
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}
