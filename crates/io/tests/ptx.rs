//! PTX: scans in one frame, and back in their own.

mod common;

use common::{assert_same, rng};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Format, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

fn get(bytes: &[u8], format: Format) -> Document {
    read_bytes(bytes, format, "a").unwrap()
}

fn put(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

/// A quarter turn about z and a shift, then a scan where it is.
const TWO: &str = "1\n3\n10 20 30\n0 1 0\n-1 0 0\n0 0 1\n0 1 0 0\n-1 0 0 0\n0 0 1 0\n10 20 30 1\n\
    1.000 0 0 0.25 1 2 3\n0 0 0 0.500000 0 0 0\n0 2 3 0.75 4 5 6\n\
    1\n1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n7 8 9 1 7 8 9\n";

#[test]
fn scans_come_into_one_frame_and_back() {
    let d = get(TWO.as_bytes(), Format::Ptx);
    let p = d.cloud.positions();
    assert_eq!([p[0], p[2], p[3]], [[10.0, 21.0, 30.0], [8.0, 20.0, 33.0], [7.0, 8.0, 9.0]]);
    assert!(p[1].iter().all(|x| x.is_nan()), "the ray met nothing");
    let scan = Values::U32(vec![0, 0, 0, 1]);
    assert_eq!(d.cloud.attribute("scan").unwrap().values(), &scan);
    let shade = Values::F64(vec![0.25, 0.5, 0.75, 1.0]);
    assert_eq!(d.cloud.attribute("intensity").unwrap().values(), &shade);
    assert_eq!(d.cloud.attribute("color").unwrap().width(), 3);
    assert_eq!(d.source.viewpoints(), [[10.0, 20.0, 30.0], [0.0; 3]]);
    assert_eq!(String::from_utf8(put(&d, Format::Ptx)).unwrap(), TWO);
    let mut to = p.to_vec();
    to[0] = [10.0, 21.0, 35.0];
    let mut moved = d.clone();
    moved.cloud = d.cloud.with_positions(to).unwrap();
    let text = String::from_utf8(put(&moved, Format::Ptx)).unwrap();
    assert_eq!(text, TWO.replace("1.000 0 0 0.25", "1.000 0 5 0.25"));
}

#[test]
fn other_clouds_go_round() {
    let mut c = PointCloud::new(vec![[1.5, -2.0, 4_512_345.678_9], [f64::NAN; 3]]);
    let mut set = |a: Attribute| c.set_attribute(a).unwrap();
    set(Attribute::scalar("intensity", Values::F64(vec![0.1, 0.5])));
    set(Attribute::vector("color", 3, Values::U8((0..6).collect())));
    let d = Document::from(c);
    assert_same(&d.cloud, &get(&put(&d, Format::Ptx), Format::Ptx).cloud);
    let ply = get(&put(&d, Format::Ply), Format::Ply);
    assert_same(&d.cloud, &get(&put(&ply, Format::Ptx), Format::Ptx).cloud);
}

#[test]
fn what_is_wrong_is_reported() {
    let fails = |text: &str, part: &str| {
        let e = read_bytes(text.as_bytes(), Format::Ptx, "a.ptx").unwrap_err().to_string();
        assert!(e.starts_with("a.ptx: ") && e.contains(part), "{e}");
    };
    fails("-1\n", "line 1: a scan starts with its number of columns");
    fails("1\nx\n", "line 2: a scan starts with its number of rows");
    fails("4000000000\n4000000000\n", "line 2: 4000000000 x 4000000000 points do not fit");
    fails(&TWO.replace("7 8 9 1 7 8 9\n", ""), "the file ends before the last point");
    fails(&TWO.replace("0 1 0 0\n-1 0 0 0", "0 0 0 0\n0 0 0 0"), "cannot be undone");
    fails(&TWO.replace("7 8 9 1 7 8 9", "7 8 9 1 7 8 900"), "line 24: a color that is not");
    fails(&TWO.replace("7 8 9 1 7 8 9", "7 8"), "line 24: a vertex needs three numbers");
}

#[test]
fn cut_or_flipped_files_never_panic() {
    for cut in 0..TWO.len() {
        let _ = read_bytes(&TWO.as_bytes()[..cut], Format::Ptx, "cut");
    }
    let mut r = rng(8);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = TWO.as_bytes().to_vec();
        for _ in 0..r.random_range(1..4) {
            let at = r.random_range(0..bytes.len());
            match r.random_range(0..3) {
                0 => bytes[at] = r.random(),
                1 => bytes[at] = b"0123456789-. \n"[r.random_range(0..14usize)],
                _ => bytes.insert(at, b"0123456789-. \n"[r.random_range(0..14usize)]),
            }
        }
        match read_bytes(&bytes, Format::Ptx, "flipped") {
            Ok(d) => {
                good += 1;
                put(&d, Format::Ptx);
                put(&d, Format::Ply);
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}
