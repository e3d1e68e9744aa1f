//! Graphs from node pairs and weights, and their Laplacians.
//!
//! [`Graph`] holds the symmetric weights W; [`Graph::laplacian`] gives `L = D - W` or
//! `I - D^-1/2 W D^-1/2` as a sparse matrix ([`Csr`]); [`EdgeLaplacian`] multiplies with the same
//! matrices straight from the pair list, without building anything.
//!
//! Rules, the same everywhere:
//! - a pair `(i, j)` is an undirected edge; a pair that is listed more than once follows
//!   [`Duplicate`];
//! - a pair `(i, i)` is ignored: it adds nothing to `z'Lz`;
//! - weights are finite and not negative, zero weights are no edges;
//! - `z'Lz` counts every edge once. Eq. (1) of the paper sums over ordered pairs, which is twice
//!   as much.
//!
//! ```
//! use featgraph::laplacian::{Duplicate, Graph, Kind};
//! let graph = Graph::from_pairs(3, &[(0, 1), (1, 2)], &[1.0, 0.5], Duplicate::Add)?;
//! assert_eq!(graph.degrees(), [1.0, 1.5, 0.5]);
//! let l = graph.laplacian(Kind::Combinatorial);
//! assert_eq!(l.quadratic_form(&[0.0, 1.0, 3.0])?, 1.0 * 1.0 + 0.5 * 4.0);
//! # Ok::<(), featgraph::laplacian::GraphError>(())
//! ```

mod build;
mod csr;
mod edge;
mod graph;

#[cfg(test)]
mod tests;

pub use csr::Csr;
pub use edge::EdgeLaplacian;
pub use graph::Graph;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which Laplacian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `L = D - W`.
    #[default]
    Combinatorial,
    /// `I - D^-1/2 W D^-1/2`, with a choice for nodes without edges.
    Normalized(Isolated),
}

/// The diagonal entry of the normalized Laplacian at a node without edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolated {
    /// 0: such a node is left alone, as in the combinatorial Laplacian.
    #[default]
    Zero,
    /// 1: the identity stays, and pulls such a node to zero, as the published code of the paper
    /// does.
    KeepOne,
}

/// What happens to a pair that is listed more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplicate {
    /// All weights of a pair add up, whatever their direction.
    #[default]
    Add,
    /// Listed both ways, only `(i, j)` with `i > j` (below the diagonal of W) counts, as in the
    /// published code of the paper; listed one way only, that one counts. Repeats in the same
    /// direction add up.
    KeepLower,
    /// The largest weight of a pair counts.
    Max,
}

/// What is wrong with a graph's input.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GraphError {
    /// Pairs and weights do not match.
    #[error("{pairs} node pairs but {weights} weights; every pair needs one weight")]
    Lengths {
        /// Number of pairs.
        pairs: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A pair names a node that does not exist.
    #[error("pair {pair} names node {node}, but there are only {nodes} nodes")]
    Node {
        /// Index of the pair.
        pair: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A weight is negative or not finite.
    #[error("weight {pair} is {weight}; weights must be finite and not negative")]
    Weight {
        /// Index of the pair.
        pair: usize,
        /// The weight.
        weight: f64,
    },
    /// More nodes or pairs than 32-bit indices can name.
    #[error("{count} {what} are more than 32-bit indices can name; split the graph")]
    TooMany {
        /// Nodes or pairs.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A vector has the wrong length.
    #[error("a vector has {found} entries; the matrix needs {expected}")]
    Vector {
        /// Entries needed.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// Parts that do not make a sparse matrix.
    #[error("not a sparse matrix: {rule}")]
    Parts {
        /// The rule that was broken.
        rule: &'static str,
    },
}

/// Checks the input that all constructors share.
fn check_pairs(nodes: usize, pairs: &[(u32, u32)], weights: &[f64]) -> Result<(), GraphError> {
    if pairs.len() != weights.len() {
        return Err(GraphError::Lengths { pairs: pairs.len(), weights: weights.len() });
    }
    if u32::try_from(nodes).is_err() {
        return Err(GraphError::TooMany { what: "nodes", count: nodes });
    }
    if u32::try_from(pairs.len()).is_err() {
        return Err(GraphError::TooMany { what: "pairs", count: pairs.len() });
    }
    for (pair, (ends, &weight)) in pairs.iter().zip(weights).enumerate() {
        let node = ends.0.max(ends.1);
        if node as usize >= nodes {
            return Err(GraphError::Node { pair, node, nodes });
        }
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(GraphError::Weight { pair, weight });
        }
    }
    Ok(())
}

/// `D^-1/2`, zero where the degree is.
fn inverse_root(degrees: &[f64]) -> Vec<f64> {
    degrees.iter().map(|&d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect()
}

/// Diagonal of the Laplacian for the given degrees.
fn diagonal_entry(kind: Kind, degree: f64) -> f64 {
    match kind {
        Kind::Combinatorial => degree,
        Kind::Normalized(Isolated::Zero) if degree == 0.0 => 0.0,
        Kind::Normalized(_) => 1.0,
    }
}
