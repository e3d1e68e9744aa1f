//! PLY keeps every property, its order, type and value, in all encodings.

mod common;

use common::{assert_same, cloud, rng};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, ScalarType, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

const ALL: [Encoding; 3] = [Encoding::Ascii, Encoding::BinaryLittle, Encoding::BinaryBig];

fn to(document: &Document, encoding: Encoding) -> Vec<u8> {
    let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
    write_bytes(document, Format::Ply, &options).unwrap()
}

fn from(bytes: &[u8]) -> Document {
    read_bytes(bytes, Format::Ply, "test").unwrap()
}

#[test]
fn random_clouds_come_back_bit_by_bit_through_every_pair_of_encodings() {
    for seed in 0..60 {
        let mut r = rng(seed);
        let n = [0, 1, 2, 17, 300][r.random_range(0..5usize)];
        let original = Document::from(cloud(&mut r, n, false));
        for first in ALL {
            let once = from(&to(&original, first));
            assert_same(&once.cloud, &original.cloud);
            assert_eq!(once.source.encoding(), Some(first));
            for second in ALL {
                let bytes = to(&once, second);
                assert_eq!(bytes, to(&original, second), "seed {seed}");
                assert_same(&from(&bytes).cloud, &original.cloud);
            }
        }
    }
}

#[test]
fn binary_keeps_the_bits_of_nan() {
    for seed in 0..20 {
        let original = Document::from(cloud(&mut rng(seed), 200, true));
        let little = to(&original, Encoding::BinaryLittle);
        let big = to(&from(&little), Encoding::BinaryBig);
        assert_same(&from(&big).cloud, &original.cloud);
        assert_eq!(to(&from(&big), Encoding::BinaryLittle), little);
    }
}

#[test]
fn more_rows_than_a_chunk_stay_in_order() {
    let n = 70_000;
    let mut cloud = PointCloud::new((0..n).map(|i| [i as f64, 0.5 * i as f64, -1.0]).collect());
    let index = Values::U32((0..n as u32).collect());
    cloud.set_attribute(Attribute::scalar("index", index)).unwrap();
    let document = Document::from(cloud);
    for encoding in ALL {
        assert_same(&from(&to(&document, encoding)).cloud, &document.cloud);
    }
}

const BUSY: &str = "ply
format ascii 1.0
comment made by hand
obj_info scanner 7
element camera 1
property float view_px
property list uchar short knobs
comment between
element vertex 3
property uint8 red
property uchar green
comment inside
property uint8 blue
property double x
property float y
property int z
property list uchar float weights
property float nx
property float nz
property float ny
property char label
element face 2
property list uchar int vertex_indices
property ushort flags
element nothing 0
property float unused
comment at the end
end_header
0.1 3 -1 2 300
1 2 3 0.1 0.1 -7 0 0.5 0.25 0.125 -128
255 0 9 1e+300 3.4e+38 2147483647 2 1.5 -0 nan inf -inf 127
0 0 0 5e-324 1e-45 0 1 7 0 0 1 0
3 0 1 2 65535
4 0 1 2 0 1
";

#[test]
fn a_file_with_everything_comes_back_byte_by_byte() {
    let document = from(BUSY.as_bytes());
    assert_eq!(String::from_utf8(to(&document, Encoding::Ascii)).unwrap(), BUSY);
    for encoding in [Encoding::BinaryLittle, Encoding::BinaryBig] {
        let again = from(&to(&document, encoding));
        assert_eq!(String::from_utf8(to(&again, Encoding::Ascii)).unwrap(), BUSY);
        assert_eq!(to(&again, encoding), to(&document, encoding));
    }
    let (c, s) = (&document.cloud, &document.source);
    assert_eq!(c.positions()[0], [0.1, f64::from(0.1f32), -7.0]);
    assert_eq!(s.position_types(), Some([ScalarType::F64, ScalarType::F32, ScalarType::I32]));
    let normal = c.attribute("normal").unwrap();
    assert_eq!((normal.width(), normal.values().get_f64(1)), (3, Some(0.125)), "ny comes last");
    assert_eq!(
        c.attribute("color").unwrap().values(),
        &Values::U8(vec![1, 2, 3, 255, 0, 9, 0, 0, 0])
    );
    assert_eq!(c.attribute("label").unwrap().values(), &Values::I8(vec![-128, 127, 0]));
    assert_eq!(s.comments(), ["made by hand", "between", "inside", "at the end"]);
    let others = [("camera".to_owned(), 1), ("face".to_owned(), 2), ("nothing".to_owned(), 0)];
    assert_eq!(s.other_elements(), others);
}

#[test]
fn moved_points_take_the_files_type_and_the_rest_stays() {
    let mut document = from(BUSY.as_bytes());
    let moved = vec![[1.25, 0.3, 4.6], [f64::NAN, 0.0, 0.0], [0.0; 3]];
    document.cloud = document.cloud.with_positions(moved).unwrap();
    let again = from(&to(&document, Encoding::BinaryBig));
    assert_eq!(again.cloud.positions()[0], [1.25, f64::from(0.3f32), 5.0]);
    assert!(again.cloud.positions()[1][0].is_nan());
    let faces = String::from_utf8(to(&again, Encoding::Ascii)).unwrap();
    assert!(faces.ends_with("3 0 1 2 65535\n4 0 1 2 0 1\n"));
}
