//! NPY and NPZ: what is kept, and what is refused.

mod common;

use common::{assert_same, cloud, rng};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Format, ScalarType, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

fn get(bytes: &[u8], format: Format) -> Document {
    read_bytes(bytes, format, "a").unwrap()
}

fn put(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

/// A file as NumPy writes it.
fn npy(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"\x93NUMPY\x01\0".to_vec();
    let mut text = dictionary.to_owned();
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    [&out, text.as_bytes(), data].concat()
}

fn plain(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"), data)
}

#[test]
fn orders_and_types_come_back_byte_for_byte() {
    let rows = [[1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 6.0, 8.0]];
    let by_row: Vec<f64> = rows.iter().flatten().copied().collect();
    let by_column: Vec<f64> = (0..4).flat_map(|c| rows.map(|r| r[c])).collect();
    let each = |v: &[f64], f: &dyn Fn(f64) -> Vec<u8>| -> Vec<u8> {
        v.iter().flat_map(|&x| f(x)).collect()
    };
    type Encode = Box<dyn Fn(f64) -> Vec<u8>>;
    let types: Vec<(&str, ScalarType, Encode)> = vec![
        ("'<f8'", ScalarType::F64, Box::new(|x| x.to_le_bytes().to_vec())),
        ("'>f8'", ScalarType::F64, Box::new(|x| x.to_be_bytes().to_vec())),
        ("'<f4'", ScalarType::F32, Box::new(|x| (x as f32).to_le_bytes().to_vec())),
        ("'>f4'", ScalarType::F32, Box::new(|x| (x as f32).to_be_bytes().to_vec())),
        ("'<i2'", ScalarType::I16, Box::new(|x| (x as i16).to_le_bytes().to_vec())),
        ("'>u4'", ScalarType::U32, Box::new(|x| (x as u32).to_be_bytes().to_vec())),
        ("'|u1'", ScalarType::U8, Box::new(|x| vec![x as u8])),
    ];
    for (descr, ty, encode) in &types {
        for (fortran, values) in [("False", &by_row), ("True", &by_column)] {
            let bytes = plain(descr, fortran, "(2, 4)", &each(values, encode));
            let d = get(&bytes, Format::Npy);
            assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "{descr}");
            assert_eq!(d.cloud.attribute("column_4").unwrap().component(0), Some(vec![9.0, 8.0]));
            assert_eq!(d.source.position_types(), Some([*ty; 3]));
            assert_eq!(put(&d, Format::Npy), bytes, "{descr} {fortran}");
            // Fewer rows under a header of the same kind.
            let mut one = d.clone();
            one.cloud = one.cloud.select(&[1]);
            let again = get(&put(&one, Format::Npy), Format::Npy);
            assert_same(&one.cloud, &again.cloud);
            assert_eq!(again.source.position_types(), Some([*ty; 3]));
        }
    }
}

#[test]
fn named_fields_come_back_byte_for_byte() {
    let descr = "[('label', '|u1'), ('x', '<f8'), ('y', '>f4'), ('z', '<f4'), ('', '|V3'), \
        ('normals', '<f4', (3,)), ('name', '<U2'), ('t', '>i8')]";
    let mut r = rng(4);
    let data: Vec<u8> = (0..3 * 48).map(|_| r.random()).collect();
    let bytes = plain(descr, "False", "(3,)", &data);
    let d = get(&bytes, Format::Npy);
    let found: Vec<(&str, usize)> = d.cloud.attributes().map(|a| (a.name(), a.width())).collect();
    assert_eq!(found, [("label", 1), ("_", 3), ("normal", 3), ("name", 8), ("t", 1)]);
    assert_eq!(d.cloud.positions()[1][0].to_le_bytes(), data[49..57]);
    assert_eq!(put(&d, Format::Npy), bytes);
    // Positions as one field, and in a grid.
    let both = plain("[('xyz', '<f4', (3,)), ('i', '<u2')]", "False", "(2, 2)", &data[..56]);
    let d = get(&both, Format::Npy);
    assert_eq!(d.cloud.len(), 4);
    assert_eq!(put(&d, Format::Npy), both);
    let grid = plain("'<f4'", "False", "(2, 2, 3)", &data[..48]);
    let d = get(&grid, Format::Npy);
    assert_eq!(d.cloud.len(), 4);
    assert_eq!(put(&d, Format::Npy), grid);
}

fn numbers(seed: u64) -> PointCloud {
    let mut r = rng(seed);
    let mut c = cloud(&mut r, 5, true);
    for name in ["list_0", "list_1"] {
        c.remove_attribute(name);
    }
    c.set_attribute(Attribute::vector(
        "pair",
        2,
        Values::U64((0..10).map(|_| r.random()).collect()),
    ))
    .unwrap();
    c
}

#[test]
fn any_cloud_goes_round() {
    for seed in 0..30 {
        let d = Document::from(numbers(seed));
        for format in [Format::Npy, Format::Npz] {
            let bytes = put(&d, format);
            let back = get(&bytes, format);
            assert_same(&d.cloud, &back.cloud);
            assert_eq!(put(&back, format), bytes);
        }
        let mut d = d;
        d.cloud.remove_attribute("pair");
        let ply = get(&put(&d, Format::Ply), Format::Ply);
        assert_same(&d.cloud, &get(&put(&ply, Format::Npz), Format::Npz).cloud);
        assert_same(&d.cloud, &get(&put(&ply, Format::Npy), Format::Npy).cloud);
    }
    let bare = Document::from(PointCloud::new(vec![[1.0, 2.0, 3.0]; 2]));
    let bytes = put(&bare, Format::Npy);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"), "{text}");
    assert_eq!(bytes.len(), 128 + 48);
}

/// Made by NumPy 2 with `savez_compressed(points=..., colors=..., meta=...)`.
const DEFLATED: &[u8] = include_bytes!("data/numpy.npz");

#[test]
fn an_archive_by_numpy_is_read_and_its_other_arrays_are_copied() {
    let d = get(DEFLATED, Format::Npz);
    let expected: Vec<[f64; 3]> =
        (0..4).map(|i| [0, 1, 2].map(|k| f64::from(3 * i + k) * 0.5)).collect();
    assert_eq!(d.cloud.positions(), expected);
    assert_eq!(d.source.position_types(), Some([ScalarType::F32; 3]));
    let colors = Values::U8((0..12).collect());
    assert_eq!(d.cloud.attribute("color").unwrap().values(), &colors);
    let mut moved = d.clone();
    moved.cloud = d.cloud.with_positions(vec![[7.5; 3]; 4]).unwrap();
    let back = get(&put(&moved, Format::Npz), Format::Npz);
    assert_same(&moved.cloud, &back.cloud);
    let copied = |bytes: &[u8]| bytes.windows(8).any(|w| w == b"meta.npy");
    assert!(copied(&put(&moved, Format::Npz)) && copied(DEFLATED));
    // New attributes become new arrays.
    moved.cloud.set_attribute(Attribute::scalar("label", Values::U8(vec![1, 2, 3, 4]))).unwrap();
    assert_same(&moved.cloud, &get(&put(&moved, Format::Npz), Format::Npz).cloud);
}

#[track_caller]
fn fails(bytes: &[u8], format: Format, part: &str) {
    let e = read_bytes(bytes, format, "a.np").unwrap_err().to_string();
    assert!(e.starts_with("a.np: ") && e.contains(part), "{e}");
}

#[test]
fn what_is_wrong_is_reported() {
    let one = [0; 24];
    let bad = |descr: &str, shape: &str, part: &str| {
        fails(&plain(descr, "False", shape, &one), Format::Npy, part);
    };
    bad("'<f8'", "(1, 2)", "shape [1, 2] is not that of points");
    bad("'<f8'", "(3,)", "shape [3] is not that of points");
    bad("'<f8'", "()", "a single number is no cloud");
    bad("'<f8'", "(2, 3)", "does not fit in the 24 bytes");
    bad("'<f8'", "(-1, 3)", "entries that are no counts");
    bad("'<f8'", "(18446744073709551615, 3)", "does not fit in the 24 bytes");
    bad("'<f8'", "(6148914691236517205, 3)", "does not fit in the 24 bytes");
    bad("'<f2'", "(1, 3)", "holds no numbers that are read");
    bad("'|O'", "(1, 3)", "type \"|O\" is not read");
    bad("[('a', '<f8')]", "(1,)", "the fields x, y and z are missing");
    bad("[('a', '<f8', (3,))]", "(1,)", "the fields x, y and z are missing");
    bad("[('a', '<f8', (99999999, 99999999))]", "(1,)", "too many values");
    bad("[[[[[[[[[[[[1]]]]]]]]]]]]", "(1,)", "nested too deeply");
    fails(&plain("'<f4'", "False", "(1, 3)", &[1; 20]), Format::Npy, "8 bytes follow the array");
    fails(&npy("{'descr': '<f8'", &one), Format::Npy, "a comma is missing");
    fails(&npy("[]", &one), Format::Npy, "not a dictionary");
    fails(b"\x93NUMPY\x09\0", Format::Npy, "byte 6: version 9");
    fails(b"\x93NUMPY\x02\0\xff\xff\xff\xff", Format::Npy, "a header of 4294967295 bytes");
    fails(b"\x93NUMPY\x01\0\xff\0", Format::Npy, "ends inside the header");
    fails(&DEFLATED[..DEFLATED.len() - 30], Format::Npz, "list of the archive's files is missing");
    fails(DEFLATED, Format::Npy, "the name says NPY but the content is NPZ");
    // A byte of the stored points changed: only the checksum knows.
    let mut stored = put(&Document::from(PointCloud::new(vec![[1.0; 3]; 9])), Format::Npz);
    stored[30 + 10 + 128 + 5] ^= 1;
    fails(&stored, Format::Npz, "the checksum is wrong");
    // An archive that promises more than its bytes can make.
    let mut bomb = DEFLATED.to_vec();
    let at = bomb.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bomb[at + 24..at + 28].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    fails(&bomb, Format::Npz, "packed bytes cannot make 2147483647");
}

#[test]
fn cut_or_flipped_files_never_panic() {
    let mut seeds = vec![(DEFLATED.to_vec(), Format::Npz)];
    for seed in 0..3 {
        let d = Document::from(numbers(seed));
        seeds.push((put(&d, Format::Npy), Format::Npy));
        seeds.push((put(&d, Format::Npz), Format::Npz));
    }
    seeds.push((plain("'>f4'", "True", "(2, 3)", &[7; 24]), Format::Npy));
    for (bytes, format) in &seeds {
        for cut in 0..bytes.len() {
            assert!(read_bytes(&bytes[..cut], *format, "cut").is_err(), "{format:?} at {cut}");
        }
    }
    let mut r = rng(6);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let (bytes, format) = &seeds[r.random_range(0..seeds.len())];
        let mut bytes = bytes.clone();
        for _ in 0..r.random_range(1..4) {
            let at = r.random_range(0..bytes.len());
            match r.random_range(0..3) {
                0 => bytes[at] = r.random(),
                1 => bytes[at] ^= 1 << r.random_range(0..8),
                _ => bytes[at] = b"0123456789-,<>'()fiu"[r.random_range(0..20usize)],
            }
        }
        match read_bytes(&bytes, *format, "flipped") {
            Ok(d) => {
                good += 1;
                put(&d, *format);
                put(&d, Format::Ply);
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}
