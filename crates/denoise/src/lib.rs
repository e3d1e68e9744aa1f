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
//!
//! Or its parameters are given as a value of its own type, which the compiler checks:
//!
//! ```
//! # use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
//! use pellucid_denoise::methods::Mls;
//! use pellucid_denoise::{Parameters, Run};
//!
//! # let noisy = add_noise(&Shape::Torus.sample(2_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
//! let method = Mls { neighbors: Some(30), ..Default::default() }.denoiser()?;
//! let result = method.denoise(&noisy, &mut Run::default().with_threads(Some(2)))?;
//! assert_eq!(result.iterations, Mls::default().iterations);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Modules that are hidden are internals: public for tests, benchmarks and studies, and free to change.
mod certainty;
mod denoiser;
mod error;
#[doc(hidden)]
pub mod frame;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod local;
pub mod methods;
pub mod parameters;
#[doc(hidden)]
pub mod passes;
#[doc(hidden)]
pub mod patch;
mod ray;
pub mod registry;
mod run;
mod selection;
#[doc(hidden)]
pub mod system;
pub mod tiles;

pub use certainty::uncertainty;
pub use denoiser::{Denoised, Denoiser, Iteration, Report, Stop};
pub use error::{DenoiseError, ParameterError};
pub use frame::Unit;
pub use local::{Kernel, NormalSource};
pub use methods::auto::CloudEstimate;
pub use parameters::{Checked, Parameters};
pub use ray::AlongRay;
pub use run::{Control, Observer, Progress, Run, Silent, Snapshot, install};
pub use selection::OnlySelected;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
