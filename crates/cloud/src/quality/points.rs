//! Cloud against cloud.

use super::QualityError;
use crate::KdTree;
use crate::vec3::{self, Point};

/// Nearest distances between two clouds, both ways; rows that are not finite left out.
pub(super) struct Matched {
    /// The finite points of the result.
    pub result: Vec<Point>,
    /// Squared distance of each of them to the truth.
    pub to_truth2: Vec<f64>,
    /// Squared distance of each finite point of the truth to the result.
    pub to_result2: Vec<f64>,
}

impl Matched {
    pub fn new(result: &[Point], truth: &[Point]) -> Result<Self, QualityError> {
        let a = finite_result(result)?;
        let b = finite(truth);
        if b.is_empty() {
            return Err(QualityError::EmptyTruth { rows: truth.len() });
        }
        let to_truth2 = nearest2(&KdTree::new(&b), &a);
        let to_result2 = nearest2(&KdTree::new(&a), &b);
        Ok(Matched { result: a, to_truth2, to_result2 })
    }

    pub fn paper_mse(&self) -> f64 {
        let root_mean = |d2: &[f64]| mean(d2.iter().map(|d2| d2.sqrt()));
        0.5 * (root_mean(&self.to_truth2) + root_mean(&self.to_result2))
    }

    pub fn paper_snr(&self) -> f64 {
        let signal = mean(self.result.iter().map(|&p| vec3::norm(p)));
        10.0 * (signal / self.paper_mse()).ln()
    }

    pub fn chamfer(&self) -> f64 {
        mean(self.to_truth2.iter().copied()) + mean(self.to_result2.iter().copied())
    }

    /// The larger of the two directions' quantiles.
    pub fn hausdorff(&self, quantile: f64) -> f64 {
        let worst2 = rank(&self.to_truth2, quantile).max(rank(&self.to_result2, quantile));
        worst2.sqrt()
    }
}

/// The points with finite coordinates.
pub(super) fn finite(points: &[Point]) -> Vec<Point> {
    points.iter().copied().filter(|&p| vec3::is_finite(p)).collect()
}

/// The same, and an error if there are none.
pub(super) fn finite_result(result: &[Point]) -> Result<Vec<Point>, QualityError> {
    let points = finite(result);
    if points.is_empty() {
        return Err(QualityError::EmptyResult { rows: result.len() });
    }
    Ok(points)
}

/// One fixed order of summation, so that the result does not depend on threads.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len();
    values.sum::<f64>() / n as f64
}

fn nearest2(tree: &KdTree, queries: &[Point]) -> Vec<f64> {
    tree.nearest_of(queries).into_iter().map(|n| n.distance2).collect()
}

/// The smallest value that at least the fraction `quantile` of all values do not exceed.
fn rank(values: &[f64], quantile: f64) -> f64 {
    let mut copy = values.to_vec();
    let place = ((quantile * copy.len() as f64).ceil() as usize).clamp(1, copy.len()) - 1;
    *copy.select_nth_unstable_by(place, f64::total_cmp).1
}

/// The "MSE" of the paper's tables, which is a mean distance and not squared: half the sum of
/// the mean distance from each point of `result` to its nearest in `truth` and the mean distance
/// from each point of `truth` to its nearest in `result`.
///
/// ```
/// use pellucid_cloud::quality::paper_mse;
///
/// let mse = paper_mse(&[[0.0, 0.0, 3.0]], &[[0.0; 3], [0.0, 4.0, 0.0]])?;
/// assert_eq!(mse, 0.5 * (3.0 + (3.0 + 5.0) / 2.0));
/// # Ok::<(), pellucid_cloud::quality::QualityError>(())
/// ```
pub fn paper_mse(result: &[Point], truth: &[Point]) -> Result<f64, QualityError> {
    Ok(Matched::new(result, truth)?.paper_mse())
}

/// The "SNR" of the paper's tables: ten times the *natural* logarithm of the mean length of the
/// positions in `result`, measured from the origin of their frame, over [`paper_mse`]. Infinite
/// when the two clouds are the same.
pub fn paper_snr(result: &[Point], truth: &[Point]) -> Result<f64, QualityError> {
    Ok(Matched::new(result, truth)?.paper_snr())
}

/// The squared Chamfer distance: mean over `result` of the squared distance to the nearest point
/// of `truth`, plus mean over `truth` of the squared distance to the nearest point of `result`.
pub fn chamfer(result: &[Point], truth: &[Point]) -> Result<f64, QualityError> {
    Ok(Matched::new(result, truth)?.chamfer())
}

/// The Hausdorff distance: the largest distance from a point of either cloud to the other cloud.
pub fn hausdorff(result: &[Point], truth: &[Point]) -> Result<f64, QualityError> {
    Ok(Matched::new(result, truth)?.hausdorff(1.0))
}

/// The 95th percentile in place of the largest distance: for each direction the smallest distance
/// that 95 % of its points do not exceed, and the larger of the two.
pub fn hausdorff95(result: &[Point], truth: &[Point]) -> Result<f64, QualityError> {
    Ok(Matched::new(result, truth)?.hausdorff(0.95))
}
