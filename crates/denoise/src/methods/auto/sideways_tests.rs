use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::{NoiseModel, add_noise};

use super::super::{Tuning, with_tuning};
use super::*;
use crate::Run;

const SIGMA: f64 = 0.4;

/// A grid on a low wave.
fn wave() -> Vec<Point> {
    (0..60u32)
        .flat_map(|x| (0..60u32).map(move |y| [f64::from(x), f64::from(y)]))
        .map(|[x, y]| [x, y, 2.0 * (x / 12.0).sin()])
        .collect()
}

/// The wave with noise across, by heights as good as random.
fn across() -> Vec<Point> {
    let noise = add_noise(&PointCloud::new(wave()), NoiseModel::Gaussian, SIGMA, 3).unwrap();
    let heights = noise.positions().iter().map(|p| p[2]);
    wave().into_iter().zip(heights).map(|(p, z)| [p[0], p[1], z]).collect()
}

fn in_all_directions(sigma: f64) -> Vec<Point> {
    let cloud = PointCloud::new(wave());
    add_noise(&cloud, NoiseModel::Gaussian, sigma, 3).unwrap().positions().to_vec()
}

#[test]
fn a_grid_is_regular_and_noise_makes_it_random() {
    let grid = regularity(&across(), &wave(), |_| true);
    assert!(grid > 1.5, "{grid}");
    let random = regularity(&in_all_directions(0.6), &wave(), |_| true);
    assert!((0.9..1.15).contains(&random), "{random}");
}

#[test]
fn points_of_a_grid_do_not_slide() {
    let noisy = PointCloud::new(across());
    let result = with_tuning(Default::default(), Tuning::default())
        .denoise(&noisy, &mut Run::default())
        .unwrap();
    let n = noisy.len() as f64;
    let rms = |f: &dyn Fn(Point, Point) -> f64| {
        let pairs = noisy.positions().iter().zip(result.cloud.positions());
        (pairs.map(|(&a, &b)| f(a, b)).sum::<f64>() / n).sqrt()
    };
    let along = rms(&|a, b| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2));
    let height = |p: Point| 2.0 * (p[0] / 12.0).sin();
    let left = rms(&|_, b| (b[2] - height(b)).powi(2));
    assert!(left < 0.35 * SIGMA, "{left}");
    // The wave itself is up to ten degrees steep, and its normals are not upright.
    assert!(along < 0.2 * SIGMA, "{along}");
}
