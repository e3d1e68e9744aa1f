//! The point that lies best on several planes at once.

use pellucid_cloud::vec3::{self, Point};

use super::Plane;

/// Weighted sum of squared distances to planes, as a function of a point; the point is measured
/// from a nearby center.
///
/// ```
/// use pellucid_denoise::local::{Plane, PlaneSum};
///
/// let mut sum = PlaneSum::default();
/// sum.add(&Plane { center: [0.0, 0.0, 1.0], normal: [0.0, 0.0, 1.0] }, 3.0);
/// // The anchor's pull of 1 against the plane's of 3.
/// assert_eq!(sum.nearest([5.0, 6.0, 2.0], 1.0), Some([5.0, 6.0, 1.25]));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlaneSum {
    /// `Σ w n n'` as `[xx, xy, xz, yy, yz, zz]`.
    matrix: [f64; 6],
    /// `Σ w n n'c`.
    right: Point,
}

impl PlaneSum {
    /// Counts in a plane.
    #[inline]
    pub fn add(&mut self, plane: &Plane, weight: f64) {
        let n = plane.normal;
        let wn = vec3::scale(n, weight);
        let m = &mut self.matrix;
        m[0] += wn[0] * n[0];
        m[1] += wn[0] * n[1];
        m[2] += wn[0] * n[2];
        m[3] += wn[1] * n[1];
        m[4] += wn[1] * n[2];
        m[5] += wn[2] * n[2];
        self.right = vec3::add(self.right, vec3::scale(wn, vec3::dot(n, plane.center)));
    }

    /// Where the sum plus `pull` times the squared distance to `anchor` is least; `None` where
    /// that is no number. With a positive `pull` there is one such point.
    #[inline]
    pub fn nearest(&self, anchor: Point, pull: f64) -> Option<Point> {
        let [xx, xy, xz, yy, yz, zz] = self.matrix;
        let (xx, yy, zz) = (xx + pull, yy + pull, zz + pull);
        // For the step from the anchor, which loses no digits where the step is small.
        let m = &self.matrix;
        let b = vec3::sub(
            self.right,
            [
                m[0] * anchor[0] + m[1] * anchor[1] + m[2] * anchor[2],
                m[1] * anchor[0] + m[3] * anchor[1] + m[4] * anchor[2],
                m[2] * anchor[0] + m[4] * anchor[1] + m[5] * anchor[2],
            ],
        );
        let (c0, c1, c2) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let determinant = xx * c0 + xy * c1 + xz * c2;
        let step = [
            c0 * b[0] + c1 * b[1] + c2 * b[2],
            c1 * b[0] + (xx * zz - xz * xz) * b[1] + (xy * xz - xx * yz) * b[2],
            c2 * b[0] + (xy * xz - xx * yz) * b[1] + (xx * yy - xy * xy) * b[2],
        ];
        let out = vec3::add(anchor, vec3::scale(step, 1.0 / determinant));
        vec3::is_finite(out).then_some(out)
    }
}
