//! E57: scans, poses, invalid points, and what is refused.

mod common;
#[path = "hardening/crc.rs"]
mod crc;
#[path = "hardening/in_pieces.rs"]
mod in_pieces;

use std::io::Cursor;
use std::path::Path;

use common::{assert_same, rng};
use crc::mend_e57;
use e57::{
    E57Reader, E57Writer, Quaternion, RawValues, Record, RecordDataType, RecordName, RecordValue,
    Transform, Translation, VisualReferenceImageProperties,
};
use in_pieces::positions;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};
use pellucid_io::{Document, Format, IoError, PieceFile, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

fn get(bytes: &[u8], format: Format) -> Document {
    read_bytes(bytes, format, "a").unwrap()
}

fn put(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

fn record(name: RecordName, data_type: RecordDataType) -> Record {
    Record { name, data_type }
}

const SINGLE: RecordDataType = RecordDataType::Single { min: None, max: None };
const DOUBLE: RecordDataType = RecordDataType::Double { min: None, max: None };

/// A quarter turn about z, then a shift.
fn pose() -> Transform {
    let h = 0.5f64.sqrt();
    Transform {
        rotation: Quaternion { w: h, x: 0.0, y: 0.0, z: h },
        translation: Translation { x: 10.0, y: 20.0, z: 30.0 },
    }
}

/// Two scans, the first of scaled integers with a pose and one invalid point, the second
/// spherical; and an image.
fn two_scans() -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let mut w = E57Writer::new(&mut out, "file").unwrap();
    let scaled = RecordDataType::ScaledInteger { min: -1000, max: 1000, scale: 0.01, offset: 0.0 };
    let byte = RecordDataType::Integer { min: 0, max: 255 };
    let state = RecordDataType::Integer { min: 0, max: 2 };
    let mut scan = w
        .add_pointcloud(
            "one",
            vec![
                record(RecordName::CartesianX, scaled.clone()),
                record(RecordName::CartesianY, scaled.clone()),
                record(RecordName::CartesianZ, scaled),
                record(RecordName::CartesianInvalidState, state),
                record(RecordName::ColorRed, byte.clone()),
                record(RecordName::ColorGreen, byte.clone()),
                record(RecordName::ColorBlue, byte),
            ],
        )
        .unwrap();
    scan.set_transform(Some(pose()));
    scan.set_sensor_vendor(Some("vendor".to_owned()));
    for (p, state) in [([100, 0, 0], 0), ([0, 0, 0], 2), ([0, 200, 300], 0)] {
        let mut raw: RawValues = p.iter().map(|&x| RecordValue::ScaledInteger(x)).collect();
        raw.push(RecordValue::Integer(state));
        raw.extend([1, 2, 3].map(RecordValue::Integer));
        scan.add_point(raw).unwrap();
    }
    scan.finalize().unwrap();
    let mut scan = w
        .add_pointcloud(
            "two",
            vec![
                record(RecordName::SphericalRange, DOUBLE),
                record(RecordName::SphericalAzimuth, DOUBLE),
                record(RecordName::SphericalElevation, SINGLE),
                record(RecordName::Intensity, SINGLE),
            ],
        )
        .unwrap();
    for (range, azimuth) in [(2.0, 0.0), (3.0, 1.5)] {
        let raw = vec![
            RecordValue::Double(range),
            RecordValue::Double(azimuth),
            RecordValue::Single(0.25),
            RecordValue::Single(0.5),
        ];
        scan.add_point(raw).unwrap();
    }
    scan.finalize().unwrap();
    let mut image = w.add_image("picture").unwrap();
    let size = VisualReferenceImageProperties { width: 1, height: 1 };
    image
        .add_visual_reference(e57::ImageFormat::Png, &mut Cursor::new(b"a picture"), size, None)
        .unwrap();
    image.finalize().unwrap();
    w.finalize().unwrap();
    drop(w);
    out.into_inner()
}

/// Every stored value of every scan.
fn raw(bytes: &[u8]) -> Vec<Vec<RawValues>> {
    let mut reader = E57Reader::new(Cursor::new(bytes)).unwrap();
    let scans = reader.pointclouds();
    scans.iter().map(|s| reader.pointcloud_raw(s).unwrap().map(Result::unwrap).collect()).collect()
}

#[test]
fn poses_are_applied_and_taken_off_again() {
    let bytes = two_scans();
    let d = get(&bytes, Format::E57);
    let p = d.cloud.positions();
    assert_eq!(p.len(), 5);
    // (1, 0, 0) turned by 90 degrees is (0, 1, 0).
    let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(p[0], [10.0, 21.0, 30.0]), "{:?}", p[0]);
    assert!(p[1].iter().all(|x| x.is_nan()), "marked as invalid");
    assert!(close(p[2], [8.0, 20.0, 33.0]), "{:?}", p[2]);
    let e = f64::from(0.25f32);
    assert!(close(p[3], [2.0 * e.cos(), 0.0, 2.0 * e.sin()]), "{:?}", p[3]);
    let scan = Values::U32(vec![0, 0, 0, 1, 1]);
    assert_eq!(d.cloud.attribute("scan").unwrap().values(), &scan);
    assert_eq!(d.cloud.attribute("color").unwrap().width(), 3);
    assert_eq!(d.cloud.attribute("intensity").unwrap().values().get_f64(4), Some(0.5));
    let others = [("scan".to_owned(), 2), ("image".to_owned(), 1)];
    assert_eq!(d.source.other_elements(), others);
    // The second scan has no pose; its ranges and angles are those of a scanner at the origin.
    assert_eq!(d.source.viewpoints(), [[10.0, 20.0, 30.0], [0.0; 3]]);

    // Nothing moved: every stored value is the same, the image and the sensor too.
    let again = put(&d, Format::E57);
    assert_eq!(raw(&again), raw(&bytes));
    let mut reader = E57Reader::new(Cursor::new(again.as_slice())).unwrap();
    assert_eq!(reader.pointclouds()[0].sensor_vendor.as_deref(), Some("vendor"));
    let image = reader.images()[0].visual_reference.clone().unwrap();
    let mut data = Vec::new();
    reader.blob(&image.blob.data, &mut data).unwrap();
    assert_eq!(data, b"a picture");

    // Two points moved, one of them past the range of its integers.
    let mut to = p.to_vec();
    to[2] = [8.0, 20.0, 133.0];
    to[4] = [0.0, 0.0, 7.0];
    let mut moved = d.clone();
    moved.cloud = d.cloud.with_positions(to).unwrap();
    let (old, new) = (raw(&bytes), raw(&put(&moved, Format::E57)));
    assert_eq!(new[0][..2], old[0][..2]);
    assert_eq!(new[1][0], old[1][0]);
    let z = RecordValue::ScaledInteger(10300);
    assert_eq!(new[0][2][..3], [RecordValue::ScaledInteger(0), RecordValue::ScaledInteger(200), z]);
    assert_eq!(new[1][1][0], RecordValue::Double(7.0));
}

#[test]
fn other_clouds_go_round() {
    let mut c = PointCloud::new(vec![[1.5, -2.0, 4_512_345.678_9], [f64::NAN; 3], [0.1, 0.2, 0.3]]);
    let mut set = |a: Attribute| c.set_attribute(a).unwrap();
    set(Attribute::vector("color", 3, Values::U8((0..9).collect())));
    set(Attribute::scalar("intensity", Values::F32(vec![0.1, 0.2, 0.3])));
    set(Attribute::scalar("time", Values::F64(vec![0.1, 0.2, 0.3])));
    let d = Document::from(c);
    let mut back = get(&put(&d, Format::E57), Format::E57);
    back.cloud.remove_attribute("cartesian_invalid");
    assert_same(&d.cloud, &back.cloud);
    assert_eq!(put(&d, Format::E57), put(&d, Format::E57), "the same points, the same file");
    let ply = get(&put(&d, Format::Ply), Format::Ply);
    let mut back = get(&put(&ply, Format::E57), Format::E57);
    back.cloud.remove_attribute("cartesian_invalid");
    assert_same(&d.cloud, &back.cloud);
}

#[test]
fn validity_is_that_of_the_standard_also_where_the_file_is_new() {
    for name in ["cartesian_invalid", "spherical_invalid"] {
        let mut cloud = PointCloud::new(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let states = Attribute::scalar(name, Values::U8(vec![0, 1]));
        cloud.set_attribute(states).unwrap();
        let bytes = put(&Document::from(cloud), Format::E57);
        let reader = E57Reader::new(Cursor::new(&bytes[..])).unwrap();
        let names: Vec<RecordName> =
            reader.pointclouds()[0].prototype.iter().map(|r| r.name.clone()).collect();
        assert!(names.contains(&RecordName::CartesianInvalidState), "{names:?}");
        assert_eq!(names.len(), 4, "{names:?}");
        let back = get(&bytes, Format::E57).cloud;
        assert_eq!(back.attribute("cartesian_invalid").unwrap().component(0).unwrap(), [0.0, 1.0]);
    }
}

#[test]
fn what_is_lost_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut d = get(&two_scans(), Format::E57);
    d.cloud.set_attribute(Attribute::scalar("label", Values::U8(vec![1; 5]))).unwrap();
    let path = folder.path().join("a.e57");
    let w = pellucid_io::write(&path, &d, &WriteOptions::default()).unwrap();
    assert_eq!(w.dropped, []);
    assert_eq!(
        pellucid_io::read(&path).unwrap().cloud.attribute("label"),
        d.cloud.attribute("label")
    );
    d.cloud = d.cloud.select(&[0, 2]);
    let path = folder.path().join("b.e57");
    let w = pellucid_io::write(&path, &d, &WriteOptions::default()).unwrap();
    assert!(w.dropped.iter().any(|x| x.attribute.contains("poses")));
    assert_eq!(pellucid_io::read(&path).unwrap().cloud.positions(), d.cloud.positions());
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    let bytes = two_scans();
    let fails = |bytes: &[u8], part: &str| {
        let e = read_bytes(bytes, Format::E57, "a.e57").unwrap_err().to_string();
        assert!(e.starts_with("a.e57: byte ") && e.contains(part), "{e}");
    };
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    fails(&flipped, "");
    fails(&bytes[..40], "");
    fails(&bytes[..bytes.len() / 2], "");
    fails(b"ply\nformat ascii 1.0\n", "the name says E57 but the content is PLY");
    for cut in 0..bytes.len() {
        assert!(read_bytes(&bytes[..cut], Format::E57, "cut").is_err(), "{cut}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut r = rng(2);
    let (mut good, mut bad) = (0, 0);
    for round in 0..4000 {
        let mut bytes = bytes.clone();
        let at = r.random_range(0..bytes.len());
        bytes[at] = r.random();
        // Half of them with sound checksums, so that the flips get further.
        if round % 2 == 0 {
            mend_e57(&mut bytes);
        }
        let whole = read_bytes(&bytes, Format::E57, "flipped");
        if round % 10 < 2 {
            let pieces = in_pieces(&folder.path().join("a.e57"), &bytes);
            if let Ok(d) = &whole {
                let bits = |p: &[Point]| p.iter().map(|p| p.map(f64::to_bits)).collect::<Vec<_>>();
                assert_eq!(bits(&pieces.unwrap()), bits(d.cloud.positions()));
            }
        }
        match whole {
            Ok(d) => {
                good += 1;
                let _ = write_bytes(&d, Format::E57, &WriteOptions::default());
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 100 && bad > 100, "{good} {bad}");
}

/// The positions of a file gone through piece by piece; it is written back too.
fn in_pieces(path: &Path, bytes: &[u8]) -> Result<Vec<Point>, IoError> {
    std::fs::write(path, bytes).unwrap();
    let file = PieceFile::open(path)?;
    let all = positions(&file)?;
    let _ = file.rewrite(Format::E57, &mut Cursor::new(Vec::new()), &mut |_, _| true);
    Ok(all)
}

#[test]
fn absurd_counts_are_refused() {
    let bytes = two_scans();
    let at = bytes.windows(15).position(|w| w == b"recordCount=\"3\"").unwrap();
    // The same length, so that the file stays in order: 9 points where there are 3.
    let mut more = bytes.clone();
    more[at + 13] = b'9';
    mend_e57(&mut more);
    let e = read_bytes(&more, Format::E57, "a.e57").unwrap_err().to_string();
    assert!(e.starts_with("a.e57: byte "), "{e}");
}
