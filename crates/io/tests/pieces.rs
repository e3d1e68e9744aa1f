//! Files gone through piece by piece come out as those read as a whole.

mod common;
#[path = "hardening/in_pieces.rs"]
mod in_pieces;
mod las_files;

use std::io::Cursor;
use std::path::PathBuf;

use common::rng;
use e57::{
    E57Writer, Extension, ImageFormat, Quaternion, RawValues, Record, RecordDataType, RecordName,
    RecordValue, Transform, Translation, VisualReferenceImageProperties,
};
use in_pieces::positions;
use las_files::{Builder, descriptor, vlr};
use pellucid_cloud::{Attribute, Point, Values};
use pellucid_io::{
    Document, Format, IoError, PieceFile, PieceWriter, WriteOptions, read_bytes, write_bytes,
};
use rand::RngExt;

struct Here {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(name: &str, bytes: &[u8]) -> Here {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Here { _folder: folder, path }
}

fn rewritten(file: &PieceFile, format: Format, change: impl Fn(usize, &mut Point)) -> Vec<u8> {
    let (mut out, mut rows) = (Cursor::new(Vec::new()), 0);
    let ended = file.rewrite(format, &mut out, &mut |first, points| {
        assert_eq!(first, rows % file.len());
        points.iter_mut().enumerate().for_each(|(i, p)| change(first + i, p));
        rows += points.len();
        true
    });
    assert_eq!(ended.unwrap(), Some(out.get_ref().len() as u64));
    assert_eq!(rows, file.passes() * file.len());
    out.into_inner()
}

/// Some stay, the others move towards zero, so that none leaves the range of a format.
fn nudge(row: usize, p: &mut Point) {
    if !row.is_multiple_of(3) {
        p.iter_mut().for_each(|x| *x -= 0.0125 * x.signum());
    }
}

/// Piece by piece and as a whole: the same positions, and the same bytes with and without moves.
#[track_caller]
fn assert_alike(bytes: &[u8], format: Format, outputs: &[Format]) {
    assert_alike_moved(bytes, format, outputs, nudge);
}

#[track_caller]
fn assert_alike_moved(
    bytes: &[u8],
    format: Format,
    outputs: &[Format],
    change: fn(usize, &mut Point),
) {
    let here = file(&format!("a.{}", format.extensions()[0]), bytes);
    let pieces = PieceFile::open(&here.path).unwrap();
    let mut document = read_bytes(bytes, format, "a").unwrap();
    assert_eq!(pieces.len(), document.cloud.len());
    let same = |a: &Point, b: &Point| a.map(f64::to_bits) == b.map(f64::to_bits);
    let all = positions(&pieces).unwrap();
    assert!(all.iter().zip(document.cloud.positions()).all(|(a, b)| same(a, b)));
    for output in outputs {
        let whole = write_bytes(&document, *output, &WriteOptions::default()).unwrap();
        assert!(rewritten(&pieces, *output, |_, _| {}) == whole, "{output:?}");
    }
    let mut moved = all;
    moved.iter_mut().enumerate().for_each(|(row, p)| change(row, p));
    document.cloud = document.cloud.with_positions(moved).unwrap();
    for output in outputs {
        let whole = write_bytes(&document, *output, &WriteOptions::default()).unwrap();
        assert!(rewritten(&pieces, *output, change) == whole, "{output:?}, moved");
    }
}

#[test]
fn every_point_format_and_version() {
    let mut r = rng(1);
    for format in 0..=10u8 {
        let least = [0, 0, 2, 2, 3, 3, 4, 4, 4, 4, 4][usize::from(format)];
        for minor in least..=4 {
            for n in [1, 700] {
                let las = Builder::new(minor, format).random_points(&mut r, n).build();
                assert_alike(&las, Format::Las, &[Format::Las, Format::Laz]);
                let document = read_bytes(&las, Format::Las, "a").unwrap();
                let laz = write_bytes(&document, Format::Laz, &WriteOptions::default()).unwrap();
                assert_alike(&laz, Format::Laz, &[Format::Las, Format::Laz]);
            }
        }
    }
}

#[test]
fn many_chunks_and_everything_around_the_points() {
    let mut r = rng(2);
    let extra: Vec<u8> =
        [descriptor("deviation", 4, 8, 0.5, 0.0), descriptor("nx", 9, 0, 0.0, 0.0)].concat();
    let las = Builder::new(4, 7)
        .extra(6 + 3)
        .vlr(vlr("LASF_Projection", 2112, b"PROJCS[]"))
        .vlr(vlr("LASF_Spec", 4, &extra))
        .evlr(vlr("somebody", 77, &[7; 5000]))
        .evlr(vlr("LASF_Spec", 65535, &[3; 300]))
        .waves(1)
        .padding(b"more header")
        .transform([0.01, 0.001, 0.1], [5e5, -3e6, 17.0])
        .random_points(&mut r, 460_123)
        .build();
    assert_alike(&las, Format::Las, &[Format::Las, Format::Laz]);
    let document = read_bytes(&las, Format::Las, "a").unwrap();
    let laz = write_bytes(&document, Format::Laz, &WriteOptions::default()).unwrap();
    assert_alike(&laz, Format::Laz, &[Format::Las, Format::Laz]);
}

#[test]
fn binary_ply_of_both_kinds_with_elements_before_and_after() {
    for (name, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        let n = 70_000_usize;
        let mut bytes = format!(
            "ply\nformat {name} 1.0\ncomment made by hand\nelement camera 2\nproperty double t\n\
             element vertex {n}\nproperty uchar red\nproperty float x\nproperty double y\n\
             property float z\nproperty ushort quality\nelement face 1\n\
             property list uchar int vertex_indices\nend_header\n"
        )
        .into_bytes();
        let f32s = |x: f32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let f64s = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        [0.5, -2.0].iter().for_each(|t| bytes.extend(f64s(*t)));
        for i in 0..n {
            bytes.push(i as u8);
            bytes.extend(f32s(i as f32 * 0.37));
            bytes.extend(f64s(if i == 5 { f64::NAN } else { i as f64 * -1.7 }));
            bytes.extend(f32s(1.5));
            bytes.extend([1, i as u8]);
        }
        bytes.push(3);
        (0..3i32).for_each(|k| bytes.extend(if big { k.to_be_bytes() } else { k.to_le_bytes() }));
        assert_alike(&bytes, Format::Ply, &[Format::Ply]);
    }
}

/// The records of three scans: scaled integers with states, spherical doubles, and singles with a field of their own.
fn prototypes() -> [Vec<Record>; 3] {
    let record = |name, data_type| Record { name, data_type };
    let scaled = RecordDataType::ScaledInteger { min: -9000, max: 9000, scale: 0.01, offset: 0.5 };
    let (byte, state) =
        (RecordDataType::Integer { min: 0, max: 255 }, RecordDataType::Integer { min: 0, max: 2 });
    let axes = [RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ];
    let integers = vec![
        record(axes[0].clone(), scaled.clone()),
        record(axes[1].clone(), scaled.clone()),
        record(axes[2].clone(), scaled),
        record(RecordName::CartesianInvalidState, state),
        record(RecordName::RowIndex, RecordDataType::Integer { min: 7, max: 7 }),
        record(RecordName::IsIntensityInvalid, RecordDataType::Integer { min: 0, max: 1 }),
        record(RecordName::Intensity, byte),
    ];
    let sphere =
        [RecordName::SphericalRange, RecordName::SphericalAzimuth, RecordName::SphericalElevation];
    let mut doubles: Vec<Record> =
        sphere.into_iter().map(|name| record(name, RecordDataType::F64)).collect();
    doubles.push(record(RecordName::TimeStamp, RecordDataType::F64));
    let mut singles: Vec<Record> =
        axes.into_iter().map(|name| record(name, RecordDataType::F32)).collect();
    let own = RecordName::Unknown { namespace: "own".to_owned(), name: "quality".to_owned() };
    singles.push(record(own, RecordDataType::F32));
    [integers, doubles, singles]
}

/// A random value of a record.
fn drawn(record: &Record, r: &mut impl RngExt) -> RecordValue {
    match record.data_type {
        RecordDataType::Integer { min, max } => {
            // Most states say that all is well.
            let fine = max < 3 && r.random_bool(0.9);
            RecordValue::Integer(if fine { 0 } else { r.random_range(min..=max) })
        }
        RecordDataType::ScaledInteger { min, max, .. } => {
            RecordValue::ScaledInteger(r.random_range(min..=max))
        }
        RecordDataType::Single { .. } => RecordValue::Single(r.random_range(-9.0..9.0)),
        RecordDataType::Double { .. } => RecordValue::Double(r.random_range(0.1..1.5)),
    }
}

/// A file of scans with so many points of each kind, and an image.
fn file_of_scans(counts: [usize; 3]) -> Vec<u8> {
    let prototypes = prototypes();
    let mut r = rng(5);
    let mut out = Cursor::new(Vec::new());
    let mut w = E57Writer::new(&mut out, "file").unwrap();
    w.set_coordinate_metadata(Some("PROJCS[]".to_owned()));
    w.register_extension(Extension::new("own", "urn:own")).unwrap();
    for (kind, n) in counts.into_iter().enumerate().filter(|(kind, n)| *kind == 2 || *n > 0) {
        let prototype = prototypes[kind].clone();
        let mut scan = w.add_pointcloud(&format!("scan {kind}"), prototype.clone()).unwrap();
        scan.set_name(Some(format!("station {kind}")));
        scan.set_sensor_model(Some("model".to_owned()));
        scan.set_humidity(Some(0.4));
        if kind < 2 {
            scan.set_transform(Some(Transform {
                rotation: Quaternion { w: 0.8, x: 0.0, y: 0.6, z: 0.0 },
                translation: Translation { x: 1e5, y: -20.0, z: kind as f64 },
            }));
        }
        for _ in 0..n {
            let raw: RawValues = prototype.iter().map(|record| drawn(record, &mut r)).collect();
            scan.add_point(raw).unwrap();
        }
        scan.finalize().unwrap();
    }
    let mut image = w.add_image("picture").unwrap();
    let size = VisualReferenceImageProperties { width: 1, height: 1 };
    let mut data = Cursor::new(vec![7; 5000]);
    image.add_visual_reference(ImageFormat::Png, &mut data, size, None).unwrap();
    image.finalize().unwrap();
    w.finalize().unwrap();
    drop(w);
    out.into_inner()
}

#[test]
fn scans_with_poses_records_and_images() {
    // How many points of each kind; the first two make more than one batch.
    for (n, passes) in [([120_000, 160_000, 10], 2), ([0, 5, 190_000], 1), ([0, 0, 400], 1)] {
        let bytes = file_of_scans(n);
        assert_alike(&bytes, Format::E57, &[Format::E57]);
        // Past the range of the integers, which then take more bits.
        let away = |row: usize, p: &mut Point| p[row % 3] += 300.0 * (row % 2) as f64;
        assert_alike_moved(&bytes, Format::E57, &[Format::E57], away);
        let here = file("a.e57", &bytes);
        assert_eq!(PieceFile::open(&here.path).unwrap().passes(), passes);
    }
}

/// Files that went through in pieces, changed by `change`, have the bytes of those written as a whole.
fn assert_written_alike(counts: [usize; 3], change: impl Fn(&mut Document, usize)) {
    let here = file("a.e57", &file_of_scans(counts));
    let [whole, parts] = ["whole.e57", "parts.e57"].map(|name| here.path.with_file_name(name));
    let mut document = pellucid_io::read(&here.path).unwrap();
    change(&mut document, 0);
    let written = pellucid_io::write(&whole, &document, &WriteOptions::default()).unwrap();

    let mut writer = PieceWriter::create(&parts, Format::E57, &WriteOptions::default()).unwrap();
    let (mut first, mut pieces) = (0, 0);
    let done = PieceFile::open(&here.path).unwrap().documents(700, &mut |mut piece| {
        let points = piece.cloud.len();
        assert!((1..=700).contains(&points));
        change(&mut piece, first);
        (first, pieces) = (first + points, pieces + 1);
        writer.add(&piece).unwrap();
        true
    });
    assert!(done.unwrap() && first == counts.iter().sum::<usize>() && pieces > first / 700);
    assert_eq!(writer.finish().unwrap(), written, "{counts:?}");
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&parts).unwrap(), "{counts:?}");
}

#[test]
fn scans_with_attributes_in_pieces_are_those_of_the_whole() {
    for counts in [[1200, 1600, 10], [0, 5, 1900], [0, 0, 400]] {
        assert_written_alike(counts, |_, _| {});
        // New attributes join the scans, and values of old ones change.
        assert_written_alike(counts, |d, first| {
            let n = d.cloud.len();
            let rows = (first..first + n).map(|row| row as f64 / 7.0).collect();
            d.cloud.set_attribute(Attribute::scalar("far", Values::F64(rows))).unwrap();
            let marks = (first..first + n).map(|row| (row % 3) as u8).collect();
            d.cloud.set_attribute(Attribute::scalar("mark", Values::U8(marks))).unwrap();
            d.cloud.set_normals(&vec![[0.0, 0.6, 0.8]; n]).unwrap();
            if let Some(a) = d.cloud.attribute("own_quality") {
                let new = (0..n).map(|row| (first + row) as f32).collect();
                let values = match a.values() {
                    Values::F32(_) => Values::F32(new),
                    _ => Values::F64(new.iter().map(|x| f64::from(*x)).collect()),
                };
                d.cloud.set_attribute(Attribute::scalar("own_quality", values)).unwrap();
            }
        });
        // Of other points one scan is made.
        assert_written_alike(counts, |d, first| {
            let rows: Vec<usize> = (0..d.cloud.len()).filter(|r| (first + r) % 3 > 0).collect();
            d.cloud = d.cloud.select(&rows);
        });
    }
}

#[test]
fn pieces_of_other_records_are_refused() {
    let here = file("a.e57", &file_of_scans([0, 0, 1000]));
    let out = here.path.with_file_name("out.e57");
    for left_out in [0, 1] {
        let mut writer = PieceWriter::create(&out, Format::E57, &WriteOptions::default()).unwrap();
        let done = PieceFile::open(&here.path).unwrap().documents(400, &mut |mut piece| {
            let rows: Vec<usize> = (left_out..piece.cloud.len()).collect();
            piece.cloud = piece.cloud.select(&rows);
            if piece.cloud.len() < 399 {
                let ones = Values::U8(vec![1; rows.len()]);
                piece.cloud.set_attribute(Attribute::scalar("late", ones)).unwrap();
            }
            writer.add(&piece).unwrap();
            true
        });
        assert!(done.unwrap());
        let fault = writer.finish().unwrap_err().to_string();
        assert!(fault.contains("other records") && !out.exists(), "{fault}");
    }
}

#[test]
fn whoever_has_had_enough_is_not_asked_again() {
    let mut r = rng(3);
    let las = Builder::new(4, 6).random_points(&mut r, 900_000).build();
    let here = file("a.las", &las);
    let pieces = PieceFile::open(&here.path).unwrap();
    let mut asked = 0;
    let ended = pieces.positions(&mut |_| {
        asked += 1;
        false
    });
    assert_eq!((ended.unwrap(), asked), (false, 1));
    let mut out = Cursor::new(Vec::new());
    assert_eq!(pieces.rewrite(Format::Laz, &mut out, &mut |_, _| false).unwrap(), None);
}

#[test]
fn what_cannot_be_done_in_pieces_is_said() {
    let ascii = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
                 property float z\nend_header\n1 2 3\n";
    let fault = |name: &str, bytes: &[u8]| {
        let here = file(name, bytes);
        PieceFile::open(&here.path).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(fault("a.ply", ascii.as_bytes()).contains("convert it to binary first"));
    assert!(fault("a.xyz", b"1 2 3\n").contains("convert it first"));
    assert!(fault("a.laz", ascii.as_bytes()).contains("the content is PLY"));
    assert!(fault("a.las", b"").contains("empty"));
    let mut r = rng(4);
    let las = Builder::new(4, 6).random_points(&mut r, 1000).build();
    assert!(fault("a.las", &las[..las.len() - 1]).contains("truncated"));
    let here = file("a.las", &las);
    let pieces = PieceFile::open(&here.path).unwrap();
    let mut out = Cursor::new(Vec::new());
    let other = pieces.rewrite(Format::Ply, &mut out, &mut |_, _| true);
    assert!(matches!(other, Err(IoError::Unfit { .. })));
    let far = pieces.rewrite(Format::Las, &mut out, &mut |_, points| {
        points[548] = [1e300; 3];
        true
    });
    let fault = far.unwrap_err().to_string();
    assert!(fault.contains("a.las: point 548 has x = 1e300"), "{fault}");
}
