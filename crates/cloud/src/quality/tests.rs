use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::synth::{NoiseModel, Shape, add_noise};
use crate::vec3::{Point, distance2, dot, norm, sub};

pub(super) fn random(count: usize, seed: u64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| std::array::from_fn(|_| rng.random::<f64>())).collect()
}

/// Distance from each of `a` to `b` by trying every pair.
fn brute(a: &[Point], b: &[Point]) -> Vec<f64> {
    a.iter().map(|&p| b.iter().map(|&q| norm(sub(p, q))).fold(f64::INFINITY, f64::min)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn cloud_measures_agree_with_every_pair() {
    let (a, b) = (random(301, 1), random(257, 2));
    let (ab, ba) = (brute(&a, &b), brute(&b, &a));
    let mse = 0.5 * (mean(&ab) + mean(&ba));
    close(paper_mse(&a, &b).unwrap(), mse);
    let length = mean(&a.iter().map(|&p| norm(p)).collect::<Vec<_>>());
    close(paper_snr(&a, &b).unwrap(), 10.0 * (length / mse).ln());
    let squared = |d: &[f64]| mean(&d.iter().map(|d| d * d).collect::<Vec<_>>());
    close(chamfer(&a, &b).unwrap(), squared(&ab) + squared(&ba));
    let largest = |d: &[f64]| d.iter().copied().fold(0.0, f64::max);
    close(hausdorff(&a, &b).unwrap(), largest(&ab).max(largest(&ba)));
    let at95 = |d: &[f64]| {
        let mut d = d.to_vec();
        d.sort_by(f64::total_cmp);
        // The first place at which 95 % are reached: 286 of 301, 245 of 257.
        d[(1..=d.len()).find(|&k| k as f64 >= 0.95 * d.len() as f64).unwrap() - 1]
    };
    close(hausdorff95(&a, &b).unwrap(), at95(&ab).max(at95(&ba)));
}

#[test]
fn point_to_plane_agrees_with_every_pair() {
    let truth = Shape::Sphere.sample(400, 3);
    let normals = truth.normals().unwrap();
    let result = random(200, 4);
    let expected: Vec<f64> = result
        .iter()
        .map(|&p| {
            let near = (0..truth.len())
                .min_by(|&i, &j| {
                    let d = |k: usize| distance2(p, truth.positions()[k]);
                    d(i).total_cmp(&d(j))
                })
                .unwrap();
            dot(sub(p, truth.positions()[near]), normals[near]).abs()
        })
        .collect();
    close(point_to_plane(&result, truth.positions(), &normals).unwrap(), mean(&expected));
    // Neither length nor sign of a normal counts.
    let other: Vec<Point> = normals.iter().map(|n| n.map(|x| -3.0 * x)).collect();
    close(point_to_plane(&result, truth.positions(), &other).unwrap(), mean(&expected));
}

#[test]
fn truth_without_a_usable_normal_is_passed_over() {
    let truth = [[0.0; 3], [0.0, 0.0, 1.0]];
    let normals = [[0.0; 3], [0.0, 0.0, 1.0]];
    assert_eq!(point_to_plane(&[[0.0, 0.0, 0.1]], &truth, &normals), Ok(0.9));
    assert_eq!(
        point_to_plane(&truth, &truth, &[[0.0; 3], [f64::NAN; 3]]),
        Err(QualityError::NoUsableNormal { points: 2 })
    );
    assert_eq!(
        point_to_plane(&truth, &truth, &normals[..1]),
        Err(QualityError::Normals { normals: 1, points: 2 })
    );
}

#[test]
fn uniformity_of_grid_random_and_clumped_points() {
    let grid: Vec<Point> = (0..400).map(|i| [f64::from(i / 20), f64::from(i % 20), 0.0]).collect();
    assert_eq!(uniformity(&grid), Some(0.0));
    // The distance to the nearest of a planar Poisson process has a Rayleigh distribution, whose
    // coefficient of variation is sqrt((4 - pi) / pi).
    let strewn: Vec<Point> = random(20_000, 5).iter().map(|p| [p[0], p[1], 0.0]).collect();
    let rayleigh = ((4.0 - std::f64::consts::PI) / std::f64::consts::PI).sqrt();
    assert!((uniformity(&strewn).unwrap() - rayleigh).abs() < 0.01);
    let pairs: Vec<Point> = strewn.iter().flat_map(|&p| [p, p]).collect();
    assert_eq!(uniformity(&pairs), None);
    assert_eq!(uniformity(&[[0.0; 3], [f64::NAN; 3]]), None);
}

#[test]
fn equal_clouds_have_no_error() {
    let cloud = Shape::Cube.sample(500, 6);
    let same = compare(&cloud, &cloud, None).unwrap();
    assert_eq!(
        (same.paper_mse, same.chamfer, same.hausdorff, same.hausdorff95),
        (0.0, 0.0, 0.0, 0.0)
    );
    assert_eq!((same.point_to_plane, same.paper_snr), (Some(0.0), None));
    assert_eq!(paper_snr(cloud.positions(), cloud.positions()), Ok(f64::INFINITY));
    assert_eq!(same.uniformity, same.uniformity_truth);
}

#[test]
fn rows_that_are_not_finite_are_counted_and_left_out() {
    let truth = Shape::Torus.sample(300, 7);
    let noisy = add_noise(&truth, NoiseModel::Gaussian, 0.05, 8).unwrap();
    let clean = compare(&noisy, &truth, None).unwrap();
    assert_eq!((clean.result_ignored, clean.truth_ignored, clean.result_points), (0, 0, 300));

    let mut holes = noisy.positions().to_vec();
    holes.insert(10, [f64::NAN, 0.0, 0.0]);
    holes.push([0.0, f64::INFINITY, 0.0]);
    let mut with_holes = compare(&crate::PointCloud::new(holes), &truth, None).unwrap();
    assert_eq!((with_holes.result_ignored, with_holes.result_points), (2, 300));
    with_holes.result_ignored = 0;
    assert_eq!(with_holes, clean);
}

#[test]
fn nothing_to_compare_is_an_error() {
    let some = crate::PointCloud::new(vec![[0.0; 3]]);
    let none = crate::PointCloud::default();
    let nan = crate::PointCloud::new(vec![[f64::NAN; 3]; 2]);
    assert_eq!(compare(&none, &some, None), Err(QualityError::EmptyResult { rows: 0 }));
    assert_eq!(compare(&some, &nan, None), Err(QualityError::EmptyTruth { rows: 2 }));
    assert_eq!(compare(&some, &some, Some(&TriangleMesh::default())), Err(QualityError::EmptyMesh));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let truth = Shape::Bracket.sample(3000, 9);
    let noisy = add_noise(&truth, NoiseModel::Laplace, 0.02, 10).unwrap();
    let mesh = tests_mesh::soup(200, 11);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(&noisy, &truth, Some(&mesh)).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_comparison_survives_json() {
    let truth = Shape::Plane.sample(50, 12);
    let noisy = add_noise(&truth, NoiseModel::Ball, 0.02, 13).unwrap();
    let before = compare(&noisy, &truth, None).unwrap();
    let text = serde_json::to_string(&before).unwrap();
    for key in ["paper_mse", "paper_snr", "chamfer", "point_to_plane", "hausdorff95", "uniformity"]
    {
        assert!(text.contains(&format!("\"{key}\":")), "{key} is missing in {text}");
    }
    let after: Comparison = serde_json::from_str(&text).unwrap();
    assert!((after.paper_mse - before.paper_mse).abs() <= f64::EPSILON * before.paper_mse);
    assert_eq!(after.point_to_mesh, None);
}

#[test]
fn the_unit_sphere_ignores_holes_and_refuses_a_single_place() {
    let points = [[1.0, 2.0, 3.0], [f64::NAN; 3], [1.0, 2.0, 7.0]];
    let frame = UnitSphere::of(&points).unwrap();
    assert_eq!((frame.center, frame.radius), ([1.0, 2.0, 5.0], 2.0));
    assert_eq!(UnitSphere::of(&points[..2]), None);
}
