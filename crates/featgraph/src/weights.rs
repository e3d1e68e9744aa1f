//! Edge weights.
