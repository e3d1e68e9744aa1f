//! Clouds with a known truth: shapes with exact surfaces, and noise to add to them.
//!
//! ```
//! use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
//!
//! let clean = Shape::Torus.sample(500, 1);
//! let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.01, 2)?;
//! let worst = |points: &[[f64; 3]]| {
//!     points.iter().map(|&p| Shape::Torus.distance(p)).fold(0.0, f64::max)
//! };
//! assert!(worst(clean.positions()) < 1e-12);
//! assert!(worst(noisy.positions()) > 0.01);
//! # Ok::<(), pellucid_cloud::synth::NoiseError>(())
//! ```

mod bracket;
mod even;
mod noise;
mod patch;
mod planar;
mod relief;
mod scale;
mod shape;

pub use noise::{NoiseError, NoiseModel, add_noise};
pub use scale::{NoiseScale, paper_sigma};
pub use shape::{Shape, UnknownShape};

#[cfg(test)]
mod tests_noise;
#[cfg(test)]
mod tests_shape;
