//! Projected gradient over the whole matrix ("Vanilla PG").

use super::params::{Info, LearnParams};
use super::problem::{Problem, Whole};
use super::project::onto_spectrum;
use super::step::{Limits, descend};
use crate::error::LearnError;

/// Learns the whole matrix from `start`; every step projects its eigenvalues onto
/// `{λ >= margin, sum λ <= C}`.
pub(super) fn full(
    problem: &mut Problem<'_>,
    mut start: Vec<f64>,
    params: &LearnParams,
    limits: Limits,
) -> Result<(Vec<f64>, Info), LearnError> {
    onto_spectrum(&mut start, problem.features, problem.margin, params.trace_limit)?;
    let found = descend(&mut Whole(problem), start, limits)?;
    problem.step = found.step;
    Ok((found.x, problem.info(found.history, found.stop)))
}
