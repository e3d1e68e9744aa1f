//! An exponential that vectorises.
