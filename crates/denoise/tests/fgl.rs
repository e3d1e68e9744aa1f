//! What holds for feature graph learning beyond what holds for every method.

use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{Attribute, KdTree, Point, PointCloud, Values, spacing, vec3};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::{DenoiseError, Denoised, Run, Stop};
use serde_json::json;

const PRESETS: [&str; 8] = [
    "standard",
    "text",
    "text-literal",
    "reference",
    "diagonal",
    "baseline1",
    "baseline2",
    "vanilla",
];

fn noisy(shape: Shape, count: usize) -> PointCloud {
    let clean = shape.sample(count, 7).without_attributes();
    let unit = spacing::spacing_of(clean.positions());
    add_noise(&clean, NoiseModel::Gaussian, unit, 8).unwrap()
}

fn run(cloud: &PointCloud, preset: &str, changes: &[(&str, serde_json::Value)]) -> Denoised {
    try_run(cloud, preset, changes).unwrap()
}

fn try_run(
    cloud: &PointCloud,
    preset: &str,
    changes: &[(&str, serde_json::Value)],
) -> Result<Denoised, DenoiseError> {
    let map: ParameterMap = changes.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let method = registry::find("fgl").unwrap().build(Some(preset), &map).unwrap();
    method.denoise(cloud, &mut Run::default())
}

/// Whether a symmetric matrix has a Cholesky factor.
fn is_positive_definite(m: &[Vec<f64>]) -> bool {
    let n = m.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            if i == j {
                let d: f64 = m[i][i] - sum;
                if d <= 0.0 {
                    return false;
                }
                l[i][i] = d.sqrt();
            } else {
                l[i][j] = (m[i][j] - sum) / l[j][j];
            }
        }
    }
    true
}

#[test]
fn no_solve_raises_the_objective_and_every_metric_is_positive_definite() {
    let cloud = noisy(Shape::Bracket, 3000);
    for preset in PRESETS {
        let out = run(&cloud, preset, &[("iterations", json!(4)), ("stop", json!("limit"))]);
        assert_eq!(out.iterations, 4, "{preset}");
        for it in &out.report.history {
            let (before, after) = (it.energy_before.unwrap(), it.energy_after.unwrap());
            assert!(after <= before * (1.0 + 1e-12), "{preset}: {before} -> {after}");
            assert!(it.edges > 0 && it.solver_iterations > 0);
            match &it.metric {
                None => assert_eq!(preset, "baseline1"),
                Some(m) => {
                    assert!(is_positive_definite(m), "{preset}: {m:?}");
                    let trace: f64 = (0..6).map(|i| m[i][i]).sum();
                    let limit = match preset {
                        "text" => 2.5,
                        "standard" | "text-literal" => 3.0,
                        _ => 5.0,
                    };
                    assert!(trace <= limit * (1.0 + 1e-12), "{preset}: {trace}");
                }
            }
            if let (Some(before), Some(after)) = (it.objective_before, it.objective_after) {
                assert!(after <= before, "{preset}: learning {before} -> {after}");
            }
        }
    }
}

#[test]
fn both_solvers_give_the_same_cloud() {
    let cloud = noisy(Shape::Torus, 1500);
    let few = [("iterations", json!(3)), ("stop", json!("limit"))];
    let with = |solver: &str| {
        let mut changes = few.to_vec();
        changes.extend([("solver", json!(solver)), ("solver_tolerance", json!(1e-12))]);
        run(&cloud, "baseline2", &changes).cloud
    };
    let (cg, lsqr) = (with("cg"), with("lsqr"));
    let unit = spacing::spacing_of(cloud.positions());
    for (a, b) in cg.positions().iter().zip(lsqr.positions()) {
        assert!(vec3::distance2(*a, *b).sqrt() < 1e-8 * unit);
    }
}

#[test]
fn centers_that_move_denoise_and_centers_held_in_place_do_not() {
    let clean = Shape::Torus.sample(3000, 7).without_attributes();
    // The presets of the text work in file units, so bring the spacing to that of the tables.
    let unit = 0.35 / spacing::spacing_of(clean.positions());
    let scaled = |c: &PointCloud| {
        PointCloud::new(c.positions().iter().map(|&p| vec3::scale(p, unit)).collect())
    };
    let noisy = add_noise(&scaled(&clean), NoiseModel::Gaussian, 0.35, 8).unwrap();
    let rms = |c: &PointCloud| {
        let distance = |&p: &Point| Shape::Torus.distance(vec3::scale(p, 1.0 / unit)) * unit;
        root_mean_square(c.positions().iter().map(distance))
    };
    let before = rms(&noisy);
    let text = rms(&run(&noisy, "text", &[]).cloud);
    let literal = rms(&run(&noisy, "text-literal", &[]).cloud);
    assert!(text < 0.5 * before, "{before} -> {text}");
    assert!(literal > before, "{before} -> {literal}");
}

#[test]
fn turning_the_cloud_turns_the_metric() {
    let turn = |p: &Point| {
        let r = [[2.0, 3.0, 6.0], [3.0, -6.0, 2.0], [6.0, 2.0, -3.0]];
        r.map(|row: Point| vec3::dot(row, *p) / 7.0)
    };
    let cloud = noisy(Shape::Bracket, 4000);
    let turned = PointCloud::new(cloud.positions().iter().map(turn).collect());
    let unit = spacing::mean_spacing(&KdTree::new(cloud.positions()).knn_table(7));
    for preset in ["standard", "text", "reference", "diagonal"] {
        let few = [("iterations", json!(4)), ("stop", json!("limit"))];
        let a = run(&cloud, preset, &few);
        let b = run(&turned, preset, &few);
        for (p, q) in a.cloud.positions().iter().zip(b.cloud.positions()) {
            assert!(vec3::distance2(turn(p), *q).sqrt() < 1e-6 * unit, "{preset}");
        }
        // The report's metric is for the file's axes: its distances do not change.
        let form = |m: &[Vec<f64>], g: &[f64]| -> f64 {
            let row = |m: &Vec<f64>| m.iter().zip(g).map(|(m, g)| m * g).sum::<f64>();
            m.iter().zip(g).map(|(m, g)| row(m) * g).sum()
        };
        let (p, n) = ([0.3, -0.2, 0.5], [0.1, 0.4, -0.3]);
        let here = form(&a.report.metric.unwrap(), &[p, n].concat());
        let there = form(&b.report.metric.unwrap(), &[turn(&p), turn(&n)].concat());
        assert!((here - there).abs() < 1e-6 * here, "{preset}: {here} {there}");
    }
}

#[test]
fn attributes_can_be_features() {
    let mut cloud = noisy(Shape::Torus, 1200);
    let gray: Vec<u8> =
        cloud.positions().iter().map(|p| if p[0] > 0.0 { 200 } else { 40 }).collect();
    let color = gray.iter().flat_map(|&g| [g, g / 2, 7]).collect();
    cloud.set_attribute(Attribute::vector("color", 3, Values::U8(color))).unwrap();
    let features = json!(["position", "normal", "color"]);
    let out = run(&cloud, "standard", &[("features", features), ("iterations", json!(2))]);
    assert_eq!(out.report.features.len(), 9);
    assert_eq!(out.report.metric.unwrap().len(), 9);

    let missing = [("features", json!(["position", "heat"]))];
    let error = try_run(&cloud, "standard", &missing).unwrap_err().to_string();
    assert!(error.contains("heat") && error.contains("color"), "{error}");
}

#[test]
fn any_number_of_features_will_do() {
    let mut cloud = noisy(Shape::Torus, 600);
    let spectrum: Vec<f32> =
        (0..600 * 40).map(|i| (i as f32 * 0.37).sin() + (i / 40) as f32 * 0.01).collect();
    cloud.set_attribute(Attribute::vector("spectrum", 40, Values::F32(spectrum))).unwrap();
    let features = json!(["position", "normal", "spectrum"]);
    for metric in ["full", "alternate", "fixed"] {
        let changes =
            [("features", features.clone()), ("iterations", json!(2)), ("metric", json!(metric))];
        let out = run(&cloud, "standard", &changes);
        assert_eq!(out.report.metric.unwrap().len(), 46);
        assert!(out.cloud.positions().iter().all(|&p| vec3::is_finite(p)));
    }
}

#[test]
fn the_objective_of_every_iteration_is_taken_at_the_noisy_cloud_and_one_strength() {
    let cloud = noisy(Shape::Torus, 1500);
    let changes = |observation: &str| {
        [
            ("stop", json!("objective")),
            ("observation", json!(observation)),
            ("iterations", json!(12)),
            ("noise", json!(1.0)),
        ]
    };
    // Around the noisy cloud with one strength it is the objective that each solve minimizes.
    let out = run(&cloud, "standard", &changes("noisy"));
    for it in &out.report.history {
        assert_eq!(it.energy_observed, it.energy_after);
    }
    // Around the result before, points leave the noisy cloud and its value soon rises, while each
    // solve by itself gains less and less.
    let out = run(&cloud, "standard", &changes("previous"));
    assert_eq!(out.stop, Stop::ObjectiveRose);
    assert!(out.iterations <= 4, "{}", out.iterations);
    let value = |i: usize| out.report.history[i].energy_observed.unwrap();
    assert!(value(out.iterations - 1) >= value(out.iterations - 2));
}

#[test]
fn learning_from_part_of_the_points_gives_nearly_the_same_objective() {
    let cloud = noisy(Shape::Relief, 6000);
    let first = [("iterations", json!(1)), ("learn_edges", json!(1.0))];
    let gain = |share: f64| {
        let mut changes = first.to_vec();
        changes.push(("learn_points", json!(share)));
        let out = run(&cloud, "vanilla", &changes);
        let it = &out.report.history[0];
        it.objective_after.unwrap() / it.objective_before.unwrap()
    };
    let (all, part) = (gain(1.0), gain(0.3));
    assert!((all - part).abs() < 0.05 * all, "{all} {part}");
}

#[test]
fn options_run() {
    let cloud = noisy(Shape::Torus, 1500);
    let rms =
        |c: &PointCloud| root_mean_square(c.positions().iter().map(|&p| Shape::Torus.distance(p)));
    for change in [
        ("intra_patch", json!(true)),
        ("schedule", json!("noise")),
        ("sampling", json!("poisson")),
        ("metric", json!("alternate")),
        ("metric", json!("published")),
        ("patch_origin", json!("moving-center")),
        ("learn_coordinates", json!("relative")),
    ] {
        let out = run(&cloud, "standard", std::slice::from_ref(&change));
        let (before, after) = (rms(&cloud), rms(&out.cloud));
        assert!(after < 0.65 * before, "{change:?}: {before} -> {after}");
    }
}
