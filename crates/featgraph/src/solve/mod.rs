//! Linear solvers.
