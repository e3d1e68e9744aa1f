//! Heights between the points of a patch, against planes.

use super::*;

/// Over three points of `z = 1 + 2x - y`.
#[test]
fn the_plane_through_three_points_goes_on_beyond_them() {
    let z = |x: f64, y: f64| [x, y, 1.0 + 2.0 * x - y];
    let flat = [z(0.0, 0.0), z(1.0, 0.0), z(0.0, 2.0)];
    let x = [4.0, -3.0, 0.0];
    let corners = nearest_in_plane(&flat, x);
    assert!((on_plane(&flat, x, &corners) - 12.0).abs() < 1e-12);
    // Inverse distances stay between the heights of the corners.
    assert!(interpolated(&flat, x, &corners) < 3.0);
    // On a line there is no plane.
    let line = [z(0.0, 0.0), z(1.0, 0.0), z(2.0, 0.0)];
    let corners = nearest_in_plane(&line, x);
    assert_eq!(on_plane(&line, x, &corners), line[2][2]);
}

#[test]
fn the_normal_is_taken_about_the_origin_of_the_patch() {
    // A piece of the plane z = 3 seen from the origin spreads least across, not along z.
    let far: Vec<Point> =
        [[1.0, 0.1], [-1.0, 0.1], [1.0, -0.1], [-1.0, -0.1]].map(|[x, y]| [x, y, 3.0]).to_vec();
    assert!(normal_about_origin(&far)[1].abs() > 0.999);
    let near: Vec<Point> = far.iter().map(|p| [p[0], p[1], 0.0]).collect();
    assert!(normal_about_origin(&near)[2].abs() > 0.999);
}
