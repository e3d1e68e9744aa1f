//! What can be set, and the named sets: the text's version, the tables' version, a sound one.

use pellucid_cloud::PointCloud;

use crate::frame::Unit;
use crate::graph::Coordinates;
use crate::parameters::{Checked, Parameters, above, at_least, between, choices, parameters};
use crate::patch::{Origin, Uncovered};
use crate::system::Laplacian;
use crate::{DenoiseError, Denoised, ParameterError, Run};

parameters! {
    /// Parameters of feature graph learning. Every preset is a value of this type.
    pub struct Fgl {
        /// Number of points in a patch, the center included (k + 1 of Definition 1).
        patch_size: usize = 9, in between(2.0, 255.0), unit "points";
        /// Number of patches per point (M / N).
        patch_share: f64 = 0.3, in above(0.0).up_to(1.0);
        /// Number of neighbor patches of each patch (ε).
        patch_neighbors: usize = 10, in between(1.0, 255.0), unit "patches";
        /// How patch centers are chosen.
        sampling: Sampling = Sampling::Farthest;
        /// What patch coordinates are relative to.
        patch_origin: Origin = Origin::Mean;
        /// What happens to points in no patch.
        uncovered: Uncovered = Uncovered::ExtraPatches;
        /// Number of points that a normal is fitted to, the point itself included.
        normal_neighbors: usize = 100, in at_least(3.0), unit "points";
        /// How normals get their sign; `sheets` points away from the other layer of a thin wall.
        normal_sign: NormalSign = NormalSign::Consistent;
        /// Distance that a difference of one between normals counts as when patches are chosen.
        normal_distance: f64 = 0.0, in at_least(0.0), unit "spacings";
        /// Features of a point: `position`, `normal`, or names of attributes of the cloud.
        features: Vec<String> = vec!["position".into(), "normal".into()], in at_least(1.0);
        /// Unit of length that the method works in.
        units: Unit = Unit::Spacing;
        /// Factor on positions as features.
        position_scale: f64 = 0.45, in above(0.0);
        /// Largest trace of the metric (C); larger values make weights narrower.
        trace_limit: f64 = 3.0, in above(0.0);
        /// How the metric is found.
        metric: MetricRule = MetricRule::Full;
        /// Share of the edges that the metric is learned from.
        learn_edges: f64 = 0.1, in above(0.0).up_to(1.0);
        /// Share of the points that the metric is learned from.
        learn_points: f64 = 1.0, in above(0.0).up_to(1.0);
        /// Positions that the learner sees: in space, or relative to the patch.
        learn_coordinates: Coordinates = Coordinates::Absolute;
        /// Positions that the weights are made of: in space, or relative to the patch.
        weight_coordinates: Coordinates = Coordinates::Absolute;
        /// Multiply weights by the cosine between patch normals.
        normal_agreement: bool = false;
        /// Drop weights that are smaller than this.
        weight_floor: f64 = 0.0, in at_least(0.0).below(1.0);
        /// Also connect the points within a patch.
        intra_patch: bool = false;
        /// Which graph Laplacian.
        laplacian: Laplacian = Laplacian::Combinatorial;
        /// What the solve stays close to: the result of the previous iteration, or the noisy cloud.
        observation: Observation = Observation::Previous;
        /// How the strength of the regularizer follows from the iteration.
        schedule: Schedule = Schedule::Constant;
        /// Strength of the regularizer, or the factor β of the schedule `noise`.
        gamma: f64 = 0.2, in above(0.0);
        /// Linear solver: conjugate gradients, or LSQR as in the published runs.
        solver: Solver = Solver::Cg;
        /// Relative residual at which the solver stops.
        solver_tolerance: f64 = 1e-8, in above(0.0).below(1.0);
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
        /// Largest number of outer iterations.
        iterations: usize = 30, in at_least(1.0), unit "iterations";
        /// What ends the outer loop.
        stop: StopRule = StopRule::Movement;
        /// The rule `movement` stops when the mean displacement of an iteration is below this.
        stop_movement: f64 = 0.12, in at_least(0.0), unit "spacings";
        /// The rule `movement` also stops when points have moved along their normals by this share of
        /// the estimated noise.
        stop_noise: f64 = 1.0, in above(0.0);
    }
}

choices! {
    /// How patch centers are chosen.
    pub enum Sampling {
        /// Farthest-point sampling of the whole cloud.
        Farthest = "farthest",
        /// Poisson-disk sampling: local, so a part of the cloud gets the centers the whole would.
        Poisson = "poisson",
    }
}

choices! {
    /// How normals get their sign.
    pub enum NormalSign {
        /// The same side of the surface everywhere, by propagation over neighbors.
        Consistent = "consistent",
        /// The same, but where points lie in two layers, each layer away from the other.
        Sheets = "sheets",
        /// Away from the middle of the cloud: stands in for the arbitrary signs of the published
        /// runs, but does not depend on how the cloud is turned.
        Outward = "outward",
    }
}

choices! {
    /// How the metric is found.
    pub enum MetricRule {
        /// Learned by alternating diagonal and off-diagonal steps (section IV).
        Alternate = "alternate",
        /// The same with the published fixed steps.
        Published = "published",
        /// Only the diagonal is learned (Yang et al. 2018).
        Diagonal = "diagonal",
        /// Learned by projected gradient with eigen-decompositions (Vanilla PG).
        Full = "full",
        /// C / K on the diagonal (Baseline2).
        Fixed = "fixed",
        /// No metric: weights are drawn between 0 and 1 (Baseline1).
        Random = "random",
    }
}

choices! {
    /// What the solve stays close to.
    pub enum Observation {
        /// The noisy cloud, as in Eq. (51).
        Noisy = "noisy",
        /// The result of the iteration before, as in the published runs.
        Previous = "previous",
    }
}

choices! {
    /// Strength of the regularizer over the iterations.
    pub enum Schedule {
        /// `gamma` in every iteration.
        Constant = "constant",
        /// `0.2^i (e - 1)^(1 - i)`, as printed.
        Text = "text",
        /// `1 / (25 (exp(b / 20) - 1))`, b rising by one every five iterations, as in the runs.
        Published = "published",
        /// `2 gamma σ²`, σ the estimated noise in spacings: γ = β / α with α = 1 / (2σ²).
        Noise = "noise",
    }
}

choices! {
    /// The linear solver.
    pub enum Solver {
        /// Conjugate gradient with Jacobi preconditioning, x, y and z at once.
        Cg = "cg",
        /// LSQR, as in the published runs.
        Lsqr = "lsqr",
    }
}

choices! {
    /// What ends the outer loop.
    pub enum StopRule {
        /// An iteration moves points by less than `stop_movement` spacings on average, or they have
        /// moved along their normals by `stop_noise` of the estimated noise.
        Movement = "movement",
        /// The objective (Eq. 50), taken at the noisy cloud as P and the first iteration's γ, no longer
        /// falls from one iteration to the next.
        Objective = "objective",
        /// Only the iteration limit.
        Limit = "limit",
    }
}

impl Fgl {
    /// What the published runs did.
    fn reference() -> Self {
        Fgl {
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
        Fgl {
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
        Fgl {
            patch_size: 9,
            patch_origin: Origin::Center,
            trace_limit: 3.0,
            schedule: Schedule::Text,
            stop: StopRule::Objective,
            ..Self::text()
        }
    }
}

impl Parameters for Fgl {
    fn preset(name: &str) -> Option<Self> {
        // The metric is all that differs, units included, so that ablations say what it does.
        let reference = |metric| Fgl { metric, ..Self::reference() };
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

    fn check_together(&self) -> Result<(), ParameterError> {
        // (k + 1) M >= N, or the patches cannot cover the cloud.
        let covers = self.patch_share * self.patch_size as f64 >= 1.0;
        let rule = "at least 1 / patch_size, so that patches can cover the cloud";
        ParameterError::check(covers, "patch_share", self.patch_share, rule)
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        super::denoise(checked, noisy, run)
    }
}
