//! Cells that space is cut into: small ones to count points in, and the blocks that a survey draws.

use pellucid_cloud::{Point, vec3};
use serde::{Deserialize, Serialize};

use crate::graph::scramble;

/// Cells along the longest side of the grid that points are counted in, and one more for those on its last face.
pub const CELLS: usize = 64;
pub const STRIDE: usize = CELLS + 1;

/// Directions of the edges of blocks, at right angles to each other and oblique to those of floors and walls: a block
/// that ends along a surface would cut its noise off.
pub(super) const EDGES: [Point; 3] = [
    [2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0],
    [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
    [2.0 / 3.0, 1.0 / 3.0, -2.0 / 3.0],
];

/// Cells with edges along [`EDGES`]; coordinates are along these as well.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The first corner.
    pub low: Point,
    /// The length of an edge.
    pub edge: f64,
}

impl Grid {
    /// The grid of [`CELLS`] cells a side that holds a box.
    pub fn around(low: Point, high: Point) -> Grid {
        let (low, high) = (vec3::scale(low, 0.5), vec3::scale(high, 0.5));
        let (middle, half) = (vec3::add(low, high), vec3::sub(high, low));
        let reach = EDGES.map(|e| (0..3).map(|c| e[c].abs() * half[c]).sum::<f64>());
        let edge = 2.0 * reach.iter().copied().fold(0.0, f64::max) / CELLS as f64;
        let low = std::array::from_fn(|c| vec3::dot(EDGES[c], middle) - reach[c]);
        Grid { low, edge: edge.max(f64::MIN_POSITIVE) }
    }

    /// Where a point is, in cells from the first corner.
    pub(super) fn place(&self, p: Point) -> Point {
        std::array::from_fn(|c| (vec3::dot(EDGES[c], p) - self.low[c]) / self.edge)
    }

    /// The cell that a point is in.
    pub fn cell(&self, p: Point) -> [i64; 3] {
        self.place(p).map(|x| x.floor() as i64)
    }

    /// How far from the faces of its cell a point is, in edges.
    pub fn depth(&self, p: Point) -> f64 {
        let depth = |x: f64| (x - x.floor()).min(1.0 - (x - x.floor()));
        self.place(p).map(depth).into_iter().fold(1.0, f64::min)
    }

    /// A number that all points of a cell share.
    pub fn draw(&self, p: Point) -> u64 {
        self.cell(p).iter().fold(0, |h, &c| scramble(h ^ c as u64))
    }
}

/// The number of a cell of the grid that points are counted in.
pub fn number_of([x, y, z]: [i64; 3]) -> usize {
    (x as usize * STRIDE + y as usize) * STRIDE + z as usize
}

#[cfg(test)]
#[path = "grid_tests.rs"]
mod tests;
