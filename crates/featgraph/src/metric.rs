//! The feature metric M: symmetric, positive definite, of bounded trace.

use crate::error::MetricError;
use serde::{Deserialize, Serialize};

/// Room for rounding in the trace check.
const TRACE_SLACK: f64 = 1e-12;

/// A Mahalanobis metric over K features: the squared distance of two nodes whose feature vectors
/// differ by `g` is `g' M g` (Eq. 6).
///
/// A value of this type is always finite, exactly symmetric, positive definite (its Cholesky
/// factorization succeeds) and has a trace of at most its limit times `1 + 1e-12`.
///
/// ```
/// use featgraph::metric::Metric;
///
/// let metric = Metric::from_matrix(2, vec![2.0, -1.0, -1.0, 2.0], 4.0)?;
/// assert_eq!(metric.distance(&[1.0, 1.0]), 2.0);
/// assert!(Metric::from_matrix(2, vec![1.0, 2.0, 2.0, 1.0], 4.0).is_err());
/// # Ok::<(), featgraph::error::MetricError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Metric {
    features: usize,
    values: Vec<f64>,
    trace_limit: f64,
}

/// The serialized form, checked again when it is read.
#[derive(Serialize, Deserialize)]
struct Raw {
    features: usize,
    values: Vec<f64>,
    trace_limit: f64,
}

impl TryFrom<Raw> for Metric {
    type Error = MetricError;
    fn try_from(raw: Raw) -> Result<Self, MetricError> {
        Metric::from_matrix(raw.features, raw.values, raw.trace_limit)
    }
}

impl From<Metric> for Raw {
    fn from(metric: Metric) -> Raw {
        Raw { features: metric.features, values: metric.values, trace_limit: metric.trace_limit }
    }
}

impl Metric {
    /// The identity times `trace_limit / features`: the fixed metric of a baseline, and the
    /// usual start of learning.
    ///
    /// # Errors
    /// When there are no features or the limit is not positive and finite.
    pub fn identity_scaled(features: usize, trace_limit: f64) -> Result<Self, MetricError> {
        let mut values = vec![0.0; features * features];
        for i in 0..features {
            values[i * features + i] = trace_limit / features as f64;
        }
        Self::from_matrix(features, values, trace_limit)
    }

    /// A metric from a row-major `features x features` matrix.
    ///
    /// # Errors
    /// When the matrix is not square of that size, not finite, not symmetric, not positive
    /// definite, or its trace is above `trace_limit`.
    pub fn from_matrix(
        features: usize,
        values: Vec<f64>,
        trace_limit: f64,
    ) -> Result<Self, MetricError> {
        let expected = features.saturating_mul(features);
        if features == 0 || values.len() != expected {
            return Err(MetricError::Shape { features, expected, found: values.len() });
        }
        if !(trace_limit > 0.0 && trace_limit.is_finite()) {
            return Err(MetricError::TraceLimit(trace_limit));
        }
        for row in 0..features {
            for column in 0..features {
                let value = values[row * features + column];
                if !value.is_finite() {
                    return Err(MetricError::NotFinite { row, column, value });
                }
                if value != values[column * features + row] {
                    return Err(MetricError::NotSymmetric { row, column });
                }
            }
        }
        cholesky(&values, features, 0.0)?;
        let metric = Self { features, values, trace_limit };
        let trace = metric.trace();
        if trace > trace_limit * (1.0 + TRACE_SLACK) {
            return Err(MetricError::Trace { trace, limit: trace_limit });
        }
        Ok(metric)
    }

    /// Number of features K.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// The matrix, row by row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One entry.
    ///
    /// # Panics
    /// When an index is not below the number of features.
    #[must_use]
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        assert!(row < self.features && column < self.features);
        self.values[row * self.features + column]
    }

    /// The diagonal: how much each feature counts by itself.
    #[must_use]
    pub fn diagonal(&self) -> Vec<f64> {
        let k = self.features;
        (0..k).map(|i| self.values[i * k + i]).collect()
    }

    /// The trace.
    #[must_use]
    pub fn trace(&self) -> f64 {
        let k = self.features;
        (0..k).map(|i| self.values[i * k + i]).sum()
    }

    /// The limit C that the trace was held to.
    #[must_use]
    pub fn trace_limit(&self) -> f64 {
        self.trace_limit
    }

    /// The squared distance `g' M g` of a feature difference.
    ///
    /// # Panics
    /// When `g` does not hold one value per feature.
    #[must_use]
    pub fn distance(&self, g: &[f64]) -> f64 {
        assert_eq!(g.len(), self.features);
        let rows = self.values.chunks_exact(self.features);
        rows.zip(g).map(|(row, gi)| gi * row.iter().zip(g).map(|(m, gj)| m * gj).sum::<f64>()).sum()
    }

    /// The lower Cholesky factor `L` (row-major) with `M = L L'`: the learned components of the
    /// features are the entries of `L' f`, whose plain Euclidean distance is the learned one.
    #[must_use]
    pub fn factor(&self) -> Vec<f64> {
        // Construction has checked that the factorization succeeds.
        cholesky(&self.values, self.features, 0.0).unwrap_or_default()
    }
}

/// Lower Cholesky factor of `A - shift I` (row-major), or the pivot that failed.
pub(crate) fn cholesky(a: &[f64], n: usize, shift: f64) -> Result<Vec<f64>, MetricError> {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let (upper, lower) = l.split_at(i * n);
            let row_j = if j == i { &lower[..j] } else { &upper[j * n..j * n + j] };
            let dot: f64 = lower[..j].iter().zip(row_j).map(|(x, y)| x * y).sum();
            if i == j {
                let value = a[i * n + i] - shift - dot;
                if value.is_nan() || value <= 0.0 || !value.is_normal() {
                    return Err(MetricError::NotPositiveDefinite { pivot: i, value });
                }
                l[i * n + i] = value.sqrt();
            } else {
                l[i * n + j] = (a[i * n + j] - dot) / l[j * n + j];
            }
        }
    }
    Ok(l)
}

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;
