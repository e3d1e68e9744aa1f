//! Errors of this crate's graph learning.
