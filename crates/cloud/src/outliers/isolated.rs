//! Farther from its neighbors than the points around it are from theirs.

use serde::{Deserialize, Serialize};

use super::{MOST_NEIGHBORS, OutlierError, for_each_point};
use crate::DistinctRows;
use crate::neighbors::KdTree;
use crate::stats::median;
use crate::vec3::Point;

/// The search is repeated without the outliers found so far at most this often.
const PASSES: usize = 10;

/// Flags points whose mean distance to their neighbors is many times that of the points around
/// them.
///
/// The score is that of Rusu et al. 2008 (doi:10.1016/j.robot.2008.08.005), compared with its
/// median over the `surroundings` nearest points instead of over the cloud, so that a sparse part
/// of a scan is judged by itself. Outliers next to each other make each other look usual; the
/// search is therefore repeated without those found, until it finds no more. Repeated rows
/// count once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Isolated {
    /// Neighbors whose distances are averaged.
    pub neighbors: usize,
    /// Nearest points that the average is compared with.
    pub surroundings: usize,
    /// An average of more than this many times the median of the surroundings is an outlier's.
    pub factor: f64,
}

impl Default for Isolated {
    fn default() -> Self {
        Isolated { neighbors: 8, surroundings: 32, factor: 3.0 }
    }
}

impl Isolated {
    pub(super) fn check(&self) -> Result<(), OutlierError> {
        let k = (1..=MOST_NEIGHBORS).contains(&self.neighbors);
        OutlierError::check(k, "neighbors", self.neighbors, "between 1 and 1000")?;
        let around = (2..=MOST_NEIGHBORS).contains(&self.surroundings);
        OutlierError::check(around, "surroundings", self.surroundings, "between 2 and 1000")?;
        let factor = self.factor >= 1.0 && self.factor.is_finite();
        OutlierError::check(factor, "factor", self.factor, "1 or more")
    }

    pub(super) fn find(&self, points: &[Point]) -> (Vec<bool>, f64) {
        let distinct = DistinctRows::of(points);
        let mut flags = vec![false; points.len()];
        let mut rows = distinct.rows.clone();
        for _ in 0..PASSES {
            let kept: Vec<Point> = rows.iter().map(|&row| points[row as usize]).collect();
            if kept.len() <= self.neighbors {
                break;
            }
            let scores = self.scores(&kept);
            for (&row, score) in rows.iter().zip(scores) {
                flags[row as usize] = score > self.factor;
            }
            let before = rows.len();
            rows.retain(|&row| !flags[row as usize]);
            if rows.len() == before {
                break;
            }
        }
        for &(row, first) in &distinct.copies {
            flags[row as usize] = flags[first as usize];
        }
        (flags, self.factor)
    }

    /// The mean distance to the neighbors over its median in the surroundings, for points that
    /// are finite and distinct.
    pub(super) fn scores(&self, points: &[Point]) -> Vec<f64> {
        let tree = KdTree::new(points);
        let mean = for_each_point(points, &tree, f64::NAN, |i, near| {
            tree.knn_into(points[i], self.neighbors + 1, near);
            // The nearest is the point itself.
            near[1..].iter().map(|n| n.distance2.sqrt()).sum::<f64>() / self.neighbors as f64
        });
        for_each_point(points, &tree, f64::NAN, |i, near| {
            tree.knn_into(points[i], self.surroundings + 1, near);
            let mut around: Vec<f64> = near[1..].iter().map(|n| mean[n.index as usize]).collect();
            median(&mut around).map_or(f64::NAN, |usual| mean[i] / usual)
        })
    }
}
