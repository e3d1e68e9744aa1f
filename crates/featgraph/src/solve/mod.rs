//! Linear solvers.

pub(crate) mod blas;
