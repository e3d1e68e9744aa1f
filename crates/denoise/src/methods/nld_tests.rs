//! Descriptors of the same surface that lies differently in space.

use super::*;

/// The descriptor of a saddle whose axes are `u`, `v` and `n`, seen from its middle.
fn saddle([u, v, n]: [Point; 3]) -> Descriptor {
    let mut points = vec![[0.0; 3]];
    for i in -4..=4 {
        for j in -4..=4 {
            let (a, b) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
            let height = 0.1 + 0.4 * a * a - 0.15 * b * b;
            let flat = vec3::add(vec3::scale(u, a), vec3::scale(v, b));
            points.push(vec3::add(flat, vec3::scale(n, height)));
        }
    }
    let tree = KdTree::new(&points);
    let mut around = tree.around(&points);
    around.nearest([0.0; 3], points.len());
    Descriptor::of(&around, n)
}

const X: Point = [1.0, 0.0, 0.0];
const Y: Point = [0.0, 1.0, 0.0];
const Z: Point = [0.0, 0.0, 1.0];

#[test]
fn a_turned_surface_is_the_same_in_its_own_frame_only() {
    let (here, there) = (saddle([X, Y, Z]), saddle([Z, X, Y]));
    assert!(here.difference2(&there) > 0.1, "{}", here.difference2(&there));
    for (a, b) in here.shape.iter().zip(there.shape) {
        assert!((a - b).abs() < 1e-9, "{:?} {:?}", here.shape, there.shape);
    }
    // z = 0.4 u² bends by 0.8 along u.
    assert!((here.shape[2] - 0.8).abs() < 0.01, "{:?}", here.shape);
}

#[test]
fn heights_are_shared_by_surfaces_that_bend_alike() {
    let rise = |bend: f64, rise: f64| Descriptor {
        shape: [0.0, 0.0, bend, 0.0],
        radius2: 2.0,
        rise,
        ..Descriptor::default()
    };
    let me = rise(1.0, 0.0);
    // As alike as it can be; and off by 1: R² (R² / 4) 1² is one, so 1/e of the weight.
    let others = [rise(1.0, 3.0), rise(2.0, 6.0)];
    let w = (-1.0_f64).exp();
    let expected = (3.0 + 6.0 * w) / (1.0 + w);
    assert!((me.mean_rise(others.iter(), 1.0) - expected).abs() < 1e-12);
}
