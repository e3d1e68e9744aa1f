//! Weighted least-squares planes.

use pellucid_cloud::eigen3::smallest_eigenvector;
use pellucid_cloud::vec3::{self, Point};

use super::lanes::{Pair, each_two};

/// Weighted sums of points and of their products, from which mean, covariance and plane follow.
///
/// ```
/// use pellucid_denoise::local::Moments;
///
/// let mut moments = Moments::default();
/// for p in [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]] {
///     moments.add(p, 1.0);
/// }
/// let plane = moments.plane().unwrap();
/// assert!((plane.offset([0.3, 0.4, 3.0]).abs() - 2.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    weight: f64,
    first: Point,
    second: [f64; 6],
}

impl Moments {
    /// Counts in a point, given relative to a nearby center.
    #[inline]
    pub fn add(&mut self, x: Point, weight: f64) {
        let wx = vec3::scale(x, weight);
        self.weight += weight;
        self.first = vec3::add(self.first, wx);
        let s = &mut self.second;
        s[0] += wx[0] * x[0];
        s[1] += wx[0] * x[1];
        s[2] += wx[0] * x[2];
        s[3] += wx[1] * x[1];
        s[4] += wx[1] * x[2];
        s[5] += wx[2] * x[2];
    }

    /// Those of points that all weigh the same, one slice a coordinate.
    #[inline]
    pub fn of([x, y, z]: [&[f64]; 3]) -> Moments {
        let mut sums = [Pair::default(); 9];
        each_two([x, y, z], 0.0, |[x, y, z]| {
            let terms = [x, y, z, x * x, x * y, x * z, y * y, y * z, z * z];
            for t in 0..9 {
                sums[t] = sums[t] + terms[t];
            }
        });
        let [a, b, c, xx, xy, xz, yy, yz, zz] = sums.map(Pair::sum);
        Moments { weight: x.len() as f64, first: [a, b, c], second: [xx, xy, xz, yy, yz, zz] }
    }

    /// The sum of the weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The weighted mean, or `None` without weight.
    #[inline]
    pub fn mean(&self) -> Option<Point> {
        (self.weight > 0.0).then(|| vec3::scale(self.first, 1.0 / self.weight))
    }

    /// The weighted covariance as `[xx, xy, xz, yy, yz, zz]`, or `None` without weight.
    #[inline]
    pub fn covariance(&self) -> Option<[f64; 6]> {
        let m = self.mean()?;
        let s = self.second.map(|v| v / self.weight);
        Some([
            s[0] - m[0] * m[0],
            s[1] - m[0] * m[1],
            s[2] - m[0] * m[2],
            s[3] - m[1] * m[1],
            s[4] - m[1] * m[2],
            s[5] - m[2] * m[2],
        ])
    }

    /// The plane of least weighted squared distance, or `None` where there is no finite one.
    ///
    /// Points on a line or in one place lie on many planes; one of them is given.
    #[inline]
    pub fn plane(&self) -> Option<Plane> {
        let center = self.mean().filter(|&m| vec3::is_finite(m))?;
        let covariance = self.covariance().filter(|c| c.iter().all(|v| v.is_finite()))?;
        Some(Plane { center, normal: smallest_eigenvector(covariance) })
    }
}

/// A plane by a point on it and its unit normal, whose sign has no meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// A point on the plane.
    pub center: Point,
    /// The unit normal.
    pub normal: Point,
}

impl Plane {
    /// Signed distance from the plane to `x`.
    #[inline]
    pub fn offset(&self, x: Point) -> f64 {
        vec3::dot(vec3::sub(x, self.center), self.normal)
    }

    /// The nearest point on the plane.
    #[inline]
    pub fn project(&self, x: Point) -> Point {
        vec3::sub(x, vec3::scale(self.normal, self.offset(x)))
    }
}
