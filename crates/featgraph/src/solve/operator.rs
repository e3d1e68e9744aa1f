//! What a solver needs to know of a matrix.

use rayon::prelude::*;

use super::blas::CHUNK;

/// A matrix that can be multiplied with `R` interleaved vectors.
pub trait LinearOperator<const R: usize>: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Number of columns.
    fn columns(&self) -> usize;

    /// `y = A x`; `x` has [`columns`](Self::columns) rows, `y` has [`rows`](Self::rows).
    fn apply(&self, x: &[[f64; R]], y: &mut [[f64; R]]);

    /// Writes the diagonal. Conjugate gradient preconditions with it; a positive estimate is
    /// enough.
    fn diagonal(&self, diagonal: &mut [f64]);
}

/// A matrix whose transpose can be multiplied too.
pub trait TransposeOperator<const R: usize>: LinearOperator<R> {
    /// `y = A' x`.
    fn apply_transpose(&self, x: &[[f64; R]], y: &mut [[f64; R]]);
}

/// `shift I + scale A`, without touching A: for `(I + γL) y = p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shifted<'a, A> {
    /// Multiple of the identity.
    pub shift: f64,
    /// Multiple of the operator.
    pub scale: f64,
    /// The operator, square.
    pub operator: &'a A,
}

impl<A> Shifted<'_, A> {
    fn finish<const R: usize>(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        let (shift, scale) = (self.shift, self.scale);
        y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
            for (y, x) in y.iter_mut().zip(x) {
                for r in 0..R {
                    y[r] = shift * x[r] + scale * y[r];
                }
            }
        });
    }
}

impl<A: LinearOperator<R>, const R: usize> LinearOperator<R> for Shifted<'_, A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    fn apply(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        self.operator.apply(x, y);
        self.finish(x, y);
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        self.operator.diagonal(diagonal);
        diagonal.iter_mut().for_each(|d| *d = self.shift + self.scale * *d);
    }
}

impl<A: TransposeOperator<R>, const R: usize> TransposeOperator<R> for Shifted<'_, A> {
    fn apply_transpose(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        self.operator.apply_transpose(x, y);
        self.finish(x, y);
    }
}
