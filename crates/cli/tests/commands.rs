//! The other commands.

mod common;

use common::{Folder, noisy_sphere, pellucid, ply, points_of};
use pellucid::cloud::vec3;
use pellucid::denoise::registry;

fn run(folder: &Folder, args: &str) -> common::Ran {
    let path = |a: &str| a.contains(".ply") || a.contains(".xyz") || a.contains(".off");
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

#[test]
fn info_tells_what_is_in_a_file() {
    let folder = Folder::new();
    let mut points = noisy_sphere(2000);
    points[5] = points[4];
    points[9] = [f64::NAN; 3];
    folder.file("in.ply", ply(&points));
    let info = run(&folder, "info in.ply --json").code(0).json();
    assert_eq!(info["points"], 2000);
    assert_eq!(info["nan_rows"], 1);
    assert_eq!(info["duplicates"], 1);
    // The noise is radial with standard deviation 0.1; 2000 points on a sphere of radius ten are
    // 0.79 apart on average.
    let noise = info["noise"].as_f64().unwrap();
    assert!((0.05..0.2).contains(&noise), "{noise}");
    let spacing = info["spacing"].as_f64().unwrap();
    assert!((0.4..1.2).contains(&spacing), "{spacing}");
    let text = run(&folder, "info in.ply").code(0).stdout;
    assert!(text.contains("2000") && text.contains("duplicates"), "{text}");
}

#[test]
fn far_and_missing_points_are_reported_and_change_nothing() {
    let folder = Folder::new();
    let mut points = noisy_sphere(1000);
    folder.file("alone.ply", ply(&points));
    points.extend([[0.0; 3]; 500]);
    points.extend([[1e20, 0.0, 0.0], [0.0, -1e308, 1e308]]);
    folder.file("in.ply", ply(&points));
    let alone = run(&folder, "info alone.ply --json").code(0).json();
    let info = run(&folder, "info in.ply --json").code(0).json();
    assert_eq!((&info["missing_rows"], &info["far_rows"]), (&500.into(), &2.into()));
    assert_eq!((&info["duplicates"], &info["nan_rows"]), (&499.into(), &0.into()));
    assert_eq!((&info["spacing"], &info["noise"]), (&alone["spacing"], &alone["noise"]));
    let text = run(&folder, "info in.ply").code(0).stdout;
    assert!(text.contains("500 rows at exactly 0 0 0"), "{text}");
    assert!(text.contains("2 rows, more than 2^40 spacings"), "{text}");

    run(&folder, "denoise alone.ply a.ply --method mls").code(0);
    let report = run(&folder, "denoise in.ply b.ply --method mls --json").code(0).json();
    let report = &report["runs"][0]["report"];
    assert_eq!(report["skipped_rows"], 502);
    assert_eq!(report["spacing"], info["spacing"]);
    let (alone, all) = (points_of(&folder.path("a.ply")), points_of(&folder.path("b.ply")));
    assert_eq!(all[..1000], alone);
    assert_eq!(all[1000..], points[1000..]);
}

#[test]
fn noise_has_the_asked_size_and_drops_true_normals() {
    let folder = Folder::new();
    let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\n\
        property double z\nproperty float nx\nproperty float ny\nproperty float nz\nend_header\n\
        0 0 0 0 0 1\n1 0 0 0 0 1\n";
    folder.file("in.ply", text);
    run(&folder, "noise in.ply a.ply --level 0.1 --scale absolute").code(0);
    assert!(!std::fs::read_to_string(folder.path("a.ply")).unwrap().contains("nx"));
    run(&folder, "noise in.ply b.ply --level 0.1 --scale absolute --keep-normals").code(0);
    assert!(std::fs::read_to_string(folder.path("b.ply")).unwrap().contains("nx"));
    assert_eq!(points_of(&folder.path("a.ply")), points_of(&folder.path("b.ply")));

    let clean = noisy_sphere(5000);
    folder.file("big.ply", ply(&clean));
    run(&folder, "noise big.ply c.ply --level 0.02 --scale absolute --seed 3").code(0);
    let moved = points_of(&folder.path("c.ply"));
    let sum: f64 = clean.iter().zip(&moved).map(|(a, b)| vec3::distance2(*a, *b)).sum();
    let sigma = (sum / 15_000.0).sqrt();
    assert!((sigma - 0.02).abs() < 0.001, "{sigma}");
    run(&folder, "noise big.ply d.ply --level -1 --scale absolute").code(2);
    run(&folder, "noise big.ply d.ply --level 1 --model pink").code(2).says(&["pink"]);
}

#[test]
fn compare_gives_every_measure() {
    let folder = Folder::new();
    folder.file("truth.ply", ply(&[[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]));
    folder.file("result.ply", ply(&[[0.0, 0.0, 0.1], [3.0, 4.0, 0.3]]));
    let mesh = "OFF\n3 1 0\n-9 -9 0\n9 -9 0\n0 18 0\n3 0 1 2\n";
    folder.file("mesh.off", mesh);
    let json = run(&folder, "compare result.ply truth.ply --mesh mesh.off --json").code(0).json();
    let near = |key: &str, value: f64| {
        let got = json[key].as_f64().unwrap();
        assert!((got - value).abs() < 1e-9, "{key} is {got}");
    };
    near("paper_mse", 0.2);
    near("hausdorff", 0.3);
    let norm = (0.1 + (25.09_f64).sqrt()) / 2.0;
    near("paper_snr", 10.0 * (norm / 0.2).ln());
    for key in ["chamfer", "point_to_mesh", "hausdorff95"] {
        assert!(json[key].is_number(), "{key} in {json}");
    }
    assert!(json.get("uniformity").is_some() && json["point_to_plane"].is_null());
    assert!(run(&folder, "compare result.ply truth.ply").code(0).stdout.contains("paper_mse"));
    run(&folder, "compare result.ply lost.ply --json").code(2).says(&["lost.ply"]);
}

#[test]
fn convert_changes_the_format_and_keeps_the_numbers() {
    let folder = Folder::new();
    let points = noisy_sphere(50);
    folder.file("in.ply", ply(&points));
    run(&folder, "convert in.ply a.xyz").code(0);
    run(&folder, "convert a.xyz b.ply --encoding binary-big-endian").code(0);
    assert_eq!(points_of(&folder.path("b.ply")), points);
    run(&folder, "convert in.ply in.ply --overwrite").code(2).says(&["in.ply"]);
    run(&folder, "convert in.ply out.nope").code(2).says(&["out.nope"]);
}

#[test]
fn methods_lists_the_registry() {
    let json = pellucid(["methods", "--json"]).code(0).json();
    let names: Vec<&str> =
        json.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    let known: Vec<&str> = registry::methods().iter().map(|m| m.name).collect();
    assert_eq!(names, known);
    let text = pellucid(["methods"]).code(0).stdout;
    assert!(known.iter().all(|n| text.contains(n)));
    for name in known {
        assert!(pellucid(["methods", name]).code(0).stdout.contains(name));
    }
    pellucid(["methods", "nope"]).code(2).says(&["nope"]);
}

#[test]
fn help_completions_and_man_pages_name_every_command() {
    let commands =
        ["denoise", "outliers", "noise", "compare", "info", "convert", "methods", "demo"];
    let help = pellucid(["--help"]).code(0).stdout;
    let bash = pellucid(["completions", "bash"]).code(0).stdout;
    let man = pellucid(["man"]).code(0).stdout;
    assert!(help.starts_with("Denoise 3D point clouds"), "{help}");
    for c in commands {
        assert!(help.contains(c) && bash.contains(c) && man.contains(c), "{c}");
    }
    let folder = Folder::new();
    pellucid(["man".as_ref(), folder.path("man").as_os_str()]).code(0);
    let page = std::fs::read_to_string(folder.path("man/pellucid-denoise.1")).unwrap();
    assert!(page.contains("overwrite"));
    pellucid::<&str>([]).code(2);
    pellucid(["nonsense"]).code(2).says(&["nonsense"]);
}

#[test]
fn demo_leaves_three_clouds_and_a_picture() {
    let folder = Folder::new();
    let out = folder.path("demo");
    let ran = pellucid(["demo".as_ref(), out.as_os_str(), "--json".as_ref()]).code(0);
    let rows = ran.json()["rows"].clone();
    let off = |i: usize| rows[i]["surface"].as_f64().unwrap();
    assert!(off(1) < 0.7 * off(0), "{} -> {}", off(0), off(1));
    let clean = points_of(&out.join("clean.ply")).len();
    for name in ["noisy.ply", "denoised.ply"] {
        assert_eq!(points_of(&out.join(name)).len(), clean);
    }
    let picture = std::fs::read(out.join("demo.png")).unwrap();
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    // A folder that was named keeps its files.
    pellucid(["demo".as_ref(), out.as_os_str()]).code(2).says(&["clean.ply", "exists"]);
    assert_eq!(std::fs::read(out.join("demo.png")).unwrap(), picture);
}
