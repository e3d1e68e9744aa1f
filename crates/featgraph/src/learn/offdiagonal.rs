//! One row and column of off-diagonal entries under the Schur bound (Eq. 22–34).

use super::problem::{Bounds, Part, Problem};
use super::project::onto_ball;
use super::step::{Block, Descent, Limits, descend, step_fixed};
use crate::eigen::{LobpcgParams, smallest_eigenvalue};
use crate::error::LearnError;
use crate::pass::{Entries, Want};

/// The smallest eigenvalue θmin of M22, the matrix without row and column `r`, by LOBPCG.
/// `None` when it did not converge to a usable value.
pub(super) fn theta_min(m: &[f64], k: usize, r: usize, tolerance: f64) -> Option<f64> {
    let index = |i: usize| if i < r { i } else { i + 1 };
    let n = k - 1;
    let product = |x: &[f64], y: &mut [f64]| {
        for (i, y) in y.iter_mut().enumerate() {
            let row = &m[index(i) * k..(index(i) + 1) * k];
            let before: f64 = row[..r].iter().zip(x).map(|(a, b)| a * b).sum();
            let after: f64 = row[r + 1..].iter().zip(&x[r..]).map(|(a, b)| a * b).sum();
            *y = before + after;
        }
    };
    let diagonal: Vec<f64> = (0..n).map(|i| m[index(i) * k + index(i)]).collect();
    let params = LobpcgParams { relative_tolerance: tolerance, ..LobpcgParams::default() };
    let found = smallest_eigenvalue(&product, n, Some(&diagonal), &params).ok()?;
    // The value found is never below the eigenvalue: step back by what it may be off.
    Some(found.value - found.residual.max(1e-14 * diagonal.iter().sum::<f64>()))
}

/// Radius of the ball for row `r`: Eq. 29 for `M - margin I`, which keeps every eigenvalue of M
/// at or above the margin.
pub(super) fn radius(m: &[f64], k: usize, r: usize, margin: f64, tolerance: f64) -> f64 {
    let theta = theta_min(m, k, r, tolerance).unwrap_or(0.0);
    let product = (theta - margin).max(0.0) * (m[r * k + r] - margin).max(0.0);
    product.sqrt()
}

/// At least [`radius`], without an eigenvalue: θmin is at most the least diagonal entry of M22.
pub(super) fn widest(m: &[f64], k: usize, r: usize, margin: f64) -> f64 {
    let others = (0..k).filter(|&i| i != r).map(|i| m[i * k + i]);
    let theta = others.fold(f64::INFINITY, f64::min);
    let product = (theta - margin).max(0.0) * (m[r * k + r] - margin).max(0.0);
    product.sqrt()
}

fn part<'p, 'e>(
    problem: &'p mut Problem<'e>,
    m: &[f64],
    r: usize,
    base: &'p [f64],
    radius: f64,
) -> Part<'p, 'e> {
    let k = problem.features;
    let mut origin = m[r * k..(r + 1) * k].to_vec();
    origin[r] = 0.0;
    Part { problem, which: Entries::Row(r), base, origin, bounds: Bounds::Ball { radius } }
}

/// Lowers the objective over row `r` of `m`, whose exponents are `base`.
pub(super) fn row_step(
    problem: &mut Problem<'_>,
    m: &[f64],
    r: usize,
    base: &[f64],
    radius: f64,
    limits: Limits,
) -> Result<Descent, LearnError> {
    let mut part = part(problem, m, r, base, radius);
    let mut x = part.origin.clone();
    onto_ball(&mut x, radius);
    let found = descend(&mut part, x, limits)?;
    problem.step = found.step;
    Ok(found)
}

/// A number of steps of one size over row `r`, all kept (the published program).
pub(super) fn row_steps_fixed(
    problem: &mut Problem<'_>,
    m: &[f64],
    r: usize,
    base: &[f64],
    size: f64,
    steps: usize,
) -> Result<Vec<f64>, LearnError> {
    let radius = radius(m, problem.features, r, problem.margin, 1e-9);
    let mut part = part(problem, m, r, base, radius);
    let x = part.origin.clone();
    steps_fixed(&mut part, x, size, steps)
}

/// A number of steps of one size, all kept.
pub(super) fn steps_fixed(
    block: &mut dyn Block,
    mut x: Vec<f64>,
    size: f64,
    steps: usize,
) -> Result<Vec<f64>, LearnError> {
    let mut gradient = vec![0.0; x.len()];
    for _ in 0..steps {
        block.evaluate(&x, Want::Gradient, &mut gradient);
        step_fixed(block, &mut x, &gradient, size)?;
    }
    Ok(x)
}
