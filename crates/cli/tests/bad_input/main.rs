//! Every kind of bad input: a clear message that names the file and the fault, the right exit
//! code, and nothing lost or left behind.

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod unix;

use std::path::Path;

use common::{Folder, Ran, Random, noisy_sphere, pellucid, ply, points_of};
use pellucid::cloud::{Point, vec3};
use pellucid::denoise::registry;

fn denoise(input: &Path, output: &Path) -> Ran {
    pellucid([Path::new("denoise"), input, output])
}

/// Denoising `content` fails with code 2, says why, and writes nothing.
#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>, words: &[&str]) {
    let folder = Folder::new();
    let input = folder.file(name, content.as_ref());
    let mut all = vec![name];
    all.extend(words);
    denoise(&input, &folder.path("out.ply")).code(2).says(&all);
    assert_eq!(folder.names(), [name]);
    assert_eq!(std::fs::read(&input).unwrap(), content.as_ref(), "the input changed");
}

#[test]
fn an_empty_file_is_refused() {
    refused("in.ply", "", &["empty"]);
}

#[test]
fn zero_points_are_refused_by_denoising_but_are_a_valid_file() {
    refused("in.ply", ply(&[]), &["0 usable points"]);
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&[]));
    let info = pellucid([Path::new("info"), &input, Path::new("--json")]).code(0).json();
    assert_eq!(info["points"], 0);
    pellucid([Path::new("convert"), &input, &folder.path("out.ply")]).code(0);
    assert!(points_of(&folder.path("out.ply")).is_empty());
}

#[test]
fn fewer_points_than_a_method_needs_are_refused() {
    for method in registry::methods().iter().filter(|m| m.min_points > 1) {
        let folder = Folder::new();
        let input = folder.file("few.ply", ply(&noisy_sphere(method.min_points - 1)));
        let out = folder.path("out.ply");
        pellucid(
            [&input, &out]
                .iter()
                .fold(vec!["denoise".into()], |mut v: Vec<std::ffi::OsString>, p| {
                    v.push(p.into());
                    v
                })
                .into_iter()
                .chain(["--method".into(), method.name.into()]),
        )
        .code(2)
        .says(&["few.ply", method.name, &method.min_points.to_string()]);
        assert_eq!(folder.names(), ["few.ply"]);
    }
}

#[test]
fn rows_that_are_not_finite_pass_through_in_place() {
    let mut points = noisy_sphere(400);
    points[0] = [f64::NAN, 1.0, 2.0];
    points[17] = [3.0, f64::INFINITY, -1.0];
    points[399] = [f64::NAN; 3];
    for out in every_method("nan.ply", &points) {
        let (name, moved) = out;
        assert_eq!(moved.len(), points.len(), "{name}");
        for row in [0, 17, 399] {
            let same = |c: usize| {
                moved[row][c] == points[row][c] || moved[row][c].is_nan() && points[row][c].is_nan()
            };
            assert!((0..3).all(same), "{name}: row {row} became {:?}", moved[row]);
        }
        for row in (0..400).filter(|r| ![0, 17, 399].contains(r)) {
            assert!(vec3::is_finite(moved[row]), "{name}: row {row}");
        }
    }
}

#[test]
fn identical_points_are_refused_with_the_reason() {
    let folder = Folder::new();
    let input = folder.file("same.ply", ply(&[[1.5, -2.0, 3.25]; 200]));
    for m in registry::methods() {
        let out = folder.path(&format!("{}.ply", m.name));
        let args = [Path::new("denoise"), &input, &out, Path::new("-m"), Path::new(m.name)];
        let ran = pellucid(args).code(2);
        assert!(ran.stderr.contains("1 usable points (200 rows"), "{}", ran.stderr);
        assert!(!out.exists());
    }
}

#[test]
fn collinear_points_stay_on_their_line() {
    let along = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
    let mut random = Random(3);
    let points: Vec<Point> =
        (0..300).map(|_| vec3::scale(along, 10.0 * random.uniform())).collect();
    for (name, moved) in every_method("line.ply", &points) {
        assert_eq!(moved.len(), 300, "{name}");
        for p in moved {
            let off = vec3::norm(vec3::sub(p, vec3::scale(along, vec3::dot(p, along))));
            assert!(off < 1e-6, "{name}: {off} off the line");
        }
    }
}

#[test]
fn planar_points_stay_in_their_plane() {
    let normal = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
    let (u, v) = vec3::tangents(normal);
    let mut random = Random(4);
    let points: Vec<Point> = (0..500)
        .map(|_| {
            vec3::add(
                vec3::scale(u, 10.0 * random.uniform()),
                vec3::scale(v, 10.0 * random.uniform()),
            )
        })
        .collect();
    for (name, moved) in every_method("plane.ply", &points) {
        assert_eq!(moved.len(), 500, "{name}");
        for p in moved {
            let off = vec3::dot(p, normal).abs();
            assert!(off < 1e-6, "{name}: {off} off the plane");
        }
    }
}

#[test]
fn one_huge_outlier_spoils_nothing_else() {
    let mut points = noisy_sphere(600);
    points[123] = [1e9, -1e9, 1e9];
    for (name, moved) in every_method("outlier.ply", &points) {
        assert_eq!(moved.len(), 600, "{name}");
        for (row, p) in moved.iter().enumerate().filter(|(row, _)| *row != 123) {
            let r = vec3::norm(*p);
            // The noise is 0.1; a few spacings of 1.4 are the most a point may go.
            assert!((7.0..13.0).contains(&r), "{name}: row {row} went to {p:?}");
        }
        assert!(vec3::is_finite(moved[123]), "{name}");
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let whole = ply(&noisy_sphere(100));
    refused("in.ply", &whole[..whole.len() * 2 / 3], &["line"]);
    // Binary, cut in the middle of a point.
    let mut binary = b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nend_header\n"
        .to_vec();
    binary.extend([0; 30]);
    refused("cut.ply", binary, &["byte"]);
}

#[test]
fn a_wrong_header_is_refused() {
    refused("in.ply", "ply\nformat ascii 1.0\nelement vertex\nend_header\n", &["line 3"]);
    refused("in.ply", "ply\nformat utf8 1.0\nelement vertex 1\nend_header\n", &["line 2"]);
    refused("in.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n", &["in.ply: "]);
    let no_z = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        end_header\n1 2\n";
    refused("in.ply", no_z, &["z"]);
}

#[test]
fn a_wrong_count_is_refused_before_memory_is_asked_for() {
    let header = |count: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty double x\n\
             property double y\nproperty double z\nend_header\n0123456789abcdef01234567"
        )
    };
    refused("in.ply", header("4000000000"), &["in.ply: "]);
    refused("in.ply", header("-5"), &["line 3"]);
    refused("in.ply", header("99999999999999999999999"), &["line 3"]);
}

#[test]
fn binary_garbage_is_refused() {
    let mut random = Random(5);
    let garbage: Vec<u8> = (0..5000).map(|_| (random.uniform() * 256.0) as u8).collect();
    refused("in.ply", &garbage, &["in.ply: "]);
    refused("in.xyz", &garbage, &["in.xyz: "]);
}

#[test]
fn a_folder_is_no_cloud() {
    let folder = Folder::new();
    let empty = folder.path("clouds.ply");
    std::fs::create_dir(&empty).unwrap();
    pellucid([Path::new("info"), &empty]).code(2).says(&["clouds.ply", "folder"]);
    denoise(&empty, &folder.path("out")).code(2).says(&["clouds.ply", "no point cloud"]);
    assert_eq!(folder.names(), ["clouds.ply"]);
}

#[test]
fn a_missing_file_is_named() {
    let folder = Folder::new();
    let lost = folder.path("lost.ply");
    denoise(&lost, &folder.path("out.ply")).code(2).says(&["lost.ply", "no such file"]);
    assert!(folder.names().is_empty());
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(200)));
    let before = std::fs::read(&input).unwrap();
    let args = [Path::new("denoise"), &input, &input, Path::new("--overwrite")];
    pellucid(args).code(2).says(&["in.ply", "input"]);
    // Nor by another name for the same file.
    let around = folder.root().join(".").join("in.ply");
    pellucid([Path::new("denoise"), &input, &around, Path::new("--overwrite")]).code(2);
    assert_eq!(std::fs::read(&input).unwrap(), before);
    assert_eq!(folder.names(), ["in.ply"]);
}

#[test]
fn an_existing_output_needs_overwrite() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(200)));
    let out = folder.file("out.ply", "precious");
    denoise(&input, &out).code(2).says(&["out.ply", "exists"]);
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    pellucid([Path::new("denoise"), &input, &out, Path::new("--overwrite")]).code(0);
    assert_eq!(points_of(&out).len(), 200);
}

/// Denoises `points` with every method; each must succeed.
fn every_method(name: &str, points: &[Point]) -> Vec<(&'static str, Vec<Point>)> {
    let folder = Folder::new();
    let input = folder.file(name, ply(points));
    registry::methods()
        .iter()
        .map(|m| {
            let out = folder.path(&format!("{}.ply", m.name));
            let args = [Path::new("denoise"), &input, &out, Path::new("-m"), Path::new(m.name)];
            pellucid(args).code(0);
            (m.name, points_of(&out))
        })
        .collect()
}

#[test]
fn impossible_names_are_found_before_the_work() {
    let folder = Folder::new();
    let cloud = folder.file("in.ply", ply(&noisy_sphere(300)));
    let file = folder.file("file", "");
    let long = folder.path(&("a".repeat(300) + ".ply"));
    // With the name of the work folder around it, it is too long.
    let longish = folder.path(&("a".repeat(240) + ".ply"));
    let report = long.with_extension("json");
    let (out, below) = (folder.path("out.ply"), file.join(""));
    let binary = folder.path("binary.ply");
    let convert = ["convert", "--encoding", "binary"].map(Path::new);
    pellucid(convert.iter().copied().chain([cloud.as_path(), &binary])).code(0);
    let [denoise, memory, gigabyte] = ["denoise", "--memory", "1G"].map(Path::new);
    let to_report = Path::new("--report");
    pellucid([denoise, &cloud, &long]).code(2).says(&["name", "choose another"]);
    pellucid([denoise, &binary, &long, memory, gigabyte]).code(2).says(&["choose another"]);
    pellucid([denoise, &binary, &longish, memory, gigabyte]).code(2).says(&["choose another"]);
    pellucid([denoise, &cloud, &out, to_report, &report]).code(2).says(&["choose another"]);
    pellucid([denoise, &cloud, &below]).code(2).says(&["folder", "file"]);
    pellucid([denoise, &cloud, &long.with_extension("").join("")]).code(2).says(&["another"]);
    pellucid([Path::new("man"), &file]).code(2).says(&["folder"]);
    assert_eq!(folder.names(), ["binary.ply", "file", "in.ply"]);
}

#[test]
fn every_method_ends_with_0_or_2_on_hostile_numbers() {
    let folder = Folder::new();
    let base = noisy_sphere(120);
    let scaled = |by: f64| -> Vec<Point> { base.iter().map(|p| p.map(|x| x * by)).collect() };
    let mut far = base.clone();
    far.extend([[1e308; 3], [f64::NAN; 3], [-1e20, 0.0, 0.0]]);
    let mut zeros = base.clone();
    zeros.extend([[0.0; 3]; 120]);
    let clouds = [far, zeros, scaled(1e200), scaled(1e-200), vec![[1.0, 2.0, 3.0]; 120]];
    for (i, cloud) in clouds.iter().enumerate() {
        let input = folder.file(&format!("{i}.ply"), ply(cloud));
        for method in registry::methods() {
            let out = folder.path(&format!("{i}-{}.ply", method.name));
            let args = [Path::new("denoise"), &input, &out, "-m".as_ref(), method.name.as_ref()];
            let ran = pellucid(args).says(&[]);
            assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
            assert_eq!(out.exists(), ran.code == Some(0), "{ran:?}");
        }
    }
}
