//! Local fits that several methods share: kernels, weighted planes, quadrics over a plane,
//! oriented normals, projection onto surfaces.
//!
//! Points are handed over relative to a nearby center, so that no precision is lost to offsets.

mod kernel;
pub mod lanes;
mod normals;
mod onto;
mod oriented;
mod plane;
mod planes;
pub(crate) mod projection;
mod quadric;
mod sphere;

pub use kernel::Kernel;
pub use normals::{
    NormalSource, NormalSupply, SIGN_NEIGHBORS, estimate_oriented, normal_neighbors,
    smooth_normal_neighbors,
};
pub(crate) use onto::onto;
pub use onto::{Onto, Placed, SurfacePasses};
pub use oriented::{
    Neighborhood, Oriented, QUARTIC_CUT2, SPACING_NEIGHBORS, Support, local_spacing,
};
pub use plane::{Moments, Plane};
pub use planes::PlaneSum;
pub use quadric::{Jet, Quadric, QuadricFit};
pub use sphere::{Sphere, SphereFit};

#[cfg(test)]
mod normals_tests;
#[cfg(test)]
mod tests;
