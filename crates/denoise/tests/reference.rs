//! `fgl --preset reference` against an independent implementation: the page of numpy in
//! `python/tests/test_reference.py`, written from the paper, prints the numbers recorded here.

use pellucid_cloud::quality::paper_mse;
use pellucid_cloud::{Point, PointCloud, vec3};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::{Denoised, Run};
use serde_json::json;

const POINTS: usize = 1500;
const NOISY_MSE: f64 = 0.425861;
/// MSE and objective ratio after each iteration.
const RECORDED: [(f64, f64); 5] = [
    (0.381342, 0.283612),
    (0.341736, 0.287909),
    (0.310781, 0.294179),
    (0.286541, 0.289948),
    (0.270357, 0.287781),
];

/// A spiral over an ellipsoid, and the same with noise from a congruential generator.
fn clouds() -> (Vec<Point>, PointCloud) {
    let turn = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let clean: Vec<Point> = (0..POINTS)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / POINTS as f64;
            let (r, angle) = ((1.0 - z * z).sqrt(), i as f64 * turn);
            [9.0 * r * angle.cos(), 6.0 * r * angle.sin(), 4.0 * z]
        })
        .collect();
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 2.0_f64.powi(53)
    };
    let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let mut moved = |p: &Point| vec3::add(*p, vec3::scale([normal(), normal(), normal()], 0.45));
    let noisy = clean.iter().map(&mut moved).collect();
    (clean, PointCloud::new(noisy))
}

fn run(cloud: &PointCloud, iterations: usize, learn_edges: f64) -> Denoised {
    let mut map = ParameterMap::new();
    map.insert("iterations".to_owned(), json!(iterations));
    map.insert("stop".to_owned(), json!("limit"));
    map.insert("learn_edges".to_owned(), json!(learn_edges));
    let method = registry::find("fgl").unwrap().build(Some("reference"), &map).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap()
}

#[test]
fn reference_gives_the_numbers_of_the_page_of_numpy() {
    let (clean, noisy) = clouds();
    let mse = |cloud: &PointCloud| paper_mse(cloud.positions(), &clean).unwrap();
    assert!((mse(&noisy) - NOISY_MSE).abs() < 1e-6);
    for (i, (expected, ratio)) in RECORDED.into_iter().enumerate() {
        let out = run(&noisy, i + 1, 1.0);
        let found = mse(&out.cloud);
        assert!((found - expected).abs() < 1e-4 * expected, "{}: {found} {expected}", i + 1);
        let last = &out.report.history[i];
        let learned = last.objective_after.unwrap() / last.objective_before.unwrap();
        assert!((learned - ratio).abs() < 1e-4, "{}: {learned} {ratio}", i + 1);
        let metric = out.report.metric.unwrap();
        let trace: f64 = (0..6).map(|k| metric[k][k]).sum();
        assert!((trace - 5.0).abs() < 1e-9, "{trace}");
    }
}

#[test]
fn a_tenth_of_the_edges_changes_little() {
    let (clean, noisy) = clouds();
    let out = run(&noisy, 5, 0.1);
    let (found, expected) = (paper_mse(out.cloud.positions(), &clean).unwrap(), RECORDED[4].0);
    assert!((found - expected).abs() < 0.02 * expected, "{found} {expected}");
}
