use super::*;
use crate::vec3::{Point, cross, dot, norm, sub};
use crate::{Attribute, PointCloud, Values};

const SIGMA: f64 = 0.3;

/// Offsets of many points under a model.
fn offsets(model: NoiseModel) -> Vec<Point> {
    let clean = Shape::Sphere.sample(100_000, 1);
    let noisy = add_noise(&clean, model, SIGMA, 2).unwrap();
    noisy.positions().iter().zip(clean.positions()).map(|(&p, &q)| sub(p, q)).collect()
}

/// Mean, standard deviation and kurtosis of axis `c`.
fn moments(offsets: &[Point], c: usize) -> (f64, f64, f64) {
    let n = offsets.len() as f64;
    let mean = offsets.iter().map(|d| d[c]).sum::<f64>() / n;
    let power = |k: i32| offsets.iter().map(|d| (d[c] - mean).powi(k)).sum::<f64>() / n;
    (mean, power(2).sqrt(), power(4) / power(2).powi(2))
}

/// The kurtosis of each distribution in closed form; for the ball 3·(1/35)/(1/25).
#[test]
fn each_axis_has_the_moments_of_its_distribution() {
    let models = [
        (NoiseModel::Gaussian, 3.0, 0.1),
        (NoiseModel::Laplace, 6.0, 0.5),
        (NoiseModel::Ball, 75.0 / 35.0, 0.05),
    ];
    for (model, kurtosis, tolerance) in models {
        let moved = offsets(model);
        for c in 0..3 {
            let (mean, deviation, tails) = moments(&moved, c);
            // Five standard errors of a mean over 100,000 draws.
            assert!(mean.abs() < 5.0 * SIGMA / 316.0, "{model} {c}: mean {mean}");
            assert!((deviation / SIGMA - 1.0).abs() < 0.015, "{model} {c}: {deviation}");
            assert!((tails - kurtosis).abs() < tolerance, "{model} {c}: kurtosis {tails}");
        }
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let product = moved.iter().map(|d| d[a] * d[b]).sum::<f64>() / moved.len() as f64;
            assert!(product.abs() < 5.0 * SIGMA * SIGMA / 316.0, "{model}: axes {a}, {b} related");
        }
    }
    let farthest = offsets(NoiseModel::Ball).iter().map(|&d| norm(d)).fold(0.0, f64::max);
    assert!(farthest <= SIGMA * 5f64.sqrt() + 1e-12 && farthest > 0.99 * SIGMA * 5f64.sqrt());
}

#[test]
fn noise_along_the_normal_stays_on_the_normal() {
    let clean = Shape::Sphere.sample(100_000, 1);
    let moved = offsets(NoiseModel::Normal);
    let along: Vec<Point> = moved
        .iter()
        .zip(clean.positions())
        .map(|(&d, &n)| {
            assert!(norm(cross(d, n)) < 1e-12);
            [dot(d, n), 0.0, 0.0]
        })
        .collect();
    let (mean, deviation, tails) = moments(&along, 0);
    assert!(mean.abs() < 5.0 * SIGMA / 316.0);
    assert!((deviation / SIGMA - 1.0).abs() < 0.015 && (tails - 3.0).abs() < 0.1);
}

#[test]
fn outliers_are_exactly_as_many_as_asked() {
    let moved: Vec<Point> = offsets(NoiseModel::Outliers { fraction: 0.123 })
        .into_iter()
        .filter(|&d| d != [0.0; 3])
        .collect();
    assert_eq!(moved.len(), 12_300);
    let (_, deviation, _) = moments(&moved, 1);
    assert!((deviation / SIGMA - 1.0).abs() < 0.04);
    let clean = Shape::Plane.sample(10, 3);
    let all = add_noise(&clean, NoiseModel::Outliers { fraction: 1.0 }, 1.0, 4).unwrap();
    assert!(all.positions().iter().zip(clean.positions()).all(|(p, q)| p != q));
}

#[test]
fn only_finite_positions_move() {
    let mut clean = PointCloud::new(vec![[1.0; 3], [f64::NAN, 2.0, 3.0], [4.0; 3]]);
    clean.set_attribute(Attribute::scalar("intensity", Values::U8(vec![1, 2, 3]))).unwrap();
    for model in [NoiseModel::Gaussian, NoiseModel::Outliers { fraction: 1.0 }] {
        let noisy = add_noise(&clean, model, 0.5, 5).unwrap();
        let row = noisy.positions()[1];
        assert!(row[0].is_nan() && row[1] == 2.0 && row[2] == 3.0);
        assert_ne!(noisy.positions()[2], [4.0; 3]);
        assert_eq!(noisy.attribute("intensity"), clean.attribute("intensity"));
    }
    // The hole does not change what happens to the rows after it.
    let whole = PointCloud::new(vec![[1.0; 3], [0.0; 3], [4.0; 3]]);
    let noise = |c: &PointCloud| add_noise(c, NoiseModel::Laplace, 0.5, 5).unwrap().positions()[2];
    assert_eq!(noise(&clean), noise(&whole));
}

#[test]
fn the_seed_decides() {
    let clean = Shape::Plane.sample(50, 6);
    let with = |seed| add_noise(&clean, NoiseModel::Gaussian, 0.1, seed).unwrap();
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
    assert_eq!(add_noise(&clean, NoiseModel::Ball, 0.0, 1).unwrap(), clean);
}

#[test]
fn what_cannot_be_done_is_an_error() {
    let bare = PointCloud::new(vec![[0.0; 3]]);
    let with = |model, sigma| add_noise(&bare, model, sigma, 1).unwrap_err();
    assert_eq!(with(NoiseModel::Normal, 0.1), NoiseError::NoNormals);
    assert_eq!(with(NoiseModel::Gaussian, -1.0), NoiseError::Sigma(-1.0));
    assert!(matches!(with(NoiseModel::Gaussian, f64::NAN), NoiseError::Sigma(_)));
    assert_eq!(with(NoiseModel::Outliers { fraction: 1.5 }, 0.1), NoiseError::Fraction(1.5));
    let mut flat = PointCloud::new(vec![[0.0; 3]; 2]);
    flat.set_normals(&[[0.0, 0.0, 1.0], [0.0; 3]]).unwrap();
    let error = add_noise(&flat, NoiseModel::Normal, 0.1, 1).unwrap_err();
    assert_eq!(error, NoiseError::BadNormal { row: 1 });
    assert_eq!(
        NoiseScale::Spacing.sigma(bare.positions(), 1.0),
        Err(NoiseError::TooFewPoints { scale: "spacing", needed: 2, found: 1 })
    );
    assert_eq!(NoiseScale::Absolute.sigma(&[], -0.1), Err(NoiseError::Level(-0.1)));
    assert!("outliers:2".parse::<NoiseModel>().is_err());
    assert!("gaussian:1".parse::<NoiseModel>().is_err());
    assert!("big".parse::<NoiseScale>().is_err());
}

#[test]
fn names_are_read_back() {
    for name in NoiseModel::NAMES {
        let model: NoiseModel = name.parse().unwrap();
        assert_eq!(model.name(), name);
        assert_eq!(model.to_string().parse(), Ok(model));
        let json = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<NoiseModel>(&json).unwrap(), model);
    }
    for scale in NoiseScale::ALL {
        assert_eq!(scale.to_string().parse(), Ok(scale));
        assert_eq!(serde_json::to_string(&scale).unwrap(), format!("\"{scale}\""));
    }
}

#[test]
fn scales_mean_what_they_say() {
    // A 3 x 4 grid of spacing 2: the diagonal is that of a 4 x 6 rectangle.
    let grid: Vec<Point> =
        (0..12).map(|i| [f64::from(i / 4) * 2.0, f64::from(i % 4) * 2.0, 7.0]).collect();
    let diagonal = 52f64.sqrt();
    assert_eq!(NoiseScale::Absolute.sigma(&grid, 0.5), Ok(0.5));
    // Distances to the nearest point: 1, 1 and 2.
    let row = [[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert_eq!(NoiseScale::Spacing.sigma(&row, 0.5), Ok(2.0 / 3.0));
    assert_eq!(NoiseScale::Diagonal.sigma(&grid, 0.5), Ok(0.5 * diagonal));
    // With fewer than 200 points all are samples, so D is the largest distance of any pair.
    assert_eq!(NoiseScale::Paper.sigma(&grid, 0.5), Ok(0.5 * diagonal.sqrt()));
    let mut holes = grid.clone();
    holes.insert(0, [f64::NAN; 3]);
    assert_eq!(paper_sigma(&holes, 0.5), paper_sigma(&grid, 0.5));
}

#[test]
fn the_paper_scale_finds_the_extent_of_a_larger_cloud() {
    // Two far corners are among the first farthest-point samples of any start.
    let mut points = Shape::Sphere.sample(3000, 8).into_positions();
    points.push([3.0, 0.0, 0.0]);
    points.push([-4.0, 0.0, 0.0]);
    assert_eq!(paper_sigma(&points, 0.1), 0.1 * 7f64.sqrt());
    assert_eq!(paper_sigma(&[], 0.1), 0.0);
}
