//! What a noise level means.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::NoiseError;
use crate::bounds;
use crate::sample::farthest_points;
use crate::spacing::spacing_of;
use crate::vec3::{self, Point};

/// Samples among which [`paper_sigma`] looks for the largest distance.
const PAPER_SAMPLES: usize = 200;

/// How a noise level becomes a standard deviation.
///
/// ```
/// use pellucid_cloud::synth::NoiseScale;
///
/// let points = [[0.0; 3], [3.0, 4.0, 0.0]];
/// assert_eq!(NoiseScale::Diagonal.sigma(&points, 0.01)?, 0.05);
/// assert_eq!("paper".parse(), Ok(NoiseScale::Paper));
/// # Ok::<(), pellucid_cloud::synth::NoiseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoiseScale {
    /// As in the paper's tables: level times the root of the cloud's extent ([`paper_sigma`]).
    #[default]
    Paper,
    /// The level is the standard deviation, in the units of the file.
    Absolute,
    /// In mean distances from a point to the nearest other one ([`spacing_of`]).
    Spacing,
    /// In lengths of the diagonal of the bounding box.
    Diagonal,
}

impl NoiseScale {
    /// All scales.
    pub const ALL: [NoiseScale; 4] =
        [NoiseScale::Paper, NoiseScale::Absolute, NoiseScale::Spacing, NoiseScale::Diagonal];

    /// The scale's name, as it is parsed.
    pub fn name(self) -> &'static str {
        match self {
            NoiseScale::Paper => "paper",
            NoiseScale::Absolute => "absolute",
            NoiseScale::Spacing => "spacing",
            NoiseScale::Diagonal => "diagonal",
        }
    }

    /// The standard deviation that `level` means for these points.
    pub fn sigma(self, points: &[Point], level: f64) -> Result<f64, NoiseError> {
        if !(level.is_finite() && level >= 0.0) {
            return Err(NoiseError::Level(level));
        }
        let found = points.iter().filter(|&&p| vec3::is_finite(p)).count();
        let needed = match self {
            NoiseScale::Absolute => 0,
            NoiseScale::Paper | NoiseScale::Spacing | NoiseScale::Diagonal => 2,
        };
        if found < needed {
            return Err(NoiseError::TooFewPoints { scale: self.name(), needed, found });
        }
        Ok(match self {
            NoiseScale::Paper => paper_sigma(points, level),
            NoiseScale::Absolute => level,
            NoiseScale::Spacing => level * spacing_of(points),
            NoiseScale::Diagonal => {
                level * bounds(points).map_or(0.0, |(lo, hi)| vec3::norm(vec3::sub(hi, lo)))
            }
        })
    }
}

impl fmt::Display for NoiseScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for NoiseScale {
    type Err = NoiseError;

    fn from_str(text: &str) -> Result<Self, NoiseError> {
        NoiseScale::ALL
            .into_iter()
            .find(|scale| scale.name() == text)
            .ok_or_else(|| NoiseError::UnknownScale(text.to_owned()))
    }
}

/// The standard deviation behind a noise level of the paper's tables: `level · √D`, where `D` is
/// the largest distance among 200 farthest-point samples that start at the first finite point.
///
/// The root makes it depend on the unit of length; that is how the published clouds were made.
pub fn paper_sigma(points: &[Point], level: f64) -> f64 {
    let samples: Vec<Point> =
        farthest_points(points, PAPER_SAMPLES, 0).into_iter().map(|i| points[i as usize]).collect();
    let largest2 = samples
        .iter()
        .enumerate()
        .flat_map(|(i, &p)| samples[..i].iter().map(move |&q| vec3::distance2(p, q)))
        .fold(0.0, f64::max);
    level * largest2.sqrt().sqrt()
}
