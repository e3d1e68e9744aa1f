//! A graph from smooth signals alone, without features: a baseline to compare with.

use crate::error::LearnError;
use serde::{Deserialize, Serialize};

/// Settings of [`learn_smooth`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmoothParams {
    /// α: how much degrees are kept from zero; it scales the weights.
    pub log_degrees: f64,
    /// β: how much large weights are penalized; larger is denser.
    pub evenness: f64,
    /// Converged when weights and degrees change by less than this, relative to themselves.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

impl Default for SmoothParams {
    fn default() -> Self {
        Self { log_degrees: 1.0, evenness: 1.0, tolerance: 1e-6, max_iterations: 20_000 }
    }
}

/// Weights that [`learn_smooth`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothWeights {
    /// One for each pair.
    pub weights: Vec<f64>,
    /// Iterations that were done.
    pub iterations: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// The weights w >= 0 of some pairs that minimize
/// `2 Σ w d - α Σ log(degree) + β Σ w²` (Kalofolias 2016, "How to learn a graph from smooth
/// signals"): d are the squared distances of the pairs' signals, divided here by their mean, and
/// nodes in no pair do not count. Primal-dual steps, as there.
///
/// ```
/// use featgraph::learn::{SmoothParams, learn_smooth};
/// let pairs = [(0, 1), (1, 2), (2, 3), (0, 3)];
/// let found = learn_smooth(4, &pairs, &[0.1, 5.0, 0.1, 5.0], &SmoothParams::default())?;
/// assert!(found.converged && found.weights[0] > 3.0 * found.weights[1]);
/// # Ok::<(), featgraph::error::LearnError>(())
/// ```
///
/// # Errors
/// When lengths differ, a pair names a node that does not exist, a distance is negative or not
/// finite, or a parameter breaks its rule.
pub fn learn_smooth(
    nodes: usize,
    pairs: &[(u32, u32)],
    distances: &[f64],
    params: &SmoothParams,
) -> Result<SmoothWeights, LearnError> {
    params.check()?;
    crate::edges::check_length(distances.len(), pairs.len(), || "the distances".into())?;
    crate::edges::check_pairs(pairs, nodes)?;
    if let Some(edge) = distances.iter().position(|d| !(*d >= 0.0 && d.is_finite())) {
        let value = distances[edge];
        return Err(crate::error::EdgesError::Distance { edge, value }.into());
    }
    if pairs.is_empty() {
        return Err(LearnError::NoEdges);
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let scale = if mean > 0.0 { 1.0 / mean } else { 0.0 };
    let z: Vec<f64> = distances.iter().map(|d| d * scale).collect();
    Ok(primal_dual(nodes, pairs, &z, params))
}

fn primal_dual(
    nodes: usize,
    pairs: &[(u32, u32)],
    z: &[f64],
    params: &SmoothParams,
) -> SmoothWeights {
    let (alpha, beta) = (params.log_degrees, params.evenness);
    let degrees = |w: &[f64]| {
        let mut sum = vec![0.0; nodes];
        for (&(i, j), w) in pairs.iter().zip(w) {
            sum[i as usize] += w;
            sum[j as usize] += w;
        }
        sum
    };
    let at_ends = |d: &[f64], n: usize| d[pairs[n].0 as usize] + d[pairs[n].1 as usize];
    let joined = degrees(&vec![1.0; pairs.len()]);
    // The norm of the map from weights to degrees is at most the root of twice the most pairs.
    let norm = (2.0 * joined.iter().copied().fold(0.0, f64::max)).sqrt();
    let step = 0.9 / (2.0 * beta + norm);
    let (mut w, mut d) = (vec![0.0; pairs.len()], vec![0.0; nodes]);
    for iteration in 1..=params.max_iterations {
        let gradient = |w: &[f64], d: &[f64], n: usize| 2.0 * beta * w[n] + at_ends(d, n);
        let y: Vec<f64> = (0..w.len()).map(|n| w[n] - step * gradient(&w, &d, n)).collect();
        let y_dual: Vec<f64> = d.iter().zip(degrees(&w)).map(|(d, s)| d + step * s).collect();
        let p: Vec<f64> = y.iter().zip(z).map(|(y, z)| (y - 2.0 * step * z).max(0.0)).collect();
        let p_dual: Vec<f64> = (y_dual.iter().zip(&joined))
            .map(
                |(y, &n)| {
                    if n > 0.0 { 0.5 * (y - (y * y + 4.0 * alpha * step).sqrt()) } else { 0.0 }
                },
            )
            .collect();
        let sums = degrees(&p);
        let mut change = [0.0; 2];
        let mut size = [0.0; 2];
        for n in 0..w.len() {
            let q = p[n] - step * gradient(&p, &p_dual, n);
            change[0] += (q - y[n]).powi(2);
            size[0] += w[n] * w[n];
            w[n] += q - y[n];
        }
        for i in 0..nodes {
            let move_by = p_dual[i] + step * sums[i] - y_dual[i];
            change[1] += move_by * move_by;
            size[1] += d[i] * d[i];
            d[i] += move_by;
        }
        let small = |n: usize| change[n] <= params.tolerance.powi(2) * size[n];
        if small(0) && small(1) {
            w.iter_mut().for_each(|w| *w = w.max(0.0));
            return SmoothWeights { weights: w, iterations: iteration, converged: true };
        }
    }
    w.iter_mut().for_each(|w| *w = w.max(0.0));
    SmoothWeights { weights: w, iterations: params.max_iterations, converged: false }
}

impl SmoothParams {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that breaks its rule.
    pub fn check(&self) -> Result<(), LearnError> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        let rules = [
            ("log_degrees", self.log_degrees, positive(self.log_degrees), "must be above 0"),
            ("evenness", self.evenness, positive(self.evenness), "must be above 0"),
            ("tolerance", self.tolerance, self.tolerance >= 0.0, "must not be negative"),
        ];
        for (field, value, holds, rule) in rules {
            if !holds {
                return Err(LearnError::Parameter { field, value: value.to_string(), rule });
            }
        }
        Ok(())
    }
}
