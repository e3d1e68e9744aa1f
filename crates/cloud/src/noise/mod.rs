//! How noisy a cloud is, from the cloud alone.
//!
//! Around each of some thousand points a quadric is fitted to the neighbors within a radius; what
//! is left, corrected for the six coefficients, is the variance of the noise, if the radius is
//! neither so small that the ball cuts the noise off nor so large that edges, curvature or another
//! sheet come in. So the radius grows from a few neighbors until it is a fixed multiple of the
//! noise that it shows, and the part that the ball cuts off is put back by a law measured on a
//! plane. Edges, thin sheets and outliers can only add to a residual, hence the low quantile of
//! the local values is taken, scaled as the quantile of the chi-squared law asks.

mod layers;
mod quadric;
mod regions;
mod scan;
mod steps;

pub use layers::{Layers, noise_between_layers_at, noise_of_layers_at};
pub use regions::NoiseMap;
pub use steps::error_steps;

use serde::{Deserialize, Serialize};

use crate::neighbors::KdTree;
use crate::normals::{covariance_of, normal_of_covariance};
use crate::spacing;
use crate::vec3::{self, Point};

/// The noise of a cloud and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseEstimate {
    /// Standard deviation of the points' offset from the surface along its normal; for noise that
    /// is the same in all directions, the standard deviation per axis.
    pub sigma: f64,
    /// [Mean spacing](crate::spacing::mean_spacing) of the cloud as it is, noise included.
    pub spacing: f64,
    /// Radius of the neighborhoods that gave `sigma`.
    pub radius: f64,
    /// Median number of points in them.
    pub neighbors: usize,
    /// How many neighborhoods could be used.
    pub samples: usize,
    /// Whether there was a radius at which the cloud looks like a surface with noise. If not,
    /// `sigma` is what the most surface-like radius gives, and may be far too high.
    pub reliable: bool,
}

/// How thick a neighborhood is over how wide: the spread of its points about a quadric fitted to
/// them over their distance from the first; 0 for a smooth surface, 0.4 for a ball that they fill.
/// `None` for too few points.
pub fn thickness(members: impl Iterator<Item = Point> + Clone) -> Option<f64> {
    let first = members.clone().next()?;
    let radius2 = members.clone().map(|p| vec3::distance2(p, first)).fold(0.0, f64::max);
    let (mean, covariance) = covariance_of(members.clone())?;
    let radius = radius2.sqrt();
    let spread = quadric::spread(members, mean, normal_of_covariance(covariance), 2.0 * radius)?;
    Some(spread.variance.sqrt() / radius)
}

/// Estimates the noise of a cloud.
///
/// The cost is bounded: at most 4096 neighborhoods are inspected, whatever the size of the cloud.
/// A cloud without enough points to say anything gets a `sigma` of zero that is not `reliable`.
///
/// ```
/// use pellucid_cloud::noise::estimate_noise;
///
/// // A smooth bowl without noise.
/// let bowl: Vec<_> = (0..2500)
///     .map(|i| [f64::from(i % 50) / 50.0, f64::from(i / 50) / 50.0])
///     .map(|[x, y]| [x, y, x * x + 0.5 * y * y])
///     .collect();
/// let noise = estimate_noise(&bowl);
/// assert!(noise.reliable && noise.sigma < 0.01 * noise.spacing);
/// ```
pub fn estimate_noise(points: &[Point]) -> NoiseEstimate {
    estimate_noise_in(points, &KdTree::new(points))
}

/// [`estimate_noise`] with the tree of the same points at hand.
pub fn estimate_noise_in(points: &[Point], tree: &KdTree) -> NoiseEstimate {
    estimate_noise_at(points, points, tree)
}

/// [`estimate_noise`] around some of the points only, for a cloud whose others have neighbors
/// missing.
pub fn estimate_noise_at(places: &[Point], points: &[Point], tree: &KdTree) -> NoiseEstimate {
    let spacing = spacing::spacing_in(points, tree);
    let steps = scan::scan(places, points, tree);
    match scan::choose(&steps) {
        Some((step, reliable)) => NoiseEstimate {
            sigma: step.sigma,
            spacing,
            radius: step.radius,
            neighbors: step.neighbors,
            samples: step.samples,
            reliable,
        },
        None => NoiseEstimate {
            sigma: 0.0,
            spacing,
            radius: 0.0,
            neighbors: 0,
            samples: 0,
            reliable: false,
        },
    }
}
#[cfg(test)]
mod steps_tests;
#[cfg(test)]
mod tests;
