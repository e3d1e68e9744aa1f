//! Projections onto the convex sets of learning.

use crate::error::LearnError;
use nalgebra::{DMatrix, SymmetricEigen};

/// Moves `v` to the nearest point with `v_i >= lower_i` and `sum v <= limit` (Eq. 20). The root
/// α of `sum max(v_i - α, lower_i) = limit` is found exactly, by sorting the points at which an
/// entry reaches its bound. Returns false, leaving `v` alone, when the set is empty.
pub(crate) fn onto_trace(v: &mut [f64], lower: &[f64], limit: f64) -> bool {
    let budget = limit - lower.iter().sum::<f64>();
    if budget < 0.0 {
        return false;
    }
    let mut excess: Vec<f64> = v.iter().zip(lower).map(|(v, l)| (v - l).max(0.0)).collect();
    if excess.iter().sum::<f64>() <= budget {
        v.iter_mut().zip(lower).for_each(|(v, &l)| *v = v.max(l));
        return true;
    }
    excess.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut alpha) = (0.0, 0.0);
    for (count, &e) in (1..).zip(&excess) {
        let next = (sum + e - budget) / f64::from(count);
        if e <= next {
            break;
        }
        sum += e;
        alpha = next;
    }
    for (v, &l) in v.iter_mut().zip(lower) {
        *v = l + (*v - l - alpha).max(0.0);
    }
    true
}

/// What the published program does in place of [`onto_trace`]: clip to `[lower, limit]`; when
/// the clipped sum is above the limit, shift all entries by the mean excess of the unclipped sum
/// and clip again. The result may stay above the limit.
pub(crate) fn onto_trace_published(v: &mut [f64], lower: &[f64], limit: f64) {
    let clip = |v: f64, l: f64| v.min(limit).max(l);
    let clipped: f64 = v.iter().zip(lower).map(|(&v, &l)| clip(v, l)).sum();
    let shift =
        if clipped > limit { (v.iter().sum::<f64>() - limit) / v.len() as f64 } else { 0.0 };
    v.iter_mut().zip(lower).for_each(|(v, &l)| *v = clip(*v - shift, l));
}

/// Moves `v` to the nearest point of the ball around zero (Eq. 33).
pub(crate) fn onto_ball(v: &mut [f64], radius: f64) {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return;
    }
    // Divided by the largest entry: squares neither overflow nor vanish.
    let length = largest * v.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
    if length > radius {
        v.iter_mut().for_each(|x| *x *= radius / length);
    }
}

/// Moves a symmetric matrix to the nearest one whose eigenvalues are at least `margin` and add
/// up to at most `limit`.
pub(crate) fn onto_spectrum(
    m: &mut [f64],
    k: usize,
    margin: f64,
    limit: f64,
) -> Result<(), LearnError> {
    let matrix = DMatrix::from_row_slice(k, k, m);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, 0).ok_or(LearnError::Eigen(k))?;
    let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
    onto_trace(&mut values, &vec![margin; k], limit);
    // V diag(values) V', from the square root so that rounding keeps it positive.
    let mut root = eigen.eigenvectors;
    for (mut column, value) in root.column_iter_mut().zip(&values) {
        column *= value.max(0.0).sqrt();
    }
    let product = &root * root.transpose();
    for i in 0..k {
        for j in 0..=i {
            m[i * k + j] = product[(i, j)];
            m[j * k + i] = product[(i, j)];
        }
    }
    Ok(())
}
