//! Far from its neighbors, compared with all points.

use serde::{Deserialize, Serialize};

use super::{MOST_NEIGHBORS, OutlierError, for_each_point};
use crate::neighbors::KdTree;
use crate::stats::median;
use crate::vec3::Point;

/// What makes the median absolute deviation of a normal distribution its standard deviation.
const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// The least deviation of the robust form, as a share of the median: on an even grid hardly any
/// distance deviates, and every small unevenness would pass for an outlier.
const LEAST_DEVIATION: f64 = 0.1;

/// Flags points whose mean distance to their neighbors is unusually large.
///
/// The rule of Rusu et al. 2008 (doi:10.1016/j.robot.2008.08.005): the limit is the mean of that
/// distance over the cloud plus `ratio` standard deviations. Outliers raise both and so hide one
/// another; the robust form takes the median and the median absolute deviation instead,
/// the latter as no less than a tenth of the former.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Statistical {
    /// Neighbors whose distances are averaged.
    pub neighbors: usize,
    /// How many standard deviations above the usual is too far.
    pub ratio: f64,
    /// Whether the usual and its deviation are taken from medians.
    pub robust: bool,
}

impl Default for Statistical {
    fn default() -> Self {
        Statistical { neighbors: 8, ratio: 5.0, robust: true }
    }
}

impl Statistical {
    pub(super) fn check(&self) -> Result<(), OutlierError> {
        let k = (1..=MOST_NEIGHBORS).contains(&self.neighbors);
        OutlierError::check(k, "neighbors", self.neighbors, "between 1 and 1000")?;
        let ratio = self.ratio > 0.0 && self.ratio.is_finite();
        OutlierError::check(ratio, "ratio", self.ratio, "above 0")
    }

    pub(super) fn find(&self, points: &[Point], tree: &KdTree, spacing: f64) -> (Vec<bool>, f64) {
        let scores = self.scores(points, tree, spacing);
        let known: Vec<f64> = scores.iter().copied().filter(|s| !s.is_nan()).collect();
        let limit = self.limit(known);
        (scores.iter().map(|&s| s > limit).collect(), limit)
    }

    /// Mean distance to the neighbors in spacings; NaN for rows that are not finite.
    pub(super) fn scores(&self, points: &[Point], tree: &KdTree, spacing: f64) -> Vec<f64> {
        let k = self.neighbors;
        for_each_point(points, tree, f64::NAN, |i, near| {
            tree.knn_into(points[i], k + 1, near);
            // The nearest is the point itself, or one in the same place.
            let sum: f64 = near[1..].iter().map(|n| n.distance2.sqrt()).sum();
            sum / k as f64 / spacing
        })
    }

    /// The largest score that is not yet an outlier's.
    fn limit(&self, mut scores: Vec<f64>) -> f64 {
        if self.robust {
            let Some(middle) = median(&mut scores) else { return f64::INFINITY };
            scores.iter_mut().for_each(|s| *s = (*s - middle).abs());
            let deviation = MAD_TO_SIGMA * median(&mut scores).unwrap_or(0.0);
            return middle + self.ratio * deviation.max(LEAST_DEVIATION * middle);
        }
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let variance = scores.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n;
        mean + self.ratio * variance.sqrt()
    }
}
