use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{estimate_normals, estimate_normals_k};
use crate::vec3::{self, Point};
use crate::{KdTree, eigen3};

fn random_points(n: usize, seed: u64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| [0; 3].map(|_| rng.random_range(-1.0..1.0))).collect()
}

/// Two-pass covariance and Jacobi: slow, plain and separate from the code under test.
fn reference(points: &[Point], row: &[u32]) -> Point {
    let n = row.len() as f64;
    let mut mean = [0.0; 3];
    for &j in row {
        mean = vec3::add(mean, vec3::scale(points[j as usize], 1.0 / n));
    }
    let mut c = [0.0; 6];
    for &j in row {
        let d = vec3::sub(points[j as usize], mean);
        for (k, (a, b)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate()
        {
            c[k] += d[a] * d[b];
        }
    }
    eigen3::jacobi(c).vectors[0]
}

#[test]
fn agrees_with_two_passes_and_jacobi() {
    let mut points = random_points(1500, 3);
    points.iter_mut().for_each(|p| p[2] *= 0.1);
    let table = KdTree::new(&points).knn_table(40);
    for (i, n) in estimate_normals(&points, &table).iter().enumerate() {
        let r = reference(&points, table.row(i));
        assert!(vec3::norm(vec3::cross(*n, r)) < 1e-11, "{i}: {n:?} {r:?}");
    }
}

#[test]
fn a_far_offset_changes_nothing() {
    // Multiples of 2^-20 stay exact after the shift, so the normals must be the same bits.
    let grid = f64::from(1 << 20);
    let near: Vec<Point> =
        random_points(800, 5).into_iter().map(|p| p.map(|x| (x * grid).round() / grid)).collect();
    let far: Vec<Point> = near.iter().map(|p| vec3::add(*p, [5e5, 4.5e6, 300.0])).collect();
    assert_eq!(estimate_normals_k(&near, 30), estimate_normals_k(&far, 30));
}

#[test]
fn sphere_normals_are_radial() {
    let points: Vec<Point> =
        random_points(4000, 11).into_iter().filter_map(vec3::normalized).collect();
    for (p, n) in points.iter().zip(estimate_normals_k(&points, 20)) {
        assert!(vec3::dot(*p, n).abs() > 0.99, "{p:?} {n:?}");
    }
}

#[test]
fn degenerate_neighborhoods_follow_the_rules() {
    let same = vec![[3.0, -2.0, 7.0]; 12];
    assert!(estimate_normals_k(&same, 6).iter().all(|n| *n == [0.0, 0.0, 1.0]));

    let upright: Vec<Point> = (0..20).map(|i| [1.0, 2.0, 0.1 * f64::from(i)]).collect();
    assert!(estimate_normals_k(&upright, 6).iter().all(|n| *n == [1.0, 0.0, 0.0]));

    let slanted: Vec<Point> = (0..20).map(|i| [0.3, 0.0, 0.3].map(|x| x * f64::from(i))).collect();
    let h = 0.5_f64.sqrt();
    for n in estimate_normals_k(&slanted, 6) {
        assert!(vec3::distance2(n, [-h, 0.0, h]) < 1e-20, "{n:?}");
    }

    let level: Vec<Point> = (0..20).map(|i| [f64::from(i), 2.0 * f64::from(i), 5.0]).collect();
    for n in estimate_normals_k(&level, 6) {
        assert!(vec3::distance2(n, [0.0, 0.0, 1.0]) < 1e-20, "{n:?}");
    }
}

#[test]
fn few_and_bad_points() {
    assert!(estimate_normals_k(&[], 10).is_empty());
    assert_eq!(estimate_normals_k(&[[1.0; 3]], 10), [[0.0, 0.0, 1.0]]);
    assert_eq!(estimate_normals_k(&[[f64::NAN; 3]; 2], 10), [[0.0; 3]; 2]);
    let mut points = random_points(50, 1);
    points[7] = [f64::NAN, 0.0, 0.0];
    points[9] = [0.0, f64::INFINITY, 0.0];
    for (i, n) in estimate_normals_k(&points, 10).iter().enumerate() {
        let expected = if i == 7 || i == 9 { 0.0 } else { 1.0 };
        assert!((vec3::norm(*n) - expected).abs() < 1e-14, "{i} {n:?}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let points = random_points(3000, 2);
    let table = KdTree::new(&points).knn_table(16);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| estimate_normals(&points, &table))
    };
    assert_eq!(run(1), run(3));
}
