//! Which tiles a cloud is cut into: boxes of cells that fit into memory with what is around them.

use std::collections::{BTreeMap, HashMap};

use pellucid_cloud::Point;
use serde::{Deserialize, Serialize};

/// Cells that the halo is wide. More make tighter halos and a longer list of cells.
const HALO_CELLS: f64 = 8.0;
/// With more cells than this, they are made larger.
const MOST_CELLS: usize = 1 << 20;
/// The number of the last cell along an axis at first: with the halo around it, it is a number still.
const LAST_CELL: i32 = 1 << 30;
/// Cells whose tiles are remembered.
const MOST_KNOWN: usize = 1 << 18;

/// Cells of one size all over space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Grid {
    /// The corner of cell 0.
    low: Point,
    edge: f64,
    /// Cells that the halo is wide.
    around: i32,
    /// Cells farther out than this are one: points absurdly far away are among them.
    last: i32,
}

impl Grid {
    pub fn cell(&self, p: Point) -> [i32; 3] {
        std::array::from_fn(|c| {
            let cell = ((p[c] - self.low[c]) / self.edge).floor() as i32;
            cell.clamp(-self.last, self.last)
        })
    }
}

/// A box of cells; the points in it are the tile's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    low: [i32; 3],
    /// Inclusive.
    high: [i32; 3],
    /// Its own points.
    pub core: usize,
    /// Its own and those around them.
    pub all: usize,
}

impl Tile {
    fn has(&self, cell: [i32; 3], wider: i32) -> bool {
        (0..3).all(|c| (self.low[c] - wider..=self.high[c] + wider).contains(&cell[c]))
    }
}

/// How many points each cell has.
pub(super) struct Counts {
    grid: Grid,
    cells: HashMap<[i32; 3], u32>,
}

impl Counts {
    /// Cells around a center, for halos of this width.
    pub fn new(center: Point, halo: f64) -> Counts {
        let edge = (halo / HALO_CELLS).max(f64::MIN_POSITIVE);
        let around = (halo / edge).ceil() as i32;
        let grid = Grid { low: center, edge, around, last: LAST_CELL };
        Counts { grid, cells: HashMap::new() }
    }

    pub fn add(&mut self, points: impl IntoIterator<Item = Point>) {
        for p in points {
            *self.cells.entry(self.grid.cell(p)).or_default() += 1;
        }
        while self.cells.len() > MOST_CELLS {
            self.grid.edge *= 2.0;
            self.grid.last /= 2;
            self.grid.around = (self.grid.around + 1) / 2;
            let fine = std::mem::take(&mut self.cells);
            for (cell, n) in fine {
                *self.cells.entry(cell.map(|c| c.div_euclid(2))).or_default() += n;
            }
        }
    }

    /// Tiles of at most `most` points with their surroundings; else, how many there must be room for.
    pub fn tiles(&self, most: usize) -> Result<Tiling, usize> {
        let mut cells: Vec<Cell> = self.cells.iter().map(|(c, n)| (*c, *n)).collect();
        cells.sort_unstable();
        let mut cut = Cut { around: self.grid.around, most, tiles: Vec::new(), least: 0 };
        if let Some(all) = around(&cells) {
            cut.split(all, &cells);
        }
        match cut.least > most {
            true => Err(cut.least),
            false => Ok(Tiling { grid: self.grid, tiles: cut.tiles }),
        }
    }
}

/// A cell and how many points it has.
type Cell = ([i32; 3], u32);

/// The smallest box with all of these cells.
fn around(cells: &[Cell]) -> Option<Tile> {
    let (first, _) = cells.first()?;
    let mut tile = Tile { low: *first, high: *first, core: 0, all: 0 };
    for (cell, n) in cells {
        tile.core += *n as usize;
        for c in 0..3 {
            tile.low[c] = tile.low[c].min(cell[c]);
            tile.high[c] = tile.high[c].max(cell[c]);
        }
    }
    Some(tile)
}

/// Boxes on their way to tiles.
struct Cut {
    around: i32,
    most: usize,
    tiles: Vec<Tile>,
    /// What a part that cannot be cut any more needs.
    least: usize,
}

impl Cut {
    /// Cuts a box until its parts are small enough. `cells` holds those of the box and of its
    /// surroundings.
    fn split(&mut self, mut tile: Tile, cells: &[Cell]) {
        let near: Vec<Cell> =
            cells.iter().copied().filter(|(c, _)| tile.has(*c, self.around)).collect();
        tile.all = count(&near);
        if tile.all <= self.most {
            self.tiles.push(tile);
            return;
        }
        let own: Vec<Cell> = near.iter().copied().filter(|(c, _)| tile.has(*c, 0)).collect();
        // Across the axis where the parts have the fewest points around them.
        let cuts = (0..3).filter_map(|axis| {
            let parts = halves(&own, axis)?;
            let all = |t: &Tile| count(near.iter().filter(|(c, _)| t.has(*c, self.around)));
            Some((parts.iter().map(all).sum::<usize>(), parts))
        });
        match cuts.min_by_key(|(all, _)| *all) {
            Some((_, parts)) => parts.into_iter().for_each(|part| self.split(part, &near)),
            None => {
                self.least = self.least.max(tile.all);
                self.tiles.push(tile);
            }
        }
    }
}

fn count<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> usize {
    cells.into_iter().map(|(_, n)| *n as usize).sum()
}

/// Two boxes with half of the points each; `None` if all are in one layer of cells.
fn halves(own: &[Cell], axis: usize) -> Option<[Tile; 2]> {
    let mut by_layer: BTreeMap<i32, usize> = BTreeMap::new();
    own.iter().for_each(|(c, n)| *by_layer.entry(c[axis]).or_default() += *n as usize);
    let last = *by_layer.last_key_value()?.0;
    let half = by_layer.values().sum::<usize>() / 2;
    let (mut before, mut cut) = (0, *by_layer.first_key_value()?.0);
    for (layer, n) in by_layer.range(..last) {
        if before > 0 && before + n > half {
            break;
        }
        before += n;
        cut = *layer;
    }
    let (left, right): (Vec<Cell>, Vec<Cell>) = own.iter().partition(|(c, _)| c[axis] <= cut);
    Some([around(&left)?, around(&right)?])
}

/// The tiles, and which points go to which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tiling {
    pub grid: Grid,
    pub tiles: Vec<Tile>,
}

impl Tiling {
    /// Whether it can be a plan for that many points: one that was read may hold any numbers.
    pub fn is_sound(&self, points: usize) -> bool {
        let Grid { low, edge, around, last } = self.grid;
        let cells = |c: &[i32; 3]| c.iter().all(|c| (-LAST_CELL..=LAST_CELL).contains(c));
        let tile = |t: &Tile| t.core <= t.all && t.all <= points && cells(&t.low) && cells(&t.high);
        low.iter().all(|x| x.is_finite())
            && edge > 0.0
            && (0..=HALO_CELLS as i32 + 1).contains(&around)
            && (0..=LAST_CELL).contains(&last)
            && self.tiles.iter().all(tile)
    }

    /// Finds tiles for points that mostly lie near the point before.
    pub fn sorter(&self) -> Sorter<'_> {
        Sorter { plan: self, known: HashMap::new() }
    }
}

/// The tile that owns a cell, and the others that have it around them.
#[derive(Debug, Clone, Default)]
pub(super) struct Owners {
    pub own: Option<usize>,
    pub others: Vec<usize>,
}

pub(super) struct Sorter<'a> {
    plan: &'a Tiling,
    known: HashMap<[i32; 3], Owners>,
}

impl Sorter<'_> {
    pub fn owners(&mut self, p: Point) -> &Owners {
        let cell = self.plan.grid.cell(p);
        let tiles = &self.plan.tiles;
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.entry(cell).or_insert_with(|| {
            let own = tiles.iter().position(|t| t.has(cell, 0));
            let is = |i: &usize| tiles[*i].has(cell, self.plan.grid.around) && Some(*i) != own;
            Owners { own, others: (0..tiles.len()).filter(is).collect() }
        })
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
