//! Local fits that several methods share: kernels, weighted planes, quadrics over a plane,
//! oriented normals.
//!
//! Points are handed over relative to a nearby centre, so that no precision is lost to offsets.

mod kernel;
mod normals;
mod plane;
mod planes;
pub(crate) mod projection;
mod quadric;

pub use kernel::Kernel;
pub use normals::{NORMALS, NormalSource, estimate_oriented, normal_neighbors};
pub use plane::{Moments, Plane};
pub use planes::PlaneSum;
pub use quadric::{Jet, Quadric, QuadricFit};

#[cfg(test)]
mod normals_tests;
#[cfg(test)]
mod tests;
