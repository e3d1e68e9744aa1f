//! What is refused as a whole is refused piece by piece, for the same reason.

#[path = "hardening/changed.rs"]
mod changed;
mod common;
#[path = "hardening/crc.rs"]
mod crc;
#[path = "hardening/in_pieces.rs"]
mod in_pieces;
mod las_files;
#[path = "hardening/seeds.rs"]
#[allow(dead_code, reason = "the seeds of some formats are used")]
mod seeds;

use changed::changed;
use common::rng;
use in_pieces::positions;
use las_files::{Builder, descriptor, vlr};
use pellucid_cloud::Point;
use pellucid_io::{Format, PieceFile, WriteOptions, read_bytes, write_bytes};
use rand::RngExt;

/// Changes of every seed.
const CHANGES: usize = 60;

/// Reads bytes as a whole and piece by piece.
fn both(name: &str, bytes: &[u8]) -> [Result<Vec<Point>, String>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let format = Format::from_path(&path).unwrap();
    let whole = read_bytes(bytes, format, &path.display().to_string());
    let whole = whole.map(|d| d.cloud.positions().to_vec());
    [whole, PieceFile::open(&path).and_then(|file| positions(&file))]
        .map(|r| r.map_err(|e| e.to_string()))
}

#[track_caller]
fn refused(name: &str, bytes: &[u8], word: &str) {
    let [whole, pieces] = both(name, bytes);
    assert!(whole.as_ref().is_err_and(|e| e.contains(word)), "{whole:?}");
    assert_eq!(pieces, whole);
}

fn ply(elements: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("ply\nformat binary_little_endian 1.0\n{elements}end_header\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn ply_behind_its_vertices() {
    let xyz = "property uchar x\nproperty uchar y\nproperty uchar z\n";
    let vertices = format!("element vertex 2\n{xyz}");
    let faces = "element face 2\nproperty list uchar int v\nproperty uchar flag\n";
    let mesh = vertices.clone() + faces;
    // Two vertices, a face of two corners, one of none.
    let body = [1, 2, 3, 4, 5, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 9];
    let [whole, pieces] = both("a.ply", &ply(&mesh, &body));
    assert_eq!(pieces, whole);
    assert_eq!(whole.unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    // Padding is no data.
    let padded = [&body[..], &[0, b'\n', 0]].concat();
    assert!(both("a.ply", &ply(&mesh, &padded)).iter().all(Result::is_ok));
    // Before the vertices, they can be skipped.
    let behind = [&body[6..], &body[..6]].concat();
    let [whole, pieces] = both("a.ply", &ply(&(faces.to_owned() + &vertices), &behind));
    assert_eq!(pieces, whole);
    assert_eq!(whole.unwrap().len(), 2);

    refused("a.ply", &ply(&mesh, &[&padded[..], &[7; 70_000]].concat()), "70000 bytes follow");
    refused("a.ply", &ply(&vertices, &body[..7]), "1 bytes follow");
    refused("a.ply", &ply(&mesh, &body[..17]), "ends after 1 of the 2 \"face\"");
    refused("a.ply", &ply(&mesh, &[&body[..16], &[200, 9]].concat()), "ends after 1");
    refused("a.ply", &ply(&mesh, &body[..9]), "take at least");
    let signed = mesh.replace("list uchar", "list char");
    refused("a.ply", &ply(&signed, &[&body[..16], &[255, 9]].concat()), "a list of -1 values");
    let twice = vertices.clone() + &vertices;
    refused("a.ply", &ply(&twice, &[1; 12]), "two elements");
    refused("a.ply", &ply(&vertices.replace("uchar y", "uchar x"), &[1; 6]), "two properties");
    refused("a.ply", &ply(&(vertices + "element e 3\n"), &body[..6]), "without properties");
}

#[test]
fn las_and_its_extra_bytes() {
    let mut r = rng(1);
    let points = Builder::new(4, 6).extra(3).random_points(&mut r, 100);
    let described = |types: &[u8]| {
        let all = types.iter().flat_map(|ty| descriptor("unusual", *ty, 0, 0.0, 0.0));
        vlr("LASF_Spec", 4, &all.collect::<Vec<u8>>())
    };
    let many = [1; 1025];
    // A byte and two, one that is not known, one of no bytes, too many bytes, too many fields.
    let cases: [(&[u8], &str); 5] = [
        (&[1, 3], ""),
        (&[1, 31], "unknown type"),
        (&[0], "unknown type"),
        (&[3, 3], "end at byte"),
        (&many, "1025 extra fields"),
    ];
    for (types, word) in cases {
        // A record of 64 kB and more has its place behind the points.
        let before = (types.len() < 300).then(|| points.clone().vlr(described(types)));
        for las in before.into_iter().chain([points.clone().evlr(described(types))]) {
            let las = las.build();
            if !word.is_empty() {
                refused("a.las", &las, word);
                continue;
            }
            let [whole, pieces] = both("a.las", &las);
            assert!(whole.is_ok() && pieces == whole);
            let document = read_bytes(&las, Format::Las, "a.las").unwrap();
            let mut laz = write_bytes(&document, Format::Laz, &WriteOptions::default()).unwrap();
            let [whole, pieces] = both("a.laz", &laz);
            assert!(whole.is_ok() && pieces == whole);
            let name = laz.windows(7).position(|w| w == b"unusual").unwrap();
            laz[name - 2] = 31;
            refused("a.laz", &laz, "unknown type");
        }
    }
}

#[test]
fn what_las_leaves_out_is_said() {
    let mut r = rng(2);
    let las = Builder::new(2, 0).random_points(&mut r, 10).build();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    std::fs::write(&path, [&las[..], &[1; 5]].concat()).unwrap();
    let left_out = PieceFile::open(&path).unwrap().left_out();
    assert!(left_out[0].attribute.starts_with("5 bytes after"), "{left_out:?}");
}

#[test]
fn changed_seeds() {
    let (mut sound, mut bad) = (0, 0);
    for (target, format) in seeds::TARGETS
        .iter()
        .filter(|t| matches!(t.1, Format::Ply | Format::Las | Format::Laz | Format::E57))
    {
        let name = format!("a.{}", format.extensions()[0]);
        let all = seeds::seeds(target);
        for (i, seed) in all.iter().enumerate() {
            let mut r = rng(i as u64);
            for change in 0..CHANGES {
                let other = &all[r.random_range(0..all.len())];
                let mut bytes = changed(seed, other, &mut r);
                if *format == Format::E57 {
                    crc::mend_e57(&mut bytes);
                }
                let [whole, pieces] = both(&name, &bytes);
                let about = format!("{target} {i}, change {change}: {whole:?}, {pieces:?}");
                match (whole, pieces) {
                    (Ok(whole), Ok(pieces)) => {
                        let bits = |p: &Point| p.map(f64::to_bits);
                        assert!(whole.iter().map(bits).eq(pieces.iter().map(bits)), "{about}");
                        sound += 1;
                    }
                    // Pieces need less memory.
                    (Err(e), _) if e.contains("bytes of memory") => {}
                    (Err(_), pieces) => {
                        assert!(pieces.is_err(), "{about}");
                        bad += 1;
                    }
                    (Ok(_), Err(e)) => {
                        assert!(
                            e.contains("as a whole only") || e.contains("a description"),
                            "{about}"
                        );
                    }
                }
            }
        }
    }
    assert!(sound > 200 && bad > 200, "{sound} {bad}");
}
