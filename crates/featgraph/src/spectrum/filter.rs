//! Filters of graph signals: `h(L) z`, without eigenvectors.

use rayon::prelude::*;

use crate::laplacian::{Csr, GraphError};
use crate::solve::LinearOperator;
use crate::solve::channels::{LANES, by_lanes};

/// A filter h over the graph frequencies as a Chebyshev series (Hammond, Vandergheynst and
/// Gribonval 2011, [doi:10.1016/j.acha.2010.04.005](https://doi.org/10.1016/j.acha.2010.04.005)).
///
/// ```
/// use featgraph::laplacian::{Duplicate, Graph, Kind};
/// use featgraph::spectrum::ChebyshevFilter;
///
/// let graph = Graph::from_pairs(3, &[(0, 1), (1, 2)], &[1.0, 1.0], Duplicate::Add)?;
/// let l = graph.laplacian(Kind::Combinatorial);
/// let heat = ChebyshevFilter::new(&l, 30, |frequency| (-2.0 * frequency).exp());
/// let warm = heat.apply(&l, 1, &[3.0, 0.0, 0.0])?;
/// assert!((warm.iter().sum::<f64>() - 3.0).abs() < 1e-9); // heat spreads and stays
/// assert!(warm[0] > warm[1] && warm[1] > warm[2] && warm[2] > 0.3);
/// # Ok::<(), featgraph::laplacian::GraphError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChebyshevFilter {
    limit: f64,
    coefficients: Vec<f64>,
}

impl ChebyshevFilter {
    /// The series of `order` terms beyond the constant for a kernel over the frequencies of
    /// `laplacian`, which lie between zero and the largest sum of absolute values in a row.
    pub fn new(laplacian: &Csr, order: usize, kernel: impl Fn(f64) -> f64) -> Self {
        let row = |i: usize| laplacian.row(i).1.iter().map(|v| v.abs()).sum::<f64>();
        let largest = (0..laplacian.rows()).map(row).fold(0.0, f64::max);
        let limit = if largest > 0.0 { largest } else { 1.0 };
        let count = 2 * (order + 1);
        let angle = |n: usize| std::f64::consts::PI * (n as f64 + 0.5) / count as f64;
        let values: Vec<f64> =
            (0..count).map(|n| kernel(0.5 * limit * (angle(n).cos() + 1.0))).collect();
        let coefficient = |k: usize| {
            let terms = values.iter().enumerate().map(|(n, v)| v * (k as f64 * angle(n)).cos());
            terms.sum::<f64>() * if k == 0 { 1.0 } else { 2.0 } / count as f64
        };
        Self { limit, coefficients: (0..=order).map(coefficient).collect() }
    }

    /// `h(L) z` for a signal of `channels` values a node, node after node; as many products with
    /// L as the series has terms.
    ///
    /// # Errors
    /// When the signal's length is not `channels` for each node.
    pub fn apply(
        &self,
        laplacian: &Csr,
        channels: usize,
        signal: &[f64],
    ) -> Result<Vec<f64>, GraphError> {
        let expected = laplacian.rows().saturating_mul(channels);
        if signal.len() != expected {
            return Err(GraphError::Vector { expected, found: signal.len() });
        }
        by_lanes(channels, signal, |z| Ok(self.apply_lanes(laplacian, z)))
    }

    fn apply_lanes(&self, laplacian: &Csr, z: &[[f64; LANES]]) -> Vec<[f64; LANES]> {
        let scaled = |x: &[[f64; LANES]], factor: f64, before: &[[f64; LANES]]| {
            // factor ((2 / limit) L - I) x - before.
            let mut next = vec![[0.0; LANES]; x.len()];
            laplacian.apply(x, &mut next);
            next.par_iter_mut().zip(x).zip(before).with_min_len(1024).for_each(|((n, x), b)| {
                for l in 0..LANES {
                    n[l] = factor * (2.0 / self.limit * n[l] - x[l]) - b[l];
                }
            });
            next
        };
        let add = |sum: &mut [[f64; LANES]], c: f64, x: &[[f64; LANES]]| {
            for (sum, x) in sum.iter_mut().zip(x) {
                (0..LANES).for_each(|l| sum[l] += c * x[l]);
            }
        };
        let mut sum = vec![[0.0; LANES]; z.len()];
        let (mut before, mut last) = (sum.clone(), z.to_vec());
        for (k, &c) in self.coefficients.iter().enumerate() {
            if k > 0 {
                let next = scaled(&last, if k == 1 { 1.0 } else { 2.0 }, &before);
                before = std::mem::replace(&mut last, next);
            }
            add(&mut sum, c, &last);
        }
        sum
    }
}
