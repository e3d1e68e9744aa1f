//! The lowest eigenpairs of a symmetric operator, without forming an inverse.
//!
//! [`smallest_eigenvalue`] gives one pair, [`lowest_eigenpairs`] a few. Both run LOBPCG
//! (Knyazev 2001, [doi:10.1137/S1064827500366124](https://doi.org/10.1137/S1064827500366124))
//! and only ever ask the operator for products `y = A x`.

mod block;
mod dense;
mod lanczos;
mod lobpcg;
mod rayleigh_ritz;

#[cfg(test)]
mod lobpcg_tests;

pub use dense::{DenseEigen, symmetric_eigen};
pub use lobpcg::{
    EigenStop, LobpcgParams, LowestEigen, SmallestEigen, lowest_eigenpairs, smallest_eigenvalue,
};

use thiserror::Error;

/// Why an eigenvalue could not be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EigenError {
    /// The operator has no rows.
    #[error("the operator has no rows; an eigenvalue needs n >= 1")]
    Empty,
    /// More eigenpairs were asked for than exist, or none.
    #[error("{wanted} eigenpairs were asked for; an operator with {n} rows has 1 to {n}")]
    Count {
        /// How many were asked for.
        wanted: usize,
        /// Rows of the operator.
        n: usize,
    },
    /// A slice does not have the length the operator needs.
    #[error("`{what}` has {found} entries; the operator needs {expected}")]
    Length {
        /// The argument.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// The operator gave a value that is not finite.
    #[error("the operator gave NaN or infinity in row {row}; check the matrix entries")]
    NotFinite {
        /// First such row.
        row: usize,
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
