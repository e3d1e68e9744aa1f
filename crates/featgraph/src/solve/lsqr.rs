//! LSQR: least squares by bidiagonalization.
//!
//! Paige and Saunders 1982, [doi:10.1145/355984.355989](https://doi.org/10.1145/355984.355989);
//! the letters are theirs.

use serde::{Deserialize, Serialize};

use super::columns::{blend, check_rows, norms, partials};
use super::{SolveError, TransposeOperator};

/// Settings of LSQR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LsqrParams {
    /// A column is done when `|r| <= tolerance |b|`, or `|A'r| <= tolerance |A| |r|` (the least
    /// squares solution of a system that has no exact one).
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// λ: solves `min |Ax - b|² + λ²|x|²`.
    pub damping: f64,
}

impl Default for LsqrParams {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 1000, damping: 0.0 }
    }
}

impl LsqrParams {
    /// Checks every field.
    pub fn check(&self) -> Result<(), SolveError> {
        for (field, value) in [("tolerance", self.tolerance), ("damping", self.damping)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SolveError::Parameter {
                    field,
                    rule: "must be finite and not negative",
                });
            }
        }
        Ok(())
    }
}

/// Why a column ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LsqrStop {
    /// `|r| <= tolerance |b|`: the system is solved.
    Solved,
    /// `|A'r| <= tolerance |A| |r|`: the least squares solution.
    LeastSquares,
    /// The iteration limit came first.
    IterationLimit,
}

/// How the systems were solved.
#[derive(Debug, Clone, PartialEq)]
pub struct LsqrInfo<const R: usize> {
    /// Iterations; each is a product with A and one with A'.
    pub iterations: usize,
    /// `|r| / |b|` of every column as carried along (with damping, r includes λx); 0 where b is 0.
    pub residuals: [f64; R],
    /// Why each column ended.
    pub stop: [LsqrStop; R],
}

/// Solves `min |Ax - b|` for any shape of A, from zero, several right-hand sides at once.
///
/// ```
/// use featgraph::laplacian::Csr;
/// use featgraph::solve::{LsqrParams, lsqr};
/// // A line through (0, 1), (1, 2), (2, 4): least squares gives 5/6 + 3/2 t.
/// let a = Csr::from_parts(2, vec![0, 1, 3, 5], vec![0, 0, 1, 0, 1], vec![1.0, 1.0, 1.0, 1.0, 2.0])?;
/// let (x, _info) = lsqr(&a, &[[1.0], [2.0], [4.0]], &LsqrParams::default())?;
/// assert!((x[0][0] - 5.0 / 6.0).abs() < 1e-9 && (x[1][0] - 1.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lsqr<A, const R: usize>(
    operator: &A,
    b: &[[f64; R]],
    params: &LsqrParams,
) -> Result<(Vec<[f64; R]>, LsqrInfo<R>), SolveError>
where
    A: TransposeOperator<R> + ?Sized,
{
    params.check()?;
    check_rows("b", operator.rows(), b)?;
    let mut s = Lsqr::start(operator, b)?;
    let mut iterations = 0;
    while iterations < params.max_iterations && s.stop.contains(&None) {
        s.bidiagonalize(operator)?;
        s.rotate(params.damping);
        s.judge(params.tolerance);
        iterations += 1;
    }
    let relative = |r: usize| if s.b_norm[r] > 0.0 { s.r_norm[r] / s.b_norm[r] } else { 0.0 };
    let residuals = std::array::from_fn(relative);
    let stop = s.stop.map(|stop| stop.unwrap_or(LsqrStop::IterationLimit));
    Ok((s.x, LsqrInfo { iterations, residuals, stop }))
}

struct Lsqr<const R: usize> {
    x: Vec<[f64; R]>,
    u: Vec<[f64; R]>,
    v: Vec<[f64; R]>,
    w: Vec<[f64; R]>,
    u_next: Vec<[f64; R]>,
    v_next: Vec<[f64; R]>,
    partial_u: Vec<[f64; R]>,
    partial_v: Vec<[f64; R]>,
    alpha: [f64; R],
    beta: [f64; R],
    rho_bar: [f64; R],
    phi_bar: [f64; R],
    /// Squares of the parts of the residual that damping adds.
    psi2: [f64; R],
    /// Frobenius norm of the bidiagonal matrix so far, an estimate of |A|.
    a_norm: [f64; R],
    b_norm: [f64; R],
    r_norm: [f64; R],
    ar_norm: [f64; R],
    stop: [Option<LsqrStop>; R],
}

impl<const R: usize> Lsqr<R> {
    fn start<A: TransposeOperator<R> + ?Sized>(a: &A, b: &[[f64; R]]) -> Result<Self, SolveError> {
        let (m, n) = (a.rows(), a.columns());
        let (mut partial_u, mut partial_v) = (partials(m), partials(n));
        let mut u = b.to_vec();
        let beta = normalize(&mut u, &mut partial_u);
        let mut v = vec![[0.0; R]; n];
        a.apply_transpose(&u, &mut v);
        check_rows("operator product", n, &v)?;
        let alpha = normalize(&mut v, &mut partial_v);
        let stop = std::array::from_fn(|r| match (beta[r] == 0.0, alpha[r] == 0.0) {
            (true, _) => Some(LsqrStop::Solved),
            (_, true) => Some(LsqrStop::LeastSquares), // A'b = 0: zero is the solution
            _ => None,
        });
        Ok(Self {
            x: vec![[0.0; R]; n],
            u_next: vec![[0.0; R]; m],
            v_next: vec![[0.0; R]; n],
            w: v.clone(),
            u,
            v,
            partial_u,
            partial_v,
            alpha,
            beta,
            rho_bar: alpha,
            phi_bar: beta,
            psi2: [0.0; R],
            a_norm: alpha,
            b_norm: beta,
            r_norm: beta,
            ar_norm: std::array::from_fn(|r| alpha[r] * beta[r]),
            stop,
        })
    }

    /// β u = A v - α u, then α v = A' u - β v.
    fn bidiagonalize<A: TransposeOperator<R> + ?Sized>(&mut self, a: &A) -> Result<(), SolveError> {
        a.apply(&self.v, &mut self.u_next);
        blend(&mut self.u_next, [1.0; R], &self.u, self.alpha.map(|a| -a));
        std::mem::swap(&mut self.u, &mut self.u_next);
        self.beta = normalize(&mut self.u, &mut self.partial_u);
        a.apply_transpose(&self.u, &mut self.v_next);
        blend(&mut self.v_next, [1.0; R], &self.v, self.beta.map(|b| -b));
        std::mem::swap(&mut self.v, &mut self.v_next);
        self.alpha = normalize(&mut self.v, &mut self.partial_v);
        for r in 0..R {
            if !(self.alpha[r].is_finite() && self.beta[r].is_finite()) {
                check_rows("operator product", self.u.len(), &self.u)?;
                check_rows("operator product", self.v.len(), &self.v)?;
            }
            self.a_norm[r] = self.a_norm[r].hypot(self.alpha[r]).hypot(self.beta[r]);
        }
        Ok(())
    }

    /// The plane rotations, and the steps of x and w they give.
    fn rotate(&mut self, damping: f64) {
        let (mut step, mut keep) = ([0.0; R], [0.0; R]);
        for r in (0..R).filter(|&r| self.stop[r].is_none()) {
            let damped = self.rho_bar[r].hypot(damping);
            let psi = damping / damped * self.phi_bar[r];
            self.psi2[r] += psi * psi;
            let phi_bar = self.rho_bar[r] / damped * self.phi_bar[r];
            let rho = damped.hypot(self.beta[r]);
            let (c, s) = (damped / rho, self.beta[r] / rho);
            let theta = s * self.alpha[r];
            let phi = c * phi_bar;
            self.rho_bar[r] = -c * self.alpha[r];
            self.phi_bar[r] = s * phi_bar;
            step[r] = phi / rho;
            keep[r] = -theta / rho;
            self.r_norm[r] = (self.phi_bar[r] * self.phi_bar[r] + self.psi2[r]).sqrt();
            self.ar_norm[r] = self.alpha[r] * (s * phi).abs();
        }
        blend(&mut self.x, [1.0; R], &self.w, step);
        blend(&mut self.w, keep, &self.v, [1.0; R]);
    }

    fn judge(&mut self, tolerance: f64) {
        let stop = self.stop;
        for r in (0..R).filter(|&r| stop[r].is_none()) {
            if self.r_norm[r] <= tolerance * self.b_norm[r] {
                self.stop[r] = Some(LsqrStop::Solved);
            } else if self.ar_norm[r] <= tolerance * self.a_norm[r] * self.r_norm[r]
                || self.alpha[r] == 0.0
            {
                self.stop[r] = Some(LsqrStop::LeastSquares);
            }
        }
    }
}

/// Scales every column to length one and returns the lengths; zero columns stay zero.
fn normalize<const R: usize>(v: &mut [[f64; R]], partial: &mut [[f64; R]]) -> [f64; R] {
    let mut largest = [0.0f64; R];
    for row in v.iter() {
        for r in 0..R {
            largest[r] = largest[r].max(row[r].abs());
        }
    }
    // By the largest entry first, so that squares neither overflow nor vanish.
    let divide = |v: &mut [[f64; R]], by: [f64; R]| {
        for row in v {
            for r in 0..R {
                row[r] = if by[r] == 0.0 { 0.0 } else { row[r] / by[r] };
            }
        }
    };
    divide(v, largest);
    let lengths = norms(v, partial);
    divide(v, lengths);
    std::array::from_fn(|r| largest[r] * lengths[r])
}
