//! Eigenvalues and eigenvectors of symmetric 3x3 matrices.

use crate::vec3::{self, Point};

/// Eigenvalues in ascending order and their eigenvectors, of length one and orthogonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eigen3 {
    /// The eigenvalues, smallest first.
    pub values: [f64; 3],
    /// `vectors[i]` belongs to `values[i]`; its sign has no meaning.
    pub vectors: [Point; 3],
}

const AXES: [Point; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// All eigenvalues and eigenvectors of the matrix given as `[xx, xy, xz, yy, yz, zz]`.
///
/// The eigenvalue farthest from the other two comes from the trigonometric formula, its vector
/// from a cross product, and the other two from an exact rotation in the plane orthogonal to it,
/// so repeated eigenvalues cost no accuracy; a residual too large falls back to Jacobi sweeps.
/// For a matrix that is not finite the values are NaN and the vectors the coordinate axes.
///
/// ```
/// use pellucid_cloud::eigen3::symmetric_eigen;
///
/// let e = symmetric_eigen([2.0, 1.0, 0.0, 2.0, 0.0, 7.0]);
/// assert!((e.values[0] - 1.0).abs() < 1e-14 && (e.values[2] - 7.0).abs() < 1e-14);
/// assert!((e.vectors[0][0] + e.vectors[0][1]).abs() < 1e-14);
/// ```
pub fn symmetric_eigen(m: [f64; 6]) -> Eigen3 {
    let Some((a, size)) = scaled(m) else {
        let value = if m.iter().all(|x| *x == 0.0) { 0.0 } else { f64::NAN };
        return Eigen3 { values: [value; 3], vectors: AXES };
    };
    let e = closed_form(&a).unwrap_or_else(|| jacobi(a));
    Eigen3 { values: e.values.map(|v| v * size), vectors: e.vectors }
}

/// A unit eigenvector of the smallest eigenvalue: the normal of a neighborhood, given its
/// covariance. The z axis for a matrix that is zero or not finite.
pub fn smallest_eigenvector(m: [f64; 6]) -> Point {
    let Some((a, _)) = scaled(m) else { return AXES[2] };
    match isolated(&a) {
        // The usual case for a surface: the smallest stands alone, one cross product is enough.
        Some((v, false)) if residual(&a, v, rayleigh(&a, v)) < TOLERANCE => v,
        _ => closed_form(&a).unwrap_or_else(|| jacobi(a)).vectors[0],
    }
}

/// Largest `|Av - λv|` of the closed form, for a matrix scaled to a largest entry of one.
const TOLERANCE: f64 = 1e-14;

/// The matrix divided by its largest entry, and that entry; `None` if that is not possible.
#[inline]
fn scaled(m: [f64; 6]) -> Option<([f64; 6], f64)> {
    let size = m.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    // `max` skips NaN, the sum does not.
    let finite = size.is_finite() && !m.iter().sum::<f64>().is_nan();
    (finite && size > 0.0).then(|| (m.map(|x| x / size), size))
}

#[inline]
fn multiply(a: &[f64; 6], v: Point) -> Point {
    [
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[1] * v[0] + a[3] * v[1] + a[4] * v[2],
        a[2] * v[0] + a[4] * v[1] + a[5] * v[2],
    ]
}

#[inline]
fn rayleigh(a: &[f64; 6], v: Point) -> f64 {
    vec3::dot(v, multiply(a, v))
}

#[inline]
fn residual(a: &[f64; 6], v: Point, value: f64) -> f64 {
    vec3::norm(vec3::sub(multiply(a, v), vec3::scale(v, value)))
}

/// The eigenvector of the eigenvalue farthest from the others, and whether that is the largest
/// (else it is the smallest). `None` for multiples of the identity.
#[inline]
fn isolated(a: &[f64; 6]) -> Option<(Point, bool)> {
    let q = (a[0] + a[3] + a[5]) / 3.0;
    let (x, y, z) = (a[0] - q, a[3] - q, a[5] - q);
    let p2 = (x * x + y * y + z * z + 2.0 * (a[1] * a[1] + a[2] * a[2] + a[4] * a[4])) / 6.0;
    let p = p2.sqrt();
    if p < 1e-150 {
        return None;
    }
    // B = (A - qI) / p has the eigenvalues 2 cos(φ + 2πk/3) with cos 3φ = det(B) / 2.
    let b = [x / p, a[1] / p, a[2] / p, y / p, a[4] / p, z / p];
    let half_det = 0.5
        * (b[0] * (b[3] * b[5] - b[4] * b[4]) - b[1] * (b[1] * b[5] - b[4] * b[2])
            + b[2] * (b[1] * b[4] - b[3] * b[2]));
    // For a determinant of either sign this is the eigenvalue of that sign, away from the two
    // others by at least √3, where the cosine loses nothing.
    let largest = half_det >= 0.0;
    // Not the standard library's, which differ between platforms in the last bit.
    let cosine = libm::cos(libm::acos(half_det.abs().min(1.0)) / 3.0);
    let l = 2.0 * cosine * if largest { 1.0 } else { -1.0 };
    let r0 = [b[0] - l, b[1], b[2]];
    let r1 = [b[1], b[3] - l, b[4]];
    let r2 = [b[2], b[4], b[5] - l];
    let candidates = [vec3::cross(r0, r1), vec3::cross(r0, r2), vec3::cross(r1, r2)];
    let mut best = candidates[0];
    for c in [candidates[1], candidates[2]] {
        if vec3::dot(c, c) > vec3::dot(best, best) {
            best = c;
        }
    }
    vec3::normalized(best).map(|v| (v, largest))
}

/// The three pairs, or `None` if rounding got the better of the formula.
fn closed_form(a: &[f64; 6]) -> Option<Eigen3> {
    let (v, largest) = isolated(a)?;
    let (s, t) = vec3::tangents(v);
    let (a_s, a_t) = (multiply(a, s), multiply(a, t));
    let (ss, st, tt) = (vec3::dot(s, a_s), vec3::dot(s, a_t), vec3::dot(t, a_t));
    let r = rotation(ss, st, tt);
    let c = 1.0 / (1.0 + r * r).sqrt();
    let first = combine(s, c, t, -r * c);
    let second = combine(s, r * c, t, c);
    let (mut low, mut high) = ((ss - r * st, first), (tt + r * st, second));
    if low.0 > high.0 {
        std::mem::swap(&mut low, &mut high);
    }
    let alone = (rayleigh(a, v), v);
    let order = if largest { [low, high, alone] } else { [alone, low, high] };
    let sorted = order[0].0 <= order[1].0 && order[1].0 <= order[2].0;
    let exact = order.iter().all(|&(value, w)| residual(a, w, value) < TOLERANCE);
    (sorted && exact).then(|| Eigen3 { values: order.map(|o| o.0), vectors: order.map(|o| o.1) })
}

#[inline]
fn combine(a: Point, x: f64, b: Point, y: f64) -> Point {
    vec3::add(vec3::scale(a, x), vec3::scale(b, y))
}

/// Tangent of the smaller angle whose rotation makes `[[a, b], [b, c]]` diagonal.
#[inline]
fn rotation(a: f64, b: f64, c: f64) -> f64 {
    if b == 0.0 {
        return 0.0;
    }
    let tau = (c - a) / (2.0 * b);
    1.0_f64.copysign(tau) / (tau.abs() + (1.0 + tau * tau).sqrt())
}

/// Cyclic Jacobi rotations, for any finite matrix.
pub(crate) fn jacobi(m: [f64; 6]) -> Eigen3 {
    let mut a = [[m[0], m[1], m[2]], [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
    let mut v = AXES;
    // What lies below the rounding of the whole matrix is zero.
    let nothing = 0.5 * f64::EPSILON * m.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    // Convergence is quadratic; three to five sweeps do, the bound is for safety only.
    for _ in 0..32 {
        if [a[0][1], a[0][2], a[1][2]].iter().all(|x| x.abs() <= nothing) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let t = rotation(a[p][p], a[p][q], a[q][q]);
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            a[p][p] -= t * a[p][q];
            a[q][q] += t * a[p][q];
            a[p][q] = 0.0;
            a[q][p] = 0.0;
            let r = 3 - p - q;
            let (x, y) = (a[r][p], a[r][q]);
            a[r][p] = c * x - s * y;
            a[r][q] = s * x + c * y;
            a[p][r] = a[r][p];
            a[q][r] = a[r][q];
            (v[p], v[q]) = (combine(v[p], c, v[q], -s), combine(v[p], s, v[q], c));
        }
    }
    let mut order = [(a[0][0], v[0]), (a[1][1], v[1]), (a[2][2], v[2])];
    order.sort_by(|x, y| x.0.total_cmp(&y.0));
    Eigen3 { values: order.map(|o| o.0), vectors: order.map(|o| o.1) }
}

#[cfg(test)]
#[path = "eigen3_tests.rs"]
mod tests;
