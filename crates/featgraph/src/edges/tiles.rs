//! Feature differences in tiles of columns: stored, or gathered from the nodes' features whenever a
//! pass comes by.

use super::{LARGEST_DIFFERENCE, TILE};
use std::borrow::Cow;
use std::sync::Arc;

/// Where the differences of the edges come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Differences {
    /// Tile after tile.
    Stored(Vec<f64>),
    /// From the features of the nodes: K values a node instead of K an edge.
    Gathered(Nodes),
}

/// The features of the nodes, node after node, two by two.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Nodes {
    features: usize,
    rows: Arc<Vec<[f64; 2]>>,
    /// No value is missing or so large that differences need care.
    plain: bool,
}

impl Nodes {
    pub fn new(nodes: usize, columns: &[Cow<'_, [f64]>]) -> Self {
        let features = columns.len();
        let twos = features.div_ceil(2);
        let mut rows = vec![[0.0; 2]; nodes * twos];
        for (f, column) in columns.iter().enumerate() {
            for (row, &value) in rows[f / 2..].iter_mut().step_by(twos).zip(column.iter()) {
                row[f % 2] = value;
            }
        }
        let plain = rows.as_flattened().iter().all(|v| v.abs() <= 0.5 * LARGEST_DIFFERENCE);
        Self { features, rows: Arc::new(rows), plain }
    }

    fn row(&self, node: u32) -> &[f64] {
        let twos = self.features.div_ceil(2);
        &self.rows[node as usize * twos..][..twos].as_flattened()[..self.features]
    }

    /// Writes the differences over `pairs`, at most a tile of them, and zeros after them.
    #[inline(always)]
    pub fn gather(&self, pairs: &[(u32, u32)], tile: &mut [f64]) {
        if pairs.len() < TILE {
            tile.fill(0.0);
        }
        if self.plain {
            // Two features at a time, for all edges: few instructions and near addresses.
            let twos = self.features.div_ceil(2);
            for (f, columns) in tile.chunks_exact_mut(2 * TILE).enumerate() {
                let rows = &self.rows[f..];
                let (first, second) = columns.split_at_mut(TILE);
                for ((g, h), &(i, j)) in first.iter_mut().zip(second).zip(pairs) {
                    let (a, b) = (rows[i as usize * twos], rows[j as usize * twos]);
                    *g = a[0] - b[0];
                    *h = a[1] - b[1];
                }
            }
            return;
        }
        for (e, &pair) in pairs.iter().enumerate() {
            for (g, column) in self.difference(pair).iter().zip(tile.chunks_exact_mut(TILE)) {
                column[e] = *g;
            }
        }
    }

    /// The difference over one edge. NaN is a missing value.
    pub fn difference(&self, (i, j): (u32, u32)) -> Vec<f64> {
        // Halves: the difference of two huge values must stay finite.
        let halves = self.row(i).iter().zip(self.row(j)).map(|(a, b)| 0.5 * a - 0.5 * b);
        let mut present = 0_usize;
        let mut g: Vec<f64> = halves
            .map(|half| {
                present += usize::from(!half.is_nan());
                if half.is_nan() { 0.0 } else { (2.0 * half).clamp(-1e300, 1e300) }
            })
            .collect();
        if present != g.len() && present > 0 {
            let scale = (g.len() as f64 / present as f64).sqrt();
            g.iter_mut().for_each(|g| *g *= scale);
        }
        shorten(&mut g);
        g
    }
}

/// Where the difference of a feature over an edge is stored, in tiles of so many columns.
pub(super) fn position(padded: usize, edge: usize, feature: usize) -> usize {
    (edge / TILE * padded + feature) * TILE + edge % TILE
}

/// Tiles of differences that are given feature by feature.
pub(super) fn from_columns(count: usize, columns: &[Vec<f64>]) -> Vec<f64> {
    let padded = columns.len().next_multiple_of(2);
    let mut tiles = vec![0.0; count.div_ceil(TILE) * TILE * padded];
    let mut largest = 0.0_f64;
    for (feature, column) in columns.iter().enumerate() {
        for (edge, &value) in column.iter().enumerate() {
            tiles[position(padded, edge, feature)] = value;
            largest = largest.max(value.abs());
        }
    }
    if largest > LARGEST_DIFFERENCE {
        for edge in 0..count {
            let mut g: Vec<f64> = columns.iter().map(|c| c[edge]).collect();
            shorten(&mut g);
            let places = (0..g.len()).map(|feature| position(padded, edge, feature));
            places.zip(&g).for_each(|(at, g)| tiles[at] = *g);
        }
    }
    tiles
}

/// Shortens a difference too long to square.
fn shorten(g: &mut [f64]) {
    let longest = g.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if longest > LARGEST_DIFFERENCE {
        g.iter_mut().for_each(|g| *g *= LARGEST_DIFFERENCE / longest);
    }
}
