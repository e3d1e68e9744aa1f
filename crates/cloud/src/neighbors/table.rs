//! Neighbours of many points at once.

use rayon::prelude::*;

use super::{CHUNK, KdTree, Neighbor};
use crate::vec3::Point;

/// The `k` nearest points of every query, nearest first, ties by index.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborTable {
    k: usize,
    indices: Vec<u32>,
    distances2: Vec<f64>,
}

impl NeighborTable {
    /// Neighbours per row: what was asked for, or the number of points if there are fewer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.indices.len().checked_div(self.k).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Indices of the neighbours of query `i`; in a self-query the point itself is among them.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.indices[i * self.k..(i + 1) * self.k]
    }

    /// Squared distances that go with [`row`](Self::row).
    pub fn distances2(&self, i: usize) -> &[f64] {
        &self.distances2[i * self.k..(i + 1) * self.k]
    }

    fn unfilled(rows: usize, k: usize) -> Self {
        NeighborTable {
            k,
            indices: vec![u32::MAX; rows * k],
            distances2: vec![f64::INFINITY; rows * k],
        }
    }

    fn rows_mut(&mut self) -> impl IndexedParallelIterator<Item = Row<'_>> {
        let k = self.k.max(1);
        let distances2 = self.distances2.par_chunks_mut(k);
        self.indices.par_chunks_mut(k).zip(distances2).map(|(index, d)| Row { index, d })
    }
}

/// A row to be filled.
#[derive(Default)]
struct Row<'a> {
    index: &'a mut [u32],
    d: &'a mut [f64],
}

impl Row<'_> {
    #[inline(always)]
    fn fill(&mut self, found: &[Neighbor]) {
        for ((index, d), n) in self.index.iter_mut().zip(self.d.iter_mut()).zip(found) {
            (*index, *d) = (n.index, n.distance2);
        }
    }
}

pub(super) fn of_queries(tree: &KdTree, queries: &[Point], k: usize) -> NeighborTable {
    let mut table = NeighborTable::unfilled(queries.len(), k.min(tree.len));
    if table.k > 0 {
        let k = table.k;
        table.rows_mut().zip(queries).with_min_len(CHUNK).for_each_init(
            || Vec::with_capacity(k),
            |found, (mut row, &q)| {
                tree.knn_into(q, k, found);
                row.fill(found);
            },
        );
    }
    table
}

pub(super) fn of_own_points(tree: &KdTree, k: usize) -> NeighborTable {
    let mut table = NeighborTable::unfilled(tree.rows, k.min(tree.len));
    let k = table.k;
    if k == 0 {
        return table;
    }
    // Rows in leaf order, so that consecutive queries meet the same leaves.
    let mut by_index: Vec<Row> = table.rows_mut().collect();
    let mut rows: Vec<Row> =
        tree.leaf_order().map(|i| std::mem::take(&mut by_index[i as usize])).collect();
    let per_leaf = super::LEAF;
    rows.par_chunks_mut(per_leaf).zip(&tree.leaves).with_min_len(CHUNK / per_leaf).for_each_init(
        || Vec::with_capacity(k),
        |found, (rows, leaf)| {
            for (i, row) in rows.iter_mut().enumerate() {
                tree.knn_into(leaf.point(i), k, found);
                row.fill(found);
            }
        },
    );
    table
}
