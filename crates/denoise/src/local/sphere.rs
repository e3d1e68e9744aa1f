//! Algebraic spheres `u0 + u·x + u4 |x|² = 0`, fitted to points with normals.

use pellucid_cloud::vec3::{self, Point};

/// Weighted sums from which the sphere follows in closed form (Guennebaud, Germann & Gross 2008,
/// doi:10.1111/j.1467-8659.2008.01163.x).
///
/// ```
/// use pellucid_denoise::local::SphereFit;
///
/// let mut fit = SphereFit::default();
/// for n in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]] {
///     // A sphere of radius two around (3, 0, 0).
///     fit.add([3.0 + 2.0 * n[0], 2.0 * n[1], 2.0 * n[2]], n, 1.0);
/// }
/// let foot = fit.solve(1.0).unwrap().project_origin();
/// assert!((foot[0] - 1.0).abs() < 1e-12 && foot[1].abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SphereFit([f64; 9]);

impl From<[f64; 9]> for SphereFit {
    /// From the sums: of the weights, and with them of points, normals, squared lengths of points,
    /// and points times normals.
    fn from(sums: [f64; 9]) -> Self {
        SphereFit(sums)
    }
}

impl SphereFit {
    /// Counts in a point, given relative to a nearby center, and its unit normal.
    #[inline]
    pub fn add(&mut self, x: Point, normal: Point, weight: f64) {
        let ([x0, x1, x2], [n0, n1, n2]) = (vec3::scale(x, weight), vec3::scale(normal, weight));
        let (pp, pn) = (weight * vec3::dot(x, x), weight * vec3::dot(x, normal));
        let terms = [weight, x0, x1, x2, n0, n1, n2, pp, pn];
        for (sum, term) in self.0.iter_mut().zip(terms) {
            *sum += term;
        }
    }

    /// The sphere; `roundness` scales its curvature, from 0 for a plane to 1. `None` where the
    /// points fix none.
    #[inline]
    pub fn solve(&self, roundness: f64) -> Option<Sphere> {
        let [weight, rest @ ..] = self.0;
        if weight <= 0.0 {
            return None;
        }
        let inverse = 1.0 / weight;
        let [x0, x1, x2, n0, n1, n2, pp, pn] = rest.map(|sum| sum * inverse);
        let (p, n) = ([x0, x1, x2], [n0, n1, n2]);
        let spread = pp - vec3::dot(p, p);
        // Points in one place have no curvature.
        let bend = if spread > 1e-12 * pp { (pn - vec3::dot(p, n)) / spread } else { 0.0 };
        let u4 = 0.5 * roundness * bend;
        let u = vec3::sub(n, vec3::scale(p, 2.0 * u4));
        let u0 = -vec3::dot(u, p) - u4 * pp;
        let sphere = Sphere { u0, u, u4 };
        (u0.is_finite() && u4.is_finite() && vec3::is_finite(u)).then_some(sphere)
    }
}

/// A fitted sphere, or a plane where `u4` is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Value at the origin.
    pub u0: f64,
    /// Gradient at the origin.
    pub u: Point,
    /// Half the curvature, for a gradient of length one.
    pub u4: f64,
}

impl Sphere {
    /// The nearest point of the sphere to the origin, by the root that stays stable as the sphere
    /// becomes a plane. The origin itself where there is no real sphere.
    #[inline]
    pub fn project_origin(&self) -> Point {
        let uu = vec3::dot(self.u, self.u);
        let discriminant = uu - 4.0 * self.u0 * self.u4;
        if uu <= 0.0 || discriminant < 0.0 {
            return [0.0; 3];
        }
        vec3::scale(self.u, -2.0 * self.u0 / (uu + (uu * discriminant).sqrt()))
    }

    /// The unit normal at the origin's side of the sphere, or `None` at its center.
    pub fn normal(&self) -> Option<Point> {
        vec3::normalized(self.u)
    }
}
