//! The spread of points about a quadric fitted to them.

use crate::vec3::{self, Point};

/// What a fit says about one neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Residual variance along the normal, corrected for the degrees of freedom.
    pub variance: f64,
    /// Points used less the six coefficients.
    pub freedom: usize,
}

/// Fewest points for a fit.
pub(crate) const FEWEST: usize = 12;

/// Least-squares fit of `h = a + bu + cv + du² + euv + fv²` to points around `center`, heights
/// along `normal`, over the points within `radius` of its axis. `None` when there are too few or
/// they do not determine the six coefficients.
pub(crate) fn spread(
    points: impl Iterator<Item = Point>,
    center: Point,
    normal: Point,
    radius: f64,
) -> Option<Spread> {
    let (s, t) = vec3::tangents(normal);
    let unit = 1.0 / radius;
    let mut a = [[0.0; 6]; 6];
    let mut rhs = [0.0; 6];
    let mut hh = 0.0;
    let mut count = 0;
    for p in points {
        let d = vec3::scale(vec3::sub(p, center), unit);
        let (u, v, h) = (vec3::dot(d, s), vec3::dot(d, t), vec3::dot(d, normal));
        if u * u + v * v > 1.0 {
            continue;
        }
        let basis = [1.0, u, v, u * u, u * v, v * v];
        for i in 0..6 {
            for j in 0..=i {
                a[i][j] += basis[i] * basis[j];
            }
            rhs[i] += basis[i] * h;
        }
        hh += h * h;
        count += 1;
    }
    if count < FEWEST {
        return None;
    }
    let x = cholesky_solve(&mut a, rhs)?;
    let explained: f64 = (0..6).map(|i| x[i] * rhs[i]).sum();
    let freedom = count - 6;
    let slope2 = x[1] * x[1] + x[2] * x[2];
    let variance = (hh - explained).max(0.0) / freedom as f64 / (1.0 + slope2);
    Some(Spread { variance: variance * radius * radius, freedom })
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
