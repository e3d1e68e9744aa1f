//! OBJ, OFF and STL: vertices move, everything else stays.

mod common;

use common::{assert_same, rng};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

fn get(bytes: &[u8], format: Format) -> Document {
    read_bytes(bytes, format, "a").unwrap()
}

fn put(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

fn encoded(document: &Document, format: Format, encoding: Encoding) -> Vec<u8> {
    let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
    write_bytes(document, format, &options).unwrap()
}

/// The document with point `i` moved.
fn moved(document: &Document, i: usize, to: [f64; 3]) -> Document {
    let mut points = document.cloud.positions().to_vec();
    points[i] = to;
    let mut d = document.clone();
    d.cloud = d.cloud.with_positions(points).unwrap();
    d
}

const OBJ: &str = "# a comment\r\nmtllib a.mtl\no thing\nv  1.50 2 3e0 # here\n\tv -0 0.0 1 \nvt 0.5 1\n\
    vn 0 0 1\nv 4 5 6.000\ng part\nusemtl m\ns off\nf 1/1/1 2/1/1 3/1/1\nf -3 -2 -1\nl 1 2\n";

#[test]
fn obj_changes_only_what_moved() {
    let d = get(OBJ.as_bytes(), Format::Obj);
    assert_eq!(d.cloud.positions(), [[1.5, 2.0, 3.0], [0.0, 0.0, 1.0], [4.0, 5.0, 6.0]]);
    assert_eq!(d.source.comments(), ["a comment"]);
    assert_eq!(d.source.other_elements(), [("face".to_owned(), 2)]);
    assert_eq!(String::from_utf8(put(&d, Format::Obj)).unwrap(), OBJ);
    let text = String::from_utf8(put(&moved(&d, 2, [4.0, 5.25, 6.0]), Format::Obj)).unwrap();
    assert_eq!(text, OBJ.replace("4 5 6.000", "4 5.25 6.000"));
}

#[test]
fn obj_colors_are_bytes_where_they_are_255ths() {
    let text = "v 0 0 0 0.501961 0 1\nv 1 0 0 1 1 0.2\nv 0 1 0 0 0 0\n";
    let d = get(text.as_bytes(), Format::Obj);
    let color = d.cloud.attribute("color").unwrap();
    assert_eq!(color.values(), &Values::U8(vec![128, 0, 255, 255, 255, 51, 0, 0, 0]));
    assert_eq!(put(&d, Format::Obj), text.as_bytes());
    let ply = get(&put(&d, Format::Ply), Format::Ply);
    let back = get(&put(&ply, Format::Obj), Format::Obj);
    assert_same(&d.cloud, &back.cloud);
    let odd = "v 0 0 0 0.1234 0 1\n";
    let d = get(odd.as_bytes(), Format::Obj);
    assert_eq!(d.cloud.attribute("color").unwrap().values(), &Values::F64(vec![0.1234, 0.0, 1.0]));
    assert_eq!(put(&d, Format::Obj), odd.as_bytes());
    // A weight and uneven lines are left where they are.
    let uneven = "v 0 0 0 1\nv 1 2 3 0 0 1\n";
    assert_eq!(put(&get(uneven.as_bytes(), Format::Obj), Format::Obj), uneven.as_bytes());
}

const OFF: &str =
    "OFF # counts follow\n\n3 1 0\n0 0 0\n1.0 0 0 9 9\n# between\n0 1 0\n3 0 1 2 255 0 0\n";
const CNOFF: &str = "CNOFF\n2 0 0\n0 0 0  0 0 1  1 0 1\n1 2 3  0 1 0  1 1 0\n";

#[test]
fn off_changes_only_what_moved() {
    let d = get(OFF.as_bytes(), Format::Off);
    assert_eq!(String::from_utf8(put(&d, Format::Off)).unwrap(), OFF);
    let text = String::from_utf8(put(&moved(&d, 1, [1.0, -2.5, 0.0]), Format::Off)).unwrap();
    assert_eq!(text, OFF.replace("1.0 0 0 9 9", "1.0 -2.5 0 9 9"));
    let d = get(CNOFF.as_bytes(), Format::Off);
    assert_eq!(d.cloud.normals().unwrap(), [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    let bytes = Values::U8(vec![1, 0, 1, 1, 1, 0]);
    assert_eq!(d.cloud.attribute("color").unwrap().values(), &bytes);
    assert_eq!(put(&d, Format::Off), CNOFF.as_bytes());
    // Written again, floats keep their points.
    let mut c = PointCloud::new(vec![[1.0, 2.0, 3.0]]);
    c.set_attribute(Attribute::vector("color", 3, Values::F64(vec![1.0, 0.0, 0.3]))).unwrap();
    let text = put(&Document::from(c), Format::Off);
    assert_eq!(text, b"COFF\n1 0 0\n1 2 3 1.0 0.0 0.3\n");
    // Some programs write the counts on the first line.
    assert_eq!(get(b"OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", Format::Off).cloud.len(), 3);
}

/// A tetrahedron whose facets repeat their corners; one of them at minus zero.
fn stl() -> Vec<u8> {
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend_from_slice(&4u32.to_le_bytes());
    for (i, facet) in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].into_iter().enumerate() {
        [0.5f32, 0.25, 7.0].iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        for corner in facet {
            corners[corner].iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        }
        bytes.extend_from_slice(&[i as u8, 0x80]);
    }
    bytes[84 + 50 + 12..][..4].copy_from_slice(&(-0.0f32).to_le_bytes());
    bytes
}

#[test]
fn stl_corners_in_one_place_move_together() {
    let bytes = stl();
    let d = get(&bytes, Format::Stl);
    assert_eq!(d.cloud.len(), 4);
    assert_eq!(put(&d, Format::Stl), bytes);
    let to = d.cloud.positions().iter().position(|p| p[2] == 1.0).unwrap();
    let out = put(&moved(&d, to, [0.0, 0.0, 2.0]), Format::Stl);
    let again = get(&out, Format::Stl);
    assert_eq!(again.cloud.len(), 4, "still closed");
    assert_eq!(again.cloud.positions()[to], [0.0, 0.0, 2.0]);
    // The first facet has no corner there and keeps every bit, with the normal it came with.
    assert_eq!(out[..134], bytes[..134]);
    let f32_at = |at: usize| f32::from_le_bytes(out[at..at + 4].try_into().unwrap());
    assert_eq!([134, 138, 142].map(f32_at), [0.0, -1.0, 0.0], "the normal of y = 0, outwards");
    for i in 0..4 {
        assert_eq!(out[84 + 50 * i + 48..][..2], [i as u8, 0x80], "attribute bytes");
    }
}

#[test]
fn ascii_stl_keeps_its_words() {
    let text = "solid  a b\n  facet normal 0 0 1.0\n   outer loop\n    vertex 0 0 0\n    \
        vertex 1.00 0 0\n    vertex -0 1 0\n   endloop\n  endfacet\n  facet normal 9 9 9\n   \
        outer loop\n    vertex 0 0 0\n    vertex 1 0 0\n    vertex 0 0 5\n   endloop\n  \
        endfacet\nendsolid  a b\n";
    let d = get(text.as_bytes(), Format::Stl);
    assert_eq!(d.cloud.len(), 4);
    assert_eq!(String::from_utf8(put(&d, Format::Stl)).unwrap(), text);
    let out = String::from_utf8(put(&moved(&d, 3, [0.0, 0.0, 6.0]), Format::Stl)).unwrap();
    assert_eq!(out, text.replace("9 9 9", "0 -1 0").replace("0 0 5", "0 0 6"));
    let binary = get(&encoded(&d, Format::Stl, Encoding::BinaryLittle), Format::Stl);
    assert_same(&d.cloud, &binary.cloud);
    assert_eq!(binary.source.other_elements(), [("face".to_owned(), 2)]);
    let ascii = get(&encoded(&binary, Format::Stl, Encoding::Ascii), Format::Stl);
    assert_same(&d.cloud, &ascii.cloud);
}

#[test]
fn meshes_go_from_each_format_to_each() {
    let quad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.1\nf 1 2 3 4\nf 1 3 4\n";
    let d = get(quad.as_bytes(), Format::Obj);
    let through = [Format::Ply, Format::Off, Format::Ply, Format::Obj, Format::Off, Format::Obj];
    let last = through.iter().fold(d.clone(), |d, &f| get(&put(&d, f), f));
    assert_eq!(String::from_utf8(put(&last, Format::Obj)).unwrap(), quad);
    // Triangles only from here on: three of them.
    let stl = get(&encoded(&d, Format::Stl, Encoding::Ascii), Format::Stl);
    assert_same(&d.cloud, &stl.cloud);
    let ply = get(&put(&stl, Format::Ply), Format::Ply);
    assert_eq!(ply.source.other_elements(), [("face".to_owned(), 3)]);
    assert_same(&d.cloud, &ply.cloud);
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = WriteOptions::default();
    let mut d = get(OBJ.as_bytes(), Format::Obj);
    d.cloud = d.cloud.select(&[0, 1]);
    for name in ["a.obj", "a.off", "a.ply"] {
        let w = pellucid_io::write(&at(name), &d, &options).unwrap();
        assert!(name != "a.obj" || w.dropped.len() == 1, "{name}");
        assert!(w.dropped[0].reason.contains("the number of points changed"));
        assert_same(&d.cloud, &pellucid_io::read(&at(name)).unwrap().cloud);
    }
    let e = pellucid_io::write(&at("a.stl"), &d, &options).unwrap_err().to_string();
    assert!(e.contains("a.stl: STL holds triangles, and there are none"), "{e}");
    let mut c = PointCloud::new(vec![[0.1; 3]]);
    c.set_attribute(Attribute::scalar("quality", Values::U8(vec![3]))).unwrap();
    for name in ["b.obj", "b.off"] {
        let w = pellucid_io::write(&at(name), &Document::from(c.clone()), &options).unwrap();
        assert_eq!(w.dropped[0].attribute, "quality");
    }
    let d = get(OBJ.as_bytes(), Format::Obj);
    let w = pellucid_io::write(
        &at("c.stl"),
        &moved(&d, 0, [0.1; 3]),
        &WriteOptions { encoding: Some(Encoding::BinaryLittle), ..Default::default() },
    );
    assert_eq!(w.unwrap().dropped[0].attribute, "double precision");
}

#[track_caller]
fn fails(bytes: &[u8], format: Format, part: &str) {
    let e = read_bytes(bytes, format, "m.x").unwrap_err().to_string();
    assert!(e.starts_with("m.x: ") && e.contains(part), "{e}");
}

#[test]
fn what_is_wrong_is_reported() {
    let obj = |text: &str, part: &str| fails(text.as_bytes(), Format::Obj, part);
    obj("v 1 2\n", "line 1: a vertex needs three numbers");
    obj("# a\nv 1 2 3 x\n", "line 2: a vertex has numbers only");
    obj("v 1 2 3\nf 1 2 x\n", "line 2: a face lists vertex numbers");
    obj("v 1 2 3\nf 1 1 2\n", "line 2: face 0 uses vertex 2, but there are 1");
    obj("v 1 2 3\nf 1 1 -9223372036854775808\n", "line 2: face 0 uses vertex");
    obj("f 1 2 3\n", "line 2: the file ended and no points were found");
    obj("vn 1 2 3\n", "line 2");
    let off = |text: &str, part: &str| fails(text.as_bytes(), Format::Off, part);
    off("OFF BINARY\n", "line 1: the first line must be \"OFF\"");
    off("4OFF\n1 0 0\n", "line 1: the first line must be \"OFF\"");
    off("OFF\n", "line 2: the file ends before the counts");
    off("OFF\n-1 2 3\n", "line 2: the counts");
    off("OFF\n4000000000 4000000000 0\n0 0 0\n", "line 2: 4000000000 vertices");
    off("OFF\n2 0 0\n0.000 0.000 0.000\n", "line 4: the file ends before the last vertex");
    off("OFF\n1 1 0\n0 0 0\n-3 0 0 0\n", "line 4: a face starts with its number of corners");
    off("OFF\n1 1 0\n0 0 0\n3 0 0\n", "line 4: a face of 3 corners lists 2");
    off("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "line 4: face 0 uses vertex 1, but there are 1");
    off("NOFF\n1 0 0\n0 0 0 1\n", "line 3: a vertex of a file with normals");
    let bin = |bytes: &[u8], part: &str| fails(bytes, Format::Stl, part);
    bin(&[0; 40], "byte 40: neither \"solid\" nor the 84 bytes");
    bin(&stl()[..283], "byte 80: the file promises 4 facets, which take 200 bytes, but 199");
    let mut absurd = stl();
    absurd[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    bin(&absurd, "byte 80: the file promises 4294967295 facets");
    bin(&[stl(), b"tail".to_vec()].concat(), "byte 284: 4 bytes follow the last facet");
    let facet = |inside: &str| format!("solid a\nfacet normal 0 0 1\n{inside}");
    bin(facet("vertex 0 0\n").as_bytes(), "line 3: a vertex needs three numbers");
    bin(facet("endfacet\n").as_bytes(), "line 3: a facet has three vertices");
    bin(facet("facet normal 0 0 1\n").as_bytes(), "line 3: \"facet normal\"");
    bin(facet(&"vertex 0 0 0\n".repeat(4)).as_bytes(), "line 6: a facet has three vertices");
    bin(facet("color 1\n").as_bytes(), "line 3: \"color\" does not belong");
    bin(facet("vertex 0 0 0\n").as_bytes(), "line 3: the file ends inside a facet");
    fails(OFF.as_bytes(), Format::Obj, "the name says OBJ but the content is OFF");
    fails(&stl(), Format::Off, "the name says OFF but the content is STL");
    fails(OBJ.as_bytes(), Format::Text, "the name says text but the content is OBJ");
}

#[test]
fn cut_or_flipped_files_never_panic() {
    let d = get(&stl(), Format::Stl);
    let seeds = [
        (OBJ.as_bytes().to_vec(), Format::Obj),
        (OFF.as_bytes().to_vec(), Format::Off),
        (CNOFF.as_bytes().to_vec(), Format::Off),
        (stl(), Format::Stl),
        (encoded(&d, Format::Stl, Encoding::Ascii), Format::Stl),
    ];
    for (bytes, format) in &seeds {
        for cut in 0..bytes.len() {
            let _ = read_bytes(&bytes[..cut], *format, "cut");
        }
    }
    let mut r = rng(9);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let (bytes, format) = &seeds[r.random_range(0..seeds.len())];
        let mut bytes = bytes.clone();
        for _ in 0..r.random_range(1..4) {
            let at = r.random_range(0..bytes.len());
            match r.random_range(0..3) {
                0 => bytes[at] = r.random(),
                1 => bytes[at] ^= 1 << r.random_range(0..8),
                _ => bytes.insert(at, b"0123456789-. \nvf"[r.random_range(0..16usize)]),
            }
        }
        match read_bytes(&bytes, *format, "flipped") {
            Ok(d) => {
                good += 1;
                put(&d, *format);
                put(&d, Format::Ply);
                let _ = write_bytes(&d, Format::Stl, &WriteOptions::default());
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}

#[test]
fn colors_of_16_bits_become_bytes_and_rounding_is_reported() {
    let cloud = |values: [u16; 6]| {
        let mut cloud = PointCloud::new(vec![[0.0; 3], [1.0; 3]]);
        cloud.set_attribute(Attribute::vector("color", 3, Values::U16(values.to_vec()))).unwrap();
        Document::from(cloud)
    };
    // Written, as bytes, and whether something was rounded.
    let cases: [([u16; 6], [u8; 6], bool); 3] = [
        ([0, 257, 65_535, 514, 32_896, 0], [0, 1, 255, 2, 128, 0], false),
        ([0, 1, 255, 2, 128, 0], [0, 1, 255, 2, 128, 0], false),
        // 128.5 / 257 is the middle between two bytes.
        ([0, 128, 129, 65_406, 65_407, 1000], [0, 0, 1, 254, 255, 4], true),
    ];
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.obj", "a.off", "a.ptx"] {
        for (wide, bytes, rounded) in cases {
            let path = folder.path().join(name);
            let options = WriteOptions { overwrite: true, ..Default::default() };
            let written = pellucid_io::write(&path, &cloud(wide), &options).unwrap();
            assert!(written.dropped.is_empty(), "{name}: {written:?}");
            let reported = written.changed.iter().any(|c| c.attribute == "color");
            assert_eq!(reported, rounded, "{name} {wide:?}");
            let again = pellucid_io::read(&path).unwrap();
            let color = again.cloud.attribute("color").unwrap();
            assert_eq!(color.values(), &Values::U8(bytes.to_vec()), "{name} {wide:?}");
        }
    }
}

#[test]
fn a_cloud_without_points_comes_back() {
    let empty = Document::from(PointCloud::new(Vec::new()));
    // Without faces there is no STL.
    for info in Format::all().iter().filter(|i| i.format != Format::Stl) {
        let bytes = write_bytes(&empty, info.format, &WriteOptions::default()).unwrap();
        let back = read_bytes(&bytes, info.format, info.name);
        assert!(back.as_ref().is_ok_and(|d| d.cloud.is_empty()), "{back:?}");
    }
}

#[test]
fn points_that_no_triangle_has_are_not_lost_in_silence() {
    let off = |faces: &str| format!("OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 0 1\n{faces}");
    // A corner and an edge.
    let document = get(off("1 0\n2 1 2\n").as_bytes(), Format::Off);
    let fault = write_bytes(&document, Format::Stl, &WriteOptions::default()).unwrap_err();
    assert!(fault.to_string().contains("there are none"), "{fault}");
    let document = get(off("1 0\n3 0 1 2\n").as_bytes(), Format::Off);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.stl");
    let written = pellucid_io::write(&path, &document, &WriteOptions::default()).unwrap();
    assert!(written.dropped.iter().any(|d| d.attribute == "1 points"), "{written:?}");
}
