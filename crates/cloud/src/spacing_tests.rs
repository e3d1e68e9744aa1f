use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn square(n: usize, seed: u64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| [rng.random_range(0.0..1.0), rng.random_range(0.0..1.0), 0.0]).collect()
}

fn spacing(points: &[Point]) -> f64 {
    mean_spacing(&KdTree::new(points).knn_table(10))
}

#[test]
fn hexagonal_grid_has_its_own_edge_length() {
    let points: Vec<Point> = (0..900)
        .map(|i| (i % 30, i / 30))
        .map(|(x, y)| [f64::from(x) + 0.5 * f64::from(y % 2), f64::from(y) * 0.75_f64.sqrt(), 0.0])
        .collect();
    assert!((spacing(&points) - 1.0).abs() < 1e-12);
}

#[test]
fn random_points_follow_the_poisson_law() {
    // Mean distance to the nearest of points with density 1 in a plane.
    let expected = 0.5;
    let n = 4000;
    let measured = spacing(&square(n, 1)) * (n as f64).sqrt();
    assert!((measured / expected - 1.0).abs() < 0.03, "{measured} {expected}");
}

#[test]
fn outliers_and_some_duplicates_do_not_move_it() {
    let mut points = square(3000, 2);
    let clean = spacing(&points);
    for i in 0..150 {
        points.push([f64::from(i) * 10.0, 50.0, 1e6]);
    }
    assert!((spacing(&points) / clean - 1.0).abs() < 0.02);
    points.truncate(3000);
    points.extend_from_within(..600);
    assert!((spacing(&points) / clean - 1.0).abs() < 0.06);
}

#[test]
fn always_positive() {
    assert_eq!(spacing_of(&[]), 1.0);
    assert_eq!(spacing_of(&[[1.0; 3]]), 1.0);
    assert_eq!(spacing_of(&[[1.0; 3]; 30]), 1.0);
    assert_eq!(spacing_of(&[[f64::NAN; 3]; 30]), 1.0);
    assert_eq!(spacing_of(&[[0.0; 3], [3.0, 4.0, 0.0]]), 5.0);
    // Repeated more often than any row is long.
    let mut piles = vec![[0.0; 3]; 40];
    piles.extend(vec![[0.0, 2.0, 0.0]; 40]);
    assert_eq!(spacing_of(&piles), 2.0);
}

#[test]
fn agrees_with_the_table() {
    let points = square(500, 4);
    assert_eq!(spacing_of(&points), mean_spacing(&KdTree::new(&points).knn_table(12)));
}

#[test]
fn median_of_odd_and_even() {
    assert_eq!(median(&mut []), None);
    assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
}
