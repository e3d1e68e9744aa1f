//! Neighbors of many points at once.

use rayon::prelude::*;

use super::group::Group;
use super::{CHUNK, KdTree, LEAF, Neighbor};
use crate::order::SpatialOrder;
use crate::vec3::Point;

/// The `k` nearest points of every query, nearest first, ties by index.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborTable {
    k: usize,
    indices: Vec<u32>,
    distances2: Vec<f64>,
}

impl NeighborTable {
    /// Neighbors per row: what was asked for, or the number of points if there are fewer.
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

    /// Indices of the neighbors of query `i`; in a self-query the point itself is among them.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.indices[i * self.k..(i + 1) * self.k]
    }

    /// Squared distances that go with [`row`](Self::row).
    pub fn distances2(&self, i: usize) -> &[f64] {
        &self.distances2[i * self.k..(i + 1) * self.k]
    }

    /// The table with every `step`-th neighbor only, the nearest first.
    ///
    /// ```
    /// use pellucid_cloud::KdTree;
    ///
    /// let line: Vec<_> = (0..9).map(|i| [f64::from(i * i), 0.0, 0.0]).collect();
    /// let table = KdTree::new(&line).knn_of_own(&[0], 5).every(2);
    /// assert_eq!((table.row(0), table.distances2(0)), (&[0, 2, 4][..], &[0.0, 16.0, 256.0][..]));
    /// ```
    pub fn every(mut self, step: usize) -> NeighborTable {
        if step > 1 && self.k > 0 {
            let place = |i: usize| (i % self.k).is_multiple_of(step);
            let kept = |i: &mut usize| place(std::mem::replace(i, *i + 1));
            let (mut of_index, mut of_distance) = (0, 0);
            self.indices.retain(|_| kept(&mut of_index));
            self.distances2.retain(|_| kept(&mut of_distance));
            self.k = self.k.div_ceil(step);
        }
        self
    }

    fn unfilled(rows: usize, k: usize) -> Self {
        NeighborTable {
            k,
            indices: vec![u32::MAX; rows * k],
            distances2: vec![f64::INFINITY; rows * k],
        }
    }

    /// The rows in another order, for threads to fill.
    fn rows_in(&mut self, order: impl Iterator<Item = u32>) -> Vec<Row<'_>> {
        let k = self.k.max(1);
        let distances2 = self.distances2.par_chunks_mut(k);
        let mut rows: Vec<Row> = (self.indices.par_chunks_mut(k).zip(distances2))
            .map(|(indices, distances2)| Row { indices, distances2 })
            .collect();
        order.map(|i| std::mem::take(&mut rows[i as usize])).collect()
    }
}

/// A row to be filled.
#[derive(Default)]
pub(super) struct Row<'a> {
    pub indices: &'a mut [u32],
    pub distances2: &'a mut [f64],
}

impl Row<'_> {
    #[inline(always)]
    pub fn fill(&mut self, found: &[Neighbor]) {
        let places = self.indices.iter_mut().zip(self.distances2.iter_mut());
        for ((index, distance2), n) in places.zip(found) {
            (*index, *distance2) = (n.index, n.distance2);
        }
    }
}

pub(super) fn of_queries(tree: &KdTree, queries: &[Point], k: usize) -> NeighborTable {
    let mut table = NeighborTable::unfilled(queries.len(), k.min(tree.len));
    let k = table.k;
    if k == 0 {
        return table;
    }
    // Neighbors ask one after the other and find the tree in the cache.
    let order = SpatialOrder::new(queries);
    let mut rows = table.rows_in(order.indices().iter().copied());
    rows.par_iter_mut().zip(order.indices()).with_min_len(CHUNK).for_each_init(
        || Vec::with_capacity(k),
        |found, (row, &i)| {
            tree.knn_into(queries[i as usize], k, found);
            row.fill(found);
        },
    );
    drop(rows);
    table
}

/// Asks for the neighbors of those points that have a place, leaf by leaf: `places` has one or none for each point, `ask`
/// puts what is found into it, with scratch made by `scratch`.
fn leaf_by_leaf<P: Send, S>(
    tree: &KdTree,
    k: usize,
    mut places: Vec<Option<P>>,
    scratch: impl Fn() -> S + Sync + Send,
    ask: impl Fn(&mut Group, &mut S, Point, &mut P) + Sync + Send,
) {
    let mut places: Vec<Option<P>> = tree.leaf_order().map(|i| places[i as usize].take()).collect();
    let leaves = places.par_chunks_mut(LEAF).zip(&tree.leaves).enumerate();
    leaves.with_min_len(CHUNK / LEAF).for_each_init(
        || (Group::new(k), scratch()),
        |(group, scratch), (at, (places, leaf))| {
            if places.iter().any(Option::is_some) {
                group.gather(tree, at);
            }
            for (i, place) in places.iter_mut().enumerate() {
                if let Some(place) = place {
                    ask(group, scratch, leaf.point(i), place);
                }
            }
        },
    );
}

pub(super) fn of_own_points(tree: &KdTree, k: usize) -> NeighborTable {
    let all: Vec<u32> = (0..tree.rows as u32).collect();
    of_some_own_points(tree, &all, k)
}

pub(super) fn of_some_own_points(tree: &KdTree, wanted: &[u32], k: usize) -> NeighborTable {
    let mut table = NeighborTable::unfilled(wanted.len(), k.min(tree.len));
    let k = table.k;
    if k == 0 {
        return table;
    }
    let mut places: Vec<Option<Row>> = (0..tree.rows).map(|_| None).collect();
    for (row, &i) in table.rows_in(0..wanted.len() as u32).into_iter().zip(wanted) {
        places[i as usize] = Some(row);
    }
    leaf_by_leaf(tree, k, places, || (), |group, (), q, row| group.query(tree, q, row));
    table
}

pub(super) fn rows_of_own_points<T: Send + Sync + Copy + Default>(
    tree: &KdTree,
    k: usize,
    f: impl Fn(&[f64]) -> T + Sync + Send,
) -> (Vec<u32>, Vec<T>) {
    let k = k.min(tree.len);
    let (mut indices, mut values) = (vec![u32::MAX; tree.rows * k], vec![T::default(); tree.rows]);
    if k == 0 {
        return (indices, values);
    }
    let places: Vec<Option<(&mut [u32], &mut T)>> =
        indices.par_chunks_mut(k).zip(&mut values).map(Some).collect();
    let ask =
        |group: &mut Group, distances2: &mut Vec<f64>, q, place: &mut (&mut [u32], &mut T)| {
            group.query(tree, q, &mut Row { indices: &mut *place.0, distances2 });
            *place.1 = f(distances2);
        };
    leaf_by_leaf(tree, k, places, || vec![0.0; k], ask);
    (indices, values)
}

pub(super) fn map_own_points<S, T: Send + Sync + Copy + Default>(
    tree: &KdTree,
    k: usize,
    scratch: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, usize, &[u32], &[f64]) -> T + Sync + Send,
) -> Vec<T> {
    let k = k.min(tree.len);
    let mut by_leaf = vec![T::default(); tree.leaves.len() * LEAF];
    if k == 0 {
        return vec![T::default(); tree.rows];
    }
    let task = |state: &mut (Group, Vec<u32>, Vec<f64>, S), at: usize, out: &mut [T]| {
        let (group, indices, distances2, scratch) = state;
        group.gather(tree, at);
        let leaf = &tree.leaves[at];
        for (i, out) in out.iter_mut().enumerate() {
            if leaf.index[i] != u32::MAX {
                let mut row = Row { indices: &mut indices[..], distances2: &mut distances2[..] };
                group.query(tree, leaf.point(i), &mut row);
                *out = f(scratch, leaf.index[i] as usize, indices, distances2);
            }
        }
    };
    by_leaf.par_chunks_mut(LEAF).enumerate().with_min_len(CHUNK / LEAF).for_each_init(
        || (Group::new(k), vec![0; k], vec![0.0; k], scratch()),
        |state, (at, out)| task(state, at, out),
    );
    let mut out = vec![T::default(); tree.rows];
    let places = tree.leaves.iter().flat_map(|l| l.index);
    for (i, value) in places.zip(by_leaf) {
        if i != u32::MAX {
            out[i as usize] = value;
        }
    }
    out
}
