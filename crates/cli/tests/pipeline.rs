//! `run`: the steps of a pipeline file, on the files that it or the command line names.

mod common;

use std::fs;

use common::{Folder, Ran, noisy_sphere, pellucid, ply, points_of};

fn run(folder: &Folder, args: &str) -> Ran {
    pellucid(args.split_whitespace().map(|a| match a.strip_prefix(':') {
        Some(name) => folder.path(name).into_os_string(),
        None => a.into(),
    }))
}

const STEPS: &str = "[[step]]\ndo = \"outliers\"\n\n[[step]]\ndo = \"denoise\"\nmethod = \"mls\"\n\n\
    [[step]]\ndo = \"normals\"\nviewpoint = [0, 0, 0]\n";

fn scan() -> Folder {
    let folder = Folder::new();
    let mut points = noisy_sphere(1_500);
    points.push([50.0, 0.0, 0.0]);
    folder.file("in.ply", ply(&points));
    folder.file("steps.toml", STEPS);
    folder
}

#[test]
fn a_pipeline_does_what_its_commands_do() {
    let folder = scan();
    let ran = run(&folder, "run :steps.toml :in.ply :out.ply").code(0);
    for word in ["outliers: 1 outlier removed", "denoise: mls", "normals: 1500 normals"] {
        assert!(ran.stdout.contains(word), "{ran:?}");
    }
    run(&folder, "outliers :in.ply :1.ply --remove").code(0);
    run(&folder, "denoise :1.ply :2.ply --method mls").code(0);
    run(&folder, "normals :2.ply :3.ply --viewpoint 0,0,0").code(0);
    let read = |name: &str| pellucid::io::read(&folder.path(name)).unwrap().cloud;
    let (found, expected) = (read("out.ply"), read("3.ply"));
    assert_eq!(found.positions(), expected.positions());
    assert_eq!(found.normals(), expected.normals());
}

#[test]
fn files_may_be_named_in_the_pipeline() {
    let folder = scan();
    fs::create_dir(folder.path("scans")).unwrap();
    fs::copy(folder.path("in.ply"), folder.path("scans/a.ply")).unwrap();
    fs::copy(folder.path("in.ply"), folder.path("scans/b.ply")).unwrap();
    let path = |name: &str| format!("{:?}", folder.path(name));
    let files = format!("read = {}\nwrite = {}\n{STEPS}", path("scans"), path("out"));
    folder.file("all.toml", files);
    let dry = run(&folder, "run :all.toml --dry-run").code(0);
    assert!(dry.stdout.contains("outliers, denoise, normals"), "{dry:?}");
    assert!(!folder.path("out").exists());
    let ran = run(&folder, "run :all.toml --json").code(0);
    let files = ran.json()["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 2);
    assert_eq!(files[0]["steps"][0]["points"], 1500);
    assert_eq!(points_of(&folder.path("out/a.ply")), points_of(&folder.path("out/b.ply")));
    run(&folder, "run :all.toml").code(2).says(&["exists already", "--overwrite"]);
    run(&folder, "run :all.toml --overwrite").code(0);
}

#[test]
fn mistakes_are_explained_and_nothing_is_written() {
    let folder = scan();
    run(&folder, "run :steps.toml").code(2).says(&["steps.toml", "write ="]);
    folder.file("bad.toml", "[[step]]\ndo = \"denoize\"\n");
    run(&folder, "run :bad.toml :in.ply :out.ply").code(2).says(&["bad.toml", "step 1", "denoise"]);
    folder.file("text.toml", "do it");
    run(&folder, "run :text.toml :in.ply :out.ply").code(2).says(&["text.toml"]);
    run(&folder, "run :steps.toml :in.ply :in.ply --overwrite").code(2).says(&["input"]);
    run(&folder, "run :steps.toml :in.ply :steps.toml --overwrite").code(2);
    folder.file("few.ply", ply(&[[0.0; 3], [1.0; 3]]));
    let few = run(&folder, "run :steps.toml :few.ply :out.ply").code(2);
    few.says(&["few.ply", "step 1 (outliers)"]);
    assert!(!folder.path("out.ply").exists());
    assert_eq!(fs::read_to_string(folder.path("steps.toml")).unwrap(), STEPS);
}

#[test]
fn steps_that_move_nothing_say_why() {
    let folder = Folder::new();
    let at = |i: u32| [f64::from(i % 30), f64::from(i / 30), 0.0];
    folder.file("in.ply", ply(&(0..900).map(at).collect::<Vec<_>>()));
    folder.file("steps.toml", "[[step]]\ndo = \"denoise\"\n\n[[step]]\ndo = \"normals\"\n");
    let ran = run(&folder, "run :steps.toml :in.ply :out.ply").code(0);
    for words in ["nothing was moved: ", "too little", "noise = X"] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    // Where all have normals, nothing is said of those without.
    assert!(!ran.stdout.contains("none"), "{ran:?}");
}
