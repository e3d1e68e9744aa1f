//! Vector kernels whose results do not depend on the number of threads.

use rayon::prelude::*;

/// Entries per partial sum. Fixed, so that sums have the same bits for any thread count.
pub(crate) const CHUNK: usize = 8192;

/// `a'b`, chunk sums added in order.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    if a.len() <= CHUNK {
        return dot_chunk(a, b);
    }
    let partial: Vec<f64> =
        a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(|(x, y)| dot_chunk(x, y)).collect();
    partial.iter().sum()
}

/// Four running sums: the compiler may not reorder one, so one would not vectorize.
fn dot_chunk(a: &[f64], b: &[f64]) -> f64 {
    let mut s = [0.0; 4];
    let (ca, cb) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for l in 0..4 {
            s[l] += x[l] * y[l];
        }
    }
    (s[0] + s[1]) + (s[2] + s[3]) + tail
}

/// Euclidean length, safe from overflow and underflow of the squares.
pub(crate) fn norm(a: &[f64]) -> f64 {
    let plain = dot(a, a);
    if plain > 1e-280 && plain < 1e280 {
        return plain.sqrt();
    }
    let largest = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return if plain.is_nan() { f64::NAN } else { largest };
    }
    largest * a.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// `y += c x`.
pub(crate) fn axpy(c: f64, x: &[f64], y: &mut [f64]) {
    let add = |x: &[f64], y: &mut [f64]| x.iter().zip(y).for_each(|(x, y)| *y += c * x);
    if x.len() <= CHUNK {
        return add(x, y);
    }
    x.par_chunks(CHUNK).zip(y.par_chunks_mut(CHUNK)).for_each(|(x, y)| add(x, y));
}

/// `y *= c`.
pub(crate) fn scale(c: f64, y: &mut [f64]) {
    y.iter_mut().for_each(|v| *v *= c);
}
