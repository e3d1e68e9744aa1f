//! A machined part: an angle bracket with sharp edges, a chamfer, a thin fin, a step and a hole.

use super::patch::Patch;
use super::planar::{Outline, Planar};
use crate::vec3::normalized;

/// The part in side view, (x, z), counter-clockwise.
const PROFILE: [[f64; 2]; 13] = [
    [-1.0, BOTTOM],
    [1.0, BOTTOM],
    // The step at the front.
    [1.0, -0.2],
    [0.6, -0.2],
    [0.6, TOP],
    // The fin, 0.04 thick and 0.7 high.
    [0.29, TOP],
    [0.29, 0.25],
    [0.25, 0.25],
    [0.25, TOP],
    // The upright plate with its chamfer.
    [-0.75, TOP],
    [-0.75, 0.7],
    [-0.9, 0.7],
    [-1.0, 0.55],
];
/// Half the width, along y.
const HALF_WIDTH: f64 = 0.6;
/// Underside and upper side of the base plate.
const BOTTOM: f64 = -0.7;
const TOP: f64 = -0.45;
/// The hole through the base plate: its x (y is zero) and its radius.
const HOLE_X: f64 = -0.25;
const HOLE_RADIUS: f64 = 0.28;

/// All faces of the part.
pub(super) fn patches() -> Vec<Patch> {
    let mut faces = Vec::with_capacity(PROFILE.len() + 3);
    for (i, &[ax, az]) in PROFILE.iter().enumerate() {
        let [bx, bz] = PROFILE[(i + 1) % PROFILE.len()];
        let middle = [(ax + bx) / 2.0, 0.0, (az + bz) / 2.0];
        let half = [(bx - ax).hypot(bz - az) / 2.0, HALF_WIDTH];
        let along = normalized([bx - ax, 0.0, bz - az]).unwrap_or([1.0, 0.0, 0.0]);
        let face = Planar::new(middle, along, [0.0, -1.0, 0.0], Outline::Rectangle { half });
        // The only two faces of the base plate that the hole goes through.
        let drilled =
            az == bz && (ax - HOLE_X) * (bx - HOLE_X) < 0.0 && (az == BOTTOM || az == TOP);
        faces.push(Patch::Planar(if drilled {
            face.with_hole([(HOLE_X - middle[0]) * along[0], 0.0], HOLE_RADIUS)
        } else {
            face
        }));
    }
    // Seen along +y, (x, z) turns the right way for the side at -y, and mirrored for the other.
    let mirrored = PROFILE.iter().map(|&[x, z]| [-x, z]).collect();
    let (x, z) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let profile = Outline::Polygon(PROFILE.to_vec());
    faces.push(Patch::Planar(Planar::new([0.0, -HALF_WIDTH, 0.0], x, z, profile)));
    let profile = Outline::Polygon(mirrored);
    faces.push(Patch::Planar(Planar::new([0.0, HALF_WIDTH, 0.0], [-1.0, 0.0, 0.0], z, profile)));
    faces.push(Patch::Wall {
        center: [HOLE_X, 0.0, (TOP + BOTTOM) / 2.0],
        radius: HOLE_RADIUS,
        half: (TOP - BOTTOM) / 2.0,
        hole: true,
    });
    faces
}
