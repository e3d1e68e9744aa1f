//! Local fits that several methods share: kernels, weighted planes, quadrics over a plane.
//!
//! Points are handed over relative to a nearby centre, so that no precision is lost to offsets.

mod kernel;
mod plane;
mod quadric;

pub use kernel::Kernel;
pub use plane::{Moments, Plane};
pub use quadric::{Quadric, QuadricFit};

#[cfg(test)]
mod tests;
