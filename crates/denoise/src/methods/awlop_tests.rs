//! The published projection against numbers worked out by hand.

use super::*;

/// Heights count, distances along the tangent plane do not, but by `1 / r` after the first step.
#[test]
fn the_median_weighs_by_height_over_the_tangent_plane() {
    let data = [[1.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 1.0, 2.0]];
    let tree = KdTree::new(&data);
    let mut around = tree.around(&data);
    // a = 2: the weight of the third point is exp(-(2/2)²), that of both others one.
    let theta = Theta::new(8.0);
    theta.near([0.0; 3], &mut around);
    assert_eq!(around.len(), 3);
    let (n, v) = ([0.0, 0.0, 1.0], [1.0, 2.0, 1.0]);
    let e = (-1.0_f64).exp();

    let first = median(&theta, n, &v, None, &around);
    let total = 1.0 + 0.5 + e;
    let expected = [(1.0 - 1.5) / total, e / total, 2.0 * e / total];
    assert!(vec3::distance2(first, expected) < 1e-24, "{first:?} {expected:?}");

    let later = median(&theta, n, &v, Some(0.01), &around);
    let (b, c) = (0.5 / 3.0, e / 5.0_f64.sqrt());
    let total = 1.0 + b + c;
    let expected = [(1.0 - 3.0 * b) / total, c / total, 2.0 * c / total];
    assert!(vec3::distance2(later, expected) < 1e-24, "{later:?} {expected:?}");
}
