//! Conjugate gradient with Jacobi preconditioning, for several right-hand sides at once.
//!
//! Hestenes and Stiefel 1952, [doi:10.6028/jres.049.044](https://doi.org/10.6028/jres.049.044).
//! Every column has its own step lengths: the columns only share the passes over memory.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::columns::{BLOCK, check_rows, norms, partials, total};
use super::{LinearOperator, SolveError};

/// How often the iteration may restart when the true residual disagrees with the carried one.
const RESTARTS: usize = 3;

/// Settings of the conjugate gradient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CgParams {
    /// A column is done when `|b - Ax| <= tolerance |b|`.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

impl Default for CgParams {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 1000 }
    }
}

impl CgParams {
    /// Checks every field.
    pub fn check(&self) -> Result<(), SolveError> {
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            let rule = "must be finite and not negative";
            return Err(SolveError::Parameter { field: "tolerance", rule });
        }
        Ok(())
    }
}

/// Why the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CgStop {
    /// Every column is within the tolerance, by its true residual.
    Converged,
    /// Rounding keeps the true residual above the tolerance.
    Stalled,
    /// The iteration limit came first.
    IterationLimit,
}

/// How a system was solved.
#[derive(Debug, Clone, PartialEq)]
pub struct CgInfo<const R: usize> {
    /// Iterations; each is one product with the operator.
    pub iterations: usize,
    /// `|b - Ax| / |b|` of every column, from a product with the final x; 0 where b is 0.
    pub residuals: [f64; R],
    /// Why it ended.
    pub stop: CgStop,
}

impl<const R: usize> CgInfo<R> {
    /// Whether every column is within the tolerance.
    pub fn converged(&self) -> bool {
        self.stop == CgStop::Converged
    }
}

/// Solves `A x = b` for a symmetric positive definite operator; `x` holds the start (a warm
/// start, or zeros) and then the solution.
///
/// A positive semi-definite operator works too when `b` has no part in its null space. Columns of
/// `b` that are zero give zero. See the [module](crate::solve) for an example.
pub fn conjugate_gradient<A, const R: usize>(
    operator: &A,
    b: &[[f64; R]],
    x: &mut [[f64; R]],
    params: &CgParams,
) -> Result<CgInfo<R>, SolveError>
where
    A: LinearOperator<R> + ?Sized,
{
    params.check()?;
    let (n, columns) = (operator.rows(), operator.columns());
    if n != columns {
        return Err(SolveError::NotSquare { rows: n, columns });
    }
    check_rows("b", n, b)?;
    check_rows("x", n, x)?;
    let mut work = Work::new(operator, b, params.tolerance)?;
    for r in 0..R {
        if work.length[r] == 0.0 {
            x.iter_mut().for_each(|row| row[r] = 0.0);
        }
    }
    let mut iterations = 0;
    for _start in 0..=RESTARTS {
        let lengths = work.true_residual(operator, b, x)?;
        work.active = std::array::from_fn(|r| lengths[r] > work.target[r]);
        if !work.any_active() {
            return Ok(work.info(iterations, lengths, CgStop::Converged));
        }
        if iterations >= params.max_iterations {
            return Ok(work.info(iterations, lengths, CgStop::IterationLimit));
        }
        work.begin();
        while work.any_active() && iterations < params.max_iterations {
            work.step(operator, x)?;
            iterations += 1;
        }
    }
    let lengths = work.true_residual(operator, b, x)?;
    let ok = (0..R).all(|r| lengths[r] <= work.target[r]);
    let stop = match ok {
        true => CgStop::Converged,
        false if iterations >= params.max_iterations => CgStop::IterationLimit,
        false => CgStop::Stalled,
    };
    Ok(work.info(iterations, lengths, stop))
}

/// Vectors and scalars of the iteration; nothing is allocated after the start.
struct Work<const R: usize> {
    residual: Vec<[f64; R]>,
    direction: Vec<[f64; R]>,
    product: Vec<[f64; R]>,
    inverse: Vec<f64>,
    partial: Vec<[f64; R]>,
    partial2: Vec<[f64; R]>,
    /// Columns are scaled to lengths near one: squares then neither overflow nor vanish.
    scale: [f64; R],
    length: [f64; R],
    target: [f64; R],
    active: [bool; R],
    rz: [f64; R],
    beta: [f64; R],
}

impl<const R: usize> Work<R> {
    fn new<A: LinearOperator<R> + ?Sized>(
        operator: &A,
        b: &[[f64; R]],
        tolerance: f64,
    ) -> Result<Self, SolveError> {
        let n = b.len();
        let mut partial = partials(n);
        let mut inverse = vec![0.0; n];
        operator.diagonal(&mut inverse);
        for d in &mut inverse {
            if *d < 0.0 {
                return Err(SolveError::NotPositiveDefinite { column: 0, curvature: *d });
            }
            let reciprocal = 1.0 / *d;
            *d = if reciprocal.is_finite() { reciprocal } else { 1.0 };
        }
        let mut scale = [0.0f64; R];
        for row in b {
            for r in 0..R {
                scale[r] = scale[r].max(row[r].abs());
            }
        }
        let scale = scale.map(|s| if s > 0.0 { s } else { 1.0 });
        let scaled: Vec<[f64; R]> =
            b.iter().map(|row| std::array::from_fn(|r| row[r] / scale[r])).collect();
        let length = norms(&scaled, &mut partial);
        Ok(Self {
            residual: scaled,
            direction: vec![[0.0; R]; n],
            product: vec![[0.0; R]; n],
            inverse,
            partial2: partial.clone(),
            partial,
            scale,
            length,
            target: length.map(|l| tolerance * l),
            active: [true; R],
            rz: [0.0; R],
            beta: [0.0; R],
        })
    }

    fn any_active(&self) -> bool {
        self.active.iter().any(|a| *a)
    }

    fn info(&self, iterations: usize, lengths: [f64; R], stop: CgStop) -> CgInfo<R> {
        let relative =
            |r: usize| if self.length[r] > 0.0 { lengths[r] / self.length[r] } else { 0.0 };
        CgInfo { iterations, residuals: std::array::from_fn(relative), stop }
    }

    /// residual = (b - Ax) / scale; returns the lengths.
    fn true_residual<A: LinearOperator<R> + ?Sized>(
        &mut self,
        operator: &A,
        b: &[[f64; R]],
        x: &[[f64; R]],
    ) -> Result<[f64; R], SolveError> {
        operator.apply(x, &mut self.product);
        let scale = self.scale;
        let rows = self.residual.par_chunks_mut(BLOCK).zip(b.par_chunks(BLOCK));
        rows.zip(self.product.par_chunks(BLOCK)).for_each(|((residual, b), product)| {
            for ((residual, b), product) in residual.iter_mut().zip(b).zip(product) {
                for r in 0..R {
                    residual[r] = (b[r] - product[r]) / scale[r];
                }
            }
        });
        let lengths = norms(&self.residual, &mut self.partial);
        if lengths.iter().any(|l| !l.is_finite()) {
            check_rows("operator product", self.residual.len(), &self.residual)?;
        }
        Ok(lengths)
    }

    /// Forgets the old direction: steepest descent first.
    fn begin(&mut self) {
        self.beta = [0.0; R];
        self.direction.fill([0.0; R]);
        let rows = self.residual.par_chunks(BLOCK).zip(self.inverse.par_chunks(BLOCK));
        rows.zip(self.partial.par_iter_mut()).for_each(|((residual, inverse), sum)| {
            let mut s = [0.0; R];
            for (residual, inverse) in residual.iter().zip(inverse) {
                for r in 0..R {
                    s[r] += residual[r] * residual[r] * inverse;
                }
            }
            *sum = s;
        });
        self.rz = total(&self.partial);
    }

    /// One iteration for all active columns: three passes over the vectors and a product.
    fn step<A: LinearOperator<R> + ?Sized>(
        &mut self,
        operator: &A,
        x: &mut [[f64; R]],
    ) -> Result<(), SolveError> {
        self.turn();
        operator.apply(&self.direction, &mut self.product);
        let curvature = super::columns::dots(&self.direction, &self.product, &mut self.partial);
        let mut alpha = [0.0; R];
        for r in (0..R).filter(|&r| self.active[r]) {
            if !curvature[r].is_finite() {
                check_rows("operator product", self.product.len(), &self.product)?;
            }
            if curvature[r].is_nan() || curvature[r] <= 0.0 {
                let curvature = curvature[r];
                return Err(SolveError::NotPositiveDefinite { column: r, curvature });
            }
            alpha[r] = self.rz[r] / curvature[r];
        }
        let (rr, rz) = self.advance(x, alpha);
        let active = self.active;
        for r in (0..R).filter(|&r| active[r]) {
            self.beta[r] = rz[r] / self.rz[r];
            self.rz[r] = rz[r];
            // A little under the target, so that the true residual passes as well.
            self.active[r] = rr[r].sqrt() > 0.99 * self.target[r];
            if rz[r] == 0.0 {
                self.active[r] = false;
            }
        }
        Ok(())
    }

    /// direction = residual / diagonal + beta direction; zero for columns that are done.
    fn turn(&mut self) {
        let on = self.active.map(|a| f64::from(u8::from(a)));
        let beta: [f64; R] = std::array::from_fn(|r| on[r] * self.beta[r]);
        let rows = self.direction.par_chunks_mut(BLOCK).zip(self.residual.par_chunks(BLOCK));
        rows.zip(self.inverse.par_chunks(BLOCK)).for_each(|((direction, residual), inverse)| {
            for ((direction, residual), inverse) in direction.iter_mut().zip(residual).zip(inverse)
            {
                for r in 0..R {
                    direction[r] = on[r] * residual[r] * inverse + beta[r] * direction[r];
                }
            }
        });
    }

    /// x and residual move along the direction; returns the new r'r and r'z.
    fn advance(&mut self, x: &mut [[f64; R]], alpha: [f64; R]) -> ([f64; R], [f64; R]) {
        let far: [f64; R] = std::array::from_fn(|r| alpha[r] * self.scale[r]);
        let moved = x.par_chunks_mut(BLOCK).zip(self.residual.par_chunks_mut(BLOCK));
        let along = self.direction.par_chunks(BLOCK).zip(self.product.par_chunks(BLOCK));
        let sums = self.partial.par_iter_mut().zip(self.partial2.par_iter_mut());
        moved.zip(along).zip(self.inverse.par_chunks(BLOCK)).zip(sums).for_each(
            |((((x, residual), (direction, product)), inverse), (sum, sum2))| {
                let (mut rr, mut rz) = ([0.0; R], [0.0; R]);
                for i in 0..x.len() {
                    for r in 0..R {
                        x[i][r] += far[r] * direction[i][r];
                        let moved = residual[i][r] - alpha[r] * product[i][r];
                        residual[i][r] = moved;
                        rr[r] += moved * moved;
                        rz[r] += moved * moved * inverse[i];
                    }
                }
                (*sum, *sum2) = (rr, rz);
            },
        );
        (total(&self.partial), total(&self.partial2))
    }
}
