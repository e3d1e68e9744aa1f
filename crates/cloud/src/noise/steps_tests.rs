use super::error_steps;
use crate::neighbors::KdTree;
use crate::vec3::Point;

fn steps(points: &[Point]) -> Option<f64> {
    error_steps(points, points, &KdTree::new(points), 1.0..10.0)
}

/// A wavy surface over a grid of whole numbers, its heights as `record` gives them.
fn relief(record: impl Fn(f64) -> f64) -> Vec<Point> {
    let place = |i: u32| (f64::from(i % 120), f64::from(i / 120));
    let height = |x: f64, y: f64| 12.0 * (x / 25.0).sin() + 0.35 * y;
    (0..14_400).map(place).map(|(x, y)| [x, y, record(height(x, y))]).collect()
}

#[test]
fn rounded_heights_are_errors_and_a_grid_is_none() {
    assert_eq!(steps(&relief(|z| z)), None);
    let found = steps(&relief(|z| (z / 1.5).round() * 1.5)).unwrap();
    assert!((found - 1.5).abs() < 1e-9, "{found}");
}

#[test]
fn a_turned_grid_has_no_steps() {
    let (sin, cos) = 0.4_f64.sin_cos();
    let turned = |p: &Point| [cos * p[0] - sin * p[2], p[1], sin * p[0] + cos * p[2]];
    assert_eq!(steps(&relief(|z| z).iter().map(turned).collect::<Vec<_>>()), None);
}

#[test]
fn parallel_faces_are_no_steps() {
    let face = |level: u32| {
        let place = move |i: u32| [f64::from(i % 40), f64::from(i / 40), 3.0 * f64::from(level)];
        (0..1_600).map(place)
    };
    for levels in [2, 20] {
        assert_eq!(steps(&(0..levels).flat_map(face).collect::<Vec<_>>()), None, "{levels}");
    }
}
