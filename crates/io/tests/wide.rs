//! Points of thousands of values: one column where the format has such, refused or said to be
//! dropped where it has not, and never more work than there are values.

mod common;
mod las_files;

use las_files::Builder;
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Format, WriteOptions, Written, read_bytes, write_bytes, write_stream};

/// As many columns as readers take.
const MOST: usize = 1024;

#[test]
fn undocumented_bytes_of_las_are_one_column_and_come_back_bit_by_bit() {
    let mut r = common::rng(5);
    // Every extra byte of LAZ has a model of its own, 10 kB for as long as it is unpacked; the
    // limit on memory leaves room for three thousand in a small file.
    let cases = [(Format::Las, 9698, 3), (Format::Las, 9698, 0), (Format::Laz, 900, 3)];
    for (format, width, count) in cases {
        let las = Builder::new(4, 6).extra(width).random_points(&mut r, count).build();
        let document = read_bytes(&las, Format::Las, "a.las").unwrap();
        let extra = document.cloud.attribute("extra_bytes").unwrap();
        assert_eq!((extra.width(), extra.rows()), (width, Some(count)));
        if let Values::U8(bytes) = extra.values() {
            let stored = las[las.len() - count * (30 + width)..].chunks_exact(30 + width);
            assert!(stored.flat_map(|record| &record[30..]).eq(bytes));
        } else {
            panic!("{extra:?}");
        }
        let again = write_bytes(&document, format, &WriteOptions::default()).unwrap();
        let back = read_bytes(&again, format, "b").unwrap();
        assert_eq!(back.cloud.attributes().len(), document.cloud.attributes().len());
        assert!(
            back.cloud
                .attributes()
                .zip(document.cloud.attributes())
                .all(|(a, b)| { a.name() == b.name() && bits(a.values()) == bits(b.values()) })
        );
        if format == Format::Las {
            assert_eq!(again, las);
        }
    }
}

fn bits(values: &Values) -> Vec<u64> {
    (0..values.len()).map(|i| values.get_f64(i).unwrap().to_bits()).collect()
}

fn put(document: &Document, format: Format) -> (Vec<u8>, Written) {
    let mut bytes = Vec::new();
    let kind = if format == Format::Text { "csv" } else { format.info().name };
    let options = WriteOptions::default();
    let written = write_stream(&mut bytes, "a", document, Some(kind), &options).unwrap();
    (bytes, written)
}

fn wide(width: usize, rows: usize) -> Document {
    let mut cloud = PointCloud::new(vec![[1.0, 2.0, 3.0]; rows]);
    let values = Values::U8((0..width * rows).map(|i| i as u8).collect());
    cloud.set_attribute(Attribute::vector("wide", width, values)).unwrap();
    let few = Values::U8(vec![7; rows]);
    cloud.set_attribute(Attribute::scalar("few", few)).unwrap();
    Document::from(cloud)
}

#[test]
fn what_is_too_wide_for_columns_is_dropped_and_said() {
    for (width, kept) in [(MOST - 4, true), (MOST - 2, false), (60_000, false)] {
        let document = wide(width, 2);
        for format in [Format::Ply, Format::Text, Format::E57] {
            let (bytes, written) = put(&document, format);
            let again = read_bytes(&bytes, format, "again").unwrap();
            assert_eq!(written.dropped.is_empty(), kept, "{format:?}: {:?}", written.dropped);
            if !kept {
                let said = &written.dropped[0];
                assert_eq!(said.attribute, "wide");
                assert!(said.reason.contains(&format!("{width} columns")), "{}", said.reason);
            }
            let columns = if kept { width + 1 } else { 1 };
            assert_eq!(again.cloud.attributes().len(), columns, "{format:?}");
            assert!(again.cloud.attribute("few").is_some());
        }
        // These have columns of several values.
        for format in [Format::Pcd, Format::Npy] {
            let bytes = write_bytes(&document, format, &WriteOptions::default()).unwrap();
            let again = read_bytes(&bytes, format, "again").unwrap();
            assert_eq!(again.cloud.attribute("wide"), document.cloud.attribute("wide"));
        }
    }
}

#[test]
fn as_many_columns_of_one_name_as_there_may_be() {
    // Some of the names that would be given are there already.
    let named = |i: usize| if i < 500 { format!("a_{}", 2 + 2 * i) } else { "a".to_owned() };
    let names: Vec<String> = (0..MOST - 3).map(named).collect();
    let text = format!("x,y,z,{}\n1,2,3{}\n", names.join(","), ",4".repeat(MOST - 3));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty \
         float z\n{}end_header\n1 2 3{}\n",
        names.iter().map(|n| format!("property uchar {n}\n")).collect::<String>(),
        " 4".repeat(MOST - 3)
    );
    for (bytes, format) in [(text, Format::Text), (ply, Format::Ply)] {
        let document = read_bytes(bytes.as_bytes(), format, "a.csv").unwrap();
        let mut found: Vec<&str> = document.cloud.attributes().map(Attribute::name).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), MOST - 3, "{format:?}");
        for info in Format::all() {
            let Ok(bytes) = write_bytes(&document, info.format, &WriteOptions::default()) else {
                continue;
            };
            let again = read_bytes(&bytes, info.format, "again");
            assert!(again.is_ok(), "{}: {:?}", info.name, again.err());
        }
        let own = write_bytes(&document, format, &WriteOptions::default()).unwrap();
        assert_eq!(String::from_utf8(own).unwrap(), bytes);
    }
}

#[test]
fn an_archive_of_a_thousand_arrays_is_an_array_of_a_thousand_fields() {
    let mut cloud = PointCloud::new(vec![[1.0, 2.0, 3.0]; 2]);
    for i in 0..MOST - 1 {
        let values = Values::I16(vec![i as i16; 2]);
        cloud.set_attribute(Attribute::scalar(format!("a{i}"), values)).unwrap();
    }
    let npz =
        write_bytes(&Document::from(cloud.clone()), Format::Npz, &WriteOptions::default()).unwrap();
    let again = read_bytes(&npz, Format::Npz, "a.npz").unwrap();
    assert_eq!(again.cloud, cloud);
    let (npy, written) = put(&again, Format::Npy);
    // Three of the fields are the position.
    let dropped: Vec<&str> = written.dropped.iter().map(|d| d.attribute.as_str()).collect();
    assert_eq!(dropped, ["a1021", "a1022"]);
    let fields = read_bytes(&npy, Format::Npy, "a.npy").unwrap();
    assert_eq!(fields.cloud.attributes().len(), MOST - 3);
}
