//! Solvers that learn the feature metric.
