//! Commands on several files and folders, compressed files, and outliers inside `denoise`.

mod common;

use std::fs;

use common::{Folder, Ran, noisy_sphere, pellucid, ply, points_of};
use pellucid::cloud::Point;

/// Words that are files or folders of `folder` begin with a colon.
fn run(folder: &Folder, args: &str) -> Ran {
    pellucid(args.split_whitespace().map(|a| match a.strip_prefix(':') {
        Some(name) => folder.path(name).into_os_string(),
        None => a.into(),
    }))
}

/// Two spheres, one of them in a folder inside.
fn scans() -> (Folder, Vec<Point>) {
    let folder = Folder::new();
    let points = noisy_sphere(600);
    fs::create_dir_all(folder.path("scans/inner")).unwrap();
    folder.file("scans/a.ply", ply(&points));
    folder.file("scans/inner/b.ply", ply(&points));
    (folder, points)
}

#[test]
fn commands_take_folders_and_keep_their_structure() {
    let (folder, points) = scans();
    let commands = [
        "thin --voxel 2",
        "crop --box -99,-99,0,99,99,99",
        "dedup",
        "normals",
        "outliers",
        "noise --level 0.1 --scale absolute",
        "convert --encoding binary",
    ];
    for command in commands {
        let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
        let plain = run(&folder, &format!("{name} :scans :{name} {flags}")).code(0);
        plain.says(&["1 folder in it skipped", "--recursive"]);
        assert!(folder.path(&format!("{name}/a.ply")).is_file());
        let ran = run(&folder, &format!("{name} :scans :{name}-all -r {flags}")).code(0);
        assert!(!ran.stderr.contains("skipped"), "{ran:?}");
        let both = ["a.ply", "inner/b.ply"].map(|f| folder.path(&format!("{name}-all/{f}")));
        assert_eq!(points_of(&both[0]), points_of(&both[1]));
        // One file, one output as before.
        run(&folder, &format!("{name} :scans/a.ply :{name}.ply {flags}")).code(0);
        assert_eq!(points_of(&both[0]), points_of(&folder.path(&format!("{name}.ply"))));
    }
    let merged = run(&folder, "merge :scans :merged.ply -r").code(0);
    assert!(merged.stdout.contains("2 clouds"), "{merged:?}");
    assert_eq!(points_of(&folder.path("merged.ply")).len(), 2 * points.len());
    run(&folder, "distance :scans :scans/a.ply :distances -r").code(0);
    assert!(folder.path("distances/inner/b.ply").is_file());
    let compared = run(&folder, "compare :thin :scans --json").code(0).json();
    assert_eq!(compared[0]["truth_points"], 600);
    run(&folder, "compare :thin :scans/a.ply --json").code(0);
    run(&folder, "render :scans :picture.png --size 64x64").code(0);
    assert!(folder.path("picture.png").is_file());
    let info = run(&folder, "info :scans -r --json").code(0).json();
    assert_eq!(info.as_array().unwrap().len(), 2);
    let one = run(&folder, "info :scans/a.ply --json").code(0).json();
    assert_eq!(one["points"], 600);
}

#[test]
fn one_bad_file_does_not_keep_the_others() {
    let (folder, _) = scans();
    folder.file("scans/bad.ply", "ply\nnonsense\n");
    let ran = run(&folder, "thin :scans :out --voxel 2").code(2);
    ran.says(&["bad.ply", "1 of 2 files failed"]);
    assert!(folder.path("out/a.ply").is_file() && !folder.path("out/bad.ply").exists());
}

#[test]
fn formats_of_a_folder_are_chosen_by_a_flag() {
    let (folder, points) = scans();
    run(&folder, "convert :scans :csv -r --format csv").code(0);
    let found = points_of(&folder.path("csv/inner/b.csv"));
    assert_eq!(found.len(), points.len());
    run(&folder, "convert :scans :same -r").code(2).says(&["--format"]);
    folder.file("scans/a.xyz", "1 2 3\n");
    run(&folder, "convert :scans :twice --format las").code(2).says(&["same name", "a.ply"]);
    run(&folder, "thin :scans/a.ply :x.ply --voxel 1 --format las").code(2).says(&["--format"]);
}

#[test]
fn compressed_files_go_in_and_out() {
    let (folder, points) = scans();
    run(&folder, "convert :scans/a.ply :a.ply.gz").code(0);
    run(&folder, "convert :a.ply.gz :a.ply.zst").code(0);
    run(&folder, "convert :a.ply.zst :back.ply").code(0);
    assert_eq!(points_of(&folder.path("back.ply")), points);
    let size = |name: &str| fs::metadata(folder.path(name)).unwrap().len();
    assert!(size("a.ply.gz") < size("scans/a.ply") && size("a.ply.zst") < size("scans/a.ply"));
    run(&folder, "denoise :a.ply.gz :clean.ply.zst --method mls").code(0);
    run(&folder, "denoise :scans/a.ply :clean.ply --method mls").code(0);
    assert_eq!(points_of(&folder.path("clean.ply.zst")), points_of(&folder.path("clean.ply")));
    fs::create_dir(folder.path("packed")).unwrap();
    fs::rename(folder.path("a.ply.gz"), folder.path("packed/a.ply.gz")).unwrap();
    run(&folder, "thin :packed :thinned --voxel 3").code(0);
    assert!(folder.path("thinned/a.ply.gz").is_file());
    run(&folder, "convert :packed :unpacked --format xyz").code(0);
    assert!(folder.path("unpacked/a.xyz").is_file());
    run(&folder, "convert :scans/a.ply :binary.ply --encoding binary").code(0);
    let big = run(&folder, "denoise :binary.ply :big.ply.gz --memory 2G").code(2);
    big.says(&["big.ply.gz", "piece by piece"]);
}

#[test]
fn denoise_removes_or_labels_outliers() {
    let folder = Folder::new();
    let mut points = noisy_sphere(2_000);
    points.insert(700, [60.0, 0.0, 0.0]);
    folder.file("in.ply", ply(&points));
    let ran = run(&folder, "denoise :in.ply :removed.ply --outliers remove").code(0);
    assert!(ran.stdout.contains("1 outlier removed"), "{ran:?}");
    let removed = points_of(&folder.path("removed.ply"));
    assert_eq!(removed.len(), 2_000);
    assert!(removed.iter().all(|p| p[0] < 20.0));
    // The others go where they go without it.
    folder.file("without.ply", ply(&noisy_sphere(2_000)));
    run(&folder, "denoise :without.ply :same.ply").code(0);
    assert_eq!(points_of(&folder.path("same.ply")), removed);

    run(&folder, "denoise :in.ply :labelled.ply --outliers label --report :r.json").code(0);
    let cloud = pellucid::io::read(&folder.path("labelled.ply")).unwrap().cloud;
    let flags = cloud.attribute("outlier").unwrap().component(0).unwrap();
    assert_eq!((cloud.len(), flags[700], flags.iter().sum::<f64>()), (2_001, 1.0, 1.0));
    let report = fs::read_to_string(folder.path("r.json")).unwrap();
    assert!(report.contains("by --outliers label") && report.contains("\"found\": 1"), "{report}");
    run(&folder, "denoise :in.ply :flag.las --outliers label").code(0);
    let las = pellucid::io::read(&folder.path("flag.las")).unwrap().cloud;
    assert_eq!(las.attribute("withheld").unwrap().component(0).unwrap()[700], 1.0);

    run(&folder, "denoise :in.ply :kept.ply --outliers keep").code(0);
    assert_eq!(points_of(&folder.path("kept.ply")).len(), 2_001);
    let stl = run(&folder, "denoise :in.ply :x.obj --outliers label").code(2);
    stl.says(&["--outliers label", "OBJ cannot store labels"]);
    run(&folder, "denoise :in.ply :x.ply --outliers remove --memory 1G")
        .code(2)
        .says(&["--outliers cannot be used with --memory"]);
}
