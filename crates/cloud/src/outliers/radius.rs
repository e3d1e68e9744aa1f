//! Too few points around.

use serde::{Deserialize, Serialize};

use super::{MOST_NEIGHBORS, OutlierError, for_each_point};
use crate::neighbors::KdTree;
use crate::vec3::Point;

/// Flags points with fewer than `neighbors` others within `radius` mean spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Radius {
    /// How far to look, in mean spacings.
    pub radius: f64,
    /// So many others within the radius are enough.
    pub neighbors: usize,
}

impl Default for Radius {
    fn default() -> Self {
        Radius { radius: 4.0, neighbors: 5 }
    }
}

impl Radius {
    pub(super) fn check(&self) -> Result<(), OutlierError> {
        let radius = self.radius > 0.0 && self.radius.is_finite();
        OutlierError::check(radius, "radius", self.radius, "above 0")?;
        let enough = (1..=MOST_NEIGHBORS).contains(&self.neighbors);
        OutlierError::check(enough, "neighbors", self.neighbors, "between 1 and 1000")
    }

    pub(super) fn find(&self, points: &[Point], tree: &KdTree, spacing: f64) -> (Vec<bool>, f64) {
        // The point itself is found too.
        let enough = self.neighbors + 1;
        let flags = for_each_point(points, tree, false, |i, _| {
            let mut count = 0;
            tree.within(points[i], self.radius * spacing, |_| {
                count += 1;
                count < enough
            });
            count < enough
        });
        (flags, self.neighbors as f64)
    }
}
