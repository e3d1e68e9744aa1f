//! Moving least squares (Alexa et al. 2001): each point moves onto a surface fitted to its
//! neighbors.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree, PointCloud};

use crate::frame::Unit;
use crate::local::{Kernel, Moments, QuadricFit};
use crate::parameters::{Checked, Parameters, above, between, choices, parameters};
use crate::passes::Passes;
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, ParameterError, Run};

const NAME: &str = "mls";
const MIN_POINTS: usize = 4;

/// Most points in an automatic neighborhood, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 60;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "jet",
        about: "one pass of quadric fits, as in jet smoothing; keeps curved detail at low noise",
        properties: Properties::USUAL,
    }],
    ..Method::new::<Mls>(
        NAME,
        "projects each point on a locally fitted plane or quadric",
        "Alexa et al. 2001, Point set surfaces",
        Some("10.1109/VISUAL.2001.964489"),
    )
};

choices! {
    /// What is fitted to a neighborhood.
    pub enum Surface {
        /// The plane of least squared distance.
        Plane = "plane",
        /// A quadric height field over that plane.
        Quadric = "quadric",
    }
}

parameters! {
    /// Parameters of moving least squares.
    pub struct Mls {
        /// Surface that is fitted to the neighbors.
        surface: Surface = Surface::Plane;
        /// Number of points in a neighborhood, the point included; null: from the estimated noise.
        neighbors: Option<usize> = None, in between(3.0, 10_000.0), unit "points";
        /// Distance within which all neighbors are taken, instead of a number of them.
        radius: Option<f64> = None, in above(0.0), unit "spacings";
        /// Unit of `radius` and `reach`: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// How the weight of a neighbor falls with its distance.
        kernel: Kernel = Kernel::Flat;
        /// Number of passes; each starts from the previous result.
        iterations: usize = 2, in between(1.0, 1000.0), unit "iterations";
        /// Distance to the fitted surface from which a point is an outlier and is not moved;
        /// null: from the estimated noise.
        reach: Option<f64> = None, in above(0.0), unit "spacings";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Mls {
    fn preset(name: &str) -> Option<Self> {
        let jet = Mls { surface: Surface::Quadric, iterations: 1, ..Mls::default() };
        (name == "jet").then_some(jet)
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        ParameterError::one_of(("radius", self.radius), ("neighbors", self.neighbors))
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let mut work = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        if checked.is_automatic() && work.is_clean() {
            return Ok(work.leave_alone());
        }
        let fit = checked.fit(&mut work);
        work.run(run, checked.iterations, |pass, points, run| {
            let tree = KdTree::new(points);
            pass.each(points, run, || tree.around(points), |around, _, q| fit.project(q, around))
        })
    }
}

/// The neighborhoods of a run, in local units.
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
        self.neighbors.is_none() && self.radius.is_none()
    }

    /// What to fit to how many points, for the noise of the cloud.
    fn fit(&self, work: &mut Passes) -> Fit {
        let p = self;
        let sigma = work.noise.sigma;
        let extent = match (p.neighbors, p.radius) {
            (_, Some(radius)) => Extent::Radius(work.frame.length(radius, p.units)),
            (Some(k), None) => Extent::Neighbors(k),
            (None, None) => {
                let k = automatic_neighbors(p.surface, sigma);
                work.note(format!("{k} neighbors, for noise of {sigma:.2} spacings"));
                Extent::Neighbors(k)
            }
        };
        let reach = p.reach.map_or(1.0 + 6.0 * sigma, |r| work.frame.length(r, p.units));
        Fit { surface: p.surface, kernel: p.kernel, extent, reach2: reach * reach }
    }
}

/// Neighbors for noise of `sigma` spacings. A neighborhood must reach past the noise, so its
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
