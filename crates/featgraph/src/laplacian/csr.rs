//! Sparse matrices by rows, with 32-bit column indices.

use rayon::prelude::*;

use super::GraphError;
use crate::solve::{LinearOperator, TransposeOperator};

/// Rows per task. Fixed, so that nothing depends on the number of threads.
pub(super) const ROWS: usize = 1024;

/// A sparse matrix by rows. Column indices take 4 bytes: a product is bound by memory, and
/// with several right-hand sides `[f64; R]` side by side each entry is read once for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    pub(super) width: usize,
    pub(super) offsets: Vec<usize>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl Csr {
    /// From offsets (one more than rows), column indices and values; in each row the columns must
    /// ascend.
    pub fn from_parts(
        width: usize,
        offsets: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, GraphError> {
        let fail = |rule| Err(GraphError::Parts { rule });
        if offsets.first() != Some(&0) || offsets.last() != Some(&columns.len()) {
            return fail("offsets must start at 0 and end at the number of entries");
        }
        if columns.len() != values.len() {
            return fail("there must be one value per column index");
        }
        for ends in offsets.windows(2) {
            let Some(row) = columns.get(ends[0]..ends[1]) else {
                return fail("offsets must not decrease");
            };
            if row.windows(2).any(|c| c[0] >= c[1]) {
                return fail("the columns of a row must ascend");
            }
            if row.last().is_some_and(|&c| c as usize >= width) {
                return fail("a column index is outside the matrix");
            }
        }
        Ok(Self { width, offsets, columns, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Column indices and values of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The entry at (i, j); zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        if i >= self.rows() {
            return 0.0;
        }
        let (columns, values) = self.row(i);
        columns.binary_search_by_key(&j, |&c| c as usize).map_or(0.0, |at| values[at])
    }

    /// Multiplies every entry.
    pub fn scale_values(&mut self, factor: f64) {
        self.values.par_iter_mut().for_each(|v| *v *= factor);
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Csr {
        let mut offsets = vec![0usize; self.width + 1];
        for &c in &self.columns {
            offsets[c as usize + 1] += 1;
        }
        for i in 0..self.width {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0u32; self.entries()];
        let mut values = vec![0.0; self.entries()];
        for i in 0..self.rows() {
            let (row, entries) = self.row(i);
            for (&c, &v) in row.iter().zip(entries) {
                let at = next[c as usize];
                (columns[at], values[at]) = (i as u32, v);
                next[c as usize] += 1;
            }
        }
        Csr { width: self.rows(), offsets, columns, values }
    }

    /// `y = A x` for `R` right-hand sides at once.
    pub fn product<const R: usize>(
        &self,
        x: &[[f64; R]],
        y: &mut [[f64; R]],
    ) -> Result<(), GraphError> {
        for (expected, found) in [(self.width, x.len()), (self.rows(), y.len())] {
            if expected != found {
                return Err(GraphError::Vector { expected, found });
            }
        }
        self.apply(x, y);
        Ok(())
    }

    /// `z'Az`.
    pub fn quadratic_form(&self, z: &[f64]) -> Result<f64, GraphError> {
        for expected in [self.width, self.rows()] {
            if expected != z.len() {
                return Err(GraphError::Vector { expected, found: z.len() });
            }
        }
        let blocks = self.rows().div_ceil(ROWS);
        let partial: Vec<f64> = (0..blocks)
            .into_par_iter()
            .map(|b| {
                let rows = b * ROWS..((b + 1) * ROWS).min(self.rows());
                rows.map(|i| z[i] * self.row_product(i, |j| [z[j]])[0]).sum()
            })
            .collect();
        Ok(partial.iter().sum())
    }

    /// One row times the vectors that `x` gives. Two running sums halve the chain of additions
    /// that a row is bound by.
    #[inline(always)]
    fn row_product<const R: usize>(&self, i: usize, x: impl Fn(usize) -> [f64; R]) -> [f64; R] {
        let range = self.offsets[i]..self.offsets[i + 1];
        let (columns, values) = (&self.columns[range.clone()], &self.values[range]);
        let (mut even, mut odd) = ([0.0; R], [0.0; R]);
        let (pairs, weights) = (columns.chunks_exact(2), values.chunks_exact(2));
        let last = pairs.remainder().iter().zip(weights.remainder()).next();
        for (c, v) in pairs.zip(weights) {
            let (a, b) = (x(c[0] as usize), x(c[1] as usize));
            for r in 0..R {
                even[r] += v[0] * a[r];
                odd[r] += v[1] * b[r];
            }
        }
        if let Some((&c, &v)) = last {
            let a = x(c as usize);
            for r in 0..R {
                even[r] += v * a[r];
            }
        }
        for r in 0..R {
            even[r] += odd[r];
        }
        even
    }
}

impl<const R: usize> LinearOperator<R> for Csr {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.width
    }

    fn apply(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        y.par_chunks_mut(ROWS).enumerate().for_each(|(block, y)| {
            for (k, y) in y.iter_mut().enumerate() {
                *y = self.row_product(block * ROWS + k, |j| x[j]);
            }
        });
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d = self.get(i, i);
        }
    }
}

impl<const R: usize> TransposeOperator<R> for Csr {
    /// Serial, because rows scatter; for many products use [`Csr::transposed`], and for a
    /// symmetric matrix the plain product.
    fn apply_transpose(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        y.fill([0.0; R]);
        for (i, x) in x.iter().enumerate() {
            let (columns, values) = self.row(i);
            for (&c, v) in columns.iter().zip(values) {
                let y = &mut y[c as usize];
                for r in 0..R {
                    y[r] += v * x[r];
                }
            }
        }
    }
}
