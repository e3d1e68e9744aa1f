//! The bilateral filter on points (Fleishman et al. 2003; Digne & de Franchis 2017): each point
//! moves along its normal to the mean height of its neighbours, those at other heights counting
//! less.

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, UNITS, Unit, check_noise};
use crate::local::{
    NORMALS, Neighborhood, NormalSource, Support, SurfacePasses,
    lanes::{Pair, dot},
    normal_neighbors,
};
use crate::passes::Passes;
use crate::registry::{Method, Parameter, Parameters};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

const NAME: &str = "bilateral";
const MIN_POINTS: usize = 4;
/// Fewest points within a support that say anything about the surface.
const FEWEST: usize = 4;
/// The support ends at this many distance bandwidths.
const CUT: f64 = 3.0;
/// The automatic height bandwidth in standard deviations of the noise.
const HEIGHT: f64 = 2.0;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    parameters: &[
        Parameter {
            name: "distance_bandwidth",
            unit: "spacings",
            about: "standard deviation of the weight by distance, in the unit that `units` says; \
                    null: from the estimated noise, and following the local density",
        },
        Parameter {
            name: "height_bandwidth",
            unit: "spacings",
            about: "standard deviation of the weight by height over the tangent plane, in the \
                    unit that `units` says; null: from the estimated noise",
        },
        UNITS,
        Parameter {
            name: "iterations",
            unit: "iterations",
            about: "passes, each over the points as the one before left them",
        },
        NORMALS,
        NOISE,
    ],
    ..Method::new::<BilateralParameters>(
        NAME,
        "moves points along their normals to the height of neighbours at a similar height",
        "Digne & de Franchis 2017, The bilateral filter for point clouds",
        Some("10.5201/ipol.2017.179"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BilateralParameters {
    /// σ_d; `None`: from the noise.
    pub distance_bandwidth: Option<f64>,
    /// σ_n; `None`: from the noise.
    pub height_bandwidth: Option<f64>,
    /// What the bandwidths are given in.
    pub units: Unit,
    /// Passes.
    pub iterations: usize,
    /// Where normals come from.
    pub normals: NormalSource,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for BilateralParameters {
    fn default() -> Self {
        BilateralParameters {
            distance_bandwidth: None,
            height_bandwidth: None,
            units: Unit::Spacing,
            iterations: 2,
            normals: NormalSource::Estimate,
            noise: None,
        }
    }
}

impl Parameters for BilateralParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let positive = |x: Option<f64>| x.is_none_or(|x| x > 0.0 && x.is_finite());
        let (d, h) = (self.distance_bandwidth, self.height_bandwidth);
        ParameterError::check(positive(d), "distance_bandwidth", d, "above 0, or null")?;
        ParameterError::check(positive(h), "height_bandwidth", h, "above 0, or null")?;
        let passes = (1..=1000).contains(&self.iterations);
        ParameterError::check(passes, "iterations", self.iterations, "between 1 and 1000")?;
        check_noise(self.noise)?;
        Ok(Box::new(Bilateral(self)))
    }
}

struct Bilateral(BilateralParameters);

impl Denoiser for Bilateral {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let p = &self.0;
        let mut work = Passes::begin(noisy, NAME, MIN_POINTS, p.noise, run)?;
        let sigma = work.noise.sigma;
        let support = match p.distance_bandwidth {
            Some(d) => Support::Fixed(CUT * work.frame.length(d, p.units)),
            None if work.is_clean() && p.height_bandwidth.is_none() => {
                return Ok(work.leave_alone());
            }
            None => {
                let d = automatic_bandwidth(sigma);
                work.note(format!("bandwidth {d:.2}, for noise of {sigma:.2} spacings"));
                Support::Local(CUT * d)
            }
        };
        let height =
            p.height_bandwidth.map_or(HEIGHT * sigma.max(0.1), |h| work.frame.length(h, p.units));
        let supply = p.normals.supply(noisy, &work.frame, normal_neighbors(sigma))?;
        let surface = SurfacePasses { support, supply, cut2: 1.0 };
        surface.run(work, run, p.iterations, |near, at| {
            near.collect(at.position, at.radius);
            let step = height_step(near, at.radius, at.normal, height).unwrap_or(0.0);
            vec3::add(at.position, vec3::scale(at.normal, step))
        })
    }
}

/// The distance bandwidth, in local spacings, for noise of `sigma` spacings.
fn automatic_bandwidth(sigma: f64) -> f64 {
    0.7 + 0.4 * sigma.min(1.5)
}

/// The weighted mean height of the neighbours over the tangent plane of the query.
#[inline]
fn height_step(near: &Neighborhood, radius: f64, normal: Point, bandwidth: f64) -> Option<f64> {
    let normal = normal.map(Pair::both);
    let by_distance = Pair::both(0.5 * CUT * CUT);
    let by_height = Pair::both(0.5 / (bandwidth * bandwidth));
    let ([weights, heights], count) = near.sum(radius, |x, _, t2| {
        let h = dot(x, normal);
        let w = (-by_distance * t2 - by_height * h * h).map(f64::exp);
        [w, w * h]
    });
    (count >= FEWEST && weights > 0.0).then(|| heights / weights)
}
