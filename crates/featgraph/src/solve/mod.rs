//! Linear systems: conjugate gradient and LSQR, for several right-hand sides at once.
//!
//! A matrix is anything that is a [`LinearOperator`]. Right-hand sides and unknowns are
//! interleaved, `[f64; R]` per row, so that one pass over the matrix serves all of them.
//!
//! ```
//! use featgraph::laplacian::{Duplicate, Graph, Kind};
//! use featgraph::solve::{CgParams, Shifted, conjugate_gradient};
//! // (I + γL) y = p smooths p along the graph.
//! let graph = Graph::from_pairs(3, &[(0, 1), (1, 2)], &[1.0, 1.0], Duplicate::Add)?;
//! let system = Shifted { shift: 1.0, scale: 2.0, operator: &graph.laplacian(Kind::Combinatorial) };
//! let p = [[0.0], [3.0], [0.0]];
//! let mut y = p; // the start
//! let info = conjugate_gradient(&system, &p, &mut y, &CgParams::default())?;
//! assert!(info.converged());
//! assert!((y[0][0] - 6.0 / 7.0).abs() < 1e-6 && (y[1][0] - 9.0 / 7.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod blas;
mod cg;
pub mod channels;
mod columns;
mod lsqr;
mod operator;

#[cfg(test)]
mod cg_tests;
#[cfg(test)]
mod lsqr_tests;

pub use cg::{CgInfo, CgParams, CgStop, conjugate_gradient};
pub use lsqr::{LsqrInfo, LsqrParams, LsqrStop, lsqr};
pub use operator::{LinearOperator, Shifted, TransposeOperator};

use thiserror::Error;

/// Why a system could not be solved.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// A vector has the wrong length.
    #[error("`{what}` has {found} rows; the operator needs {expected}")]
    Length {
        /// The argument.
        what: &'static str,
        /// Rows needed.
        expected: usize,
        /// Rows given.
        found: usize,
    },
    /// Conjugate gradient needs a square operator.
    #[error(
        "the operator has {rows} rows and {columns} columns; conjugate gradient needs a square one, LSQR does not"
    )]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A vector, or a product with the operator, is not finite.
    #[error("`{what}` holds NaN or infinity at row {row}")]
    NotFinite {
        /// The vector.
        what: &'static str,
        /// First such row.
        row: usize,
    },
    /// The operator is not positive definite along a search direction.
    #[error(
        "the operator is not positive definite (curvature {curvature:e} met for right-hand side {column}); use LSQR, or add a positive multiple of the identity"
    )]
    NotPositiveDefinite {
        /// The right-hand side being solved.
        column: usize,
        /// `p'Ap` met, or the diagonal entry.
        curvature: f64,
    },
    /// A parameter is outside its range.
    #[error("parameter `{field}`: {rule}")]
    Parameter {
        /// The field.
        field: &'static str,
        /// The rule it broke.
        rule: &'static str,
    },
}
