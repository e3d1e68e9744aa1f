//! A part of a large cloud to learn from: whole blocks, since spacing, noise and patches are
//! only seen where no point is missing.

use pellucid_cloud::Point;

use crate::graph::scramble;

/// Clouds of up to this many points are learned from as a whole.
pub const WHOLE_UP_TO: usize = 1 << 17;
/// Points to learn from of a larger one.
const WANTED: usize = 1 << 16;
/// Points that a block should hold.
const POINTS: f64 = 4096.0;
/// Cells along the longest side of the grid that tells how densely space is filled.
const CELLS: f64 = 64.0;

/// Numbers of the points of some blocks, about [`WANTED`] points, or all of a smaller cloud.
///
/// Blocks are cubes of a grid, drawn by their places: which points are in depends neither on the
/// order of the points nor on how they came together.
pub fn choose(points: &[Point]) -> Vec<u32> {
    if points.len() <= WHOLE_UP_TO {
        return (0..points.len() as u32).collect();
    }
    let grid = Grid::of(points);
    let share = WANTED as f64 / points.len() as f64;
    let chosen: Vec<u32> =
        (0..points.len() as u32).filter(|&i| grid.draw(points[i as usize]) < share).collect();
    // A cloud in one heap may fall between the blocks.
    if chosen.len() < WANTED / 4 { (0..WANTED as u32).collect() } else { chosen }
}

struct Grid {
    low: Point,
    edge: f64,
}

impl Grid {
    fn of(points: &[Point]) -> Grid {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points {
            for c in 0..3 {
                low[c] = low[c].min(p[c]);
                high[c] = high[c].max(p[c]);
            }
        }
        let longest = (0..3).map(|c| high[c] - low[c]).fold(f64::MIN_POSITIVE, f64::max);
        let coarse = Grid { low, edge: longest / CELLS };
        let mut counts = vec![0u32; (CELLS as usize + 1).pow(3)];
        for &p in points {
            let [x, y, z] = coarse.cell(p).map(|c| c.clamp(0, CELLS as i64) as usize);
            counts[(x * (CELLS as usize + 1) + y) * (CELLS as usize + 1) + z] += 1;
        }
        // The cell that the usual point is in, not the usual cell: stray points fill many.
        let full: f64 = counts.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        let usual = full / points.len() as f64;
        // Points lie on surfaces: their number goes with the square of the edge.
        Grid { low, edge: coarse.edge * (POINTS / usual).sqrt() }
    }

    fn cell(&self, p: Point) -> [i64; 3] {
        std::array::from_fn(|c| ((p[c] - self.low[c]) / self.edge).floor() as i64)
    }

    /// A number from 0 to 1 that all points of a cell share.
    fn draw(&self, p: Point) -> f64 {
        let mixed = self.cell(p).iter().fold(0, |h, &c| scramble(h ^ c as u64));
        mixed as f64 * 2.0_f64.powi(-64)
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
