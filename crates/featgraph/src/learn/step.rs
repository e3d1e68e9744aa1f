//! Gradient steps over a convex set, whatever the entries that move.

use super::accelerate;
use super::params::{StepRule, Stop};
use crate::error::LearnError;
use crate::pass::{Sums, Want};

/// A convex, smooth objective over a convex set.
pub(crate) trait Block {
    /// Objective (divided by the total distance), gradient and curvature bound.
    fn evaluate(&mut self, x: &[f64], want: Want, gradient: &mut [f64]) -> Sums;
    /// Moves `x` to the nearest point of the set.
    fn project(&mut self, x: &mut [f64]) -> Result<(), LearnError>;
    /// A length that no two points of the set exceed by much: the trace limit.
    fn reach(&self) -> f64;
    /// Whether to take the longer of two estimates of the step always: the shorter one creeps along
    /// the edges of a polytope.
    fn long_steps(&self) -> bool {
        false
    }
}

/// When to stop and how to step. A fixed size is relative to the divided objective here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub rule: StepRule,
    pub tolerance: f64,
    pub evaluations: usize,
}

/// What a descent found; `history` begins with the start.
#[derive(Debug)]
pub(crate) struct Descent {
    pub x: Vec<f64>,
    pub history: Vec<f64>,
    /// The last accepted step, for the divided objective; zero without one.
    pub step: f64,
    pub stop: Stop,
}

impl Descent {
    pub fn objective(&self) -> f64 {
        *self.history.last().unwrap_or(&f64::INFINITY)
    }
}

/// A step must gain this part of what the slope promises (Armijo's rule).
const SUFFICIENT: f64 = 1e-4;
/// No step goes further than this many times the set's size before projection.
const LONGEST: f64 = 100.0;
/// Shorter moves, relative to the set's size, are rounding.
const SHORTEST: f64 = 1e-14;

/// Lowers the objective from `x`, which must be in the set.
pub(crate) fn descend(
    block: &mut dyn Block,
    x: Vec<f64>,
    limits: Limits,
) -> Result<Descent, LearnError> {
    match limits.rule {
        StepRule::Backtracking => backtrack(block, x, limits),
        StepRule::Accelerated => accelerate::accelerate(block, x, limits),
        StepRule::Fixed { size } => fixed(block, x, limits, size),
    }
}

/// Counts small changes: converged at the second in a row, as one alone may be a short step.
pub(crate) struct Progress {
    tolerance: f64,
    small: usize,
}

impl Progress {
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance, small: 0 }
    }

    pub fn settled(&mut self, before: f64, after: f64) -> bool {
        let small = before - after <= self.tolerance * after;
        self.small = if small { self.small + 1 } else { 0 };
        self.small >= 2 || after == 0.0
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// The first step: one over the curvature bound, or across the set where that says nothing.
pub(crate) fn first_step(curvature: f64, gradient: &[f64], reach: f64) -> f64 {
    let across = LONGEST * reach / largest(gradient);
    let step = 1.0 / curvature;
    if step.is_finite() && step > 0.0 { step.min(across) } else { across }
}

/// Spectral projected gradient with a monotone line search along the feasible segment.
fn backtrack(
    block: &mut dyn Block,
    mut x: Vec<f64>,
    limits: Limits,
) -> Result<Descent, LearnError> {
    let n = x.len();
    let reach = block.reach();
    let mut gradient = vec![0.0; n];
    let first = block.evaluate(&x, Want::GradientAndCurvature, &mut gradient);
    let mut f = first.objective;
    let mut step = first_step(first.curvature, &gradient, reach);
    let mut taken = 0.0;
    let mut history = vec![f];
    let mut progress = Progress::new(limits.tolerance);
    let (mut trial, mut move_, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut evaluations = 1;
    let stop = 'descent: loop {
        let steepest = largest(&gradient);
        if steepest == 0.0 || f == 0.0 {
            break Stop::Stationary;
        }
        step = step.min(LONGEST * reach / steepest);
        combine(&mut trial, &x, -step, &gradient);
        block.project(&mut trial)?;
        for i in 0..n {
            move_[i] = trial[i] - x[i];
        }
        let slope = dot(&gradient, &move_);
        if slope >= 0.0 || slope.is_nan() || largest(&move_) <= SHORTEST * reach {
            break Stop::Stationary;
        }
        let mut part = 1.0;
        let f_next = loop {
            if evaluations >= limits.evaluations {
                break 'descent Stop::Limit;
            }
            let found = block.evaluate(&trial, Want::Gradient, &mut next).objective;
            evaluations += 1;
            if found <= f + SUFFICIENT * part * slope {
                break found;
            }
            part *= shorter(f, found, part * slope);
            if part * largest(&move_) <= SHORTEST * reach {
                break 'descent Stop::Stationary;
            }
            combine(&mut trial, &x, part, &move_);
        };
        taken = part * step;
        let spectral = spectral_step([&x, &trial], [&gradient, &next], block.long_steps());
        step = if spectral.is_finite() && spectral > 0.0 { spectral } else { 10.0 * step };
        std::mem::swap(&mut x, &mut trial);
        std::mem::swap(&mut gradient, &mut next);
        let before = std::mem::replace(&mut f, f_next);
        history.push(f);
        if progress.settled(before, f) {
            break Stop::Converged;
        }
    };
    Ok(Descent { x, history, step: taken, stop })
}

/// `out = x + t v`.
fn combine(out: &mut [f64], x: &[f64], t: f64, v: &[f64]) {
    for i in 0..out.len() {
        out[i] = x[i] + t * v[i];
    }
}

/// The share of a step that goes to the minimum of the parabola through the values at both of its ends with the
/// given fall at its start, kept within bounds.
fn shorter(start: f64, end: f64, fall: f64) -> f64 {
    let bend = end - start - fall;
    let ratio = -fall / (2.0 * bend);
    if ratio.is_finite() { ratio.clamp(0.1, 0.5) } else { 0.1 }
}

/// Barzilai and Borwein's step: the short one where the two estimates differ much, else the long one.
fn spectral_step(x: [&[f64]; 2], gradient: [&[f64]; 2], long_steps: bool) -> f64 {
    let (mut ss, mut sy, mut yy) = (0.0, 0.0, 0.0);
    for i in 0..x[0].len() {
        let (s, y) = (x[1][i] - x[0][i], gradient[1][i] - gradient[0][i]);
        ss += s * s;
        sy += s * y;
        yy += y * y;
    }
    let (long, short) = (ss / sy, sy / yy);
    if short < 0.3 * long && !long_steps { short } else { long }
}

/// Steps of one size; a step that raises the objective is taken back and ends the descent.
fn fixed(
    block: &mut dyn Block,
    mut x: Vec<f64>,
    limits: Limits,
    size: f64,
) -> Result<Descent, LearnError> {
    let mut gradient = vec![0.0; x.len()];
    let mut f = block.evaluate(&x, Want::Gradient, &mut gradient).objective;
    let mut history = vec![f];
    let mut progress = Progress::new(limits.tolerance);
    let mut stop = Stop::Limit;
    for _ in 1..limits.evaluations {
        let before = x.clone();
        step_fixed(block, &mut x, &gradient, size)?;
        let next = block.evaluate(&x, Want::Gradient, &mut gradient).objective;
        if next > f {
            x = before;
            stop = Stop::Rose;
            break;
        }
        history.push(next);
        let last = std::mem::replace(&mut f, next);
        if progress.settled(last, f) {
            stop = Stop::Converged;
            break;
        }
    }
    Ok(Descent { x, history, step: size, stop })
}

/// One projected step of a given size (Eq. 21, 34).
pub(crate) fn step_fixed(
    block: &mut dyn Block,
    x: &mut [f64],
    gradient: &[f64],
    size: f64,
) -> Result<(), LearnError> {
    let far = LONGEST * block.reach();
    for (x, g) in x.iter_mut().zip(gradient) {
        *x -= (size * g).clamp(-far, far);
    }
    block.project(x)
}
