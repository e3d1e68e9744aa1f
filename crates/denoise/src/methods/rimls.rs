//! Robust implicit moving least squares (Öztireli, Guennebaud & Gross 2009): points are projected
//! on the zero set of a height function regressed with weights that ignore what lies across a
//! feature.

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, UNITS, Unit};
use crate::local::lanes::{Pair, dot};
use crate::local::{NORMALS, Neighborhood, NormalSource, Onto};
use crate::registry::{Method, Parameter, Parameters};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

const NAME: &str = "rimls";
const MIN_POINTS: usize = 4;
/// Fewest points within a support that say anything about the surface.
const FEWEST: usize = 4;
/// A projection has arrived when it moves a point by less than this many spacings.
const ARRIVED: f64 = 1e-3;
/// Widest automatic support.
const LARGEST_SCALE: f64 = 5.5;

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
            name: "height_bandwidth",
            unit: "radii",
            about: "neighbours whose planes pass this far from the surface lose weight",
        },
        Parameter {
            name: "normal_bandwidth",
            unit: "",
            about: "neighbours whose normals differ by this from the surface's lose weight; small \
                    keeps edges, large smooths",
        },
        Parameter {
            name: "refits",
            unit: "fits",
            about: "fits per projection, each with the weights that the one before gives",
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
    ..Method::new::<RimlsParameters>(
        NAME,
        "projects points on a robustly regressed surface that keeps edges",
        "Öztireli, Guennebaud & Gross 2009, Feature preserving point set surfaces based on \
         non-linear kernel regression",
        Some("10.1111/j.1467-8659.2009.01388.x"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RimlsParameters {
    /// Radius of a support in local spacings; `None`: from the noise.
    pub filter_scale: Option<f64>,
    /// One radius for all.
    pub radius: Option<f64>,
    /// What `radius` and `reach` are given in.
    pub units: Unit,
    /// σ_r, in radii of the support.
    pub height_bandwidth: f64,
    /// σ_n, between unit normals.
    pub normal_bandwidth: f64,
    /// Fits per projection.
    pub refits: usize,
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

impl Default for RimlsParameters {
    fn default() -> Self {
        RimlsParameters {
            filter_scale: None,
            radius: None,
            units: Unit::Spacing,
            height_bandwidth: 0.5,
            normal_bandwidth: 0.75,
            refits: 3,
            projections: 3,
            iterations: 1,
            normals: NormalSource::Estimate,
            reach: None,
            noise: None,
        }
    }
}

impl Parameters for RimlsParameters {
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
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let (r, n) = (self.height_bandwidth, self.normal_bandwidth);
        ParameterError::check(positive(r), "height_bandwidth", r, "above 0")?;
        ParameterError::check(positive(n), "normal_bandwidth", n, "above 0")?;
        let some = |n| (1..=1000).contains(&n);
        let (f, p) = (self.refits, self.projections);
        ParameterError::check(some(f), "refits", f, "between 1 and 1000")?;
        ParameterError::check(some(p), "projections", p, "between 1 and 1000")?;
        Ok(Box::new(Rimls { onto, parameters: self }))
    }
}

struct Rimls {
    onto: Onto,
    parameters: RimlsParameters,
}

impl Denoiser for Rimls {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        self.onto.denoise(noisy, run, automatic_scale, |q, radius, near| {
            let most = self.parameters.projections;
            near.walk(q, radius, most, ARRIVED, |near| self.step(near, radius))
        })
    }
}

/// The radius of a support, in local spacings, for noise of `sigma` spacings.
fn automatic_scale(sigma: f64) -> f64 {
    (3.0 + 2.0 * sigma).min(LARGEST_SCALE)
}

impl Rimls {
    /// From the query along the gradient to the surface, or `None` where there is none.
    #[inline]
    fn step(&self, near: &Neighborhood, radius: f64) -> Option<Point> {
        let (f, gradient) = self.potential(near, radius)?;
        Some(vec3::scale(gradient, -f / vec3::dot(gradient, gradient)))
    }

    /// The height of the query above the surface, and the gradient of that height.
    #[inline]
    fn potential(&self, near: &Neighborhood, radius: f64) -> Option<(f64, Point)> {
        let p = &self.parameters;
        let (height, normal) = (p.height_bandwidth * radius, p.normal_bandwidth);
        let (height2, normal2) = (1.0 / (height * height), 1.0 / (normal * normal));
        let (height2, normal2) = (Pair::both(height2), Pair::both(normal2));
        let slope = Pair::both(8.0 / (radius * radius));
        let mut found: Option<(f64, Point)> = None;
        for _ in 0..p.refits {
            let (sums, count) = near.sum(radius, |x, n, t2| {
                // Height of the query over the neighbour's plane.
                let h = -dot(x, n);
                let u = Pair::both(1.0) - t2;
                let mut u3 = u * u * u;
                if let Some((f, g)) = found {
                    let dh = h - Pair::both(f);
                    let dn = [0, 1, 2].map(|c| n[c] - Pair::both(g[c]));
                    u3 = u3 * (-dh * dh * height2 - dot(dn, dn) * normal2).map(f64::exp);
                }
                let w = u3 * u;
                // Derivative of (1 - t²)⁴ by the query; `x` points from it.
                let slope = slope * u3;
                let [a, b, c] = [slope * x[0], slope * x[1], slope * x[2]];
                [w, a, b, c, w * h, a * h, b * h, c * h, w * n[0], w * n[1], w * n[2]]
            });
            let [w, a, b, c, f, fa, fb, fc, l, m, n] = sums;
            if count < FEWEST || w <= f64::MIN_POSITIVE {
                return found;
            }
            let f = f / w;
            let g = vec3::add(vec3::sub([fa, fb, fc], vec3::scale([a, b, c], f)), [l, m, n]);
            let g = vec3::scale(g, 1.0 / w);
            if !(f.is_finite() && vec3::dot(g, g) > 1e-6) {
                return found;
            }
            found = Some((f, g));
        }
        found
    }
}
