//! The graph Laplacian regularizer as the prior of an intrinsic Gaussian Markov random field.

use super::components;
use crate::eigen::{EigenError, symmetric_eigen};
use crate::laplacian::{Csr, Graph, GraphError, Kind};

/// An intrinsic Gaussian Markov random field on a graph: increments along the edges are normal,
/// `x_i - x_j ~ N(0, 1 / (w_ij κ))` (Eq. 44), and the precision matrix is `Q = κL` (Eq. 46, 48).
///
/// The constants of each connected component carry no prior, so that Q has rank
/// `nodes - components`.
#[derive(Debug, Clone)]
pub struct Igmrf<'a> {
    graph: &'a Graph,
    kappa: f64,
    components: usize,
}

impl<'a> Igmrf<'a> {
    /// A field with precision κ; `None` unless κ is positive and finite.
    pub fn new(graph: &'a Graph, kappa: f64) -> Option<Self> {
        (kappa.is_finite() && kappa > 0.0).then(|| Self {
            graph,
            kappa,
            components: components(graph).count,
        })
    }

    /// Rank of Q: nodes minus connected components.
    pub fn rank(&self) -> usize {
        self.graph.nodes() - self.components
    }

    /// Order of the field, the rank that Q lacks: 1 for a connected graph.
    pub fn order(&self) -> usize {
        self.components
    }

    /// `Q = κL` (Eq. 46).
    pub fn precision(&self) -> Csr {
        let mut q = self.graph.laplacian(Kind::Combinatorial);
        q.scale_values(self.kappa);
        q
    }

    /// Variance of the increment along an edge (Eq. 44); infinite where there is no edge.
    pub fn increment_variance(&self, i: usize, j: usize) -> f64 {
        1.0 / (self.graph.weights().get(i, j) * self.kappa)
    }

    /// `-x'Qx / 2`: the logarithm of the density without its constant (Eq. 45).
    pub fn log_kernel(&self, x: &[f64]) -> Result<f64, GraphError> {
        Ok(-0.5 * self.kappa * self.graph.smoothness(x)?)
    }

    /// Logarithm of the generalized determinant `|Q|*`, the product of the eigenvalues that are
    /// not zero. Diagonalizes a dense matrix: for graphs of a few hundred nodes at most.
    pub fn log_generalized_determinant(&self) -> Result<f64, EigenError> {
        let n = self.graph.nodes();
        let q = self.precision();
        let dense: Vec<f64> = (0..n * n).map(|k| q.get(k / n, k % n)).collect();
        let values = symmetric_eigen(&dense, n)?.values;
        // How many are zero is known from the graph; no threshold has to guess it.
        Ok(values[self.components..].iter().map(|v| v.ln()).sum())
    }

    /// Logarithm of the density of Eq. (42), constant included; the cost is that of
    /// [`log_generalized_determinant`](Self::log_generalized_determinant).
    pub fn log_density(&self, x: &[f64]) -> Result<f64, EigenError> {
        let n = self.graph.nodes();
        let length = |_| EigenError::Length { what: "x", expected: n, found: x.len() };
        let kernel = self.log_kernel(x).map_err(length)?;
        let spread = self.rank() as f64 * (2.0 * std::f64::consts::PI).ln();
        Ok(0.5 * (self.log_generalized_determinant()? - spread) + kernel)
    }
}
