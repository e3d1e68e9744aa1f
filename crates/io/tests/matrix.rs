//! Formats x attributes: through every pair of formats, what both can hold arrives as it was.

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, WriteOptions, read_bytes, write_bytes};

/// What each format must hold of [`cloud`], said by hand. STL, which holds triangles
/// only, is among the meshes below.
const HOLDS: &[(Format, &[&str])] = &[
    (Format::Ply, &["color", "normal", "intensity", "time", "label", "pair"]),
    (Format::Pcd, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Las, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Laz, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Obj, &["color", "normal"]),
    (Format::Off, &["color", "normal"]),
    (Format::E57, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Ptx, &["color", "intensity"]),
    (Format::Npy, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Npz, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
    (Format::Text, &["color", "normal", "intensity", "time", "label", "pair", "wide"]),
];

const N: usize = 50;

/// Coordinates of UTM size.
fn cloud() -> PointCloud {
    let at = |i: usize| {
        let t = i as f64 / 1024.0;
        [500_000.0 + 3.0 * t, 4_649_776.0 + 7.0 * t, 100.0 + t]
    };
    let mut cloud = PointCloud::new((0..N).map(at).collect());
    let mut set = |a: Attribute| cloud.set_attribute(a).unwrap();
    let byte = |i: usize| (i * 37 + 11) as u8;
    set(Attribute::vector("color", 3, Values::U8((0..3 * N).map(byte).collect())));
    let part = |i: usize| [0.6f32, -0.8, 0.0][i % 3];
    set(Attribute::vector("normal", 3, Values::F32((0..3 * N).map(part).collect())));
    set(Attribute::scalar("intensity", Values::U16((0..N).map(|i| i as u16 * 1301).collect())));
    set(Attribute::scalar("time", Values::F64((0..N).map(|i| 3e8 + i as f64 / 7.0).collect())));
    set(Attribute::scalar("label", Values::I32((0..N).map(|i| i as i32 - 25).collect())));
    set(Attribute::vector("pair", 2, Values::I16((0..2 * N).map(|i| i as i16 * 300).collect())));
    let wide = |i: usize| i as i64 * 0x0012_3456_789a;
    set(Attribute::scalar("wide", Values::I64((0..N).map(wide).collect())));
    cloud
}

fn through(document: &Document, format: Format) -> Document {
    let bytes = write_bytes(document, format, &WriteOptions::default())
        .unwrap_or_else(|e| panic!("{format:?}: {e}"));
    read_bytes(&bytes, format, "again").unwrap_or_else(|e| panic!("{format:?}: {e}"))
}

/// Whether an attribute arrived, number for number. LAS has colors of 16 bits: times 257; PTX has intensities
/// from 0 to 1.
fn is_held(now: &PointCloud, original: &PointCloud, name: &str) -> bool {
    let Some(a) = original.attribute(name) else { return false };
    let Some(b) = now.attribute(name) else {
        // Formats of single columns take a vector apart.
        let width = a.width();
        return width > 1
            && (0..width).all(|c| {
                let part = now.attribute(&format!("{name}_{c}"));
                part.is_some_and(|p| {
                    (0..N).all(|i| p.values().get_f64(i) == a.values().get_f64(width * i + c))
                })
            });
    };
    let same = |factor: f64| {
        (0..a.values().len()).all(|i| {
            let x = a.values().get_f64(i).map(|x| x * factor);
            let y = b.values().get_f64(i);
            match a.values() {
                // A text has the fewest digits that give the number back.
                Values::F32(_) => x.map(|x| x as f32) == y.map(|y| y as f32),
                _ => x.map(f64::to_bits) == y.map(f64::to_bits),
            }
        })
    };
    let is_share = || {
        (0..N).all(|i| {
            let share = a.values().get_f64(i).map(|x| x as f32 / 65_535.0);
            share == b.values().get_f64(i).map(|x| x as f32)
        })
    };
    a.width() == b.width()
        && a.values().len() == b.values().len()
        && (same(1.0) || name == "color" && same(257.0) || name == "intensity" && is_share())
}

/// The largest of a LAS file's scales.
fn largest_scale(las: &[u8]) -> f64 {
    let number = |axis: usize| f64::from_le_bytes(las[131 + 8 * axis..][..8].try_into().unwrap());
    (0..3).map(number).fold(0.0, f64::max)
}

#[track_caller]
fn assert_positions(now: &PointCloud, original: &PointCloud, step: f64, pair: &str) {
    assert_eq!(now.len(), original.len(), "{pair}");
    for (p, q) in now.positions().iter().zip(original.positions()) {
        for axis in 0..3 {
            assert!((p[axis] - q[axis]).abs() <= step, "{pair}: {p:?} for {q:?}");
        }
    }
}

#[test]
fn every_pair_of_formats_keeps_what_both_hold() {
    let original = cloud();
    let mut lost: Vec<String> = Vec::new();
    let las = write_bytes(&Document::from(original.clone()), Format::Las, &Default::default());
    let half = 0.5 * largest_scale(&las.unwrap()) + 1e-9;
    let rounds = |f: &Format| matches!(f, Format::Las | Format::Laz);
    for (first, holds) in HOLDS {
        let one = through(&Document::from(original.clone()), *first);
        for name in *holds {
            if !is_held(&one.cloud, &original, name) {
                lost.push(format!("{first:?}: {name}"));
            }
        }
        let step = if rounds(first) { half } else { 0.0 };
        assert_positions(&one.cloud, &original, step, &format!("{first:?}"));
        for (second, also) in HOLDS {
            let pair = format!("{first:?} to {second:?}");
            let two = through(&one, *second);
            // Text gets the digits of the steps of LAS: 0.3 for 0.30000000000000004.
            let step = match (rounds(first), rounds(second)) {
                (_, true) => half,
                (true, _) => 1e-9,
                _ => 0.0,
            };
            assert_positions(&two.cloud, &one.cloud, step, &pair);
            for name in holds.iter().filter(|n| also.contains(n)) {
                if !is_held(&two.cloud, &original, name) {
                    lost.push(format!("{pair}: {name}"));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn a_file_written_back_unchanged_is_the_same_file() {
    for info in Format::all().iter().filter(|i| i.format != Format::Stl) {
        for &encoding in info.encodings {
            let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
            let Ok(bytes) = write_bytes(&Document::from(cloud()), info.format, &options) else {
                // Arrays are little-endian unless their file was not.
                assert_ne!(encoding, Encoding::BinaryLittle);
                continue;
            };
            let document = read_bytes(&bytes, info.format, "once").unwrap();
            let again = write_bytes(&document, info.format, &WriteOptions::default()).unwrap();
            let twice = read_bytes(&again, info.format, "twice").unwrap();
            let (a, b) = (&document.cloud, &twice.cloud);
            assert_positions(b, a, 0.0, info.name);
            assert!(a.attributes().map(Attribute::name).eq(b.attributes().map(Attribute::name)));
            assert!(a.attributes().zip(b.attributes()).all(|(x, y)| x.values() == y.values()));
        }
    }
}

#[test]
fn las_keeps_its_integers_and_rounds_by_half_a_step() {
    // Thirds fit no power of ten; the scale is what the writer chose.
    let points: Vec<_> = (0..N).map(|i| [i as f64 / 3.0, 1e6 + i as f64 / 7.0, -1.0]).collect();
    let original = PointCloud::new(points);
    for format in [Format::Las, Format::Laz] {
        let bytes =
            write_bytes(&Document::from(original.clone()), format, &WriteOptions::default())
                .unwrap();
        let once = read_bytes(&bytes, format, "once").unwrap();
        let step = largest_scale(&bytes);
        // Half a step, and what doubles of that size cannot tell.
        assert_positions(&once.cloud, &original, 0.5 * step + 1e-9, "LAS");
        // Through another format and back nothing moves any more.
        let ply = through(&once, Format::Ply);
        assert_positions(&ply.cloud, &once.cloud, 0.0, "LAS to PLY");
        let back = write_bytes(&once, format, &WriteOptions::default()).unwrap();
        assert_eq!(back, bytes, "{format:?} written back");
    }
}

/// A bent sheet of triangles whose corners single precision holds, in the order in which the
/// facets name them: the order that STL, which lists corners of facets, gives.
fn sheet() -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let corner = |i: usize| {
        let (u, v) = ((i / 2) as f64, (i % 2) as f64);
        [500_000.25 + u, v, 0.125 * u * u]
    };
    let facets = (0..N - 2).map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i, i + 2, i + 1] });
    let mut points: Vec<[f64; 3]> = (0..N).map(corner).collect();
    points[7][2] = -3.5;
    (points, facets.collect())
}

/// The facets of a mesh, read from the text of an OBJ file.
fn facets(document: &Document) -> Vec<Vec<usize>> {
    let bytes = write_bytes(document, Format::Obj, &WriteOptions::default()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let corners = |l: &str| l.split(' ').map(|w| w.parse::<usize>().unwrap() - 1).collect();
    text.lines().filter_map(|l| l.strip_prefix("f ")).map(corners).collect()
}

#[test]
fn every_pair_of_mesh_formats_keeps_vertices_and_facets() {
    let (points, triangles) = sheet();
    let mut obj = String::new();
    for p in &points {
        obj += &format!("v {} {} {}\n", p[0], p[1], p[2]);
    }
    for t in &triangles {
        obj += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    let original = read_bytes(obj.as_bytes(), Format::Obj, "sheet.obj").unwrap();
    let meshes = [Format::Ply, Format::Obj, Format::Off, Format::Stl];
    let styles = |format: Format| {
        let own = format.info().encodings.iter().map(|&e| Some(e));
        own.chain([None]).map(|encoding| WriteOptions { encoding, ..Default::default() })
    };
    let mut pairs = 0;
    for first in meshes {
        for options in styles(first) {
            let bytes = write_bytes(&original, first, &options).unwrap();
            let one = read_bytes(&bytes, first, "one").unwrap();
            assert_eq!(one.cloud.positions(), points, "{first:?}");
            assert_eq!(facets(&one), triangles, "{first:?}");
            // Written back, it is the same file.
            assert_eq!(write_bytes(&one, first, &WriteOptions::default()).unwrap(), bytes);
            for second in meshes {
                for options in styles(second) {
                    let pair = format!("{first:?} to {second:?}, {:?}", options.encoding);
                    let bytes = write_bytes(&one, second, &options).unwrap();
                    let two = read_bytes(&bytes, second, "two").unwrap();
                    assert_eq!(two.cloud.positions(), points, "{pair}");
                    assert_eq!(facets(&two), triangles, "{pair}");
                    pairs += 1;
                }
            }
            // Formats of points hold the vertices.
            for info in Format::all().iter().filter(|i| !meshes.contains(&i.format)) {
                let two = through(&one, info.format);
                assert_positions(&two.cloud, &one.cloud, 0.0, info.name);
            }
        }
    }
    assert!(pairs >= 49, "{pairs}");
}
