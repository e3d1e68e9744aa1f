//! Lanczos with full reorthogonalisation: the fallback when LOBPCG is slow on a small operator.
//!
//! LOBPCG keeps three directions per vector and needs many steps when the lowest eigenvalue is
//! tiny against the largest one. Keeping all directions costs memory (n² numbers at worst) but
//! ends after at most n products, with an error near rounding.

use super::EigenError;
use super::rayleigh_ritz::{Operator, check_finite, orthonormalize};
use crate::solve::blas::{axpy, dot, norm};

/// The lowest pair found, its residual, and the products spent.
pub(super) struct Lowest {
    pub(super) value: f64,
    pub(super) vector: Vec<f64>,
    pub(super) residual: f64,
    pub(super) products: usize,
    /// The space became invariant or full: there is nothing left to gain.
    pub(super) exhausted: bool,
}

/// Runs from `start` until `residual <= tolerance(value, largest)` or the space is exhausted.
pub(super) fn lowest(
    op: Operator<'_>,
    mut start: Vec<f64>,
    tolerance: &dyn Fn(f64, f64) -> f64,
) -> Result<Lowest, EigenError> {
    let n = start.len();
    orthonormalize(&mut start, &[]);
    let mut basis = start;
    let (mut alpha, mut beta) = (Vec::new(), Vec::<f64>::new());
    let mut w = vec![0.0; n];
    let mut exhausted = false;
    let mut ritz;
    loop {
        let k = alpha.len();
        let v = &basis[k * n..(k + 1) * n];
        op(v, &mut w);
        check_finite(&w)?;
        alpha.push(dot(v, &w));
        let before = norm(&w);
        for _twice in 0..2 {
            for column in basis.chunks_exact(n) {
                axpy(-dot(column, &w), column, &mut w);
            }
        }
        let b = norm(&w);
        let largest = tridiagonal_bounds(&alpha, &beta).1;
        exhausted |= alpha.len() == n || b <= 1e-15 * largest.abs().max(before) || b == 0.0;
        // The small eigenproblem is not free, so look only now and then.
        if exhausted || alpha.len().is_multiple_of(8) {
            let theta = lowest_of_tridiagonal(&alpha, &beta);
            ritz = vector_of_tridiagonal(&alpha, &beta, theta);
            let estimate = b * ritz[alpha.len() - 1].abs();
            if exhausted || estimate <= 0.5 * tolerance(theta, largest) {
                break;
            }
        }
        beta.push(b);
        let mut next = w.clone();
        if !orthonormalize(&mut next, &basis) {
            exhausted = true;
            beta.pop();
            let theta = lowest_of_tridiagonal(&alpha, &beta);
            ritz = vector_of_tridiagonal(&alpha, &beta, theta);
            break;
        }
        basis.extend_from_slice(&next);
    }
    let mut vector = vec![0.0; n];
    for (c, column) in ritz.iter().zip(basis.chunks_exact(n)) {
        axpy(*c, column, &mut vector);
    }
    orthonormalize(&mut vector, &[]);
    op(&vector, &mut w);
    check_finite(&w)?;
    let value = dot(&vector, &w);
    axpy(-value, &vector, &mut w);
    Ok(Lowest { value, residual: norm(&w), vector, products: alpha.len() + 1, exhausted })
}

/// Gershgorin interval of the tridiagonal matrix.
fn tridiagonal_bounds(alpha: &[f64], beta: &[f64]) -> (f64, f64) {
    let k = alpha.len();
    let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..k {
        let left = if i > 0 { beta[i - 1] } else { 0.0 };
        let right = if i + 1 < k { beta[i] } else { 0.0 };
        bounds.0 = bounds.0.min(alpha[i] - left - right);
        bounds.1 = bounds.1.max(alpha[i] + left + right);
    }
    bounds
}

/// Lowest eigenvalue by bisection on the sign of the first pivot that fails.
fn lowest_of_tridiagonal(alpha: &[f64], beta: &[f64]) -> f64 {
    let (mut low, mut high) = tridiagonal_bounds(alpha, beta);
    while high - low > 2.0 * f64::EPSILON * low.abs().max(high.abs()) {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if positive_definite(alpha, beta, middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Whether T - shift I has only positive pivots.
fn positive_definite(alpha: &[f64], beta: &[f64], shift: f64) -> bool {
    let mut pivot = alpha[0] - shift;
    for i in 1..alpha.len() {
        if pivot <= 0.0 {
            return false;
        }
        // Divided first: the square of a small coupling would underflow.
        pivot = alpha[i] - shift - beta[i - 1] * (beta[i - 1] / pivot);
    }
    pivot > 0.0
}

/// Unit eigenvector for `theta` by inverse iteration just below it, where T - σI is definite
/// and needs no pivoting.
fn vector_of_tridiagonal(alpha: &[f64], beta: &[f64], theta: f64) -> Vec<f64> {
    let k = alpha.len();
    let (low, high) = tridiagonal_bounds(alpha, beta);
    let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
    let sigma = theta - 8.0 * f64::EPSILON * size;
    let floor = f64::EPSILON * size;
    let mut pivots = vec![0.0; k];
    for i in 0..k {
        let carried = if i > 0 { beta[i - 1] * (beta[i - 1] / pivots[i - 1]) } else { 0.0 };
        pivots[i] = (alpha[i] - sigma - carried).max(floor);
    }
    // A start without symmetry, so that it is not orthogonal to the wanted vector.
    let mut x: Vec<f64> = (0..k).map(|i| 1.0 + 0.3 * ((i as f64) * 1.7).sin()).collect();
    for _step in 0..4 {
        for i in 1..k {
            x[i] -= beta[i - 1] / pivots[i - 1] * x[i - 1];
        }
        for i in 0..k {
            x[i] /= pivots[i];
        }
        for i in (0..k.saturating_sub(1)).rev() {
            x[i] -= beta[i] / pivots[i] * x[i + 1];
        }
        let length = norm(&x);
        x.iter_mut().for_each(|v| *v /= length);
    }
    x
}
