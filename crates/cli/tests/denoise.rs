//! `pellucid denoise`: flags, reports, folders, normals.

mod common;

use pellucid::cloud::stats::root_mean_square;
use std::path::Path;

use common::{Folder, noisy_sphere, pellucid, ply, points_of};
use pellucid::cloud::{Attribute, PointCloud, Values, vec3};
use pellucid::io::{self, Document, WriteOptions};
use serde_json::Value;

/// A sphere with normals, colors and a scalar, as a binary PLY file.
fn rich(folder: &Folder, name: &str) -> PointCloud {
    let points = noisy_sphere(1500);
    let normals: Vec<_> = points.iter().map(|&p| vec3::scale(p, -1.0 / vec3::norm(p))).collect();
    let mut cloud = PointCloud::new(points);
    cloud.set_normals(&normals).unwrap();
    let colors = (0..4500).map(|i| (i % 251) as u8).collect();
    cloud.set_attribute(Attribute::vector("color", 3, Values::U8(colors))).unwrap();
    let scalar = (0..1500).map(|i| i as f32 / 7.0).collect();
    cloud.set_attribute(Attribute::scalar("quality", Values::F32(scalar))).unwrap();
    io::write(&folder.path(name), &Document::from(cloud.clone()), &WriteOptions::default())
        .unwrap();
    cloud
}

fn run(folder: &Folder, args: &str) -> common::Ran {
    let args = args.split_whitespace().map(|a| {
        if a.contains('.') && !a.contains('=') || a.ends_with('/') {
            folder.path(a).into_os_string()
        } else {
            a.into()
        }
    });
    pellucid(args)
}

#[test]
fn points_move_and_everything_else_stays() {
    let folder = Folder::new();
    let before = rich(&folder, "in.ply");
    run(&folder, "denoise in.ply out.ply -m mls --normals keep").code(0);
    let after = io::read(&folder.path("out.ply")).unwrap().cloud;
    assert_eq!(after.len(), before.len());
    assert_ne!(after.positions(), before.positions());
    for a in before.attributes() {
        assert_eq!(after.attribute(a.name()), Some(a), "{}", a.name());
    }
    // The noise has a standard deviation of 0.1.
    let off =
        |c: &PointCloud| root_mean_square(c.positions().iter().map(|&p| vec3::norm(p) - 10.0));
    assert!(off(&after) < 0.9 * off(&before), "{} -> {}", off(&before), off(&after));
}

#[test]
fn normals_are_updated_kept_or_dropped() {
    let folder = Folder::new();
    let before = rich(&folder, "in.ply").normals().unwrap();
    run(&folder, "denoise in.ply update.ply -m mls").code(0);
    run(&folder, "denoise in.ply drop.ply -m mls --normals drop").code(0);
    let updated = io::read(&folder.path("update.ply")).unwrap().cloud;
    let new = updated.normals().unwrap();
    assert_ne!(new, before);
    for (n, p) in new.iter().zip(updated.positions()) {
        // They pointed inwards, and still do, now along the cleaner surface.
        assert!(vec3::dot(*n, *p) / vec3::norm(*p) < -0.9, "{n:?} at {p:?}");
    }
    let dropped = io::read(&folder.path("drop.ply")).unwrap().cloud;
    assert!(dropped.normals().is_none());
    assert!(dropped.attribute("color").is_some());
}

#[test]
fn the_report_says_what_was_done() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    let ran =
        run(&folder, "denoise in.ply out.ply -m mls --report run.json --json --seed 5 --threads 2");
    let printed = ran.code(0).json();
    let file: Value =
        serde_json::from_slice(&std::fs::read(folder.path("run.json")).unwrap()).unwrap();
    assert_eq!(printed, file);
    assert_eq!(file["program"], "pellucid");
    assert!(file["version"].is_string());
    assert!(file["command"].as_array().unwrap().iter().any(|a| a == "--seed"));
    let run = &file["runs"][0];
    assert_eq!(run["points"], 1500);
    assert_eq!(run["seed"], 5);
    assert_eq!(run["normals"], "updated");
    assert!(run["stop"].is_string());
    // The statistics agree with the files.
    let moved: Vec<f64> = points_of(&folder.path("in.ply"))
        .iter()
        .zip(points_of(&folder.path("out.ply")))
        .map(|(a, b)| vec3::distance2(*a, b).sqrt())
        .collect();
    let d = &run["displacement"];
    let mean = moved.iter().sum::<f64>() / 1500.0;
    let max = moved.iter().copied().fold(0.0, f64::max);
    assert!((d["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((d["max"].as_f64().unwrap() - max).abs() < 1e-9);
}

#[test]
fn a_report_that_cannot_be_is_refused_before_work() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    run(&folder, "denoise in.ply out.ply --report run.txt").code(2).says(&["run.txt", ".json"]);
    folder.file("old.json", "precious");
    run(&folder, "denoise in.ply out.ply --report old.json").code(2).says(&["old.json", "exists"]);
    assert_eq!(folder.names(), ["in.ply", "old.json"]);
}

#[test]
fn a_dry_run_estimates_and_writes_nothing() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&noisy_sphere(20_000)));
    let ran = run(&folder, "denoise in.ply out.ply --dry-run").code(0);
    assert!(ran.stdout.contains("20000 points"), "{ran:?}");
    let json = run(&folder, "denoise in.ply out.ply --dry-run --json").code(0).json();
    assert_eq!(json[0]["points"], 20_000);
    assert!(json[0]["seconds"].as_f64().unwrap() > 0.0);
    assert!(json[0]["bytes"].as_u64().unwrap() > 20_000 * 24);
    assert_eq!(folder.names(), ["in.ply"]);
}

#[test]
fn several_files_and_folders_go_to_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("scans")).unwrap();
    folder.file("scans/b.ply", ply(&noisy_sphere(300)));
    folder.file("scans/a.ply", ply(&noisy_sphere(200)));
    folder.file("scans/notes.md", "not a cloud");
    folder.file("c.ply", ply(&noisy_sphere(250)));
    run(&folder, "denoise scans/ c.ply out/").code(0);
    for (name, points) in [("a", 200), ("b", 300), ("c", 250)] {
        assert_eq!(points_of(&folder.path(&format!("out/{name}.ply"))).len(), points);
    }
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 3);
    // One bad file does not stop the others.
    folder.file("scans/a.ply", "rubbish");
    run(&folder, "denoise scans/ out2/").code(2).says(&["a.ply", "1 of 2 files failed"]);
    assert!(folder.path("out2/b.ply").exists() && !folder.path("out2/a.ply").exists());
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    run(&folder, "denoise in.ply one.ply --threads 1").code(0);
    run(&folder, "denoise in.ply two.ply --threads 2").code(0);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("one.ply"), bytes("two.ply"));
}

#[test]
fn wrong_parameters_are_named() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    run(&folder, "denoise in.ply out.ply --method nope").code(2).says(&["nope", "mls"]);
    run(&folder, "denoise in.ply out.ply -m mls --preset nope").code(2).says(&["nope", "mls"]);
    run(&folder, "denoise in.ply out.ply -m mls --set nope=1").code(2).says(&["nope", "mls"]);
    run(&folder, "denoise in.ply out.ply -m mls --set nope").code(2).says(&["KEY=VALUE"]);
    run(&folder, "denoise in.ply out.ply --threads 0").code(2).says(&["threads"]);
    folder.file("p.toml", "method = \"mls\"\nnope = 3\n");
    run(&folder, "denoise in.ply out.ply --params p.toml").code(2).says(&["nope"]);
    folder.file("p.toml", "method = mls\n");
    run(&folder, "denoise in.ply out.ply --params p.toml").code(2).says(&["p.toml", "line 1"]);
    run(&folder, "denoise in.ply out.ply --params lost.toml").code(2).says(&["lost.toml"]);
    assert_eq!(folder.names(), ["in.ply", "p.toml"]);
}

#[test]
fn parameters_come_from_flags_and_files_alike() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    // Not the defaults, so that a value that is lost on the way shows.
    folder.file("p.toml", "method = \"mls\"\niterations = 4\nneighbors = 12\n");
    run(&folder, "denoise in.ply file.ply --params p.toml").code(0);
    run(&folder, "denoise in.ply flag.ply -m mls --set iterations=4 --set neighbors=12").code(0);
    run(&folder, "denoise in.ply some.ply --params p.toml --set iterations=2").code(0);
    run(&folder, "denoise in.ply none.ply -m mls").code(0);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("file.ply"), bytes("flag.ply"));
    // A flag goes before the file, and both before the defaults.
    assert_ne!(bytes("some.ply"), bytes("file.ply"));
    assert_ne!(bytes("some.ply"), bytes("none.ply"));
}

#[test]
fn quiet_says_nothing() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    let ran = run(&folder, "denoise in.ply out.ply -q").code(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert!(Path::new(&folder.path("out.ply")).exists());
}

#[test]
fn the_default_leaves_little_noise_alone_and_says_why() {
    let folder = Folder::new();
    rich(&folder, "in.ply");
    let ran = run(&folder, "denoise in.ply out.ply --explain").code(0);
    ran.says(&["noise of 0.1", "too little noise"]);
    assert_eq!(points_of(&folder.path("in.ply")), points_of(&folder.path("out.ply")));
    run(&folder, "denoise in.ply more.ply -m mls --strength=0.5").code(2).says(&["auto"]);
    run(&folder, "denoise in.ply more.ply --strength 3").code(2).says(&["strength", "0 to 2"]);
}
