//! The diagonal entries under Gershgorin bounds (Eq. 13–21).

use super::params::Info;
use super::problem::{Bounds, Part, Problem};
use super::project::onto_trace;
use super::step::{Descent, Limits, descend};
use crate::error::LearnError;
use crate::pass::Entries;

/// Sums of the absolute off-diagonal entries of each row: the Gershgorin radii.
pub(super) fn row_sums(m: &[f64], k: usize) -> Vec<f64> {
    let row = |i: usize| (0..k).filter(|&j| j != i).map(|j| m[i * k + j].abs()).sum();
    (0..k).map(row).collect()
}

/// Lowers the objective over the diagonal of `m`, whose exponents are `base` (empty when `m`
/// is to be taken as zero off the diagonal and `origin` as zero). `None` when the set of Eq. 16
/// is empty.
pub(super) fn diagonal_step(
    problem: &mut Problem<'_>,
    base: &[f64],
    origin: Vec<f64>,
    from: &[f64],
    radii: &[f64],
    limits: Limits,
) -> Result<Option<Descent>, LearnError> {
    let lower: Vec<f64> = radii.iter().map(|r| r + problem.margin).collect();
    let mut x = from.to_vec();
    if !onto_trace(&mut x, &lower, problem.limit) {
        return Ok(None);
    }
    let which = Entries::Diagonal;
    let bounds = Bounds::Trace { lower };
    let mut part = Part { problem, which, base, origin, bounds };
    let found = descend(&mut part, x, limits)?;
    problem.step = found.step;
    Ok(Some(found))
}

/// Learns a diagonal metric.
pub(super) fn diagonal(
    problem: &mut Problem<'_>,
    start: &[f64],
    limits: Limits,
) -> Result<(Vec<f64>, Info), LearnError> {
    let k = problem.features;
    let from: Vec<f64> = (0..k).map(|i| start[i * k + i]).collect();
    let zero = vec![0.0; k];
    let found = diagonal_step(problem, &[], zero.clone(), &from, &zero, limits)?;
    let mut m = vec![0.0; k * k];
    // Without off-diagonal entries the set holds at least margin I: never empty.
    let Some(found) = found else {
        return Err(LearnError::Parameter {
            field: "margin",
            value: problem.margin.to_string(),
            rule: "must leave room below the trace limit",
        });
    };
    for (i, v) in found.x.iter().enumerate() {
        m[i * k + i] = *v;
    }
    Ok((m, problem.info(found.history, found.stop)))
}
