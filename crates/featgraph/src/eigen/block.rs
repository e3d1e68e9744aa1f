//! The block of vectors that LOBPCG iterates.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::EigenError;
use super::lobpcg::{EigenStop, LowestEigen};
use super::rayleigh_ritz::{Basis, Operator, orthonormalize};
use crate::solve::blas::{axpy, norm};

/// The current block: Ritz vectors X with products, search directions P with products.
pub(super) struct Block {
    n: usize,
    width: usize,
    x: Vec<f64>,
    ax: Vec<f64>,
    p: Vec<f64>,
    ap: Vec<f64>,
    pub(super) theta: Vec<f64>,
    /// Largest Ritz value seen: a lower estimate of the largest eigenvalue.
    pub(super) largest: f64,
    pub(super) basis: Basis,
    work: Vec<f64>,
}

impl Block {
    pub(super) fn start(
        op: Operator<'_>,
        n: usize,
        width: usize,
        seed: u64,
    ) -> Result<Self, EigenError> {
        let mut rng = generator(seed);
        let mut basis = Basis::new(n, 3 * width);
        while basis.len < width {
            basis.push(&mut random_unit(n, &mut rng), op)?;
        }
        let largest = (0..width).fold(0.0f64, |m, k| m.max(norm(basis.product(k))));
        let zeros = vec![0.0; n * width];
        let mut state = Self {
            n,
            width,
            x: zeros.clone(),
            ax: zeros,
            p: Vec::new(),
            ap: Vec::new(),
            theta: vec![0.0; width],
            largest,
            basis,
            work: vec![0.0; n],
        };
        state.ritz(0);
        Ok(state)
    }

    pub(super) fn residuals(&mut self) -> Vec<f64> {
        (0..self.width).map(|k| self.residual_into_work(k)).collect()
    }

    fn residual_into_work(&mut self, k: usize) -> f64 {
        let column = k * self.n..(k + 1) * self.n;
        self.work.copy_from_slice(&self.ax[column.clone()]);
        axpy(-self.theta[k], &self.x[column], &mut self.work);
        norm(&self.work)
    }

    /// One step: widen [X P] by the preconditioned residuals W, then Rayleigh–Ritz. Says `false`
    /// when W adds nothing.
    pub(super) fn advance(
        &mut self,
        op: Operator<'_>,
        inverse: Option<&[f64]>,
    ) -> Result<bool, EigenError> {
        self.basis.clear();
        self.basis.adopt(&self.x, &self.ax);
        self.basis.adopt(&self.p, &self.ap);
        let before = self.basis.len;
        for k in 0..self.width {
            self.residual_into_work(k);
            if let Some(inverse) = inverse {
                self.work.iter_mut().zip(inverse).for_each(|(w, i)| *w *= i);
            }
            let mut w = std::mem::take(&mut self.work);
            let pushed = self.basis.push(&mut w, op);
            self.work = w;
            pushed?;
        }
        if self.basis.len == before {
            return Ok(false);
        }
        self.ritz(self.width);
        Ok(true)
    }

    /// Rayleigh–Ritz on the basis, whose first `held` columns are the old X. P is made
    /// orthonormal to X among the coefficients (Hetmaniuk and Lehoucq 2006,
    /// doi:10.1016/j.jcp.2006.02.007), so that no digits are lost in long vectors.
    fn ritz(&mut self, held: usize) {
        let s = self.basis.len;
        let (values, vectors) = self.basis.rayleigh_ritz();
        self.theta.copy_from_slice(&values[..self.width]);
        self.largest = self.largest.max(values[s - 1].abs());
        let mut coefficients = vectors[..self.width * s].to_vec();
        if held > 0 {
            for k in 0..self.width {
                let mut direction = vectors[k * s..(k + 1) * s].to_vec();
                direction[..held].fill(0.0);
                if norm(&direction) > 1e-15 && orthonormalize(&mut direction, &coefficients) {
                    coefficients.extend_from_slice(&direction);
                }
            }
        }
        let (cx, cp) = coefficients.split_at(self.width * s);
        self.basis.combine(cx, &mut self.x, &mut self.ax);
        self.p.resize(cp.len() / s * self.n, 0.0);
        self.ap.resize(self.p.len(), 0.0);
        self.basis.combine(cp, &mut self.p, &mut self.ap);
    }

    /// Orthonormalizes X and P again and computes their products from scratch.
    pub(super) fn refresh(&mut self, op: Operator<'_>) -> Result<(), EigenError> {
        self.basis.clear();
        let mut columns = std::mem::take(&mut self.x);
        for column in columns.chunks_exact_mut(self.n) {
            self.basis.push(column, op)?;
        }
        self.x = columns;
        let held = self.basis.len;
        let mut directions = std::mem::take(&mut self.p);
        for column in directions.chunks_exact_mut(self.n) {
            self.basis.push(column, op)?;
        }
        self.p = directions;
        self.ritz(held);
        Ok(())
    }

    pub(super) fn finish(
        mut self,
        count: usize,
        iterations: usize,
        stop: EigenStop,
    ) -> LowestEigen {
        let mut residuals = self.residuals();
        residuals.truncate(count);
        self.theta.truncate(count);
        self.x.truncate(count * self.n);
        LowestEigen {
            values: self.theta,
            vectors: self.x,
            residuals,
            iterations,
            products: self.basis.applied,
            stop,
        }
    }
}

pub(super) fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

pub(super) fn random_unit(n: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut v: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    orthonormalize(&mut v, &[]);
    v
}
