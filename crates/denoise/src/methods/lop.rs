//! Locally optimal projection (Lipman et al. 2007): points go to local medians of the data and
//! push each other apart.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, PointCloud};

use crate::frame::Unit;
use crate::local::projection::{Push, Theta, automatic_radius, towards};
use crate::parameters::{Checked, Parameters, above, between, parameters};
use crate::passes::Passes;
use crate::registry::{Method, Properties};
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "lop";
const MIN_POINTS: usize = 4;

/// What holds for all projections of this kind.
pub(crate) const PROPERTIES: Properties = Properties { redistributes: true, ..Properties::USUAL };

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    properties: PROPERTIES,
    ..Method::new::<Lop>(
        NAME,
        "moves points to local medians while they push each other apart",
        "Lipman et al. 2007, Parameterization-free projection for geometry reconstruction",
        Some("10.1145/1276377.1276405"),
    )
};

parameters! {
    /// Parameters of locally optimal projection.
    pub struct Lop {
        /// Support radius h, in the unit that `units` names; weights fall as exp(-(4r/h)²); null: from
        /// the estimated noise.
        radius: Option<f64> = None, in above(0.0), unit "spacings";
        /// Strength with which points push each other apart.
        repulsion: f64 = 0.3, in between(0.0, 0.5);
        /// Number of steps of the projection.
        iterations: usize = 3, in between(1.0, 1000.0), unit "iterations";
        /// Unit of `radius`: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Lop {
    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        project(NAME, checked, Push::Steep, noisy, run)
    }
}

/// The projection of a cloud on itself; with densities for the even push.
pub(crate) fn project(
    method: &'static str,
    parameters: &Lop,
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
