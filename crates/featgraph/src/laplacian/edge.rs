//! The Laplacian straight from the pair list.

use super::{GraphError, Kind, check_pairs, diagonal_entry, inverse_root};
use crate::solve::{LinearOperator, TransposeOperator};

/// The Laplacian as an operator over the pair list: nothing is built or sorted, pairs listed
/// twice add up. Products run on one thread, because edges scatter to both ends; for many
/// products build a [`Csr`](super::Csr).
///
/// ```
/// use featgraph::laplacian::{EdgeLaplacian, Kind};
/// let l = EdgeLaplacian::new(3, &[(0, 1), (1, 2)], &[1.0, 0.5], Kind::Combinatorial)?;
/// assert_eq!(l.degrees(), [1.0, 1.5, 0.5]);
/// assert_eq!(l.quadratic_form(&[0.0, 1.0, 3.0])?, 3.0);
/// # Ok::<(), featgraph::laplacian::GraphError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EdgeLaplacian<'a> {
    pairs: &'a [(u32, u32)],
    weights: &'a [f64],
    kind: Kind,
    degrees: Vec<f64>,
    /// D^-1/2 for the normalized kind.
    scale: Option<Vec<f64>>,
}

impl<'a> EdgeLaplacian<'a> {
    /// Borrows pairs and weights; the [module](crate::laplacian) states the rules.
    pub fn new(
        nodes: usize,
        pairs: &'a [(u32, u32)],
        weights: &'a [f64],
        kind: Kind,
    ) -> Result<Self, GraphError> {
        check_pairs(nodes, pairs, weights)?;
        let mut degrees = vec![0.0; nodes];
        for (&(i, j), w) in pairs.iter().zip(weights) {
            if i != j {
                degrees[i as usize] += w;
                degrees[j as usize] += w;
            }
        }
        let scale = matches!(kind, Kind::Normalized(_)).then(|| inverse_root(&degrees));
        Ok(Self { pairs, weights, kind, degrees, scale })
    }

    /// Sum of the weights at every node.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// `z'Lz`, edge by edge: a sum of squares, never negative.
    pub fn quadratic_form(&self, z: &[f64]) -> Result<f64, GraphError> {
        let n = self.degrees.len();
        if z.len() != n {
            return Err(GraphError::Vector { expected: n, found: z.len() });
        }
        let at = |i: u32| z[i as usize] * self.scale.as_ref().map_or(1.0, |s| s[i as usize]);
        let edges: f64 = self
            .pairs
            .iter()
            .zip(self.weights)
            .map(|(&(i, j), w)| w * (at(i) - at(j)) * (at(i) - at(j)))
            .sum();
        // Only the kept 1 of a node without edges is not a difference of two ends.
        let alone = |i: &usize| self.degrees[*i] == 0.0;
        let kept = |i: usize| diagonal_entry(self.kind, 0.0) * z[i] * z[i];
        Ok(edges + (0..n).filter(alone).map(kept).sum::<f64>())
    }
}

impl<const R: usize> LinearOperator<R> for EdgeLaplacian<'_> {
    fn rows(&self) -> usize {
        self.degrees.len()
    }

    fn columns(&self) -> usize {
        self.degrees.len()
    }

    fn apply(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        for (i, (x, y)) in x.iter().zip(y.iter_mut()).enumerate() {
            let d = diagonal_entry(self.kind, self.degrees[i]);
            *y = x.map(|x| d * x);
        }
        for (&(i, j), &weight) in self.pairs.iter().zip(self.weights) {
            if i == j {
                continue;
            }
            let (i, j) = (i as usize, j as usize);
            let w = match &self.scale {
                Some(scale) => weight * (scale[i] * scale[j]),
                None => weight,
            };
            for r in 0..R {
                y[i][r] -= w * x[j][r];
                y[j][r] -= w * x[i][r];
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        for (d, degree) in diagonal.iter_mut().zip(&self.degrees) {
            *d = diagonal_entry(self.kind, *degree);
        }
    }
}

impl<const R: usize> TransposeOperator<R> for EdgeLaplacian<'_> {
    fn apply_transpose(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        self.apply(x, y);
    }
}
