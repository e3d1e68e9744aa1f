//! Algebraic point set surfaces (Guennebaud & Gross 2007): each point is projected on the surface
//! that spheres fitted to points and normals define.

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::Point;

use crate::frame::Unit;
use crate::local::{Neighborhood, NormalSource, onto};
use crate::parameters::{Checked, Parameters, above, between, parameters};
use crate::registry::Method;
use crate::{DenoiseError, Denoised, ParameterError, Run};

const NAME: &str = "apss";
const MIN_POINTS: usize = 4;
/// Fewest points within a support that say anything about the surface.
const FEWEST: usize = 4;
/// A projection has arrived when it moves a point by less than this many spacings.
const ARRIVED: f64 = 0.01;
/// Widest automatic support.
const LARGEST_SCALE: f64 = 5.0;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    ..Method::new::<Apss>(
        NAME,
        "projects points on algebraic spheres fitted to points and normals",
        "Guennebaud & Gross 2007, Algebraic point set surfaces",
        Some("10.1145/1276377.1276406"),
    )
};

parameters! {
    /// Parameters of algebraic point set surfaces.
    pub struct Apss {
        /// Radius of the support of a point; null: from the estimated noise.
        filter_scale: Option<f64> = None, in above(0.0).up_to(100.0), unit "local spacings";
        /// Radius of the support of every point, instead of one that follows the local spacing.
        radius: Option<f64> = None, in above(0.0), unit "spacings";
        /// Unit of `radius` and `reach`: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// Curvature of the spheres: 1 as fitted, 0 planes.
        roundness: f64 = 1.0, in between(0.0, 1.0);
        /// Largest number of projections of a point within a pass.
        projections: usize = 3, in between(1.0, 1000.0), unit "projections";
        /// Number of passes; each starts from the previous result.
        iterations: usize = 1, in between(1.0, 1000.0), unit "iterations";
        /// Where normals come from: estimated from the points, or those of the file.
        normals: NormalSource = NormalSource::Estimate;
        /// Distance to the surface from which a point is an outlier and is not moved;
        /// null: from the estimated noise.
        reach: Option<f64> = None, in above(0.0), unit "spacings";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Apss {
    fn check_together(&self) -> Result<(), ParameterError> {
        ParameterError::one_of(("radius", self.radius), ("filter_scale", self.filter_scale))
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        onto!(checked).denoise(noisy, run, automatic_scale, |q, radius, near| {
            near.walk(q, radius, checked.projections, ARRIVED, |near| checked.step(near, radius))
        })
    }
}

/// The radius of a support, in local spacings, for noise of `sigma` spacings.
fn automatic_scale(sigma: f64) -> f64 {
    (3.0 + 1.6 * sigma).min(LARGEST_SCALE)
}

impl Apss {
    /// From the query to the sphere around it, or `None` where there is no surface.
    #[inline]
    fn step(&self, near: &Neighborhood, radius: f64) -> Option<Point> {
        let (fit, count) = near.sphere(radius);
        if count < FEWEST {
            return None;
        }
        Some(fit.solve(self.roundness)?.project_origin())
    }
}
