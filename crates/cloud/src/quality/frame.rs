//! The frame in which the learned denoisers are compared.

use crate::bounds;
use crate::vec3::{Point, norm, scale, sub};

/// Moves the middle of the bounding box to the origin and scales the farthest point to distance 1.
///
/// Published Chamfer and point-to-mesh numbers on unit-sphere data sets are measured in the frame
/// of the truth: build it from the clean cloud (or the mesh), apply it to both sides.
///
/// ```
/// use pellucid_cloud::quality::UnitSphere;
///
/// let frame = UnitSphere::of(&[[0.0, 0.0, 1.0], [4.0, 0.0, 1.0]]).unwrap();
/// assert_eq!(frame.apply(&[[4.0, 2.0, 1.0]]), [[1.0, 1.0, 0.0]]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitSphere {
    /// What becomes the origin.
    pub center: Point,
    /// What becomes length 1.
    pub radius: f64,
}

impl UnitSphere {
    /// The frame of these points; `None` if no two finite ones differ.
    pub fn of(points: &[Point]) -> Option<Self> {
        let (lo, hi) = bounds(points)?;
        let center = [0, 1, 2].map(|c| lo[c] + (hi[c] - lo[c]) / 2.0);
        let finite = points.iter().map(|&p| norm(sub(p, center))).filter(|r| r.is_finite());
        let radius = finite.fold(0.0, f64::max);
        (radius > 0.0).then_some(UnitSphere { center, radius })
    }

    /// The points in this frame.
    pub fn apply(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|&p| scale(sub(p, self.center), 1.0 / self.radius)).collect()
    }
}
