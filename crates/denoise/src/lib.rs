//! Denoising methods behind one trait.
//!
//! A method is found by name in the [registry], built from a preset and parameters, and run:
//!
//! ```
//! use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
//! use pellucid_denoise::{Run, registry};
//!
//! let clean = Shape::Torus.sample(2_000, 1);
//! let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2)?;
//! let method = registry::find("mls")?.build(None, &Default::default())?;
//! let result = method.denoise(&noisy, &mut Run::default())?;
//! assert_eq!(result.cloud.len(), noisy.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certainty;
mod denoiser;
mod error;
pub mod frame;
pub mod graph;
pub mod local;
pub mod methods;
pub mod passes;
pub mod patch;
mod ray;
pub mod registry;
mod run;
mod selection;
pub mod system;
pub mod tiles;

pub use certainty::uncertainty;
pub use denoiser::{Denoised, Denoiser, Iteration, Report, Stop};
pub use error::{DenoiseError, ParameterError};
pub use ray::AlongRay;
pub use run::{Control, Observer, Progress, Run, Silent, Snapshot, install};
pub use selection::OnlySelected;
