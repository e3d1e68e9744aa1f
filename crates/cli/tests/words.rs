//! Values that people mistype, and what the program says of files and clouds.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, ply};
use pellucid::cloud::{Attribute, PointCloud, Values};
use pellucid::io::{self, Document, WriteOptions};

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| [".ply", ".las", ".laz", ".xyz"].iter().any(|e| a.ends_with(e));
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

#[test]
fn wrong_values_are_named_with_what_they_must_be() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&noisy_sphere(300)));
    let refused = |args: &str, words: &[&str]| {
        run(&folder, &format!("denoise in.ply out.ply {args}")).code(2).says(words);
    };
    refused("--strength -1", &["--strength", "-1", "from 0 to 2"]);
    refused("--strength nan", &["--strength", "nan", "from 0 to 2"]);
    refused("-m mls --set neighbors=abc", &["neighbors", "abc", "a whole number"]);
    refused("-m fgll", &["fgll", "similar", "fgl"]);
    refused("--class grund", &["grund", "ground"]);
    let outliers = run(&folder, "outliers in.ply out.ply --set neighbors=abc").code(2);
    outliers.says(&["neighbors=abc", "a whole number"]);
    run(&folder, "denoise in.ply out.ply -m MLS").code(0);
    run(&folder, "denoise in.ply out.ply -m mls").code(2).says(&["exists", "--overwrite"]);
}

#[test]
fn info_tells_what_las_has() {
    let folder = Folder::new();
    let mut cloud = PointCloud::new(noisy_sphere(300));
    let classes = (0..300).map(|i| if i < 100 { 2 } else { 6 }).collect();
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    let intensity = (0..300).map(|i| i + 7).collect();
    cloud.set_attribute(Attribute::scalar("intensity", Values::U16(intensity))).unwrap();
    let document = Document::from(cloud);
    io::write(&folder.path("in.las"), &document, &WriteOptions::default()).unwrap();
    let text = run(&folder, "info in.las").code(0).stdout;
    for words in [
        "version 1.4, point format 6",
        "ground (2): 100 points",
        "building (6): 200 points",
        "intensity (u16) 7",
        "to 306",
        "scale",
        "file units",
        "no coordinate system",
    ] {
        assert!(text.contains(words), "\"{words}\" is not in {text}");
    }
    // No digits that nobody needs.
    let from = text.lines().find(|l| l.starts_with("from")).unwrap();
    assert!(from.split_whitespace().skip(1).all(|x| x.len() <= 7), "{from}");
}

#[test]
fn compare_has_plain_names_and_units() {
    let folder = Folder::new();
    folder.file("a.ply", ply(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]]));
    folder.file("b.ply", ply(&[[0.0, 0.0, 3.0], [9.0, 0.0, 1.0]]));
    let json = run(&folder, "compare a.ply b.ply --json").code(0).json();
    assert_eq!(json["mean_distance"], 2.0);
    assert!((json["rms_distance"].as_f64().unwrap() - 5_f64.sqrt()).abs() < 1e-12);
    let text = run(&folder, "compare a.ply b.ply").code(0).stdout;
    assert!(text.contains("mean_distance") && text.contains("file units"), "{text}");
}

#[test]
fn text_gets_no_more_digits_than_it_had() {
    let folder = Folder::new();
    let points = noisy_sphere(500);
    let lines: String =
        points.iter().map(|p| format!("{:.7} {:.7} {:.7}\n", p[0], p[1], p[2])).collect();
    folder.file("in.xyz", lines);
    run(&folder, "denoise in.xyz out.xyz -m mls").code(0);
    let text = std::fs::read_to_string(folder.path("out.xyz")).unwrap();
    let digits = |word: &str| word.split_once('.').map_or(0, |(_, d)| d.len());
    assert_eq!(text.split_whitespace().map(digits).max(), Some(7));
    assert_eq!(text.lines().count(), 500);
}

#[test]
fn completions_know_methods_presets_and_colors() {
    let text = pellucid(["completions", "bash"]).code(0).stdout;
    for word in ["rimls", "text-literal", "displacement", "classification"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn names_of_cloud_optimized_files_are_refused_before_the_work() {
    let folder = Folder::new();
    folder.file("bad.ply", "no cloud");
    let ran = run(&folder, "denoise bad.ply out.copc.laz").code(2);
    ran.says(&["out.copc.laz", "COPC", ".laz without .copc"]);
    run(&folder, "convert bad.ply out.copc.laz").code(2).says(&["COPC"]);
}

#[test]
fn help_has_each_flag_under_its_own_heading() {
    let help = pellucid(["denoise", "--help"]).code(0).stdout;
    let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("no {words} in {help}"));
    assert!(at("--overwrite") < at("Selection:") && at("Selection:") < at("--class <"));
    assert!(at("Lines of sight:") < at("--along-ray\n") && at("Large files:") < at("--resume\n"));
}
