//! A weighted undirected graph.

use rayon::prelude::*;

use super::build::{adjacency, split_rows};
use super::csr::{Csr, ROWS};
use super::{Duplicate, GraphError, Kind, diagonal_entry, inverse_root};

/// A weighted undirected graph: the symmetric matrix W by rows, and the degrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    weights: Csr,
    degrees: Vec<f64>,
}

impl Graph {
    /// From node pairs and one weight each; the [module](crate::laplacian) states the rules.
    /// Built in parallel; the result does not depend on the number of threads.
    pub fn from_pairs(
        nodes: usize,
        pairs: &[(u32, u32)],
        weights: &[f64],
        duplicate: Duplicate,
    ) -> Result<Self, GraphError> {
        let weights = adjacency(nodes, pairs, weights, duplicate)?;
        let degrees = (0..nodes)
            .into_par_iter()
            .with_min_len(ROWS)
            .map(|i| weights.row(i).1.iter().sum())
            .collect();
        Ok(Self { weights, degrees })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.degrees.len()
    }

    /// Number of edges: different pairs with a positive weight.
    pub fn edges(&self) -> usize {
        self.weights.entries() / 2
    }

    /// Sum of the weights at every node: the diagonal of D.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// The symmetric weight matrix W.
    pub fn weights(&self) -> &Csr {
        &self.weights
    }

    /// `Σ w (z_i - z_j)²`, every edge once: `z'Lz` of the combinatorial Laplacian, by differences
    /// and so without cancellation for signals with a large mean.
    pub fn smoothness(&self, z: &[f64]) -> Result<f64, GraphError> {
        if z.len() != self.nodes() {
            return Err(GraphError::Vector { expected: self.nodes(), found: z.len() });
        }
        let row = |i: usize| -> f64 {
            let (columns, weights) = self.weights.row(i);
            let below = columns.partition_point(|&j| (j as usize) < i);
            let pairs = columns[..below].iter().zip(weights);
            pairs.map(|(&j, w)| w * (z[i] - z[j as usize]) * (z[i] - z[j as usize])).sum()
        };
        let partial: Vec<f64> = (0..self.nodes().div_ceil(ROWS))
            .into_par_iter()
            .map(|b| (b * ROWS..((b + 1) * ROWS).min(self.nodes())).map(row).sum())
            .collect();
        Ok(partial.iter().sum())
    }

    /// The Laplacian as a sparse matrix. Every diagonal entry is stored, also zeros.
    pub fn laplacian(&self, kind: Kind) -> Csr {
        let n = self.nodes();
        let offsets: Vec<usize> =
            self.weights.offsets.iter().enumerate().map(|(i, o)| o + i).collect();
        let mut columns = vec![0u32; offsets[n]];
        let mut values = vec![0.0; offsets[n]];
        let scale = match kind {
            Kind::Combinatorial => vec![1.0; n],
            Kind::Normalized(_) => inverse_root(&self.degrees),
        };
        let column_blocks = split_rows(&offsets, &mut columns);
        let value_blocks = split_rows(&offsets, &mut values);
        column_blocks.into_par_iter().zip(value_blocks).for_each(
            |((rows, columns), (_, values))| {
                let mut at = 0;
                let mut put = |j: u32, v: f64| {
                    (columns[at], values[at]) = (j, v);
                    at += 1;
                };
                for i in rows {
                    let (neighbors, weights) = self.weights.row(i);
                    let below = neighbors.partition_point(|&j| (j as usize) < i);
                    let entry = |k: usize| {
                        let j = neighbors[k];
                        // The product of the two scales first: symmetric to the last bit.
                        (j, -weights[k] * (scale[i] * scale[j as usize]))
                    };
                    (0..below).map(entry).for_each(|(j, v)| put(j, v));
                    put(i as u32, diagonal_entry(kind, self.degrees[i]));
                    (below..neighbors.len()).map(entry).for_each(|(j, v)| put(j, v));
                }
            },
        );
        Csr { width: n, offsets, columns, values }
    }
}
