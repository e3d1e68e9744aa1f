//! The feature metric M.
