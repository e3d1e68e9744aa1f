//! How evenly points are spread.

use super::points::{finite, mean};
use crate::KdTree;
use crate::vec3::Point;

/// The coefficient of variation (standard deviation over mean) of the distance from each point to
/// its nearest other point.
///
/// 0 for a regular grid, about 0.52 for points strewn at random on a surface, more for clumps.
/// `None` with fewer than two finite points, or when every point has an exact duplicate.
///
/// ```
/// use pellucid_cloud::quality::uniformity;
///
/// assert_eq!(uniformity(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), Some(0.0));
/// assert_eq!(uniformity(&[[0.0; 3]]), None);
/// ```
pub fn uniformity(points: &[Point]) -> Option<f64> {
    let points = finite(points);
    if points.len() < 2 {
        return None;
    }
    // The point itself is one of the two, so the other distance is that to the nearest other
    // point; with duplicates both are zero, which is right as well.
    let table = KdTree::new(&points).knn_table(2);
    let distance = |i: usize| table.distances2(i)[1].sqrt();
    let m = mean((0..points.len()).map(distance));
    let variance = mean((0..points.len()).map(|i| (distance(i) - m) * (distance(i) - m)));
    (m > 0.0).then(|| variance.sqrt() / m)
}
