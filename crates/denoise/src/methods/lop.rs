//! Locally optimal projection (Lipman et al. 2007): points go to local medians of the data and
//! push each other apart.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, PointCloud};
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, UNITS, Unit, check_noise};
use crate::local::projection::{Push, Theta, automatic_radius, towards};
use crate::passes::Passes;
use crate::registry::{Method, Parameter, Parameters, Properties};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

const NAME: &str = "lop";
const MIN_POINTS: usize = 4;

/// What holds for all projections of this kind.
pub(crate) const PROPERTIES: Properties = Properties { redistributes: true, ..Properties::USUAL };

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    properties: PROPERTIES,
    parameters: &[RADIUS, REPULSION, ITERATIONS, UNITS, NOISE],
    ..Method::new::<LopParameters>(
        NAME,
        "moves points to local medians while they push each other apart",
        "Lipman et al. 2007, Parameterization-free projection for geometry reconstruction",
        Some("10.1145/1276377.1276405"),
    )
};

pub(crate) const RADIUS: Parameter = Parameter {
    name: "radius",
    unit: "spacings",
    about: "support radius h; weights fall as exp(-(4r/h)²); null: from the estimated noise",
};
pub(crate) const REPULSION: Parameter = Parameter {
    name: "repulsion",
    unit: "",
    about: "how strongly points push each other apart, from 0 to 0.5",
};
pub(crate) const ITERATIONS: Parameter =
    Parameter { name: "iterations", unit: "iterations", about: "steps of the projection" };

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LopParameters {
    /// Support radius; `None`: from the noise.
    pub radius: Option<f64>,
    /// The papers' µ.
    pub repulsion: f64,
    /// Steps.
    pub iterations: usize,
    /// What `radius` is given in.
    pub units: Unit,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for LopParameters {
    fn default() -> Self {
        LopParameters {
            radius: None,
            repulsion: 0.3,
            iterations: 3,
            units: Unit::Spacing,
            noise: None,
        }
    }
}

impl Parameters for LopParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        self.valid()?;
        Ok(Box::new(Lop(self)))
    }
}

impl LopParameters {
    pub(crate) fn valid(&self) -> Result<(), ParameterError> {
        check_noise(self.noise)?;
        let positive = self.radius.is_none_or(|x| x > 0.0 && x.is_finite());
        ParameterError::check(positive, "radius", self.radius, "above 0, or null")?;
        let push = (0.0..=0.5).contains(&self.repulsion);
        ParameterError::check(push, "repulsion", self.repulsion, "between 0 and 0.5")?;
        let steps = (1..=1000).contains(&self.iterations);
        ParameterError::check(steps, "iterations", self.iterations, "between 1 and 1000")
    }
}

struct Lop(LopParameters);

impl Denoiser for Lop {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        project(NAME, &self.0, Push::Steep, noisy, run)
    }
}

/// The projection of a cloud on itself; with densities for the even push.
pub(crate) fn project(
    method: &'static str,
    parameters: &LopParameters,
    push: Push,
    noisy: &PointCloud,
    run: &mut Run,
) -> Result<Denoised, DenoiseError> {
    let mut passes = Passes::begin(noisy, method, MIN_POINTS, parameters.noise, run)?;
    if parameters.radius.is_none() && passes.is_clean() {
        return Ok(passes.leave_alone());
    }
    let weighted = push == Push::Even;
    // Weights by density count points off the surface in full; more of the others make up for it.
    let wider = if weighted { 1.2 } else { 1.0 };
    let h = match parameters.radius {
        Some(h) => passes.frame.length(h, parameters.units),
        None => wider * automatic_radius(passes.noise.sigma),
    };
    passes.note(format!("support radius {h:.2} spacings"));
    let theta = Theta::new(h);
    let data = passes.frame.points().to_vec();
    let tree = KdTree::new(&data);
    let v = weighted.then(|| theta.densities(&data, &tree));
    passes.run(run, parameters.iterations, |pass, points, run| {
        let own = KdTree::new(points);
        let w = weighted.then(|| theta.densities(points, &own));
        let mut moved: Vec<Point> = points.to_vec();
        let median = pass.index > 1;
        let around = || (tree.around(&data), own.around(points));
        pass.fill([0.0, 1.0], &mut moved, run, around, |(of_data, of_own), _, x| {
            let q = *x;
            theta.near(q, of_data);
            let pull = towards(&theta, v.as_deref(), median, of_data);
            theta.near(q, of_own);
            let away = push.away(&theta, w.as_deref(), of_own);
            *x = vec3::add(q, vec3::add(pull, vec3::scale(away, parameters.repulsion)));
        })?;
        Ok(moved)
    })
}
