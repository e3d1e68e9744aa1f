//! The seam: what a method takes and what it gives back.

use std::collections::BTreeMap;

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use crate::{DenoiseError, Run};

/// A method with checked parameters, ready to run.
pub trait Denoiser: Send + Sync {
    /// Moves the points of `noisy` onto the surface they were measured from.
    ///
    /// Points keep their number, order and attributes; rows that are not finite stay as they are, and so do
    /// those that are farther than 2^40 spacings from the others. Rows at the same position count
    /// once and go to the same position.
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError>;
}

/// A denoised cloud and how it came about.
#[derive(Debug, Clone)]
pub struct Denoised {
    /// The same points, moved.
    pub cloud: PointCloud,
    /// Outer iterations done.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: Stop,
    /// What the method found out.
    pub report: Report,
}

/// Why the outer loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The method's own measure of progress fell below its threshold.
    Converged,
    /// The method's own objective no longer fell.
    ObjectiveRose,
    /// What is left is what the noise estimate said would be left.
    NoiseRemoved,
    /// The number of iterations that the parameters allow.
    IterationLimit,
    /// The observer asked to keep what there is.
    Observer,
    /// The cloud needs no denoising, or cannot be improved.
    NothingToDo,
}

/// What a run learned; every field a method does not know stays empty.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// Mean spacing of the points, in file units.
    pub spacing: Option<f64>,
    /// Estimated standard deviation of the noise per axis, in file units.
    pub noise: Option<f64>,
    /// Rows that stayed as they were and had no influence: a coordinate is not finite, the point is
    /// farther than 2^40 spacings from the others, or it is one of many at the origin, which stand
    /// for missing measurements.
    pub skipped_rows: usize,
    /// Rows at the position of an earlier row: they count once, and all go where the first goes.
    pub repeated_rows: usize,
    /// Points in no patch before the method's rule for them was applied.
    pub uncovered_points: usize,
    /// Points that no surface near them explains: left where they are, and of no influence.
    pub gross_outliers: usize,
    /// Points that are part of a volume, such as foliage: left where they are, and of no influence.
    pub volume_points: usize,
    /// Points of lines, such as wires and rails: left where they were.
    pub line_points: usize,
    /// Which rows were taken as points of a surface, by methods that decide it; the others kept their
    /// positions and had no influence.
    #[serde(skip)]
    pub surface: Option<Vec<bool>>,
    /// Names of the features, in the order of the rows of `metric`.
    pub features: Vec<String>,
    /// The metric of the last iteration, row after row.
    pub metric: Option<Vec<Vec<f64>>>,
    /// One entry an iteration.
    pub history: Vec<Iteration>,
    /// Seconds spent in each step, summed over iterations. Not part of the deterministic result.
    pub seconds: BTreeMap<String, f64>,
    /// Decisions in words, for people.
    pub notes: Vec<String>,
}

/// What one outer iteration did; lengths in file units.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Iteration {
    /// Counted from one.
    pub index: usize,
    /// Edges of the graph.
    pub edges: usize,
    /// The learning objective before learning.
    pub objective_before: Option<f64>,
    /// The learning objective after learning.
    pub objective_after: Option<f64>,
    /// The denoising objective (Eq. 50) before the solve.
    pub energy_before: Option<f64>,
    /// The denoising objective (Eq. 50) after the solve.
    pub energy_after: Option<f64>,
    /// The same with the noisy cloud as P and the γ of the first iteration, so that iterations
    /// compare; only where a rule asks for it.
    pub energy_observed: Option<f64>,
    /// Step size of the learner's last step.
    pub step_size: Option<f64>,
    /// Passes of the learner over the edges.
    pub learning_passes: usize,
    /// Iterations of the linear solver.
    pub solver_iterations: usize,
    /// Regularization weight.
    pub gamma: Option<f64>,
    /// The metric, row after row.
    pub metric: Option<Vec<Vec<f64>>>,
    /// Mean movement of a point in this iteration.
    pub mean_displacement: f64,
    /// Largest movement of a point in this iteration.
    pub max_displacement: f64,
    /// Noise estimated to be left.
    pub noise_left: Option<f64>,
    /// Whether the method's rule for users would have stopped after this iteration, whatever rule is set.
    pub would_stop: bool,
}
