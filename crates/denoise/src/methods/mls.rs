//! Moving least squares (Alexa et al. 2001): each point moves onto a surface fitted to its
//! neighbours.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree, PointCloud};
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, UNITS, Unit, check_noise};
use crate::local::{Kernel, Moments, QuadricFit};
use crate::passes::Passes;
use crate::registry::{Method, Parameter, Parameters, Preset, Properties};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

const NAME: &str = "mls";
const MIN_POINTS: usize = 4;

/// Most points in an automatic neighbourhood, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 60;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "jet",
        about: "one pass of quadric fits, as in jet smoothing; keeps curved detail at low noise",
        properties: Properties::USUAL,
    }],
    parameters: &[
        Parameter {
            name: "surface",
            unit: "",
            about: "what is fitted to the neighbours: plane or quadric",
        },
        Parameter {
            name: "neighbors",
            unit: "points",
            about: "size of a neighbourhood, the point included; null: from the estimated noise",
        },
        Parameter {
            name: "radius",
            unit: "spacings",
            about: "take all neighbours within this distance instead of a number of them, in the \
                    unit that `units` says",
        },
        UNITS,
        Parameter {
            name: "kernel",
            unit: "",
            about: "how weights fall with distance: flat, biweight, quartic or gaussian",
        },
        Parameter {
            name: "iterations",
            unit: "iterations",
            about: "passes, each over the points as the one before left them",
        },
        Parameter {
            name: "reach",
            unit: "spacings",
            about: "a point this far from its fitted surface is an outlier and stays, in the \
                    unit that `units` says; null: from the estimated noise",
        },
        NOISE,
    ],
    ..Method::new::<MlsParameters>(
        NAME,
        "projects each point on a locally fitted plane or quadric",
        "Alexa et al. 2001, Point set surfaces",
        Some("10.1109/VISUAL.2001.964489"),
    )
};

/// What is fitted to a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// The plane of least squared distance.
    Plane,
    /// A quadric height field over that plane.
    Quadric,
}

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlsParameters {
    /// What is fitted.
    pub surface: Surface,
    /// Points in a neighbourhood; `None`: from the noise.
    pub neighbors: Option<usize>,
    /// Radius of a neighbourhood, instead of a number of points.
    pub radius: Option<f64>,
    /// What `radius` and `reach` are given in.
    pub units: Unit,
    /// Weights by distance.
    pub kernel: Kernel,
    /// Passes.
    pub iterations: usize,
    /// Largest move; `None`: from the noise.
    pub reach: Option<f64>,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for MlsParameters {
    fn default() -> Self {
        MlsParameters {
            surface: Surface::Plane,
            neighbors: None,
            radius: None,
            units: Unit::Spacing,
            kernel: Kernel::Flat,
            iterations: 2,
            reach: None,
            noise: None,
        }
    }
}

impl Parameters for MlsParameters {
    fn preset(name: &str) -> Option<Self> {
        (name == "jet").then(|| MlsParameters {
            surface: Surface::Quadric,
            iterations: 1,
            ..MlsParameters::default()
        })
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let positive = |x: Option<f64>| x.is_none_or(|x| x > 0.0 && x.is_finite());
        let few = self.neighbors.is_none_or(|k| (3..=10_000).contains(&k));
        ParameterError::check(few, "neighbors", self.neighbors, "between 3 and 10000, or null")?;
        ParameterError::check(positive(self.radius), "radius", self.radius, "above 0, or null")?;
        let one = self.radius.is_none() || self.neighbors.is_none();
        ParameterError::check(one, "radius", self.radius, "null when neighbors is given")?;
        let passes = (1..=1000).contains(&self.iterations);
        ParameterError::check(passes, "iterations", self.iterations, "between 1 and 1000")?;
        ParameterError::check(positive(self.reach), "reach", self.reach, "above 0, or null")?;
        check_noise(self.noise)?;
        Ok(Box::new(Mls(self)))
    }
}

struct Mls(MlsParameters);

impl Denoiser for Mls {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let mut work = Passes::begin(noisy, NAME, MIN_POINTS, self.0.noise, run)?;
        if self.is_automatic() && work.is_clean() {
            return Ok(work.leave_alone());
        }
        let fit = self.fit(&mut work);
        work.run(run, self.0.iterations, |pass, points, run| {
            let tree = KdTree::new(points);
            pass.each(points, run, || tree.around(points), |around, _, q| fit.project(q, around))
        })
    }
}

/// The neighbourhoods of a run, in local units.
struct Fit {
    surface: Surface,
    kernel: Kernel,
    extent: Extent,
    reach2: f64,
}

enum Extent {
    Neighbors(usize),
    Radius(f64),
}

impl Mls {
    fn is_automatic(&self) -> bool {
        self.0.neighbors.is_none() && self.0.radius.is_none()
    }

    /// What to fit to how many points, for the noise of the cloud.
    fn fit(&self, work: &mut Passes) -> Fit {
        let p = &self.0;
        let sigma = work.noise.sigma;
        let extent = match (p.neighbors, p.radius) {
            (_, Some(radius)) => Extent::Radius(work.frame.length(radius, p.units)),
            (Some(k), None) => Extent::Neighbors(k),
            (None, None) => {
                let k = automatic_neighbors(p.surface, sigma);
                work.note(format!("{k} neighbours, for noise of {sigma:.2} spacings"));
                Extent::Neighbors(k)
            }
        };
        let reach = p.reach.map_or(1.0 + 6.0 * sigma, |r| work.frame.length(r, p.units));
        Fit { surface: p.surface, kernel: p.kernel, extent, reach2: reach * reach }
    }
}

/// Neighbours for noise of `sigma` spacings. A neighbourhood must reach past the noise, so its
/// radius grows with sigma and its number of points with sigma squared, from the fewest that fix
/// the surface.
fn automatic_neighbors(surface: Surface, sigma: f64) -> usize {
    let k = match surface {
        Surface::Plane => 6.0 + 9.0 * sigma * sigma,
        Surface::Quadric => 14.0 + 11.0 * sigma * sigma,
    };
    (k.round() as usize).min(MOST_NEIGHBORS)
}

impl Fit {
    fn project(&self, q: Point, around: &mut Around) -> Point {
        let radius2 = match self.extent {
            Extent::Neighbors(k) => {
                around.nearest(q, k);
                around.distances2().iter().copied().fold(0.0, f64::max)
            }
            Extent::Radius(r) => {
                around.ball(q, r);
                r * r
            }
        };
        if around.len() < 3 || radius2 <= 0.0 {
            return q;
        }
        let weighted = || {
            let weights = around.distances2().iter().map(|d| self.kernel.weight(d / radius2));
            around.points().zip(weights)
        };
        let moments = if self.kernel == Kernel::Flat {
            Moments::of(around.offsets())
        } else {
            let mut moments = Moments::default();
            weighted().for_each(|(x, w)| moments.add(x, w));
            moments
        };
        let Some(plane) = moments.plane() else { return q };
        let mut step = plane.project([0.0; 3]);
        if self.surface == Surface::Quadric {
            let mut fit = QuadricFit::new(&plane, [0.0; 3], radius2.sqrt());
            weighted().for_each(|(x, w)| fit.add(x, w));
            if let Some(quadric) = fit.solve() {
                step = quadric.project([0.0; 3]);
            }
        }
        let length2 = vec3::dot(step, step);
        // Not `length2 > …`: a step that is no number is no step.
        if length2 <= self.reach2 { vec3::add(q, step) } else { q }
    }
}
