//! LAS and LAZ: what is read comes back, byte by byte where the same format is written.

mod common;
mod las_files;

use common::{assert_same, rng, same};
use las_files::{Builder, descriptor, vlr};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Format, WriteOptions, read, read_bytes, write, write_bytes};
use rand::RngExt;

fn document(bytes: &[u8]) -> Document {
    let format = if bytes[104] & 0x80 != 0 { Format::Laz } else { Format::Las };
    read_bytes(bytes, format, "a.las").unwrap()
}

fn bytes(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

/// Through LAS, then through LAZ and back: every byte must be the same.
#[track_caller]
fn assert_kept(original: &[u8]) -> Document {
    let first = document(original);
    assert_eq!(bytes(&first, Format::Las), original);
    let packed = bytes(&first, Format::Laz);
    assert_eq!(packed[104], original[104] | 0x80);
    let second = document(&packed);
    assert_same(&first.cloud, &second.cloud);
    assert_eq!(bytes(&second, Format::Las), original);
    assert_eq!(bytes(&second, Format::Laz), packed);
    first
}

#[test]
fn every_point_format_and_version_comes_back_byte_by_byte() {
    let mut r = rng(1);
    for format in 0..=10u8 {
        let least = [0, 0, 2, 2, 3, 3, 4, 4, 4, 4, 4][usize::from(format)];
        for minor in least..=4 {
            for n in [0, 1, 2, 1000] {
                assert_kept(&Builder::new(minor, format).random_points(&mut r, n).build());
            }
        }
    }
}

#[test]
fn several_chunks_come_back_and_threads_make_no_difference() {
    let mut r = rng(2);
    for format in [3, 7] {
        let original = Builder::new(4, format).random_points(&mut r, 120_001).build();
        assert_kept(&original);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bytes(&document(&original), Format::Laz))
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn fields_have_their_names_types_and_values() {
    // Bytes of a record by hand, from the specification of LAS 1.4 R15.
    let mut record = Vec::new();
    for k in [1i32, -2, 3] {
        record.extend(k.to_le_bytes());
    }
    record.extend(513u16.to_le_bytes());
    record.push(0b0101_0010); // five returns, the second
    record.push(0b1110_1001); // synthetic, overlap, channel 2, left, edge
    record.push(200); // class
    record.push(7);
    record.extend((-15_000i16).to_le_bytes());
    record.extend(65_535u16.to_le_bytes());
    record.extend((0.1f64 + 0.2).to_le_bytes());
    for c in [1u16, 2, 65_535, 9] {
        record.extend(c.to_le_bytes());
    }
    let cloud = document(&Builder::new(4, 8).records(&record).build()).cloud;
    let value = |name: &str| cloud.attribute(name).unwrap().values().clone();
    assert_eq!(cloud.positions(), [[0.001, -0.002, 0.003]]);
    assert_eq!(value("intensity"), Values::U16(vec![513]));
    assert_eq!(value("return_number"), Values::U8(vec![2]));
    assert_eq!(value("number_of_returns"), Values::U8(vec![5]));
    for (name, x) in [("synthetic", 1), ("key_point", 0), ("withheld", 0), ("overlap", 1)] {
        assert_eq!(value(name), Values::U8(vec![x]), "{name}");
    }
    assert_eq!(value("scanner_channel"), Values::U8(vec![2]));
    assert_eq!(value("scan_direction"), Values::U8(vec![1]));
    assert_eq!(value("edge_of_flight_line"), Values::U8(vec![1]));
    assert_eq!(value("classification"), Values::U8(vec![200]));
    assert_eq!(value("user_data"), Values::U8(vec![7]));
    assert_eq!(value("scan_angle"), Values::I16(vec![-15_000]));
    assert_eq!(value("point_source_id"), Values::U16(vec![65_535]));
    assert_eq!(value("time"), Values::F64(vec![0.1 + 0.2]));
    assert_eq!(value("color"), Values::U16(vec![1, 2, 65_535]));
    assert_eq!(value("nir"), Values::U16(vec![9]));
    assert_eq!(cloud.attributes().len(), 17);
}

#[test]
fn old_fields_share_their_bytes_otherwise() {
    let mut record = [0u8; 20];
    record[14] = 0b1101_1010; // three returns, the second, left, edge
    record[15] = 0b1010_0110; // withheld, synthetic, class 6
    record[16] = -90i8 as u8;
    let cloud = document(&Builder::new(1, 0).records(&record).build()).cloud;
    let value = |name: &str| cloud.attribute(name).unwrap().values().clone();
    assert_eq!(value("return_number"), Values::U8(vec![2]));
    assert_eq!(value("number_of_returns"), Values::U8(vec![3]));
    assert_eq!(value("scan_direction"), Values::U8(vec![1]));
    assert_eq!(value("edge_of_flight_line"), Values::U8(vec![1]));
    assert_eq!(value("classification"), Values::U8(vec![6]));
    let flags = ["synthetic", "key_point", "withheld"].map(value);
    assert_eq!(flags, [1, 0, 1].map(|x| Values::U8(vec![x])));
    assert_eq!(value("scan_angle"), Values::I8(vec![-90]));
}

#[test]
fn points_that_do_not_move_keep_their_integers() {
    let mut r = rng(3);
    let transforms = [
        ([0.001; 3], [500_000.0, 4_649_776.224_82, 100.0]),
        ([0.01; 3], [0.0; 3]),
        ([0.00025, 0.01, 1e-7], [270_000.0, 5_270_000.0, -0.0]),
        ([1.0 / 3.0, -0.001, 1e-4], [0.1, 7e6 + 0.3, -9e6]),
        // Steps finer than a double can tell apart: the integers are kept beside it.
        ([1e-9, 1e-10, 1e-12], [4_649_776.2, 500_000.7, 1e3]),
    ];
    for (scale, offset) in transforms {
        let builder = Builder::new(4, 6).transform(scale, offset);
        let original = builder.random_points(&mut r, 2000).build();
        let document = assert_kept(&original);
        // One moves; the rest stay.
        let mut points = document.cloud.positions().to_vec();
        points[7] = [offset[0] + 5.0 * scale[0], offset[1], offset[2]];
        let cloud = document.cloud.with_positions(points).unwrap();
        let moved = bytes(&Document { cloud, source: document.source.clone() }, Format::Las);
        let start = moved.len() - 2000 * 30;
        for i in 0..2000 {
            let row = start + 30 * i..start + 30 * i + 30;
            if i == 7 {
                let k = |a: usize| {
                    i32::from_le_bytes(moved[row.start + 4 * a..][..4].try_into().unwrap())
                };
                assert_eq!([k(0), k(1), k(2)], [5, 0, 0]);
            } else {
                assert_eq!(moved[row.clone()], original[row]);
            }
        }
    }
}

#[test]
fn a_point_out_of_reach_is_an_error() {
    let document = document(&Builder::new(2, 0).random_points(&mut rng(4), 3).build());
    for (x, what) in [(3e6, "reach only from"), (f64::NAN, "finite coordinates only")] {
        let mut points = document.cloud.positions().to_vec();
        points[1][2] = x;
        let cloud = document.cloud.with_positions(points).unwrap();
        let moved = Document { cloud, source: document.source.clone() };
        for format in [Format::Las, Format::Laz] {
            let e = write_bytes(&moved, format, &WriteOptions::default()).unwrap_err().to_string();
            assert!(e.contains("point 1 has z") && e.contains(what), "{e}");
        }
    }
}

#[test]
fn extra_bytes_become_typed_attributes() {
    let mut r = rng(5);
    let sizes = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8];
    let types = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"];
    let mut data = descriptor("raw", 0, 5, 1.0, 0.0);
    let mut extra = 5;
    for t in 1..=30u8 {
        data.extend(descriptor(&format!("field {t}"), t, 0, 1.0, 0.0));
        extra += sizes[usize::from(t - 1) % 10] * (usize::from(t - 1) / 10 + 1);
    }
    for format in [1, 6] {
        // Three bytes more than are described.
        let builder = Builder::new(4, format).vlr(vlr("LASF_Spec", 4, &data)).extra(extra + 3);
        let cloud = assert_kept(&builder.random_points(&mut r, 300).build()).cloud;
        for t in 1..=30usize {
            let a = cloud.attribute(&format!("field {t}")).unwrap();
            assert_eq!(a.values().type_name(), types[(t - 1) % 10]);
            assert_eq!(a.width(), (t - 1) / 10 + 1);
        }
        assert_eq!(cloud.attribute("raw").unwrap().width(), 5);
        assert_eq!(cloud.attribute("extra_bytes").unwrap().width(), 3);
    }
}

#[test]
fn scaled_extra_bytes_are_real_values_and_come_back_as_stored() {
    let mut r = rng(6);
    let mut data = Vec::new();
    for t in 1..=6 {
        data.extend(descriptor(&format!("f{t}"), t, 8 | 16, 0.1, 1_000_000.3));
    }
    // Doubles cannot hold these; they stay integers.
    data.extend(descriptor("wide", 7, 8, 0.1, 0.0));
    let builder = Builder::new(2, 0).vlr(vlr("LASF_Spec", 4, &data)).extra(14 + 8);
    let original = builder.random_points(&mut r, 500).build();
    let cloud = assert_kept(&original).cloud;
    let start = original.len() - 500 * 42;
    let Values::F64(v) = cloud.attribute("f3").unwrap().values() else { panic!("not f64") };
    for (i, x) in v.iter().enumerate() {
        let raw =
            u16::from_le_bytes([original[start + 42 * i + 22], original[start + 42 * i + 23]]);
        assert_eq!(*x, f64::from(raw) * 0.1 + 1_000_000.3);
    }
    assert_eq!(cloud.attribute("wide").unwrap().values().type_name(), "u64");
}

#[test]
fn records_before_and_after_and_the_header_come_back() {
    let mut r = rng(7);
    let builder = Builder::new(4, 7)
        .vlr(vlr("LASF_Projection", 34735, &[1, 0, 1, 0, 0, 0, 0, 0]))
        .vlr(vlr("LASF_Projection", 2112, b"PROJCS[\"UTM 33N\"]\0"))
        .vlr(vlr("someone", 9, &[]))
        .evlr(vlr("LASF_Projection", 2112, b"GEOGCS[]"))
        .evlr(vlr("someone", 7, &vec![5; 100_000]));
    let document = assert_kept(&builder.gap(&[1, 2, 3]).random_points(&mut r, 50).build());
    let others = document.source.other_elements();
    assert_eq!(others, [("VLR".to_owned(), 3), ("EVLR".to_owned(), 2)]);
    // Additions to the header itself.
    assert_kept(&Builder::new(2, 1).padding(&[9; 13]).random_points(&mut r, 5).build());
}

#[test]
fn waveforms_inside_the_file_come_back() {
    let mut r = rng(8);
    let packets = vlr("LASF_Spec", 65535, &[42; 333]);
    let builder = Builder::new(3, 4).waves(0).evlr(packets.clone());
    assert_kept(&builder.random_points(&mut r, 20).build());
    let builder = Builder::new(4, 10).waves(1).evlr(vlr("a", 1, &[1])).evlr(packets);
    let cloud = assert_kept(&builder.random_points(&mut r, 20).build()).cloud;
    assert_eq!(cloud.attribute("wave_offset").unwrap().values().type_name(), "u64");
    assert_eq!(cloud.attribute("wave_direction").unwrap().width(), 3);
}

#[test]
fn a_cloud_optimized_file_is_written_as_a_plain_one() {
    let builder = Builder::new(4, 6)
        .vlr(vlr("copc", 1, &[0; 160]))
        .vlr(vlr("LASF_Projection", 2112, b"GEOGCS[]"))
        .evlr(vlr("copc", 1000, &[0; 32]));
    let original = builder.random_points(&mut rng(9), 10).build();
    let folder = tempfile::tempdir().unwrap();
    let first = document(&original);
    let path = folder.path().join("b.laz");
    let written = write(&path, &first, &WriteOptions::default()).unwrap();
    assert_eq!(written.dropped.len(), 1);
    assert_eq!(written.dropped[0].attribute, "COPC index");
    let again = read(&path).unwrap();
    assert_same(&first.cloud, &again.cloud);
    assert_eq!(again.source.other_elements(), [("VLR".to_owned(), 1)]);
}

#[test]
fn clouds_from_elsewhere_keep_every_number() {
    let mut r = rng(10);
    let n = 700;
    let utm = |r: &mut common::Rng| {
        [500_000_000, 4_649_000_000, 100_000]
            .map(|base: i64| (base + r.random_range(0..900_000i64)) as f64 / 1000.0)
    };
    let mut cloud = PointCloud::new((0..n).map(|_| utm(&mut r)).collect());
    let mut set = |a: Attribute| cloud.set_attribute(a).unwrap();
    set(Attribute::vector("normal", 3, Values::F32((0..3 * n).map(|_| r.random()).collect())));
    set(Attribute::vector("color", 4, Values::U8((0..4 * n).map(|_| r.random()).collect())));
    set(Attribute::scalar("intensity", Values::F32((0..n).map(|_| r.random()).collect())));
    set(Attribute::scalar("time", Values::F64((0..n).map(|_| r.random()).collect())));
    set(Attribute::scalar("classification", Values::I32((0..n as i32).map(|k| k % 256).collect())));
    set(Attribute::scalar("scan_angle", Values::I8((0..n).map(|_| r.random()).collect())));
    set(Attribute::scalar("id", Values::U64((0..n).map(|_| r.random()).collect())));
    set(Attribute::scalar("word", Values::Text(vec!["a".to_owned(); n])));
    let folder = tempfile::tempdir().unwrap();
    for extension in ["las", "laz"] {
        let path = folder.path().join("a").with_extension(extension);
        let written =
            write(&path, &Document::from(cloud.clone()), &WriteOptions::default()).unwrap();
        assert_eq!(written.dropped.len(), 1);
        assert_eq!(written.dropped[0].attribute, "word");
        let back = read(&path).unwrap().cloud;
        // Millimetres are found to be enough, to the last bits of a double.
        let made = std::fs::read(&path).unwrap();
        assert_eq!(made[131..155], [0.001f64.to_le_bytes(); 3].concat());
        for (p, q) in cloud.positions().iter().zip(back.positions()) {
            assert!((0..3).all(|a| (p[a] - q[a]).abs() <= 2.0 * f64::EPSILON * p[a].abs()));
        }
        // Intensities become the 16 bits that every reader of LAS knows.
        let part = |i: usize| cloud.attribute("intensity").unwrap().values().get_f64(i).unwrap();
        let stored = |i: usize| back.attribute("intensity").unwrap().values().get_f64(i).unwrap();
        assert!((0..n).all(|i| (stored(i) - 65_535.0 * part(i)).abs() <= 0.5));
        for name in ["normal", "time", "scan_angle", "id"] {
            let (a, b) = (cloud.attribute(name).unwrap(), back.attribute(name).unwrap());
            assert_eq!(a.width(), b.width());
            assert!(same(a.values(), b.values()), "{name}");
        }
        let value =
            |c: &PointCloud, name: &str, k| c.attribute(name).unwrap().component(k).unwrap();
        assert_eq!(value(&back, "classification", 0), value(&cloud, "classification", 0));
        for k in 0..3 {
            let wide: Vec<f64> = value(&cloud, "color", k).iter().map(|x| x * 257.0).collect();
            assert_eq!(value(&back, "color", k), wide);
        }
        assert_eq!(value(&back, "alpha", 0), value(&cloud, "color", 3));
        assert!(value(&back, "return_number", 0).iter().all(|x| *x == 1.0));
    }
}

#[test]
fn a_scale_is_found_for_any_cloud() {
    let mut r = rng(11);
    for size in [1e-280, 1e-6, 1.0, 1e4, 1e12, 1e300] {
        for shift in [0.0, 1.0, -1e7] {
            let point = |r: &mut common::Rng| [(); 3].map(|()| size * (r.random::<f64>() + shift));
            let points: Vec<_> = (0..200).map(|_| point(&mut r)).collect();
            let made = bytes(&Document::from(PointCloud::new(points.clone())), Format::Las);
            let back = document(&made).cloud;
            // 32 bits over the extent, to the next power of ten; or the last bits of a double.
            let step = size * 1e-8 + size * shift.abs() * 1e-15;
            for (p, q) in points.iter().zip(back.positions()) {
                for a in 0..3 {
                    assert!((p[a] - q[a]).abs() <= step, "{} {} {size} {shift}", p[a], q[a]);
                }
            }
        }
    }
    for one in [0.0, 0.1, -123.456, 1e18, 5e-324, 1e300] {
        let made = bytes(&Document::from(PointCloud::new(vec![[one; 3]])), Format::Laz);
        let back = document(&made).cloud.positions()[0];
        assert!((back[0] - one).abs() <= one.abs() * 1e-9 + 1e-300, "{one} {back:?}");
    }
}

#[test]
fn between_las_and_ply_attributes_are_kept_and_records_reported() {
    let mut r = rng(12);
    let builder = Builder::new(2, 3).vlr(vlr("LASF_Projection", 34735, &[1, 0]));
    let first = document(&builder.random_points(&mut r, 100).build());
    let folder = tempfile::tempdir().unwrap();
    let ply = folder.path().join("a.ply");
    let written = write(&ply, &first, &WriteOptions::default()).unwrap();
    assert_eq!(written.dropped.len(), 1);
    assert_eq!(written.dropped[0].attribute, "LASF_Projection 34735");
    let second = read(&ply).unwrap();
    assert_same(&first.cloud, &second.cloud);
    let laz = folder.path().join("a.laz");
    assert_eq!(write(&laz, &second, &WriteOptions::default()).unwrap().dropped, []);
    let third = read(&laz).unwrap().cloud;
    // Random 32-bit millimetres may take a scale of their own, but no point goes astray.
    assert_eq!(third.positions(), first.cloud.positions());
    for a in first.cloud.attributes() {
        assert!(same(third.attribute(a.name()).unwrap().values(), a.values()), "{}", a.name());
    }
}

#[test]
fn attributes_can_be_added_to_and_taken_from_a_file() {
    let data = descriptor("mine", 4, 0, 1.0, 0.0);
    let builder = Builder::new(1, 0).vlr(vlr("LASF_Spec", 4, &data)).extra(2 + 3);
    let mut document = document(&builder.random_points(&mut rng(13), 40).build());
    let cloud = &mut document.cloud;
    let old = cloud.attribute("extra_bytes").unwrap().values().clone();
    cloud.remove_attribute("mine");
    let mut set = |a: Attribute| cloud.set_attribute(a).unwrap();
    set(Attribute::scalar("shift", Values::F32(vec![0.5; 40])));
    set(Attribute::vector("color", 3, Values::U16((0..120).collect())));
    set(Attribute::scalar("classification", Values::U8(vec![64; 40])));
    for format in [Format::Las, Format::Laz] {
        let made = bytes(&document, format);
        // Colors need LAS 1.2 and format 2.
        assert_eq!((made[25], made[104] & 0x3f), (2, 2));
        let back = self::document(&made).cloud;
        assert!(back.attribute("mine").is_none());
        assert_eq!(back.attribute("extra_bytes").unwrap().values(), &old);
        for name in ["shift", "color", "intensity", "user_data"] {
            let (a, b) = (document.cloud.attribute(name).unwrap(), back.attribute(name).unwrap());
            assert_eq!(a, b, "{name}");
        }
        // A class above 31 does not fit the old field; it is kept beside it.
        let a = back.attribute("classification").unwrap();
        assert_eq!(a.values(), &Values::U8(vec![64; 40]));
    }
}
