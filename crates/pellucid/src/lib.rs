//! Turns noisy 3D point clouds into clean ones.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let (scan, clean) = (folder.path().join("scan.ply"), folder.path().join("clean.ply"));
//! # let torus = pellucid::cloud::synth::Shape::Torus.sample(1_500, 1);
//! # let model = pellucid::cloud::synth::NoiseModel::Gaussian;
//! # pellucid::write(&scan, &pellucid::cloud::synth::add_noise(&torus, model, 0.03, 2)?.into())?;
//! let mut document = pellucid::read(scan)?; // "scan.ply", or any other format
//! let result = pellucid::denoise(&document.cloud)?; // no parameter needed
//! println!("noise {:?}, stopped by {:?}", result.report.noise, result.stop);
//! document.cloud = result.cloud;
//! pellucid::write(clean, &document)?; // "clean.ply", with everything else that was in the file
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Points keep their number, order and attributes, and results are the same to the last bit for any number of
//! threads. [`denoise`](mod@denoise) has the methods, [`cloud`] points, neighbors, normals and measures, [`io`] files,
//! [`graph`] feature metric learning on anything that has features and a signal, [`outliers`] finds what no denoiser
//! can mend, [`big`] is for files larger than memory, and [`steps`] for pipelines.
//!
//! # Another method, with parameters
//!
//! ```
//! use pellucid::Run;
//! use pellucid::denoise::Parameters;
//! use pellucid::denoise::methods::Mls;
//! # let noisy = pellucid::cloud::synth::Shape::Sphere.sample(1_000, 1);
//!
//! let method = Mls { neighbors: Some(24), iterations: 3, ..Default::default() }.denoiser()?;
//! let result = method.denoise(&noisy, &mut Run::default().with_seed(7).with_threads(Some(2)))?;
//! assert_eq!(result.iterations, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! By names, as the program's `--method`, `--preset` and `--set` do it ([`registry`](denoise::registry) is the table):
//!
//! ```
//! use pellucid::denoise::registry::{self, ParameterMap};
//!
//! let changes = ParameterMap::from_iter([("iterations".to_owned(), 2.into())]);
//! let method = registry::find("mls")?.build(Some("jet"), &changes)?;
//! assert!(registry::find("mls")?.build(Some("no such preset"), &changes).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Progress and cancelling
//!
//! ```
//! use pellucid::Run;
//! use pellucid::denoise::{Control, DenoiseError, Observer, Progress, registry};
//! # let noisy = pellucid::cloud::synth::Shape::Sphere.sample(1_000, 1);
//!
//! struct Patience(usize);
//!
//! impl Observer for Patience {
//!     fn progress(&mut self, progress: &Progress) -> Control {
//!         eprintln!("{:3.0} % {}", 100.0 * progress.fraction, progress.step);
//!         self.0 -= 1;
//!         if self.0 == 0 { Control::Cancel } else { Control::Continue }
//!     }
//! }
//!
//! let method = registry::find("mls")?.build(None, &Default::default())?;
//! let result = method.denoise(&noisy, &mut Run::default().with_observer(Patience(2)));
//! assert!(matches!(result, Err(DenoiseError::Cancelled)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A selection, and lines of sight
//!
//! ```
//! use pellucid::denoise::{AlongRay, Denoiser, OnlySelected, registry};
//! use pellucid::{PointCloud, Run};
//! # let noisy = pellucid::cloud::synth::Shape::Torus.sample(1_000, 1);
//!
//! let method = registry::find("mls")?.build(None, &Default::default())?;
//! let selected: Vec<bool> = noisy.positions().iter().map(|p| p[2] > 0.0).collect();
//! let result = OnlySelected::new(&*method, &selected).denoise(&noisy, &mut Run::default())?;
//!
//! let scanner = [0.0, 0.0, 5.0];
//! let result = AlongRay::new(&*method, &[scanner]).denoise(&noisy, &mut Run::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How far points moved, and how sure it is where they are
//!
//! ```
//! # use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
//! # let noisy = add_noise(&Shape::Sphere.sample(1_500, 1), NoiseModel::Gaussian, 0.02, 2)?;
//! use pellucid::cloud::{Attribute, Values};
//!
//! let mut result = pellucid::denoise(&noisy)?;
//! let displacement = result.displacement(&noisy);
//! let uncertainty = result.uncertainty(&noisy);
//! assert!(displacement.iter().any(|d| *d > 0.01) && uncertainty.len() == noisy.len());
//! result.cloud.set_attribute(Attribute::scalar("displacement", Values::F64(displacement)))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Outliers
//!
//! ```
//! use pellucid::outliers::{self, Rule};
//! # let mut points = pellucid::cloud::synth::Shape::Sphere.sample(1_000, 1).into_positions();
//! # points.push([9.0; 3]);
//! # let cloud = pellucid::PointCloud::new(points);
//!
//! let found = outliers::find(cloud.positions(), &Rule::default())?;
//! assert!(found.flags[1_000] && found.count() < 20);
//! let kept = cloud.select(&found.kept()); // with their attributes
//! # assert_eq!(kept.len(), 1_001 - found.count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Thin, crop, merge, remove repeated points, normals
//!
//! ```
//! use pellucid::cloud::normals::{estimate_normals_k, orient_to_viewpoint};
//! use pellucid::cloud::sample::poisson_disk;
//! use pellucid::cloud::{DistinctRows, PointCloud};
//! # let cloud = pellucid::cloud::synth::Shape::Sphere.sample(1_000, 1).without_attributes();
//!
//! let rows: Vec<usize> = poisson_disk(cloud.positions(), 0.2, 1).iter().map(|r| *r as usize).collect();
//! let thin = cloud.select(&rows);
//! assert!(thin.len() < cloud.len());
//!
//! let rows: Vec<usize> = (0..cloud.len()).filter(|&row| cloud.positions()[row][2] > 0.5).collect();
//! let cropped = cloud.select(&rows);
//!
//! let both = PointCloud::new([cloud.positions(), cropped.positions()].concat());
//! let once = DistinctRows::of(both.positions()).pick(both.positions());
//! assert_eq!(once.len(), cloud.len());
//!
//! let mut normals = estimate_normals_k(thin.positions(), 12);
//! orient_to_viewpoint(thin.positions(), &mut normals, [0.0, 0.0, 9.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Measure: noise, spacing, distance to the truth
//!
//! ```
//! use pellucid::cloud::noise::estimate_noise;
//! use pellucid::cloud::quality::compare;
//! use pellucid::cloud::spacing::spacing_of;
//! use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
//!
//! let truth = Shape::Sphere.sample(3_000, 1);
//! let noisy = add_noise(&truth, NoiseModel::Gaussian, 0.03, 2)?;
//! assert!((0.02..0.04).contains(&estimate_noise(noisy.positions()).sigma));
//! assert!(spacing_of(truth.positions()) < 0.1);
//!
//! let clean = pellucid::denoise(&noisy)?.cloud;
//! let distance = |cloud| compare(cloud, &truth, None).map(|quality| quality.paper_mse);
//! assert!(distance(&clean)? < 0.9 * distance(&noisy)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Convert
//!
//! ```
//! use pellucid::io::{Format, WriteOptions, read_bytes, write_bytes};
//!
//! let document = read_bytes(b"1 2 3\n4 5 6\n", Format::Text, "scan.xyz")?;
//! let ply = write_bytes(&document, Format::Ply, &WriteOptions::default())?;
//! assert!(ply.starts_with(b"ply\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Larger than memory
//!
//! ```no_run
//! use pellucid::{Run, big};
//!
//! let job = big::TiledJob::new("big.laz", "clean.laz", "2G".parse()?);
//! let outcome = big::denoise(&job, &mut Run::default())?;
//! println!("{} points in {} tiles", outcome.points, outcome.tiles);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod big;
pub mod changes;
pub mod distances;
pub mod facts;
pub mod merge;
pub mod numbers;
pub mod room;
pub mod split;
pub mod steps;
pub mod unmoved;

use std::path::Path;

pub use featgraph as graph;
pub use pellucid_cloud as cloud;
pub use pellucid_denoise as denoise;
pub use pellucid_io as io;

pub use pellucid_cloud::{PointCloud, outliers};
pub use pellucid_denoise::{Denoised, Denoiser, Run};
pub use pellucid_io::Document;

use pellucid_denoise::{DenoiseError, registry};
use pellucid_io::{IoError, WriteOptions, Written};

/// Moves the points of a cloud onto the surface they were measured from, by the default method with its
/// defaults, on all cores.
///
/// ```
/// use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
///
/// let noisy = add_noise(&Shape::Sphere.sample(2_000, 1), NoiseModel::Gaussian, 0.03, 2)?;
/// let clean = pellucid::denoise(&noisy)?.cloud;
/// let off = |p: &[f64; 3]| (p[0].hypot(p[1]).hypot(p[2]) - 1.0).abs();
/// let mean = |cloud: &pellucid::PointCloud| cloud.positions().iter().map(off).sum::<f64>() / 2_000.0;
/// assert!(mean(&clean) < 0.5 * mean(&noisy));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn denoise(cloud: &PointCloud) -> Result<Denoised, DenoiseError> {
    let method = registry::find(registry::DEFAULT)?.build(None, &Default::default())?;
    method.denoise(cloud, &mut Run::default())
}

/// Reads a file; its format is given by the extension and checked by the content. [`io::read_with`] has limits.
///
/// ```
/// let fault = pellucid::read("no such file.ply").unwrap_err();
/// assert!(fault.to_string().contains("no such file.ply"));
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Document, IoError> {
    io::read(path.as_ref())
}

/// Writes a new file in the format that its extension names, whole or not at all; what the format cannot hold
/// is listed in the result. [`io::write`] has options, such as to replace a file that exists.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.xyz");
/// let cloud = pellucid::PointCloud::new(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// pellucid::write(&path, &cloud.clone().into())?;
/// assert_eq!(pellucid::read(&path)?.cloud, cloud);
/// assert!(pellucid::write(&path, &cloud.into()).is_err()); // it is there already
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: impl AsRef<Path>, document: &Document) -> Result<Written, IoError> {
    io::write(path.as_ref(), document, &WriteOptions::default())
}

/// The example of this crate's README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
