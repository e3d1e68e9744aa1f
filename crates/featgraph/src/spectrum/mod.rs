//! The frequencies of a graph: lowest eigenpairs of L, connected components, and the Gaussian
//! random field whose precision is a multiple of L.
//!
//! Eq. (2) of the paper: `z'Lz = Σ λ_k α_k²` with `α_k = v_k'z`, so a smooth signal is one whose
//! energy sits at low graph frequencies λ.

mod filter;
mod igmrf;
mod interpolate;

#[cfg(test)]
mod tests;

pub use filter::ChebyshevFilter;
pub use igmrf::Igmrf;
pub use interpolate::interpolate;

use crate::eigen::{EigenError, LobpcgParams, LowestEigen, lowest_eigenpairs};
use crate::laplacian::{Csr, Graph};
use crate::solve::LinearOperator;

/// The connected components of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// How many there are; a node without edges is one.
    pub count: usize,
    /// The component of every node, numbered in the order of their first nodes.
    pub labels: Vec<u32>,
}

/// Connected components over edges of positive weight. Their number is how often 0 is an
/// eigenvalue of L.
///
/// ```
/// use featgraph::laplacian::{Duplicate, Graph};
/// let graph = Graph::from_pairs(4, &[(0, 2)], &[1.0], Duplicate::Add)?;
/// let found = featgraph::spectrum::components(&graph);
/// assert_eq!((found.count, found.labels), (3, vec![0, 1, 0, 2]));
/// # Ok::<(), featgraph::laplacian::GraphError>(())
/// ```
pub fn components(graph: &Graph) -> Components {
    let mut labels = vec![u32::MAX; graph.nodes()];
    let mut count = 0u32;
    let mut stack = Vec::new();
    for first in 0..graph.nodes() {
        if labels[first] != u32::MAX {
            continue;
        }
        labels[first] = count;
        stack.push(first);
        while let Some(i) = stack.pop() {
            for &j in graph.weights().row(i).0 {
                if labels[j as usize] == u32::MAX {
                    labels[j as usize] = count;
                    stack.push(j as usize);
                }
            }
        }
        count += 1;
    }
    Components { count: count as usize, labels }
}

/// Tolerances for a Laplacian, whose lowest eigenvalue is zero: the absolute part decides.
pub fn laplacian_params() -> LobpcgParams {
    LobpcgParams {
        relative_tolerance: 1e-8,
        absolute_tolerance: 1e-10,
        max_iterations: 2000,
        guard_vectors: 4,
        ..LobpcgParams::default()
    }
}

/// The `count` lowest graph frequencies and their eigenvectors (Eq. 2);
/// [`laplacian_params`] are good settings.
pub fn lowest_frequencies(
    laplacian: &Csr,
    count: usize,
    params: &LobpcgParams,
) -> Result<LowestEigen, EigenError> {
    let n = laplacian.rows();
    if laplacian.width() != n {
        return Err(EigenError::Length {
            what: "laplacian",
            expected: n,
            found: laplacian.width(),
        });
    }
    let mut diagonal = vec![0.0; n];
    LinearOperator::<1>::diagonal(laplacian, &mut diagonal);
    let product = |x: &[f64], y: &mut [f64]| {
        laplacian.apply(x.as_chunks::<1>().0, y.as_chunks_mut::<1>().0);
    };
    lowest_eigenpairs(&product, n, count, Some(&diagonal), params)
}

/// `α_k = v_k'z` for eigenvectors stored one after the other; `α_k²` is the energy of z at
/// frequency k.
pub fn coefficients(vectors: &[f64], z: &[f64]) -> Vec<f64> {
    if z.is_empty() {
        return Vec::new();
    }
    let along = |v: &[f64]| v.iter().zip(z).map(|(v, z)| v * z).sum();
    vectors.chunks_exact(z.len()).map(along).collect()
}
