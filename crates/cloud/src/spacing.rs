//! The unit of length of a cloud: how far apart its points are.

use rayon::prelude::*;

use crate::neighbors::{KdTree, NeighborTable};
pub(crate) use crate::stats::median;
use crate::vec3::{self, Point};

/// At most so many points are asked by [`spacing_of`].
const SAMPLES: usize = 50_000;

/// Columns searched for a point at another place.
pub(crate) const COLUMNS: usize = 7;

/// Distances above so many medians are those of outliers.
const OUTLIER: f64 = 5.0;

/// The mean spacing of the points from which the self-query `table` was made.
///
/// It is the mean over all points of the distance to the nearest point that is not at the same
/// place, without those points for which it is more than five times the median: outliers. For
/// points thrown at random on a surface it is half the square root of the area per point; for an
/// even arrangement, the distance of neighbors. Points with no other place in their row do not
/// count; if none is left the unit is 1, else it is positive.
///
/// ```
/// use pellucid_cloud::{KdTree, spacing::mean_spacing};
///
/// let line: Vec<_> = (0..100).map(|i| [0.5 * f64::from(i), 0.0, 0.0]).collect();
/// assert_eq!(mean_spacing(&KdTree::new(&line).knn_table(7)), 0.5);
/// ```
pub fn mean_spacing(table: &NeighborTable) -> f64 {
    let mut distances: Vec<f64> =
        (0..table.len()).into_par_iter().map(|i| row_spacing(table.distances2(i))).collect();
    distances.retain(|d| *d > 0.0);
    let Some(middle) = median(&mut distances.clone()) else { return 1.0 };
    distances.retain(|d| *d <= OUTLIER * middle);
    distances.iter().sum::<f64>() / distances.len() as f64
}

/// The mean spacing, as by [`mean_spacing`], of a cloud without a table, from at most 50,000 of
/// its points at an even stride. Points that repeat others count once where they hide all others.
pub fn spacing_of(points: &[Point]) -> f64 {
    spacing_in(points, &KdTree::new(points))
}

/// [`spacing_of`] with the tree of the points at hand.
pub fn spacing_in(points: &[Point], tree: &KdTree) -> f64 {
    let stride = points.len().div_ceil(SAMPLES).max(1);
    let queries: Vec<Point> = points.iter().step_by(stride).copied().collect();
    let table = tree.knn_of(&queries, COLUMNS);
    if (0..table.len()).any(|i| row_spacing(table.distances2(i)) > 0.0) {
        return mean_spacing(&table);
    }
    // Every asked point is repeated more often than the table is wide: use places instead.
    let mut places: Vec<Point> = points.iter().copied().filter(|p| vec3::is_finite(*p)).collect();
    places.par_sort_unstable_by(|a, b| {
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    });
    places.dedup_by(|a, b| a == b);
    mean_spacing(&KdTree::new(&places).knn_table(COLUMNS))
}

/// The first positive distance, or zero.
fn row_spacing(distances2: &[f64]) -> f64 {
    distances2.iter().find(|d| **d > 0.0 && d.is_finite()).map_or(0.0, |d| d.sqrt())
}

#[cfg(test)]
#[path = "spacing_tests.rs"]
mod tests;
