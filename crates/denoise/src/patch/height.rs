//! Patches as height maps over their tangent planes.

use pellucid_cloud::eigen3::symmetric_eigen;
use pellucid_cloud::vec3::{self, Point};

use crate::local::{Moments, QuadricFit};

/// The frame of a height map: where it lies, which way it looks, how wide it is.
#[derive(Debug, Clone, Copy)]
pub struct HeightFrame {
    /// On the plane fitted to the patch, under its center.
    pub origin: Point,
    /// Along the strongest curvature.
    pub u: Point,
    /// Across it.
    pub v: Point,
    /// The normal.
    pub n: Point,
    /// Half the side of the map.
    pub scale: f64,
}

impl HeightFrame {
    /// The frame of the patch of `members` around `center`; `None` where they fix none.
    ///
    /// Its axes follow from the patch alone, up to their signs, so that maps of like patches are
    /// alike however they lie in space.
    pub fn new(center: Point, members: &[Point]) -> Option<HeightFrame> {
        let mut moments = Moments::default();
        let mut scale2 = 0.0_f64;
        for &x in members {
            let x = vec3::sub(x, center);
            moments.add(x, 1.0);
            scale2 = scale2.max(vec3::dot(x, x));
        }
        let plane = moments.plane()?;
        // Not `<=`, so that NaN ends here too.
        if !(scale2 > 0.0 && scale2.is_finite()) {
            return None;
        }
        let scale = scale2.sqrt();
        let mut fit = QuadricFit::new(&plane, [0.0; 3], scale);
        members.iter().for_each(|&x| fit.add(vec3::sub(x, center), 1.0));
        let u = match fit.solve().and_then(|q| q.strongest_curvature()) {
            Some(u) => u,
            None => symmetric_eigen(moments.covariance()?).vectors[2],
        };
        let u = vec3::sub(u, vec3::scale(plane.normal, vec3::dot(u, plane.normal)));
        let u = vec3::normalized(u)?;
        let origin = vec3::add(center, plane.project([0.0; 3]));
        Some(HeightFrame { origin, u, v: vec3::cross(plane.normal, u), n: plane.normal, scale })
    }

    /// Place in the map, each within [-1, 1] on it, and height in units of length.
    #[inline]
    pub fn local(&self, x: Point) -> ([f64; 2], f64) {
        let d = vec3::sub(x, self.origin);
        let r = 1.0 / self.scale;
        ([vec3::dot(d, self.u) * r, vec3::dot(d, self.v) * r], vec3::dot(d, self.n))
    }
}

/// A square grid over [-1, 1]² and how values on it extend in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Values along a side; at least two.
    pub side: usize,
}

impl Grid {
    /// Values on the grid.
    pub fn len(self) -> usize {
        self.side * self.side
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.side == 0
    }

    /// The four values around a place and their bilinear weights; `None` off the grid.
    #[inline]
    pub fn corners(self, place: [f64; 2]) -> Option<[(usize, f64); 4]> {
        let last = (self.side - 1) as f64;
        let [s, t] = place.map(|x| 0.5 * (x + 1.0) * last);
        // Not `s < 0 ||`, so that NaN is off the grid.
        if !(s >= 0.0 && s <= last && t >= 0.0 && t <= last) {
            return None;
        }
        let (i, j) = ((s as usize).min(self.side - 2), (t as usize).min(self.side - 2));
        let (a, b) = (s - i as f64, t - j as f64);
        let at = i * self.side + j;
        Some([
            (at, (1.0 - a) * (1.0 - b)),
            (at + 1, (1.0 - a) * b),
            (at + self.side, a * (1.0 - b)),
            (at + self.side + 1, a * b),
        ])
    }
}
