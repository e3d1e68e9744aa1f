use pellucid_cloud::vec3::{self, Point};

use super::*;

/// Points of the height field `f` over a grid in `[-1, 1]²`, turned so that its axis is `n`.
fn patch(n: Point, f: impl Fn(f64, f64) -> f64) -> Vec<Point> {
    let (u, v) = vec3::tangents(n);
    let mut out = Vec::new();
    for i in -4..=4 {
        for j in -4..=4 {
            let (a, b) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
            let flat = vec3::add(vec3::scale(u, a), vec3::scale(v, b));
            out.push(vec3::add(flat, vec3::scale(n, f(a, b))));
        }
    }
    out
}

fn plane_of(points: &[Point]) -> Plane {
    let mut moments = Moments::default();
    points.iter().for_each(|&p| moments.add(p, 1.0));
    moments.plane().unwrap()
}

const AXIS: Point = [0.48, -0.6, 0.64];

#[test]
fn plane_of_exact_points_is_that_plane() {
    let plane = plane_of(&patch(AXIS, |_, _| 0.25));
    assert!((vec3::dot(plane.normal, AXIS).abs() - 1.0).abs() < 1e-12);
    assert!((vec3::dot(plane.center, AXIS) - 0.25).abs() < 1e-12);
    let foot = plane.project([3.0, 1.0, -2.0]);
    assert!(plane.offset(foot).abs() < 1e-12);
}

#[test]
fn weights_move_the_plane() {
    let mut moments = Moments::default();
    for (z, w) in [(0.0, 3.0), (1.0, 1.0)] {
        for (x, y) in [(-5.0, -5.0), (-5.0, 5.0), (5.0, -5.0), (5.0, 5.0)] {
            moments.add([x, y, z], w);
        }
    }
    let plane = moments.plane().unwrap();
    // The weighted mean of the heights 0 and 1 with weights 3 to 1.
    assert!((plane.center[2] - 0.25).abs() < 1e-12);
    assert!((plane.normal[2].abs() - 1.0).abs() < 1e-12);
}

#[test]
fn no_plane_without_points_or_with_infinite_ones() {
    assert_eq!(Moments::default().plane(), None);
    let mut moments = Moments::default();
    moments.add([1e200, 0.0, 0.0], 1.0);
    moments.add([-1e200, 1.0, 0.0], 1.0);
    assert_eq!(moments.plane(), None);
}

#[test]
fn quadric_reproduces_a_quadric() {
    let f = |u: f64, v: f64| 0.1 - 0.2 * u + 0.05 * v + 0.3 * u * u - 0.15 * u * v + 0.4 * v * v;
    let points = patch(AXIS, f);
    // Over the generating axis the field is exactly quadratic.
    let plane = Plane { center: [0.0; 3], normal: AXIS };
    let mut fit = QuadricFit::new(&plane, [0.0; 3], 1.5);
    points.iter().for_each(|&p| fit.add(p, 1.0));
    let quadric = fit.solve().unwrap();
    for &p in &points {
        assert!(vec3::norm(vec3::sub(quadric.project(p), p)) < 1e-12);
    }
    // Gradient (-0.2, 0.05) at the origin, hence the cosine between axis and normal.
    let cosine = 1.0 / (1.0_f64 + 0.04 + 0.0025).sqrt();
    assert!((vec3::dot(quadric.normal(), AXIS) - cosine).abs() < 1e-12);
}

#[test]
fn quadric_projection_is_nearly_orthogonal() {
    // A bowl z = u²/2: from above its bottom the foot is the bottom.
    let points = patch([0.0, 0.0, 1.0], |u, _| 0.5 * u * u);
    let plane = Plane { center: [0.0; 3], normal: [0.0, 0.0, 1.0] };
    let mut fit = QuadricFit::new(&plane, [0.0; 3], 1.0);
    points.iter().for_each(|&p| fit.add(p, 1.0));
    let foot = fit.solve().unwrap().project([0.0, 0.0, 0.3]);
    assert!(vec3::norm(foot) < 1e-12);
}

#[test]
fn points_on_a_line_fix_no_quadric() {
    let points: Vec<Point> = (0..20).map(|i| [f64::from(i) * 0.1, 0.0, 0.0]).collect();
    let mut fit = QuadricFit::new(&plane_of(&points), [1.0, 0.0, 0.0], 1.0);
    points.iter().for_each(|&p| fit.add(p, 1.0));
    assert!(fit.solve().is_none());
}

#[test]
fn kernels_fall_and_stay_positive() {
    for kernel in [Kernel::Flat, Kernel::Biweight, Kernel::Gaussian] {
        let w: Vec<f64> = (0..=10).map(|i| kernel.weight(f64::from(i) / 10.0)).collect();
        assert_eq!(w[0], 1.0);
        assert!(w.windows(2).all(|p| p[0] >= p[1]) && w[10] > 0.0);
    }
}
