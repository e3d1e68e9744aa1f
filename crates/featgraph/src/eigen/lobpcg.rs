//! Locally optimal block preconditioned conjugate gradient (Knyazev 2001).

use serde::{Deserialize, Serialize};

use super::block::{Block, generator, random_unit};
use super::rayleigh_ritz::{Operator, check_finite};
use super::{EigenError, dense, lanczos};
use crate::solve::blas::{axpy, norm};

/// Up to this size the slow cases of [`smallest_eigenvalue`] keep the whole Krylov space.
const KRYLOV_LIMIT: usize = 1024;
/// Up to this size the operator is written out and diagonalized: cheaper than any iteration.
const DENSE_LIMIT: usize = 16;
/// After so many steps the products carried along are computed from scratch.
const REFRESH: usize = 25;
/// So many steps without a smaller residual mean that rounding is reached.
const PATIENCE: usize = 100;

/// Settings of the eigenvalue iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LobpcgParams {
    /// Accept when `|Ax - θx| <= relative_tolerance |θ| + absolute_tolerance θmax`. The residual
    /// bounds the distance to an eigenvalue.
    pub relative_tolerance: f64,
    /// The part of the tolerance that is relative to the largest eigenvalue (estimated).
    pub absolute_tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Vectors iterated beside the wanted ones; they speed up clustered eigenvalues.
    pub guard_vectors: usize,
    /// Seed of the random start block.
    pub seed: u64,
}

impl Default for LobpcgParams {
    fn default() -> Self {
        Self {
            relative_tolerance: 5e-9,
            absolute_tolerance: 2e-14,
            max_iterations: 1000,
            guard_vectors: 2,
            seed: 0x5eed,
        }
    }
}

impl LobpcgParams {
    /// Checks every field.
    pub fn check(&self) -> Result<(), EigenError> {
        let tolerance = |v: f64| v.is_finite() && v >= 0.0;
        let fail = |field, rule| Err(EigenError::Parameter { field, rule });
        if !tolerance(self.relative_tolerance) {
            return fail("relative_tolerance", "must be finite and not negative");
        }
        if !tolerance(self.absolute_tolerance) {
            return fail("absolute_tolerance", "must be finite and not negative");
        }
        if self.max_iterations == 0 {
            return fail("max_iterations", "must be at least 1");
        }
        Ok(())
    }

    fn tolerance(&self, value: f64, largest: f64) -> f64 {
        self.relative_tolerance * value.abs() + self.absolute_tolerance * largest
    }
}

/// Why the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EigenStop {
    /// Every wanted residual is within the tolerance.
    Converged,
    /// The trial space was the whole space (or an invariant one): exact up to rounding.
    WholeSpace,
    /// The residual no longer falls; it is reported, and about the size of rounding.
    Stalled,
    /// The iteration limit came first; the residual is reported.
    IterationLimit,
}

/// The smallest eigenvalue and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallestEigen {
    /// The eigenvalue.
    pub value: f64,
    /// Its eigenvector, of unit length.
    pub vector: Vec<f64>,
    /// `|Ax - θx|`; an eigenvalue lies within this distance of `value`.
    pub residual: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Products with the operator.
    pub products: usize,
    /// Why it ended.
    pub stop: EigenStop,
}

/// A few lowest eigenpairs and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct LowestEigen {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// Eigenvector `k` is `vectors[k * n..(k + 1) * n]`, of unit length.
    pub vectors: Vec<f64>,
    /// `|Ax - θx|` of each pair.
    pub residuals: Vec<f64>,
    /// Iterations done.
    pub iterations: usize,
    /// Products with the operator.
    pub products: usize,
    /// Why it ended.
    pub stop: EigenStop,
}

/// The smallest eigenvalue of a symmetric operator with `n` rows.
///
/// `operator(x, y)` writes `y = A x`. `diagonal` (of A, positive) preconditions; without it the
/// iteration runs plain. Meant for positive (semi-)definite operators; an indefinite one gives its
/// lowest, negative eigenvalue. Slow cases with at most 1024 rows end in a Lanczos
/// iteration that keeps all its directions, so that they need at most about 2n products.
///
/// ```
/// use featgraph::eigen::{LobpcgParams, smallest_eigenvalue};
/// let a = [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]];
/// let product = |x: &[f64], y: &mut [f64]| {
///     for (y, row) in y.iter_mut().zip(&a) {
///         *y = row.iter().zip(x).map(|(a, x)| a * x).sum();
///     }
/// };
/// let found = smallest_eigenvalue(&product, 3, Some(&[2.0; 3]), &LobpcgParams::default())?;
/// assert!((found.value - (2.0 - 2f64.sqrt())).abs() < 1e-12);
/// # Ok::<(), featgraph::eigen::EigenError>(())
/// ```
pub fn smallest_eigenvalue(
    operator: &dyn Fn(&[f64], &mut [f64]),
    n: usize,
    diagonal: Option<&[f64]>,
    params: &LobpcgParams,
) -> Result<SmallestEigen, EigenError> {
    let budget = (n <= KRYLOV_LIMIT).then_some(n);
    let found = iterate(operator, n, 1, diagonal, params, budget)?;
    let settled = matches!(found.stop, EigenStop::Converged | EigenStop::WholeSpace);
    if settled || n > KRYLOV_LIMIT {
        return Ok(smallest_of(found));
    }
    // What LOBPCG found, with all other directions mixed in: they may hold what it missed.
    let mut start = found.vectors.clone();
    axpy(0.1, &random_unit(n, &mut generator(params.seed ^ 1)), &mut start);
    let tolerance = |value, largest| params.tolerance(value, largest);
    let lowest = lanczos::lowest(operator, start, &tolerance)?;
    Ok(SmallestEigen {
        value: lowest.value,
        vector: lowest.vector,
        residual: lowest.residual,
        iterations: found.iterations + lowest.products,
        products: found.products + lowest.products,
        stop: if lowest.exhausted { EigenStop::WholeSpace } else { EigenStop::Converged },
    })
}

/// The `count` lowest eigenpairs of a symmetric operator with `n` rows; arguments as for
/// [`smallest_eigenvalue`].
///
/// ```
/// use featgraph::eigen::{LobpcgParams, lowest_eigenpairs};
/// let product = |x: &[f64], y: &mut [f64]| {
///     for (i, (x, y)) in x.iter().zip(y).enumerate() {
///         *y = (i + 1) as f64 * x;
///     }
/// };
/// let found = lowest_eigenpairs(&product, 100, 3, None, &LobpcgParams::default())?;
/// assert!(found.values.iter().zip([1.0, 2.0, 3.0]).all(|(v, w)| (v - w).abs() < 1e-7));
/// # Ok::<(), featgraph::eigen::EigenError>(())
/// ```
pub fn lowest_eigenpairs(
    operator: &dyn Fn(&[f64], &mut [f64]),
    n: usize,
    count: usize,
    diagonal: Option<&[f64]>,
    params: &LobpcgParams,
) -> Result<LowestEigen, EigenError> {
    iterate(operator, n, count, diagonal, params, None)
}

fn smallest_of(found: LowestEigen) -> SmallestEigen {
    SmallestEigen {
        value: found.values[0],
        vector: found.vectors,
        residual: found.residuals[0],
        iterations: found.iterations,
        products: found.products,
        stop: found.stop,
    }
}

/// The block iteration; gives up with `IterationLimit` once `budget` products are spent.
fn iterate(
    op: Operator<'_>,
    n: usize,
    count: usize,
    diagonal: Option<&[f64]>,
    params: &LobpcgParams,
    budget: Option<usize>,
) -> Result<LowestEigen, EigenError> {
    params.check()?;
    check_problem(n, count, diagonal)?;
    let block = count + params.guard_vectors;
    // With [X P W] as wide as the space, iterating is a detour.
    if n <= DENSE_LIMIT.max(3 * block) {
        return whole_space(op, n, count);
    }
    let mut state = Block::start(op, n, block, params.seed)?;
    let inverse = preconditioner(diagonal);
    let mut best = (f64::INFINITY, 0);
    for iteration in 1..=params.max_iterations {
        let refreshed = iteration % REFRESH == 0;
        if refreshed {
            state.refresh(op)?;
        }
        let residuals = state.residuals();
        let within = |k: usize| residuals[k] <= params.tolerance(state.theta[k], state.largest);
        let mut stop = None;
        if (0..count).all(within) {
            // The products carried along have drifted a little; accept only with fresh ones.
            state.refresh(op)?;
            let fresh = state.residuals();
            let ok = |k: usize| fresh[k] <= params.tolerance(state.theta[k], state.largest);
            if (0..count).all(ok) {
                stop = Some(EigenStop::Converged);
            }
        }
        let worst = residuals[..count].iter().fold(0.0f64, |m, r| m.max(*r));
        if worst < 0.9 * best.0 {
            best = (worst, iteration);
        }
        if stop.is_none() && iteration - best.1 > PATIENCE {
            stop = Some(EigenStop::Stalled);
        }
        if stop.is_none() && budget.is_some_and(|b| state.basis.applied >= b) {
            stop = Some(EigenStop::IterationLimit);
        }
        if stop.is_none() && !state.advance(op, inverse.as_deref())? {
            stop = Some(EigenStop::Stalled);
        }
        if let Some(stop) = stop {
            return Ok(state.finish(count, iteration, stop));
        }
    }
    state.refresh(op)?;
    Ok(state.finish(count, params.max_iterations, EigenStop::IterationLimit))
}

fn check_problem(n: usize, count: usize, diagonal: Option<&[f64]>) -> Result<(), EigenError> {
    if n == 0 {
        return Err(EigenError::Empty);
    }
    if count == 0 || count > n {
        return Err(EigenError::Count { wanted: count, n });
    }
    match diagonal.filter(|d| d.len() != n) {
        Some(d) => Err(EigenError::Length { what: "diagonal", expected: n, found: d.len() }),
        None => Ok(()),
    }
}

/// Writes a small operator out and diagonalizes it.
fn whole_space(op: Operator<'_>, n: usize, count: usize) -> Result<LowestEigen, EigenError> {
    let mut a = vec![0.0; n * n];
    let mut unit = vec![0.0; n];
    for (i, row) in a.chunks_exact_mut(n).enumerate() {
        unit[i] = 1.0;
        op(&unit, row);
        unit[i] = 0.0;
        check_finite(row)?;
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
            (a[i * n + j], a[j * n + i]) = (mean, mean);
        }
    }
    let mut values = vec![0.0; n];
    let mut vectors = vec![0.0; n * n];
    dense::jacobi(&mut a, n, &mut values, &mut vectors);
    let mut product = vec![0.0; n];
    let mut residuals = Vec::with_capacity(count);
    for k in 0..count {
        let x = &vectors[k * n..(k + 1) * n];
        op(x, &mut product);
        axpy(-values[k], x, &mut product);
        residuals.push(norm(&product));
    }
    values.truncate(count);
    vectors.truncate(count * n);
    let stop = EigenStop::WholeSpace;
    Ok(LowestEigen { values, vectors, residuals, iterations: 1, products: n + count, stop })
}

/// Reciprocal of the diagonal, where that is positive; tiny entries are lifted so that one row
/// cannot swamp the others.
fn preconditioner(diagonal: Option<&[f64]>) -> Option<Vec<f64>> {
    let d = diagonal?;
    let largest = d.iter().fold(0.0f64, |m, v| if v.is_finite() { m.max(*v) } else { m });
    if largest <= 0.0 {
        return None;
    }
    // Relative to the largest, so that the reciprocals cannot overflow.
    let usable = |v: f64| v.is_finite() && v > 0.0;
    Some(d.iter().map(|&v| if usable(v) { 1.0 / (v / largest).max(1e-14) } else { 1.0 }).collect())
}
