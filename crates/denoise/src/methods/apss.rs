//! Algebraic point set surfaces (Guennebaud & Gross 2007): each point is projected on the surface
//! that spheres fitted to points and normals define.

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::Point;
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, UNITS, Unit};
use crate::local::{NORMALS, Neighborhood, NormalSource, Onto};
use crate::registry::{Method, Parameter, Parameters};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

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
    parameters: &[
        Parameter {
            name: "filter_scale",
            unit: "local spacings",
            about: "radius of the support of a point; null: from the estimated noise",
        },
        Parameter {
            name: "radius",
            unit: "spacings",
            about: "the same radius for all points instead, in the unit that `units` says",
        },
        UNITS,
        Parameter {
            name: "roundness",
            unit: "",
            about: "curvature of the spheres: 1 as fitted, 0 planes",
        },
        Parameter {
            name: "projections",
            unit: "projections",
            about: "most projections of a point within a pass",
        },
        Parameter {
            name: "iterations",
            unit: "iterations",
            about: "passes, each on the surface of the points as the one before left them",
        },
        NORMALS,
        Parameter {
            name: "reach",
            unit: "spacings",
            about: "a point this far from the surface is an outlier and stays, in the unit that \
                    `units` says; null: from the estimated noise",
        },
        NOISE,
    ],
    ..Method::new::<ApssParameters>(
        NAME,
        "projects points on algebraic spheres fitted to points and normals",
        "Guennebaud & Gross 2007, Algebraic point set surfaces",
        Some("10.1145/1276377.1276406"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApssParameters {
    /// Radius of a support in local spacings; `None`: from the noise.
    pub filter_scale: Option<f64>,
    /// One radius for all.
    pub radius: Option<f64>,
    /// What `radius` and `reach` are given in.
    pub units: Unit,
    /// 1 spheres, 0 planes.
    pub roundness: f64,
    /// Most projections of a point in a pass.
    pub projections: usize,
    /// Passes.
    pub iterations: usize,
    /// Where normals come from.
    pub normals: NormalSource,
    /// Largest move.
    pub reach: Option<f64>,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for ApssParameters {
    fn default() -> Self {
        ApssParameters {
            filter_scale: None,
            radius: None,
            units: Unit::Spacing,
            roundness: 1.0,
            projections: 3,
            iterations: 1,
            normals: NormalSource::Estimate,
            reach: None,
            noise: None,
        }
    }
}

impl Parameters for ApssParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let onto = Onto {
            name: NAME,
            min_points: MIN_POINTS,
            filter_scale: self.filter_scale,
            radius: self.radius,
            units: self.units,
            normals: self.normals,
            reach: self.reach,
            iterations: self.iterations,
            noise: self.noise,
        };
        onto.check()?;
        let (roundness, projections) = (self.roundness, self.projections);
        let round = (0.0..=1.0).contains(&roundness);
        ParameterError::check(round, "roundness", roundness, "between 0 and 1")?;
        let some = (1..=1000).contains(&projections);
        ParameterError::check(some, "projections", projections, "between 1 and 1000")?;
        Ok(Box::new(Apss { onto, roundness, projections }))
    }
}

struct Apss {
    onto: Onto,
    roundness: f64,
    projections: usize,
}

impl Denoiser for Apss {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        self.onto.denoise(noisy, run, automatic_scale, |q, radius, near| {
            near.walk(q, radius, self.projections, ARRIVED, |near| self.step(near, radius))
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
