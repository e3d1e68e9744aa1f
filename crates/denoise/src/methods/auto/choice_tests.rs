use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::{NoiseModel, add_noise};

use super::*;

const SIGMA: f64 = 0.5;

/// Measured points over a flat grid.
fn measured() -> Vec<Point> {
    let grid: Vec<Point> =
        (0..1600u32).map(|i| [f64::from(i % 40), f64::from(i / 40), 0.0]).collect();
    let noisy = add_noise(&PointCloud::new(grid.clone()), NoiseModel::Gaussian, SIGMA, 5).unwrap();
    grid.iter().zip(noisy.positions()).map(|(g, p)| [g[0], g[1], p[2]]).collect()
}

/// How much of a surface of that height is taken, on average over the points that `count`, instead
/// of one that keeps half of the noise.
fn taken(height: impl Fn(&Point) -> f64, count: impl Fn(&Point) -> bool) -> f64 {
    let observed = measured();
    let noise = vec![SIGMA; observed.len()];
    let tuning = Tuning::default();
    let rough: Vec<Point> = observed.iter().map(|p| [p[0], p[1], 0.5 * p[2]]).collect();
    let y: Vec<Point> = observed.iter().map(|p| [p[0], p[1], height(p)]).collect();
    let smooth = Surface { n: vec![[0.0, 0.0, 1.0]; y.len()], y };
    let near = Near::of(&smooth.y, NEIGHBORS, 1);
    let m = Measured { observed: &observed, noise: &noise, tuning: &tuning };
    let chosen = m.choose(&smooth, &rough, &near);
    let of: Vec<f64> =
        chosen.iter().zip(&observed).filter(|(_, p)| count(p)).map(|(c, _)| *c).collect();
    of.iter().sum::<f64>() / of.len() as f64
}

#[test]
fn the_true_surface_is_taken() {
    assert!(taken(|_| 0.0, |_| true) > 0.95);
}

#[test]
fn one_that_measured_points_disagree_with_is_not() {
    assert!(taken(|_| 0.8 * SIGMA, |_| true) < 0.05);
    // A bend that is smoothed away is seen as well.
    assert!(taken(|p| SIGMA * (p[0] / 3.0).sin(), |_| true) < 0.05);
}

#[test]
fn it_is_decided_place_by_place() {
    let height = |p: &Point| if p[0] < 20.0 { 0.0 } else { 1.5 * SIGMA };
    let (good, bad) = (taken(height, |p| p[0] < 4.0), taken(height, |p| p[0] > 35.0));
    assert!(good > bad + 0.5, "{good} {bad}");
}
