//! Solvers that learn the feature metric from one signal (section IV of the paper).
//!
//! All of them minimize `Q(M) = Σ exp(-g' M g) d` over positive-definite M of bounded trace
//! (Eq. 12), or over a part of that set; see [`Solver`] for the choice.

mod accelerate;
mod alternate;
mod diagonal;
mod discs;
mod full;
mod offdiagonal;
mod params;
mod problem;
mod project;
mod smooth;
mod step;

pub use params::{
    AlternateParams, Discs, Info, LearnParams, Learned, Solver, Start, StepRule, Stop,
};

pub use smooth::{SmoothParams, SmoothWeights, learn_smooth};

use crate::edges::Edges;
use crate::error::LearnError;
use crate::metric::Metric;
use crate::pass::Want;
use problem::Problem;
use step::Limits;

/// Below this total distance there is nothing to weigh.
const LEAST_SIGNAL: f64 = 1e-280;

/// Learns a metric from the edges.
///
/// ```
/// use featgraph::{edges::Edges, learn::{LearnParams, learn}};
///
/// // The signal follows the first feature; the second is noise.
/// let first: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
/// let second: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 5) / 5.0).collect();
/// let pairs = (0..39).map(|i| (i, i + 1)).chain((0..38).map(|i| (i, i + 2))).collect();
/// let edges = Edges::builder(40)
///     .feature_column(&first)
///     .feature_column(&second)
///     .signal(&first)
///     .pairs(pairs)
///     .build()?;
/// let learned = learn(&edges, &LearnParams::default())?;
/// assert!(learned.metric.entry(0, 0) > 10.0 * learned.metric.entry(1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a parameter breaks its rule, there are no edges, or the start metric has another number
/// of features.
pub fn learn(edges: &Edges, params: &LearnParams) -> Result<Learned, LearnError> {
    params.check(edges.features())?;
    if edges.is_empty() {
        return Err(LearnError::NoEdges);
    }
    if params.sample_fraction < 1.0 {
        let part = edges.sample_edges(params.sample_fraction, params.seed)?;
        return learn_all(&part, params);
    }
    learn_all(edges, params)
}

fn learn_all(edges: &Edges, params: &LearnParams) -> Result<Learned, LearnError> {
    let k = edges.features();
    let limit = params.trace_limit;
    let mut start = match &params.start {
        Start::Identity => Metric::identity_scaled(k, limit)?.values().to_vec(),
        Start::Metric(metric) if metric.features() == k => metric.values().to_vec(),
        Start::Metric(metric) => {
            let found = metric.features();
            return Err(LearnError::StartFeatures { found, expected: k });
        }
    };
    let mut problem = Problem::new(edges, params);
    let limits = Limits {
        rule: match params.step {
            // Steps are for the raw sum; the solvers see it divided by the total.
            StepRule::Fixed { size } => StepRule::Fixed { size: size * problem.total },
            rule => rule,
        },
        tolerance: params.tolerance,
        evaluations: params.max_passes,
    };
    let solver = if problem.total < LEAST_SIGNAL { Solver::Fixed } else { params.solver };
    if !matches!(solver, Solver::Full) {
        into_set(&mut start, k, problem.margin, limit)?;
    }
    let (m, info) = match solver {
        Solver::Full => full::full(&mut problem, start, params, limits)?,
        Solver::Diagonal => diagonal::diagonal(&mut problem, &start, limits)?,
        Solver::Alternate(a) if a.as_published => {
            alternate::published(&mut problem, start, a, limits)?
        }
        Solver::Alternate(a) => alternate::alternate(&mut problem, start, a, limits)?,
        Solver::Fixed => unlearned(&mut problem, start, params),
    };
    finish(m, info, params)
}

/// A start with too large a trace or too small an eigenvalue is moved into the set; any other is
/// left as it is, to the bit.
fn into_set(start: &mut [f64], k: usize, margin: f64, limit: f64) -> Result<(), LearnError> {
    let trace: f64 = (0..k).map(|i| start[i * k + i]).sum();
    if trace > limit || crate::metric::cholesky(start, k, margin).is_err() {
        project::onto_spectrum(start, k, margin, limit)?;
    }
    Ok(())
}

fn unlearned(problem: &mut Problem<'_>, m: Vec<f64>, params: &LearnParams) -> (Vec<f64>, Info) {
    if matches!(params.solver, Solver::Fixed) {
        let f = problem.full(&m, Want::Objective, &mut []).objective;
        let info = problem.info(vec![f], Stop::Fixed);
        return (m, info);
    }
    let info = problem.info(vec![0.0], Stop::NoSignal);
    (m, info)
}

/// Removes what rounding left above the trace limit, and checks the result.
fn finish(mut m: Vec<f64>, info: Info, params: &LearnParams) -> Result<Learned, LearnError> {
    let k = (m.len() as f64).sqrt().round() as usize;
    let trace: f64 = (0..k).map(|i| m[i * k + i]).sum();
    let mut limit = params.trace_limit;
    match params.solver {
        // The published projection may end above the limit: say so.
        Solver::Alternate(a) if a.as_published => limit = limit.max(trace),
        _ if trace > limit => m.iter_mut().for_each(|v| *v *= limit / trace),
        _ => {}
    }
    let metric = Metric::from_matrix(k, m, limit)?;
    Ok(Learned { metric, info })
}

#[cfg(test)]
mod tests;
