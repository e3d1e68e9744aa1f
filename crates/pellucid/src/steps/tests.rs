use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_denoise::registry;

use super::*;

fn pipeline(steps: &str) -> Pipeline {
    Pipeline::from_toml(steps).unwrap()
}

fn fault(text: &str) -> String {
    Pipeline::from_toml(text).unwrap_err().to_string()
}

fn noisy() -> PointCloud {
    let clean = Shape::Sphere.sample(2_000, 1);
    let mut points = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap().into_positions();
    points.push([4.0, 0.0, 0.0]);
    PointCloud::new(points)
}

#[test]
fn a_file_names_what_is_read_written_and_done() {
    let text = "read = [\"a.las\", \"b\"]\nwrite = \"out\"\noverwrite = true\nseed = 7\n\
        [[step]]\ndo = \"outliers\"\naction = \"label\"\nmethod = \"radius\"\n\
        parameters = { radius = 5 }\n[[step]]\ndo = \"thin\"\nvoxel = 0.5\n";
    let found = pipeline(text);
    assert_eq!(found.read, [PathBuf::from("a.las"), PathBuf::from("b")]);
    assert_eq!((found.write, found.overwrite, found.seed), (Some("out".into()), true, 7));
    let Step::Outliers(outliers) = &found.steps[0] else { panic!("{:?}", found.steps) };
    assert_eq!(outliers.action, Action::Label);
    assert_eq!(outliers.rule().unwrap().name(), "radius");
    let json = r#"{"read": "a.ply", "step": [{"do": "normals", "viewpoint": [0, 0, 9]}]}"#;
    let found = Pipeline::from_json(json).unwrap();
    let normals = Normals { viewpoint: Some([0.0, 0.0, 9.0]), ..Normals::default() };
    assert_eq!(found.steps, [Step::Normals(normals)]);
}

#[test]
fn mistakes_are_named_with_their_step() {
    let cases = [
        ("read = 3\n[[step]]\ndo = \"normals\"", "line 1"),
        ("reed = \"a\"\n[[step]]\ndo = \"normals\"", "reed"),
        ("read = \"a\"", "no steps"),
        ("[[step]]\nvoxel = 1", "step 1: say what to do"),
        ("[[step]]\ndo = \"normals\"\n[[step]]\ndo = \"denoize\"", "step 2: there is no step"),
        ("[[step]]\ndo = \"normals\"\nneigbors = 4", "neigbors"),
        ("[[step]]\ndo = \"normals\"\nneighbors = 2", "between 3 and 1000"),
        ("[[step]]\ndo = \"thin\"", "one of voxel, poisson and random"),
        ("[[step]]\ndo = \"thin\"\nvoxel = -1", "voxel = -1 must be above 0"),
        ("[[step]]\ndo = \"thin\"\nvoxel = 1\nrandom = 3", "one of voxel"),
        ("[[step]]\ndo = \"dedup\"\nwithin = 0", "within = 0"),
        ("[[step]]\ndo = \"denoise\"\nmethod = \"fgll\"", "fgll"),
        ("[[step]]\ndo = \"denoise\"\nmethod = \"mls\"\nstrength = 1", "no strength"),
        ("[[step]]\ndo = \"outliers\"\nmethod = \"x\"", "isolated"),
        ("[[step]]\ndo = \"outliers\"\nparameters = { ratio = 1 }", "ratio"),
        ("[[step]]\ndo = \"outliers\"\naction = \"hide\"", "hide"),
    ];
    for (text, words) in cases {
        let said = fault(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn steps_do_what_they_do_alone_one_after_the_other() {
    let all = pipeline(
        "[[step]]\ndo = \"outliers\"\n[[step]]\ndo = \"denoise\"\nmethod = \"mls\"\n\
         [[step]]\ndo = \"normals\"\nviewpoint = [0, 0, 0]\n[[step]]\ndo = \"dedup\"",
    );
    let mut document = Document::from(noisy());
    let done = all.apply(&mut document, None, &mut Run::default()).unwrap();
    assert_eq!(
        done.iter().map(|d| d.name).collect::<Vec<_>>(),
        ["outliers", "denoise", "normals", "dedup"]
    );
    let found = outliers::find(noisy().positions(), &outliers::Rule::default()).unwrap();
    assert!(found.flags[2_000]);
    let kept = noisy().select(&found.kept());
    let mls = registry::find("mls").unwrap().build(None, &Default::default()).unwrap();
    let expected = mls.denoise(&kept, &mut Run::default()).unwrap().cloud;
    assert_eq!(document.cloud.positions(), expected.positions());
    assert_eq!(done[0].points, kept.len());
    let inward = |(p, n): (&[f64; 3], &[f64; 3])| (0..3).map(|c| p[c] * n[c]).sum::<f64>() < 0.0;
    let normals = document.cloud.normals().unwrap();
    assert!(document.cloud.positions().iter().zip(&normals).all(inward));
}

#[test]
fn labels_fit_the_format_that_is_written() {
    let label = pipeline("[[step]]\ndo = \"outliers\"\naction = \"label\"");
    for (format, name) in [(Format::Las, "withheld"), (Format::Ply, "outlier")] {
        let mut document = Document::from(noisy());
        label.apply(&mut document, Some(format), &mut Run::default()).unwrap();
        let flags = document.cloud.attribute(name).unwrap().component(0).unwrap();
        assert_eq!((flags.len(), flags[2_000]), (2_001, 1.0));
    }
    let mut document = Document::from(noisy());
    let refused = label.apply(&mut document, Some(Format::Obj), &mut Run::default());
    assert!(refused.unwrap_err().to_string().contains("step 1 (outliers): OBJ cannot store"));
}

#[test]
fn normals_that_were_there_follow_the_points() {
    let clean = Shape::Sphere.sample(2_000, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap();
    let mut document = Document::from(noisy.clone());
    let run = &mut Run::default();
    pipeline("[[step]]\ndo = \"denoise\"\nmethod = \"mls\"")
        .apply(&mut document, None, run)
        .unwrap();
    if let (Some(old), Some(new)) = (noisy.normals(), document.cloud.normals()) {
        assert_ne!(old, new);
    }
    let eyeless = pipeline("[[step]]\ndo = \"denoise\"\nalong_ray = true");
    let refused = eyeless.apply(&mut document, None, run).unwrap_err().to_string();
    assert!(refused.contains("viewpoint"), "{refused}");
}
