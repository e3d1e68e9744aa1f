//! On which side of the surface outliers lie.

use super::for_each_point;
use crate::neighbors::KdTree;
use crate::stats::median;
use crate::vec3::Point;

/// Points of the surface that an outlier is compared with.
const NEIGHBORS: usize = 8;

/// For each flagged point whether it lies above the surface next to it: higher than the median
/// height of the nearest points without a flag. `false` for all others.
///
/// ```
/// use pellucid_cloud::outliers::above_surface;
///
/// let mut points: Vec<_> = (0..100).map(|i| [f64::from(i % 10), f64::from(i / 10), 0.0]).collect();
/// points.extend([[5.0, 5.0, 9.0], [5.0, 5.0, -9.0]]);
/// let flags: Vec<bool> = points.iter().map(|p| p[2] != 0.0).collect();
/// assert_eq!(above_surface(&points, &flags)[100..], [true, false]);
/// ```
pub fn above_surface(points: &[Point], flags: &[bool]) -> Vec<bool> {
    let is_outlier = |i: usize| flags.get(i).copied().unwrap_or(false);
    let surface: Vec<Point> =
        (0..points.len()).filter(|&i| !is_outlier(i)).map(|i| points[i]).collect();
    let surface_tree = KdTree::new(&surface);
    let tree = KdTree::new(points);
    for_each_point(points, &tree, false, |i, near| {
        if !is_outlier(i) {
            return false;
        }
        surface_tree.knn_into(points[i], NEIGHBORS, near);
        let mut heights: Vec<f64> = near.iter().map(|n| surface[n.index as usize][2]).collect();
        median(&mut heights).is_some_and(|z| points[i][2] > z)
    })
}
