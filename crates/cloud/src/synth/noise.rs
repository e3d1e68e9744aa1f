//! Noise models.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal, UnitBall};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::vec3::{self, Point};
use crate::{CloudError, PointCloud};

/// Share of outliers where none is given.
const DEFAULT_FRACTION: f64 = 0.05;

/// How points are moved off the surface; σ is what [`add_noise`] is given.
///
/// As text: `gaussian`, `laplace`, `ball`, `normal`, `outliers` (5 % of the points) or
/// `outliers:0.1` (10 %).
///
/// ```
/// use pellucid_cloud::synth::NoiseModel;
///
/// assert_eq!("laplace".parse(), Ok(NoiseModel::Laplace));
/// assert_eq!("outliers:0.1".parse(), Ok(NoiseModel::Outliers { fraction: 0.1 }));
/// assert!("pink".parse::<NoiseModel>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoiseModel {
    /// Independent normal noise with standard deviation σ on each axis.
    #[default]
    Gaussian,
    /// Independent Laplace noise with standard deviation σ on each axis (scale σ/√2).
    Laplace,
    /// Uniform in a ball of radius √5·σ, so that each axis has standard deviation σ.
    Ball,
    /// Normal noise with standard deviation σ along the stored normal; sideways nothing.
    Normal,
    /// This fraction of the points (rounded to a whole number) gets Gaussian noise with standard
    /// deviation σ on each axis; the others stay exactly where they are.
    Outliers {
        /// Share of the finite points that move, from 0 to 1.
        fraction: f64,
    },
}

impl NoiseModel {
    /// The names of all models, as they are parsed.
    pub const NAMES: [&'static str; 5] = ["gaussian", "laplace", "ball", "normal", "outliers"];

    /// The model's name, without its parameter.
    pub fn name(&self) -> &'static str {
        match self {
            NoiseModel::Gaussian => "gaussian",
            NoiseModel::Laplace => "laplace",
            NoiseModel::Ball => "ball",
            NoiseModel::Normal => "normal",
            NoiseModel::Outliers { .. } => "outliers",
        }
    }
}

impl fmt::Display for NoiseModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoiseModel::Outliers { fraction } => write!(f, "outliers:{fraction}"),
            other => f.write_str(other.name()),
        }
    }
}

impl FromStr for NoiseModel {
    type Err = NoiseError;

    fn from_str(text: &str) -> Result<Self, NoiseError> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let unknown = || NoiseError::UnknownModel(text.to_owned());
        match (name, parameter) {
            ("gaussian", None) => Ok(NoiseModel::Gaussian),
            ("laplace", None) => Ok(NoiseModel::Laplace),
            ("ball", None) => Ok(NoiseModel::Ball),
            ("normal", None) => Ok(NoiseModel::Normal),
            ("outliers", None) => Ok(NoiseModel::Outliers { fraction: DEFAULT_FRACTION }),
            ("outliers", Some(text)) => {
                let fraction = text.parse().map_err(|_| unknown())?;
                check_fraction(fraction)?;
                Ok(NoiseModel::Outliers { fraction })
            }
            _ => Err(unknown()),
        }
    }
}

/// Why noise cannot be added.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// No such noise model.
    #[error(
        "unknown noise model \"{0}\"; use gaussian, laplace, ball, normal, outliers or outliers:FRACTION"
    )]
    UnknownModel(String),
    /// No such scale.
    #[error("unknown noise scale \"{0}\"; use paper, absolute, spacing or diagonal")]
    UnknownScale(String),
    /// The standard deviation is negative or not finite.
    #[error("sigma is {0}; it must be zero or more and finite")]
    Sigma(f64),
    /// The level is negative or not finite.
    #[error("the noise level is {0}; it must be zero or more and finite")]
    Level(f64),
    /// The share of outliers is not a share.
    #[error("the fraction of outliers is {0}; it must be from 0 to 1")]
    Fraction(f64),
    /// Noise along the normal of a cloud without normals.
    #[error("noise along the normal needs a cloud with normals; this one has none")]
    NoNormals,
    /// A normal without a direction.
    #[error("the normal of point {row} is zero or not finite; noise along it is not defined")]
    BadNormal {
        /// The point.
        row: usize,
    },
    /// A scale that depends on the cloud, and too few points to tell.
    #[error("the scale \"{scale}\" needs {needed} finite points; the cloud has {found}")]
    TooFewPoints {
        /// The scale asked for.
        scale: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// The moved points do not fit the cloud.
    #[error(transparent)]
    Cloud(#[from] CloudError),
}

fn check_fraction(fraction: f64) -> Result<(), NoiseError> {
    if (0.0..=1.0).contains(&fraction) { Ok(()) } else { Err(NoiseError::Fraction(fraction)) }
}

/// Moves the points of `cloud` by noise of the given model and standard deviation.
///
/// Only positions change: order and columns stay (also normals, which are then the truth's).
/// Rows that are not finite stay as they are. The same seed gives the same noise, and the noise of
/// a row does not depend on the other rows (except which rows become outliers).
///
/// ```
/// use pellucid_cloud::PointCloud;
/// use pellucid_cloud::synth::{NoiseModel, add_noise};
///
/// let clean = PointCloud::new(vec![[0.0; 3]; 1000]);
/// let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.1, 7)?;
/// let variance = noisy.positions().iter().map(|p| p[0] * p[0]).sum::<f64>() / 1000.0;
/// assert!((variance.sqrt() - 0.1).abs() < 0.01);
/// # Ok::<(), pellucid_cloud::synth::NoiseError>(())
/// ```
pub fn add_noise(
    cloud: &PointCloud,
    model: NoiseModel,
    sigma: f64,
    seed: u64,
) -> Result<PointCloud, NoiseError> {
    if !(sigma.is_finite() && sigma >= 0.0) {
        return Err(NoiseError::Sigma(sigma));
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut positions = cloud.positions().to_vec();
    match model {
        NoiseModel::Gaussian => shift(&mut positions, |_| scaled(gaussian(&mut rng), sigma)),
        NoiseModel::Laplace => shift(&mut positions, |_| scaled(laplace(&mut rng), sigma)),
        NoiseModel::Ball => shift(&mut positions, |_| scaled(ball(&mut rng), sigma)),
        NoiseModel::Normal => {
            let normals = unit_normals(cloud)?;
            shift(&mut positions, |row| {
                let along: f64 = StandardNormal.sample(&mut rng);
                scaled(normals[row], sigma * along)
            });
        }
        NoiseModel::Outliers { fraction } => {
            check_fraction(fraction)?;
            let chosen = choose(cloud.finite_rows(), fraction, cloud.len(), &mut rng);
            shift(&mut positions, |row| {
                let step = scaled(gaussian(&mut rng), sigma);
                if chosen[row] { step } else { [0.0; 3] }
            });
        }
    }
    Ok(cloud.with_positions(positions)?)
}

/// Adds `step(row)` to each finite point; the step is drawn for the others too, so that one row
/// does not change the noise of the next.
fn shift(positions: &mut [Point], mut step: impl FnMut(usize) -> Point) {
    for (row, p) in positions.iter_mut().enumerate() {
        let s = step(row);
        if vec3::is_finite(*p) {
            *p = vec3::add(*p, s);
        }
    }
}

fn scaled(a: Point, s: f64) -> Point {
    vec3::scale(a, s)
}

fn gaussian(rng: &mut impl Rng) -> Point {
    std::array::from_fn(|_| StandardNormal.sample(rng))
}

/// Laplace noise of unit variance on each axis: a signed exponential with mean 1/√2.
fn laplace(rng: &mut impl Rng) -> Point {
    std::array::from_fn(|_| {
        let signed = 2.0 * rng.random::<f64>() - 1.0;
        // A draw of exactly zero would otherwise give an infinite step.
        -(1.0 - signed.abs()).max(f64::EPSILON).ln()
            * std::f64::consts::FRAC_1_SQRT_2
            * signed.signum()
    })
}

/// Uniform in a ball with unit variance on each axis: the variance of a ball is r²/5.
fn ball(rng: &mut impl Rng) -> Point {
    let p: Point = UnitBall.sample(rng);
    vec3::scale(p, 5.0_f64.sqrt())
}

fn unit_normals(cloud: &PointCloud) -> Result<Vec<Point>, NoiseError> {
    let normals = cloud.normals().ok_or(NoiseError::NoNormals)?;
    normals
        .into_iter()
        .enumerate()
        .map(|(row, n)| match vec3::normalized(n) {
            Some(n) => Ok(n),
            None if !vec3::is_finite(cloud.positions()[row]) => Ok([0.0; 3]),
            None => Err(NoiseError::BadNormal { row }),
        })
        .collect()
}

/// Marks exactly `round(fraction · rows)` of the rows, each set of that size equally likely.
fn choose(mut rows: Vec<usize>, fraction: f64, len: usize, rng: &mut impl Rng) -> Vec<bool> {
    let count = (fraction * rows.len() as f64).round() as usize;
    let mut chosen = vec![false; len];
    for i in 0..count.min(rows.len()) {
        let j = rng.random_range(i..rows.len());
        rows.swap(i, j);
        chosen[rows[i]] = true;
    }
    chosen
}
