//! The paper's algorithm: diagonal and off-diagonal entries in turns (section IV).

use super::diagonal::{diagonal_step, row_sums};
use super::discs::joint_step;
use super::offdiagonal::{radius, row_step, row_steps_fixed, steps_fixed, widest};
use super::params::{AlternateParams, Discs, Info, StepRule, Stop};
use super::problem::{Bounds, Part, Problem};
use super::step::Limits;
use crate::error::LearnError;
use crate::metric::cholesky;
use crate::pass::{Entries, Want};

/// A loose eigenvalue suffices: the radius steps back by its residual.
const THETA_TOLERANCE: f64 = 1e-4;
/// An alternation is the last if it gains less than the tolerance times this, relative to all that
/// was gained: a sweep over rows costs many passes.
const GAIN_SHARE: f64 = 100.0;
/// Evaluations between two alignments of the discs.
const ALIGNED_PASSES: usize = 4;

/// The matrix, its exponents over all edges and its objective (divided).
struct State {
    m: Vec<f64>,
    exponents: Vec<f64>,
    objective: f64,
}

impl State {
    fn new(problem: &mut Problem<'_>, m: Vec<f64>) -> Self {
        let padded = problem.pass.edges().padded_distances().len();
        let mut state = Self { m, exponents: vec![0.0; padded], objective: 0.0 };
        state.refresh(problem);
        state
    }

    /// Recomputes exponents and objective, which drift by rounding as entries change.
    fn refresh(&mut self, problem: &mut Problem<'_>) {
        problem.pass.exponents(&self.m, &mut self.exponents);
        self.objective = problem.full(&self.m, Want::Objective, &mut []).objective;
    }

    /// Sets the entries of `which` and moves the exponents along.
    fn set(&mut self, problem: &Problem<'_>, which: Entries, x: &[f64]) {
        let k = problem.features;
        let mut change = vec![0.0; k];
        for (j, &x) in x.iter().enumerate() {
            let (row, column) = match which {
                Entries::Diagonal => (j, j),
                Entries::Row(r) if r == j => continue,
                Entries::Row(r) => (r, j),
            };
            change[j] = x - self.m[row * k + column];
            self.m[row * k + column] = x;
            self.m[column * k + row] = x;
        }
        problem.pass.shift_exponents(which, &change, &mut self.exponents);
    }

    fn diagonal(&self, k: usize) -> Vec<f64> {
        (0..k).map(|i| self.m[i * k + i]).collect()
    }
}

/// Alternates from `start`, keeping a block only if the objective strictly falls: all rows jointly
/// with the diagonal, then the diagonal, then one row after the other.
///
/// The paper has the last two only. Left to themselves they stall: the diagonal step brings
/// features that matter little down to the margin, θmin of every other row is then the margin, and
/// no row has room for a step (Eq. 29). The joint step has both kinds of entries move at once.
pub(super) fn alternate(
    problem: &mut Problem<'_>,
    start: Vec<f64>,
    params: AlternateParams,
    limits: Limits,
) -> Result<(Vec<f64>, Info), LearnError> {
    let k = problem.features;
    let mut state = State::new(problem, start);
    let mut history = vec![state.objective];
    let mut stop = Stop::Limit;
    for _ in 0..params.alternations {
        let (before, kept) = (state.objective, state.m.clone());
        improve_jointly(problem, &mut state, params, limits)?;
        // With few passes the joint step may have taken them all.
        if params.discs == Discs::Plain && problem.passes < limits.evaluations {
            improve_diagonal(problem, &mut state, params, limits)?;
            improve_rows(problem, &mut state, params, limits)?;
            state.refresh(problem);
        }
        // Only an eigenvalue that LOBPCG missed, or rounding, can bring either about.
        let sound = cholesky(&state.m, k, 0.5 * problem.margin).is_ok();
        if !sound || state.objective >= before {
            state.m = kept;
            state.objective = before;
            stop = if sound { Stop::Stationary } else { Stop::Limit };
            break;
        }
        history.push(state.objective);
        // First, as a sweep cut short says nothing about convergence.
        if problem.passes >= limits.evaluations {
            break;
        }
        let (gain, so_far) = (before - state.objective, history[0] - state.objective);
        if gain <= limits.tolerance * state.objective.max(GAIN_SHARE * so_far) {
            stop = Stop::Converged;
            break;
        }
    }
    if matches!(stop, Stop::Converged | Stop::Stationary) && problem.without_room == k {
        stop = Stop::NoRoom;
    }
    Ok((state.m, problem.info(history, stop)))
}

fn improve_jointly(
    problem: &mut Problem<'_>,
    state: &mut State,
    params: AlternateParams,
    limits: Limits,
) -> Result<(), LearnError> {
    let left = limits.evaluations.saturating_sub(problem.passes);
    let evaluations = match params.discs {
        Discs::Plain => left,
        // Few, as discs aligned at one point hold back farther on.
        Discs::Aligned => left.min(ALIGNED_PASSES),
    };
    let limits = Limits { evaluations, ..limits };
    let found = joint_step(problem, state.m.clone(), params.discs, limits)?;
    if found.objective() < state.objective {
        state.objective = found.objective();
        state.m = found.x;
        problem.pass.exponents(&state.m, &mut state.exponents);
    } else {
        problem.rejected += 1;
    }
    Ok(())
}

fn improve_diagonal(
    problem: &mut Problem<'_>,
    state: &mut State,
    params: AlternateParams,
    limits: Limits,
) -> Result<(), LearnError> {
    let k = problem.features;
    let radii = row_sums(&state.m, k);
    let from = state.diagonal(k);
    let limits = Limits { evaluations: params.diagonal_passes, ..limits };
    let base = &state.exponents;
    match diagonal_step(problem, base, from.clone(), &from, &radii, limits)? {
        None => problem.empty_sets += 1,
        Some(found) if found.objective() < state.objective => {
            state.objective = found.objective();
            state.set(problem, Entries::Diagonal, &found.x);
        }
        Some(_) => problem.rejected += 1,
    }
    Ok(())
}

/// One row after the other, the steepest first, until two in a row gain next to nothing.
fn improve_rows(
    problem: &mut Problem<'_>,
    state: &mut State,
    params: AlternateParams,
    mut limits: Limits,
) -> Result<(), LearnError> {
    let k = problem.features;
    problem.without_room = 0;
    let most = std::mem::replace(&mut limits.evaluations, params.row_passes);
    let mut idle = 0;
    for r in steepest_rows(problem, &state.m) {
        // With many features one sweep alone takes thousands of passes.
        if idle == 2 || problem.passes >= most {
            break;
        }
        let row = state.m[r * k..(r + 1) * k].iter().enumerate();
        let length = row.filter(|(j, _)| *j != r).map(|(_, v)| v * v).sum::<f64>().sqrt();
        // Most rows without room need no eigenvalue to say so.
        let widest = widest(&state.m, k, r, problem.margin);
        let radius = if widest <= length {
            widest
        } else {
            radius(&state.m, k, r, problem.margin, THETA_TOLERANCE)
        };
        if radius <= length {
            problem.without_room += 1;
            continue;
        }
        let found = row_step(problem, &state.m, r, &state.exponents, radius, limits)?;
        let gain = state.objective - found.objective();
        if gain > 0.0 {
            state.objective = found.objective();
            state.set(problem, Entries::Row(r), &found.x);
        } else {
            problem.rejected += 1;
        }
        idle = if gain > limits.tolerance * state.objective { 0 } else { idle + 1 };
    }
    Ok(())
}

/// The rows by the length of their gradient off the diagonal, longest first.
fn steepest_rows(problem: &mut Problem<'_>, m: &[f64]) -> Vec<usize> {
    let k = problem.features;
    let mut gradient = vec![0.0; k * k];
    problem.full(m, Want::Gradient, &mut gradient);
    let slope =
        |r: usize| -> f64 { (0..k).filter(|&j| j != r).map(|j| gradient[r * k + j].powi(2)).sum() };
    let mut rows: Vec<usize> = (0..if k > 1 { k } else { 0 }).collect();
    rows.sort_by(|&a, &b| slope(b).total_cmp(&slope(a)));
    rows
}

/// The published program's schedule: all blocks kept, steps of one size, the matrix of lowest
/// objective among the alternations returned.
pub(super) fn published(
    problem: &mut Problem<'_>,
    start: Vec<f64>,
    params: AlternateParams,
    limits: Limits,
) -> Result<(Vec<f64>, Info), LearnError> {
    let StepRule::Fixed { size } = limits.rule else {
        return Err(LearnError::Parameter {
            field: "step",
            value: format!("{:?}", limits.rule),
            rule: "must be fixed for the published schedule",
        });
    };
    let k = problem.features;
    let mut state = State::new(problem, start);
    let mut best = (state.objective, state.m.clone());
    let mut history = vec![state.objective];
    for _ in 0..params.alternations {
        for r in 0..if k > 1 { k } else { 0 } {
            let base = &state.exponents;
            let x = row_steps_fixed(problem, &state.m, r, base, size, params.row_passes)?;
            state.set(problem, Entries::Row(r), &x);
        }
        let lower = row_sums(&state.m, k).iter().map(|s| s + problem.margin).collect();
        let origin = state.diagonal(k);
        let mut part = Part {
            problem,
            which: Entries::Diagonal,
            base: &state.exponents,
            origin: origin.clone(),
            bounds: Bounds::Published { lower },
        };
        let x = steps_fixed(&mut part, origin, size, params.diagonal_passes)?;
        state.set(problem, Entries::Diagonal, &x);
        state.refresh(problem);
        history.push(state.objective);
        if state.objective < best.0 && cholesky(&state.m, k, 0.0).is_ok() {
            best = (state.objective, state.m.clone());
        }
        if problem.passes >= limits.evaluations {
            break;
        }
    }
    let mut info = problem.info(history, Stop::Limit);
    info.objective = best.0 * problem.total;
    Ok((best.1, info))
}
