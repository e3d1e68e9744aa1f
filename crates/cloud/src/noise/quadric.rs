//! The spread of points about a quadric fitted to them.

use crate::vec3::{self, Point};

/// What a fit says about one neighborhood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Residual variance along the normal, corrected for the degrees of freedom.
    pub variance: f64,
    /// Points used less the six coefficients.
    pub freedom: usize,
}

/// Fewest points for a fit.
pub(crate) const FEWEST: usize = 12;

/// A fitted quadric, in units of the radius, and the sums that the fit went by.
struct Fit {
    coefficients: [f64; 6],
    /// Sum of squared heights, and the part of it that the quadric explains.
    total: f64,
    explained: f64,
    count: usize,
}

/// The place of `p` over the tangent plane and its height, in units of the radius; `None` outside.
fn place(p: Point, center: Point, axes: &[Point; 3], unit: f64) -> Option<(f64, f64, f64)> {
    let d = vec3::scale(vec3::sub(p, center), unit);
    let (u, v, h) = (vec3::dot(d, axes[0]), vec3::dot(d, axes[1]), vec3::dot(d, axes[2]));
    (u * u + v * v <= 1.0).then_some((u, v, h))
}

fn basis(u: f64, v: f64) -> [f64; 6] {
    [1.0, u, v, u * u, u * v, v * v]
}

/// Least-squares fit of `h = a + bu + cv + du² + euv + fv²`.
fn fit(
    points: impl Iterator<Item = Point>,
    center: Point,
    axes: &[Point; 3],
    unit: f64,
) -> Option<Fit> {
    let mut a = [[0.0; 6]; 6];
    let mut rhs = [0.0; 6];
    let mut total = 0.0;
    let mut count = 0;
    for (u, v, h) in points.filter_map(|p| place(p, center, axes, unit)) {
        let basis = basis(u, v);
        for i in 0..6 {
            for j in 0..=i {
                a[i][j] += basis[i] * basis[j];
            }
            rhs[i] += basis[i] * h;
        }
        total += h * h;
        count += 1;
    }
    if count < FEWEST {
        return None;
    }
    let coefficients = cholesky_solve(&mut a, rhs)?;
    let explained = (0..6).map(|i| coefficients[i] * rhs[i]).sum();
    Some(Fit { coefficients, total, explained, count })
}

fn axes(normal: Point) -> [Point; 3] {
    let (s, t) = vec3::tangents(normal);
    [s, t, normal]
}

/// The spread about the quadric fitted to points around `center`, heights along `normal`, over the
/// points within `radius` of its axis. `None` when there are too few or they do not determine the
/// six coefficients.
pub(crate) fn spread(
    points: impl Iterator<Item = Point>,
    center: Point,
    normal: Point,
    radius: f64,
) -> Option<Spread> {
    let Fit { coefficients: x, total, explained, count } =
        fit(points, center, &axes(normal), 1.0 / radius)?;
    let freedom = count - 6;
    let slope2 = x[1] * x[1] + x[2] * x[2];
    let variance = (total - explained).max(0.0) / freedom as f64 / (1.0 + slope2);
    Some(Spread { variance: variance * radius * radius, freedom })
}

/// The same spread, with how its tails compare with those of the normal law: the excess kurtosis
/// of the residuals, corrected for their number (0 for the normal law, -2 for two equal spikes).
pub(crate) fn spread_and_tails(
    points: impl Iterator<Item = Point> + Clone,
    center: Point,
    normal: Point,
    radius: f64,
) -> Option<(Spread, f64)> {
    let (axes, unit) = (axes(normal), 1.0 / radius);
    let s = spread(points.clone(), center, normal, radius)?;
    let x = fit(points.clone(), center, &axes, unit)?.coefficients;
    let (mut m2, mut m4, mut n) = (0.0, 0.0, 0.0);
    for (u, v, h) in points.filter_map(|p| place(p, center, &axes, unit)) {
        let r = h - basis(u, v).iter().zip(&x).map(|(b, x)| b * x).sum::<f64>();
        m2 += r * r;
        m4 += r.powi(4);
        n += 1.0;
    }
    if m2 <= 0.0 {
        return None;
    }
    let g = n * m4 / (m2 * m2) - 3.0;
    let tails = ((n + 1.0) * g + 6.0) * (n - 1.0) / ((n - 2.0) * (n - 3.0));
    Some((s, tails))
}

/// Solves `a x = b` for a positive definite `a` (lower half given, overwritten).
fn cholesky_solve(a: &mut [[f64; 6]; 6], b: [f64; 6]) -> Option<[f64; 6]> {
    // The first entry is the number of points; the others are at most that.
    let least = 1e-9 * a[0][0];
    for i in 0..6 {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= a[i][k] * a[j][k];
            }
            if i != j {
                a[i][j] = sum / a[j][j];
            } else if sum > least {
                a[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    let mut x = b;
    for i in 0..6 {
        for k in 0..i {
            x[i] -= a[i][k] * x[k];
        }
        x[i] /= a[i][i];
    }
    for i in (0..6).rev() {
        for k in i + 1..6 {
            x[i] -= a[k][i] * x[k];
        }
        x[i] /= a[i][i];
    }
    Some(x)
}
