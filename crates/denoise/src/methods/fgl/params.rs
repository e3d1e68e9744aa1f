//! What can be set, and the named sets: the text's version, the tables' version, a sound one.

use serde::{Deserialize, Serialize};

use super::Fgl;
use crate::frame::Unit;
use crate::graph::Coordinates;
use crate::patch::{Origin, Uncovered};
use crate::registry::Parameters;
use crate::system::Laplacian;
use crate::{Denoiser, ParameterError};

/// Parameters of the method `fgl`. Every preset is a value of this type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FglParameters {
    /// Points per patch, the centre included: k + 1 of Definition 1.
    pub patch_size: usize,
    /// Patches per point: M / N.
    pub patch_share: f64,
    /// Neighbour patches of each patch: ε.
    pub patch_neighbors: usize,
    /// How centres are chosen.
    pub sampling: Sampling,
    /// What patch coordinates are relative to.
    pub patch_origin: Origin,
    /// What happens to points in no patch.
    pub uncovered: Uncovered,
    /// Neighbours for the normals, the point itself included.
    pub normal_neighbors: usize,
    /// How normals get their sign.
    pub normal_sign: NormalSign,
    /// Lengths that a difference of one between unit normals adds to a distance, when points are
    /// chosen for patches and patches for neighbours.
    pub normal_distance: f64,
    /// Names of the features.
    pub features: Vec<String>,
    /// What one unit of length is.
    pub units: Unit,
    /// Factor on positions as features.
    pub position_scale: f64,
    /// Largest trace of the metric: C.
    pub trace_limit: f64,
    /// How the metric is found.
    pub metric: MetricRule,
    /// Share of the edges to learn from.
    pub learn_edges: f64,
    /// Share of the points to learn from.
    pub learn_points: f64,
    /// Positions the learner sees.
    pub learn_coordinates: Coordinates,
    /// Positions the weights are made of.
    pub weight_coordinates: Coordinates,
    /// Multiply weights by the cosine between patch normals.
    pub normal_agreement: bool,
    /// Smaller weights are dropped.
    pub weight_floor: f64,
    /// Also connect the points within a patch.
    pub intra_patch: bool,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// What the solve stays close to.
    pub observation: Observation,
    /// How the strength of the regulariser follows from the iteration.
    pub schedule: Schedule,
    /// The strength, or the factor β of the schedule `noise`.
    pub gamma: f64,
    /// The linear solver.
    pub solver: Solver,
    /// Relative residual at which the solver stops.
    pub solver_tolerance: f64,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
    /// Most outer iterations.
    pub iterations: usize,
    /// What ends the outer loop.
    pub stop: StopRule,
    /// The rule `movement` stops when an iteration moves points by less than this on average.
    pub stop_movement: f64,
    /// Or when points have moved along their normals by this part of the estimated noise.
    pub stop_noise: f64,
}

/// How patch centres are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// Farthest-point sampling of the whole cloud.
    Farthest,
    /// Poisson-disk sampling: local, so a part of the cloud gets the centres the whole would.
    Poisson,
}

/// How normals get their sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormalSign {
    /// The same side of the surface everywhere, by propagation over neighbours.
    Consistent,
    /// The same, but where points lie in two layers, each layer away from the other.
    Sheets,
    /// Away from the middle of the cloud: stands in for the arbitrary signs of the published
    /// runs, but does not depend on how the cloud is turned.
    Outward,
}

/// How the metric is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricRule {
    /// Learned by alternating diagonal and off-diagonal steps (section IV).
    Alternate,
    /// The same with the published fixed steps.
    Published,
    /// Only the diagonal is learned (Yang et al. 2018).
    Diagonal,
    /// Learned by projected gradient with eigen-decompositions (Vanilla PG).
    Full,
    /// C / K on the diagonal (Baseline2).
    Fixed,
    /// No metric: weights are drawn between 0 and 1 (Baseline1).
    Random,
}

/// What the solve stays close to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// The noisy cloud, as in Eq. (51).
    Noisy,
    /// The result of the iteration before, as in the published runs.
    Previous,
}

/// Strength of the regulariser over the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// `gamma` in every iteration.
    Constant,
    /// `0.2^i (e - 1)^(1 - i)`, as printed.
    Text,
    /// `1 / (25 (exp(b / 20) - 1))`, b rising by one every five iterations, as in the runs.
    Published,
    /// `2 gamma σ²`, σ the estimated noise in spacings: γ = β / α with α = 1 / (2σ²).
    Noise,
}

/// The linear solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Conjugate gradient with Jacobi preconditioning, x, y and z at once.
    Cg,
    /// LSQR, as in the published runs.
    Lsqr,
}

/// What ends the outer loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// An iteration moves points by less than `stop_movement` spacings on average, or they have
    /// moved along their normals by `stop_noise` of the estimated noise.
    Movement,
    /// The objective (Eq. 50), taken at the noisy cloud as P and the first iteration's γ, no longer
    /// falls from one iteration to the next.
    Objective,
    /// Only the iteration limit.
    Limit,
}

impl Default for FglParameters {
    fn default() -> Self {
        FglParameters {
            patch_size: 9,
            patch_share: 0.3,
            patch_neighbors: 10,
            sampling: Sampling::Farthest,
            patch_origin: Origin::Mean,
            uncovered: Uncovered::ExtraPatches,
            normal_neighbors: 100,
            normal_sign: NormalSign::Consistent,
            normal_distance: 0.0,
            features: vec!["position".into(), "normal".into()],
            units: Unit::Spacing,
            position_scale: 0.45,
            trace_limit: 3.0,
            metric: MetricRule::Full,
            learn_edges: 0.1,
            learn_points: 1.0,
            learn_coordinates: Coordinates::Absolute,
            weight_coordinates: Coordinates::Absolute,
            normal_agreement: false,
            weight_floor: 0.0,
            intra_patch: false,
            laplacian: Laplacian::Combinatorial,
            observation: Observation::Previous,
            schedule: Schedule::Constant,
            gamma: 0.2,
            solver: Solver::Cg,
            solver_tolerance: 1e-8,
            noise: None,
            iterations: 30,
            stop: StopRule::Movement,
            stop_movement: 0.12,
            stop_noise: 1.0,
        }
    }
}

impl FglParameters {
    /// What the published runs did.
    fn reference() -> Self {
        FglParameters {
            uncovered: Uncovered::Leave,
            normal_sign: NormalSign::Outward,
            units: Unit::File,
            position_scale: 1.0,
            trace_limit: 5.0,
            metric: MetricRule::Alternate,
            normal_agreement: true,
            weight_floor: 1e-3,
            laplacian: Laplacian::Normalized,
            schedule: Schedule::Published,
            // Its falling strength makes movement no measure.
            stop_movement: 0.0,
            stop_noise: 0.9,
            ..Self::default()
        }
    }

    /// What the paper's text poses: Eq. (50) with center points as origins, all edges learned from.
    fn text() -> Self {
        FglParameters {
            patch_size: 14,
            patch_origin: Origin::MovingCenter,
            units: Unit::File,
            position_scale: 1.0,
            trace_limit: 2.5,
            metric: MetricRule::Alternate,
            learn_edges: 1.0,
            gamma: 0.02,
            stop_movement: 0.0,
            stop_noise: 0.75,
            ..Self::default()
        }
    }

    /// What it prints: origins held constant in Eq. (51), and the strength falling 8.6-fold.
    fn text_literal() -> Self {
        FglParameters {
            patch_size: 9,
            patch_origin: Origin::Center,
            trace_limit: 3.0,
            schedule: Schedule::Text,
            stop: StopRule::Objective,
            ..Self::text()
        }
    }
}

impl Parameters for FglParameters {
    fn preset(name: &str) -> Option<Self> {
        // The metric is all that differs, units included, so that ablations say what it does.
        let reference = |metric| FglParameters { metric, ..Self::reference() };
        Some(match name {
            "standard" => Self::default(),
            "text" => Self::text(),
            "text-literal" => Self::text_literal(),
            "reference" => Self::reference(),
            "diagonal" => reference(MetricRule::Diagonal),
            "baseline1" => reference(MetricRule::Random),
            "baseline2" => reference(MetricRule::Fixed),
            "vanilla" => reference(MetricRule::Full),
            _ => return None,
        })
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        for (holds, name, value, expected) in self.rules() {
            ParameterError::check(holds, name, value, expected)?;
        }
        Ok(Box::new(Fgl(self)))
    }
}

impl FglParameters {
    /// Whether each rule holds, with the parameter, its value and what is expected.
    #[rustfmt::skip]
    fn rules(&self) -> [(bool, &'static str, &dyn std::fmt::Debug, &'static str); 18] {
        let share = |x: f64| x > 0.0 && x <= 1.0;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let from_zero = |x: f64| x >= 0.0 && x.is_finite();
        // (k + 1) M >= N, or the patches cannot cover the cloud.
        let covers = self.patch_share * self.patch_size as f64 >= 1.0;
        let tolerance = self.solver_tolerance > 0.0 && self.solver_tolerance < 1.0;
        macro_rules! row {
            ($holds:expr, $name:ident, $expected:expr) => {
                ($holds, stringify!($name), &self.$name, $expected)
            };
        }
        [
            row!((2..=255).contains(&self.patch_size), patch_size, "2 to 255"),
            row!(share(self.patch_share), patch_share, "above 0, at most 1"),
            row!(covers, patch_share, "at least 1 / patch_size, so that patches can cover the cloud"),
            row!((1..=255).contains(&self.patch_neighbors), patch_neighbors, "1 to 255"),
            row!(self.normal_neighbors >= 3, normal_neighbors, "3 or more"),
            row!(!self.features.is_empty(), features, "at least one name"),
            row!(from_zero(self.normal_distance), normal_distance, "0 or more"),
            row!(positive(self.position_scale), position_scale, "above 0"),
            row!(positive(self.trace_limit), trace_limit, "above 0"),
            row!(share(self.learn_edges), learn_edges, "above 0, at most 1"),
            row!(share(self.learn_points), learn_points, "above 0, at most 1"),
            row!((0.0..1.0).contains(&self.weight_floor), weight_floor, "at least 0, below 1"),
            row!(self.noise.is_none_or(positive), noise, "above 0, or null"),
            row!(positive(self.gamma), gamma, "above 0"),
            row!(tolerance, solver_tolerance, "between 0 and 1"),
            row!(self.iterations >= 1, iterations, "1 or more"),
            row!(from_zero(self.stop_movement), stop_movement, "at least 0"),
            row!(positive(self.stop_noise), stop_noise, "above 0"),
        ]
    }
}
