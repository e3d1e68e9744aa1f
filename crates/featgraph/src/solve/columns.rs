//! Kernels on `R` interleaved vectors, the same for any number of threads.

use rayon::prelude::*;

use super::SolveError;

/// Rows per partial sum; fixed.
pub(super) const BLOCK: usize = 2048;

/// Room for the partial sums of `rows` rows.
pub(super) fn partials<const R: usize>(rows: usize) -> Vec<[f64; R]> {
    vec![[0.0; R]; rows.div_ceil(BLOCK)]
}

/// Adds partial sums in order.
pub(super) fn total<const R: usize>(partial: &[[f64; R]]) -> [f64; R] {
    let mut sum = [0.0; R];
    for p in partial {
        for r in 0..R {
            sum[r] += p[r];
        }
    }
    sum
}

/// Column-wise dot products.
pub(super) fn dots<const R: usize>(
    a: &[[f64; R]],
    b: &[[f64; R]],
    partial: &mut [[f64; R]],
) -> [f64; R] {
    a.par_chunks(BLOCK).zip(b.par_chunks(BLOCK)).zip(partial.par_iter_mut()).for_each(
        |((a, b), sum)| {
            let mut s = [0.0; R];
            for (a, b) in a.iter().zip(b) {
                for r in 0..R {
                    s[r] += a[r] * b[r];
                }
            }
            *sum = s;
        },
    );
    total(partial)
}

/// Column-wise lengths.
pub(super) fn norms<const R: usize>(a: &[[f64; R]], partial: &mut [[f64; R]]) -> [f64; R] {
    dots(a, a, partial).map(f64::sqrt)
}

/// `y = y * c + x * d`, factors per column.
pub(super) fn blend<const R: usize>(y: &mut [[f64; R]], c: [f64; R], x: &[[f64; R]], d: [f64; R]) {
    y.par_chunks_mut(BLOCK).zip(x.par_chunks(BLOCK)).for_each(|(y, x)| {
        for (y, x) in y.iter_mut().zip(x) {
            for r in 0..R {
                y[r] = y[r] * c[r] + x[r] * d[r];
            }
        }
    });
}

pub(super) fn check_rows<const R: usize>(
    what: &'static str,
    expected: usize,
    v: &[[f64; R]],
) -> Result<(), SolveError> {
    if v.len() != expected {
        return Err(SolveError::Length { what, expected, found: v.len() });
    }
    match v.iter().position(|row| row.iter().any(|x| !x.is_finite())) {
        Some(row) => Err(SolveError::NotFinite { what, row }),
        None => Ok(()),
    }
}
