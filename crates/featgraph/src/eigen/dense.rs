//! Small dense symmetric eigenproblems by cyclic Jacobi rotations.

use super::EigenError;

/// All eigenpairs of a small dense symmetric matrix, lowest first.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseEigen {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// Eigenvector `k` is `vectors[k * n..(k + 1) * n]`, of unit length.
    pub vectors: Vec<f64>,
}

/// All eigenpairs of a dense symmetric `n` by `n` matrix (row-major; the part below the diagonal
/// is read).
///
/// Cyclic Jacobi: short and accurate, meant for a few dozen rows (the trial spaces of LOBPCG,
/// small graphs). Use a blocked library solver for hundreds.
///
/// ```
/// let e = featgraph::eigen::symmetric_eigen(&[2.0, 1.0, 1.0, 2.0], 2)?;
/// assert!((e.values[0] - 1.0).abs() < 1e-15 && (e.values[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), featgraph::eigen::EigenError>(())
/// ```
pub fn symmetric_eigen(matrix: &[f64], n: usize) -> Result<DenseEigen, EigenError> {
    if n == 0 {
        return Err(EigenError::Empty);
    }
    if matrix.len() != n * n {
        return Err(EigenError::Length { what: "matrix", expected: n * n, found: matrix.len() });
    }
    if let Some(at) = matrix.iter().position(|v| !v.is_finite()) {
        return Err(EigenError::NotFinite { row: at / n });
    }
    let mut a = matrix.to_vec();
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
    let mut values = vec![0.0; n];
    let mut vectors = vec![0.0; n * n];
    jacobi(&mut a, n, &mut values, &mut vectors);
    Ok(DenseEigen { values, vectors })
}

/// Diagonalizes `a` (row-major, symmetric, destroyed); row `k` of `vectors` is eigenvector `k`.
pub(super) fn jacobi(a: &mut [f64], n: usize, values: &mut [f64], vectors: &mut [f64]) {
    // Powers of two keep the scaling exact; it avoids overflow in the squares below.
    let largest = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let scale = if largest > 0.0 { 2.0f64.powi(exponent(largest)) } else { 1.0 };
    a.iter_mut().for_each(|v| *v /= scale);
    vectors.fill(0.0);
    for i in 0..n {
        vectors[i * n + i] = 1.0;
    }
    for _sweep in 0..60 {
        let mut off = 0.0;
        for p in 0..n {
            for q in p + 1..n {
                off += a[p * n + q] * a[p * n + q];
            }
        }
        if off.sqrt() <= f64::EPSILON * 1e-3 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, n, p, q, vectors);
            }
        }
    }
    for i in 0..n {
        values[i] = a[i * n + i] * scale;
    }
    sort_pairs(n, values, vectors);
}

/// One Jacobi rotation that annihilates entry (p, q).
fn rotate(a: &mut [f64], n: usize, p: usize, q: usize, vectors: &mut [f64]) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = if theta.abs() > 1e150 {
        0.5 / theta
    } else {
        theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt())
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p * n + p] -= t * apq;
    a[q * n + q] += t * apq;
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
    for i in 0..n {
        if i != p && i != q {
            let (aip, aiq) = (a[i * n + p], a[i * n + q]);
            let (bp, bq) = (c * aip - s * aiq, s * aip + c * aiq);
            (a[i * n + p], a[i * n + q]) = (bp, bq);
            (a[p * n + i], a[q * n + i]) = (bp, bq);
        }
        let (vp, vq) = (vectors[p * n + i], vectors[q * n + i]);
        vectors[p * n + i] = c * vp - s * vq;
        vectors[q * n + i] = s * vp + c * vq;
    }
}

/// Sorts eigenpairs by value; selection sort, because the rows of `vectors` move along.
fn sort_pairs(n: usize, values: &mut [f64], vectors: &mut [f64]) {
    for i in 0..n {
        let mut k = i;
        for j in i + 1..n {
            if values[j] < values[k] {
                k = j;
            }
        }
        if k != i {
            values.swap(i, k);
            for c in 0..n {
                vectors.swap(i * n + c, k * n + c);
            }
        }
    }
}

fn exponent(v: f64) -> i32 {
    // Clamped so that dividing by the power neither overflows nor goes subnormal.
    (v.log2().floor() as i32).clamp(-1000, 1000)
}
