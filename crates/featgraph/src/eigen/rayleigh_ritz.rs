//! An orthonormal trial basis with its products, and the Rayleigh–Ritz step on it.

use super::{EigenError, dense};
use crate::solve::blas::{axpy, dot, norm, scale};

/// The operator: writes `A x` into the second argument.
pub(super) type Operator<'a> = &'a dyn Fn(&[f64], &mut [f64]);

/// Orthonormal columns `S` and the products `A S`, both column after column.
pub(super) struct Basis {
    pub(super) n: usize,
    pub(super) len: usize,
    columns: Vec<f64>,
    products: Vec<f64>,
    /// How often the operator was applied.
    pub(super) applied: usize,
}

impl Basis {
    pub(super) fn new(n: usize, capacity: usize) -> Self {
        let zeros = vec![0.0; n * capacity];
        Self { n, len: 0, columns: zeros.clone(), products: zeros, applied: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn column(&self, k: usize) -> &[f64] {
        &self.columns[k * self.n..(k + 1) * self.n]
    }

    pub(super) fn product(&self, k: usize) -> &[f64] {
        &self.products[k * self.n..(k + 1) * self.n]
    }

    /// Takes over columns that are known to be orthonormal to everything here.
    pub(super) fn adopt(&mut self, columns: &[f64], products: &[f64]) {
        let at = self.len * self.n;
        self.columns[at..at + columns.len()].copy_from_slice(columns);
        self.products[at..at + products.len()].copy_from_slice(products);
        self.len += columns.len() / self.n;
    }

    /// Orthonormalizes `v` against the basis and appends it with its product. Says `false` and
    /// leaves the basis alone when `v` has nothing independent to add.
    pub(super) fn push(&mut self, v: &mut [f64], op: Operator<'_>) -> Result<bool, EigenError> {
        if !orthonormalize(v, &self.columns[..self.len * self.n]) {
            return Ok(false);
        }
        let at = self.len * self.n;
        self.columns[at..at + self.n].copy_from_slice(v);
        let product = &mut self.products[at..at + self.n];
        op(v, product);
        self.applied += 1;
        check_finite(product)?;
        self.len += 1;
        Ok(true)
    }

    /// Ritz values, ascending, and their coefficients: row `k` of the second gives Ritz vector `k`.
    pub(super) fn rayleigh_ritz(&self) -> (Vec<f64>, Vec<f64>) {
        let s = self.len;
        let mut h = vec![0.0; s * s];
        for i in 0..s {
            for j in 0..=i {
                let upper = dot(self.column(j), self.product(i));
                let lower = dot(self.column(i), self.product(j));
                h[i * s + j] = 0.5 * (upper + lower);
                h[j * s + i] = h[i * s + j];
            }
        }
        let mut values = vec![0.0; s];
        let mut vectors = vec![0.0; s * s];
        dense::jacobi(&mut h, s, &mut values, &mut vectors);
        (values, vectors)
    }

    /// Columns and products of the combinations given by the rows of `coefficients`.
    pub(super) fn combine(&self, coefficients: &[f64], columns: &mut [f64], products: &mut [f64]) {
        columns.fill(0.0);
        products.fill(0.0);
        let rows = coefficients.chunks_exact(self.len);
        let outputs = columns.chunks_exact_mut(self.n).zip(products.chunks_exact_mut(self.n));
        for (row, (column, product)) in rows.zip(outputs) {
            for (j, &c) in row.iter().enumerate() {
                axpy(c, self.column(j), column);
                axpy(c, self.product(j), product);
            }
        }
    }
}

/// Gram–Schmidt, repeated until the length stops shrinking ("twice is enough", and a third time
/// for vectors that were almost dependent). Says `false` when nothing independent remains.
pub(super) fn orthonormalize(v: &mut [f64], columns: &[f64]) -> bool {
    let n = v.len();
    let mut length = norm(v);
    if length == 0.0 || !length.is_finite() {
        return false;
    }
    // Two steps, since 1 / length overflows for subnormal lengths.
    v.iter_mut().for_each(|x| *x /= length);
    length = 1.0;
    for _pass in 0..5 {
        for column in columns.chunks_exact(n) {
            axpy(-dot(column, v), column, v);
        }
        let now = norm(v);
        if now <= 1e-13 {
            return false;
        }
        let settled = now > 0.7 * length;
        length = now;
        if settled {
            scale(1.0 / now, v);
            return true;
        }
    }
    false
}

pub(super) fn check_finite(values: &[f64]) -> Result<(), EigenError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(EigenError::NotFinite { row }),
        None => Ok(()),
    }
}
