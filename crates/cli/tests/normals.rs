//! `--normals file`: methods that use normals take those of the file.

mod common;

use common::{Folder, Random, pellucid, ply};
use pellucid::cloud::{Point, PointCloud, vec3};
use pellucid::denoise::registry;
use pellucid::io::{self, Document, WriteOptions};

const SIDE: usize = 40;
const NOISE: f64 = 0.3;

/// A square of points one apart with noise across it, and its exact normal in every row.
fn plate(folder: &Folder) -> PointCloud {
    let mut random = Random(3);
    let points = (0..SIDE * SIDE)
        .map(|i| [(i % SIDE) as f64, (i / SIDE) as f64, NOISE * random.normal()])
        .collect();
    let mut cloud = PointCloud::new(points);
    cloud.set_normals(&[[0.0, 0.0, 1.0]; SIDE * SIDE]).unwrap();
    let document = Document::from(cloud.clone());
    io::write(&folder.path("in.ply"), &document, &WriteOptions::default()).unwrap();
    cloud
}

/// The method's result with that kind of normals.
fn denoised(folder: &Folder, method: &str, normals: &str) -> Vec<Point> {
    let out = folder.path(&format!("{method}-{normals}.ply"));
    let mut args: Vec<String> =
        ["denoise", "--method", method, "--normals", normals].map(String::from).into();
    if method == "awlop" {
        // Its points push each other along the surface, whatever the normals.
        args.extend(["--set", "repulsion=0"].map(String::from));
    }
    args.push(folder.path("in.ply").display().to_string());
    args.push(out.display().to_string());
    pellucid(&args).code(0);
    io::read(&out).unwrap().cloud.positions().to_vec()
}

/// Methods with a parameter `normals`.
fn users() -> impl Iterator<Item = &'static str> {
    let uses = |m: &&registry::Method| m.parameters.iter().any(|p| p.name == "normals");
    registry::methods().iter().filter(uses).map(|m| m.name)
}

#[test]
fn points_move_along_the_normals_of_the_file() {
    let folder = Folder::new();
    let before = plate(&folder);
    assert!(users().count() >= 4);
    for method in users() {
        let sideways = |after: &[Point]| {
            let d = before.positions().iter().zip(after).map(|(&a, &b)| vec3::sub(b, a));
            d.map(|d| d[0] * d[0] + d[1] * d[1]).sum::<f64>().sqrt()
        };
        let height = |points: &[Point]| points.iter().map(|p| p[2] * p[2]).sum::<f64>().sqrt();
        let [file, estimated] = ["file", "update"].map(|n| denoised(&folder, method, n));
        let [a, b] = [sideways(&file), sideways(&estimated)];
        assert!(a < 0.5 * b, "{method}: {a:.4} sideways, {b:.4} with estimated normals");
        let [a, b] = [height(&file), height(before.positions())];
        assert!(a < 0.6 * b, "{method}: heights of {b:.3} became {a:.3}");
    }
}

#[test]
fn a_file_without_normals_is_refused() {
    let folder = Folder::new();
    let cloud = plate(&folder);
    let bare = folder.file("bare.ply", ply(cloud.positions()));
    for method in users() {
        let out = folder.path("out.ply");
        let words = ["denoise", "--method", method, "--normals", "file"].map(|w| w.into());
        let args = words.into_iter().chain([bare.clone().into_os_string(), out.clone().into()]);
        pellucid(args).code(2).says(&["bare.ply", "normal", "normals=estimate"]);
        assert!(!out.exists(), "{method}");
    }
}

#[test]
fn a_method_without_normals_says_who_has_them() {
    let folder = Folder::new();
    plate(&folder);
    let [input, out] = ["in.ply", "out.ply"].map(|f| folder.path(f).display().to_string());
    let args = ["denoise", "--method", "mls", "--normals", "file", &input, &out];
    let ran = pellucid(args).code(2);
    for method in users() {
        assert!(ran.stderr.contains(method), "{method} is not in {ran:?}");
    }
}
