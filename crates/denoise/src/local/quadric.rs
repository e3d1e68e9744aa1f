//! Quadric height fields over a plane: `z = c0 + c1 u + c2 v + c3 u² + c4 uv + c5 v²`.

use pellucid_cloud::vec3::{self, Point};

use super::Plane;

/// Fewest points that fix the six coefficients with something to spare.
const FEWEST: usize = 8;
/// A pivot this much smaller than its diagonal entry says that the points fix no quadric.
const SMALLEST_PIVOT: f64 = 1e-10;

/// The axes of a height field: origin, two tangents, normal; lengths in units of `scale`.
#[derive(Debug, Clone, Copy)]
struct Axes {
    origin: Point,
    u: Point,
    v: Point,
    n: Point,
    scale: f64,
}

impl Axes {
    #[inline]
    fn local(&self, x: Point) -> Point {
        let d = vec3::scale(vec3::sub(x, self.origin), 1.0 / self.scale);
        [vec3::dot(d, self.u), vec3::dot(d, self.v), vec3::dot(d, self.n)]
    }
}

/// Normal equations of a quadric in the making.
#[derive(Debug, Clone, Copy)]
pub struct QuadricFit {
    axes: Axes,
    /// Weighted sums of `u^i v^j`, `i + j <= 4`, in the order that `NORMAL_MATRIX` states.
    moments: [f64; 15],
    /// Weighted sums of `z` times each basis function.
    right: [f64; 6],
    count: usize,
}

/// Which moment stands in each place of the normal matrix (lower triangle, row after row).
///
/// Moments: 1, u, v, u², uv, v², u³, u²v, uv², v³, u⁴, u³v, u²v², uv³, v⁴.
const NORMAL_MATRIX: [[usize; 6]; 6] = [
    [0, 0, 0, 0, 0, 0],
    [1, 3, 0, 0, 0, 0],
    [2, 4, 5, 0, 0, 0],
    [3, 6, 7, 10, 0, 0],
    [4, 7, 8, 11, 12, 0],
    [5, 8, 9, 12, 13, 14],
];

impl QuadricFit {
    /// An empty fit over `plane`, with `origin` as the place where precision matters most and
    /// `scale` the size of the neighborhood.
    #[inline]
    pub fn new(plane: &Plane, origin: Point, scale: f64) -> QuadricFit {
        let (u, v) = vec3::tangents(plane.normal);
        let axes = Axes { origin: plane.project(origin), u, v, n: plane.normal, scale };
        QuadricFit { axes, moments: [0.0; 15], right: [0.0; 6], count: 0 }
    }

    /// Counts in a point.
    #[inline]
    pub fn add(&mut self, x: Point, weight: f64) {
        let [u, v, z] = self.axes.local(x);
        let (uu, uv, vv) = (u * u, u * v, v * v);
        let powers = [
            1.0,
            u,
            v,
            uu,
            uv,
            vv,
            uu * u,
            uu * v,
            u * vv,
            vv * v,
            uu * uu,
            uu * uv,
            uu * vv,
            uv * vv,
            vv * vv,
        ];
        for (m, p) in self.moments.iter_mut().zip(powers) {
            *m += weight * p;
        }
        let wz = weight * z;
        for (r, p) in self.right.iter_mut().zip(powers) {
            *r += wz * p;
        }
        self.count += 1;
    }

    /// The quadric of least weighted squared height difference, or `None` if the points fix none.
    #[inline]
    pub fn solve(&self) -> Option<Quadric> {
        if self.count < FEWEST {
            return None;
        }
        let mut a = NORMAL_MATRIX.map(|row| row.map(|m| self.moments[m]));
        let coefficients = cholesky_solve(&mut a, self.right)?;
        Some(Quadric { axes: self.axes, coefficients })
    }
}

/// Solves `A c = b` for a positive definite `A` given by its lower triangle, which is overwritten.
#[inline]
fn cholesky_solve(a: &mut [[f64; 6]; 6], mut b: [f64; 6]) -> Option<[f64; 6]> {
    for i in 0..6 {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= a[i][k] * a[j][k];
            }
            if i == j {
                // Not `s <= …`, so that NaN ends here too.
                if !(s > SMALLEST_PIVOT * a[i][i] && s.is_finite()) {
                    return None;
                }
                a[i][i] = s.sqrt();
            } else {
                a[i][j] = s / a[j][j];
            }
        }
    }
    for i in 0..6 {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for i in (0..6).rev() {
        for k in i + 1..6 {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    b.iter().all(|c| c.is_finite()).then_some(b)
}

/// A fitted height field.
#[derive(Debug, Clone, Copy)]
pub struct Quadric {
    axes: Axes,
    coefficients: [f64; 6],
}

/// A height field to second order above its origin, as vectors of the surrounding space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// Height over the plane.
    pub height: f64,
    /// Gradient of the height, in the plane.
    pub slope: Point,
    /// Second derivatives of the height, `[xx, xy, xz, yy, yz, zz]`.
    pub bend: [f64; 6],
}

impl Quadric {
    /// Height and derivatives above the origin, free of the choice of tangents.
    pub fn jet(&self) -> Jet {
        let Axes { u, v, scale, .. } = self.axes;
        let c = &self.coefficients;
        let slope = vec3::add(vec3::scale(u, c[1]), vec3::scale(v, c[2]));
        let (uu, uv, vv) = (2.0 * c[3] / scale, c[4] / scale, 2.0 * c[5] / scale);
        let entry = |a: usize, b: usize| {
            uu * u[a] * u[b] + uv * (u[a] * v[b] + v[a] * u[b]) + vv * v[a] * v[b]
        };
        let bend = [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
        Jet { height: scale * c[0], slope, bend }
    }

    /// Moves `x` towards its nearest point on the surface, along the normal of the surface under
    /// it: one Newton step, exact for a plane.
    #[inline]
    pub fn project(&self, x: Point) -> Point {
        let [u, v, z] = self.axes.local(x);
        let c = &self.coefficients;
        let height = c[0] + u * (c[1] + c[3] * u + c[4] * v) + v * (c[2] + c[5] * v);
        let (du, dv) = (c[1] + 2.0 * c[3] * u + c[4] * v, c[2] + c[4] * u + 2.0 * c[5] * v);
        let step = self.axes.scale * (height - z) / (1.0 + du * du + dv * dv);
        let Axes { u, v, n, .. } = self.axes;
        let normal = vec3::sub(n, vec3::add(vec3::scale(u, du), vec3::scale(v, dv)));
        vec3::add(x, vec3::scale(normal, step))
    }

    /// The direction in the plane along which the surface bends most, of either sign; `None` where
    /// it bends the same in all directions.
    pub fn strongest_curvature(&self) -> Option<Point> {
        let [_, _, _, a, b, c] = self.coefficients;
        // The Hessian [[2a, b], [b, 2c]] turned by φ is diagonal for tan 2φ = b / (a - c).
        let angle = 0.5 * b.atan2(a - c);
        let (sin, cos) = angle.sin_cos();
        let along = a * cos * cos + b * cos * sin + c * sin * sin;
        let across = a * sin * sin - b * cos * sin + c * cos * cos;
        let (x, y) = if along.abs() >= across.abs() { (cos, sin) } else { (-sin, cos) };
        let direction = vec3::add(vec3::scale(self.axes.u, x), vec3::scale(self.axes.v, y));
        (b != 0.0 || a != c).then_some(direction)
    }

    /// The unit normal of the surface above the origin, on the side of the plane's normal.
    pub fn normal(&self) -> Point {
        let Axes { u, v, n, .. } = self.axes;
        let slope =
            vec3::add(vec3::scale(u, self.coefficients[1]), vec3::scale(v, self.coefficients[2]));
        vec3::normalized(vec3::sub(n, slope)).unwrap_or(n)
    }
}
