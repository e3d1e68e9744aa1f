//! What the method sees in a cloud before it moves anything.

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use super::NAME;
use super::estimate::{Estimate, Sample};
use super::learned::{place_of, survey_of_large};
use crate::frame::{LocalFrame, Unit};

/// The spacing and the noise of a cloud, as the default method finds them before it moves a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CloudEstimate {
    /// The mean spacing, in file units.
    pub spacing: f64,
    /// The standard deviation of the noise on each axis, in file units; of the noisiest places where it differs.
    /// `None` if there are too few points on surfaces to say anything.
    pub noise: Option<f64>,
    /// The noise of the quietest places, where it differs from place to place.
    pub lowest_noise: Option<f64>,
    /// The steps in which a coordinate was recorded, in file units, where these are the noise.
    pub steps: Option<f64>,
}

impl CloudEstimate {
    /// Looks at a cloud, or at a sample of a large one; `None` without two distinct points.
    ///
    /// [`Report::noise`](crate::Report::noise) says the same unless the cloud has volumes such as foliage, which only denoising
    /// shows: it is then the noise of the surfaces.
    ///
    /// ```
    /// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
    /// use pellucid_denoise::CloudEstimate;
    ///
    /// let noisy = add_noise(&Shape::Torus.sample(3_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
    /// let noise = CloudEstimate::of(&noisy).and_then(|found| found.noise);
    /// assert!(noise.is_some_and(|noise| (0.018..0.022).contains(&noise)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(cloud: &PointCloud) -> Option<CloudEstimate> {
        let large = survey_of_large(cloud).and_then(|(survey, ..)| {
            let (points, numbers) = survey.drawn();
            let place = place_of(&survey, &points, survey.bounds()?);
            let all: Vec<u32> = (0..points.len() as u32).collect();
            let frame = LocalFrame::at(&place, &all, &points, &numbers);
            let inner = frame.pick(&survey.inner());
            Some((frame, Some(inner)))
        });
        let whole = || Some((LocalFrame::enter(cloud, Unit::Spacing, NAME, 2).ok()?, None));
        let (frame, inner) = large.or_else(whole)?;
        let sample =
            Sample { points: frame.points(), numbers: frame.ordinals(), inner: inner.as_deref() };
        let (found, _) = Estimate::new(&sample);
        let unit = frame.unit();
        Some(CloudEstimate {
            spacing: unit,
            noise: found.reliable.then_some(found.noise * unit),
            lowest_noise: found.uneven.filter(|_| found.reliable).map(|u| u[0] * unit),
            steps: found.steps.map(|s| s * unit),
        })
    }
}
