//! Clouds with a known truth: noise to add to them.

mod noise;
mod scale;

pub use noise::{NoiseError, NoiseModel, add_noise};
pub use scale::{NoiseScale, paper_sigma};
