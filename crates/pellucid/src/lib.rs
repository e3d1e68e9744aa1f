//! Turns noisy 3D point clouds into clean ones.
//!
//! A thin facade: [`cloud`] for points, [`io`] for files, [`denoise`] for methods, [`graph`] for
//! feature metric learning on anything that has features and a signal; [`outliers`] finds what no
//! denoiser can mend; [`big`] is for files larger than memory, [`steps`] for pipelines.

pub mod big;
pub mod steps;

pub use featgraph as graph;
pub use pellucid_cloud as cloud;
pub use pellucid_denoise as denoise;
pub use pellucid_io as io;

pub use pellucid_cloud::{PointCloud, outliers};
pub use pellucid_denoise::{Denoised, Denoiser, Run};

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
