//! Signs of normals.

use crate::neighbors::NeighborTable;
use crate::vec3::{self, Point};

/// Turns each normal to the side of its point from which `viewpoint` is seen.
pub fn orient_to_viewpoint(points: &[Point], normals: &mut [Point], viewpoint: Point) {
    for (p, n) in points.iter().zip(normals) {
        if vec3::dot(vec3::sub(viewpoint, *p), *n) < 0.0 {
            *n = vec3::scale(*n, -1.0);
        }
    }
}

/// Turns each normal to the side of the reference normal of the same row.
pub fn orient_like(normals: &mut [Point], reference: &[Point]) {
    for (n, r) in normals.iter_mut().zip(reference) {
        if vec3::dot(*n, *r) < 0.0 {
            *n = vec3::scale(*n, -1.0);
        }
    }
}

/// To come: leaves the signs as they are.
pub fn orient_consistently(_points: &[Point], _normals: &mut [Point], _table: &NeighborTable) {}
