//! Parameters of learning and what it reports.

use crate::error::LearnError;
use crate::metric::Metric;
use serde::{Deserialize, Serialize};

/// How the metric is learned.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Projected gradient over the whole matrix, projecting its eigenvalues (the paper's
    /// "Vanilla PG"). The default: it reaches the optimum of Eq. 12 itself, needs the fewest
    /// passes, and for the usual few features its decomposition costs nothing beside a pass.
    #[default]
    Full,
    /// The paper's algorithm: diagonal entries under Gershgorin bounds and one row and column of
    /// off-diagonal entries at a time under the Schur bound, in turns.
    Alternate(AlternateParams),
    /// Only diagonal metrics.
    Diagonal,
    /// No learning: the start metric.
    Fixed,
}

/// How long a gradient step is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// The first step is the reciprocal of a Lipschitz bound (a fourth moment of the
    /// differences), later ones come from the change of the gradient (Barzilai and Borwein,
    /// doi:10.1093/imanum/8.1.141); each is shortened until the objective falls enough (spectral
    /// projected gradient, doi:10.1137/S1052623497330963).
    #[default]
    Backtracking,
    /// Accelerated proximal gradient whose iterates all stay feasible (Auslender and Teboulle,
    /// doi:10.1137/S1052623403427823), restarted when the objective rises
    /// (doi:10.1007/s10208-013-9150-3). Two passes per iteration.
    Accelerated,
    /// The same step every time, for the gradient of the raw sum over all edges.
    Fixed {
        /// The step.
        size: f64,
    },
}

/// Where learning starts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// `C / K` on the diagonal.
    #[default]
    Identity,
    /// A given metric, for example of an earlier run; moved into the solver's set if it is not
    /// in it.
    Metric(Metric),
}

/// Which Gershgorin discs hold the metric in the joint step of [`Solver::Alternate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discs {
    /// Those of the matrix itself: `m_ii >= sum over j of |m_ij|` (Eq. 15). A metric that leans on
    /// a direction across more than two features is not among them.
    #[default]
    Plain,
    /// Those of a similar matrix `S M S^-1`, whose left ends meet at one point (disc alignment:
    /// Yang, Cheung and Hu, doi:10.1109/TPAMI.2021.3091682). They scale the rows by the first
    /// eigenvector, which still leaves only sums of metrics of two features (Ahmadi and
    /// Majumdar, doi:10.1137/18M118935X); here S also turns to all eigenvectors (as Ahmadi and
    /// Hall change the basis, arXiv:1510.01597), at one decomposition in several steps.
    Aligned,
}

/// Settings of [`Solver::Alternate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlternateParams {
    /// Most alternations of diagonal and off-diagonal steps.
    pub alternations: usize,
    /// Most evaluations in a diagonal step (with [`AlternateParams::as_published`]: steps).
    pub diagonal_passes: usize,
    /// Most evaluations in the step of one row (with [`AlternateParams::as_published`]: steps).
    pub row_passes: usize,
    /// Which discs hold the joint step.
    pub discs: Discs,
    /// Follow the published program instead of the text: rows before the diagonal, every block
    /// kept, the matrix of lowest objective among the alternations returned, and the trace
    /// projection that may end above the limit. Needs [`StepRule::Fixed`].
    pub as_published: bool,
}

impl Default for AlternateParams {
    fn default() -> Self {
        Self {
            alternations: 50,
            diagonal_passes: 8,
            row_passes: 4,
            discs: Discs::default(),
            as_published: false,
        }
    }
}

impl AlternateParams {
    /// The schedule of the published program: 10 alternations of 10 steps per row and 10 steps
    /// for the diagonal.
    #[must_use]
    pub fn published() -> Self {
        Self {
            alternations: 10,
            diagonal_passes: 10,
            row_passes: 10,
            as_published: true,
            ..Self::default()
        }
    }
}

/// Parameters of [`learn`](super::learn).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnParams {
    /// The method.
    pub solver: Solver,
    /// The bound C of the trace (Eq. 12).
    pub trace_limit: f64,
    /// Step sizes.
    pub step: StepRule,
    /// Where to start.
    pub start: Start,
    /// Converged when the objective falls by less than this, relative to itself (over two
    /// accepted steps in a row, or over one alternation). Zero: go on to the limits.
    pub tolerance: f64,
    /// Most evaluations of the objective over all edges.
    pub max_passes: usize,
    /// Lower bound of the eigenvalues of M, relative to C. It turns the paper's strict
    /// inequalities into closed ones: every constraint is held by `M - margin C I`.
    pub margin: f64,
    /// Learn from this part of the edges.
    pub sample_fraction: f64,
    /// Seed of that sample.
    pub seed: u64,
}

impl Default for LearnParams {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            trace_limit: 3.0,
            step: StepRule::default(),
            start: Start::default(),
            tolerance: 1e-5,
            max_passes: 500,
            margin: 1e-8,
            sample_fraction: 1.0,
            seed: 0,
        }
    }
}

impl LearnParams {
    /// What the published program does: C = 5, steps of 1e-6 on the raw sum, the schedule of
    /// [`AlternateParams::published`].
    #[must_use]
    pub fn published() -> Self {
        Self {
            solver: Solver::Alternate(AlternateParams::published()),
            trace_limit: 5.0,
            step: StepRule::Fixed { size: 1e-6 },
            tolerance: 0.0,
            max_passes: usize::MAX,
            ..Self::default()
        }
    }

    /// Checks every field, for a problem with `features` features.
    ///
    /// # Errors
    /// Names the first field that breaks its rule.
    pub fn check(&self, features: usize) -> Result<(), LearnError> {
        let rule = |ok: bool, field, value: f64, rule| {
            let value = value.to_string();
            if ok { Ok(()) } else { Err(LearnError::Parameter { field, value, rule }) }
        };
        let positive = |v: f64| v > 0.0 && v.is_finite();
        let limit = self.trace_limit;
        rule(
            (1e-60..=1e60).contains(&limit),
            "trace_limit",
            limit,
            "must be between 1e-60 and 1e60",
        )?;
        let tolerance = self.tolerance;
        rule(
            (0.0..1.0).contains(&tolerance),
            "tolerance",
            tolerance,
            "must be at least 0 and below 1",
        )?;
        rule(self.max_passes > 0, "max_passes", 0.0, "must be at least 1")?;
        rule(
            (1e-12..=1e-3).contains(&self.margin) && self.margin * (features as f64) < 0.5,
            "margin",
            self.margin,
            "must be between 1e-12 and 1e-3, and below half of 1 / features",
        )?;
        let fraction = self.sample_fraction;
        rule(
            fraction > 0.0 && fraction <= 1.0,
            "sample_fraction",
            fraction,
            "must be above 0 and at most 1",
        )?;
        if let StepRule::Fixed { size } = self.step {
            rule(positive(size), "step.size", size, "must be positive and finite")?;
        }
        let Solver::Alternate(a) = self.solver else {
            return Ok(());
        };
        rule(a.alternations > 0, "alternations", 0.0, "must be at least 1")?;
        rule(a.diagonal_passes > 0, "diagonal_passes", 0.0, "must be at least 1")?;
        rule(a.row_passes > 0, "row_passes", 0.0, "must be at least 1")?;
        let fixed = matches!(self.step, StepRule::Fixed { .. });
        rule(fixed || !a.as_published, "as_published", 1.0, "needs the fixed step rule")
    }
}

/// Why learning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The objective changed by less than the tolerance.
    Converged,
    /// No step along the projected gradient lowers the objective.
    Stationary,
    /// The joint step of `alternate` has converged, and no row has room for a step of its own.
    NoRoom,
    /// The limit of passes or alternations is reached.
    Limit,
    /// A fixed step raised the objective and was taken back.
    Rose,
    /// The signal distances are all zero (or too small to weigh): every metric is optimal.
    NoSignal,
    /// Nothing was to be learned.
    Fixed,
}

/// How learning went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// The objective Q at the metric returned, over the edges learned from.
    pub objective: f64,
    /// The objective at the start and after every accepted step (or alternation).
    pub history: Vec<f64>,
    /// Accepted steps (or alternations).
    pub iterations: usize,
    /// Evaluations of the objective over all edges, with or without gradient, of either kind.
    pub passes: usize,
    /// Those of them that moved only the diagonal or one row: their work grows with K, not K^2.
    pub restricted_passes: usize,
    /// The last accepted step, for the gradient of the raw sum; zero without one.
    pub step_size: f64,
    /// Why it ended.
    pub stop: Stop,
    /// The bound that all eigenvalues were held to.
    pub margin: f64,
    /// Edges learned from.
    pub edges: usize,
    /// Blocks computed by `alternate` and dropped because the objective did not fall.
    pub rejected_blocks: usize,
    /// Diagonal steps left out because the set of Eq. 16 was empty: the off-diagonal row sums
    /// added up to C or more.
    pub empty_diagonal_sets: usize,
    /// Rows that had no room for a step of their own in the last alternation of `alternate`: they
    /// fill the ball of Eq. 29 already, or its radius is zero.
    pub rows_without_room: usize,
}

/// A learned metric and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The metric.
    pub metric: Metric,
    /// How it was found.
    pub info: Info,
}
