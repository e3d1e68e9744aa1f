use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, WriteOptions};

use super::{Facts, range};
use crate::numbers::{as_written, three_digits};

#[test]
fn ranges_have_the_digits_that_tell_their_ends_apart() {
    assert_eq!(range((220370012.25, 220370101.5)), "220370012.25 to 220370101.5");
    assert_eq!(range((0.0, 254.0)), "0 to 254");
    assert_eq!(range((0.383801, 0.698392)), "0.3838 to 0.6984");
    assert_eq!(range((2.5, 2.5)), "2.5 to 2.5");
    assert_eq!(range((1e-12, 2.5e-12)), "1.000e-12 to 2.500e-12");
    assert_eq!(range((-3.0, f64::MAX)), "-3 to 1.798e308");
}

#[test]
fn lengths_have_three_digits() {
    let shown = [0.0, 1.4738, 0.077286, 4.4e-5, 6541.0, 1e-9, 3e20].map(three_digits);
    assert_eq!(shown, ["0", "1.47", "0.0773", "0.0000440", "6541", "1.00e-9", "3.00e20"]);
}

#[test]
fn scales_have_no_digits_of_their_last_bits() {
    let shown = [0.0000010000000000000002, 0.00000010000000000000002, 0.001, -0.0, 2.5e6];
    assert_eq!(shown.map(as_written), ["0.000001", "0.0000001", "0.001", "0", "2500000"]);
}

#[test]
fn the_unit_is_that_of_the_format() {
    let points = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]).collect();
    let mut cloud = PointCloud::new(points);
    cloud.set_attribute(Attribute::scalar("intensity", Values::F32(vec![0.5; 400]))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let facts = |name: &str, encoding| {
        let path = folder.path().join(name);
        let options = WriteOptions { encoding, overwrite: true, ..Default::default() };
        pellucid_io::write(&path, &Document::from(cloud.clone()), &options).unwrap();
        Facts::of(&pellucid_io::read(&path).unwrap()).table()
    };
    let row = |table: &[(&'static str, String)], what: &str| {
        table.iter().find(|r| r.0 == what).unwrap().1.clone()
    };
    let e57 = facts("a.e57", None);
    assert_eq!(row(&e57, "size"), "19.00 x 19.00 x 0 m");
    assert_eq!(row(&e57, "format"), "E57");
    let ply = facts("a.ply", None);
    assert_eq!(row(&ply, "size"), "19.00 x 19.00 x 0 file units");
    assert_eq!(row(&ply, "format"), "PLY, binary");
    assert_eq!(row(&facts("a.ply", Some(Encoding::Ascii)), "format"), "PLY, ascii");
}
