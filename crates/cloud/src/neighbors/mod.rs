//! Exact nearest-neighbor and radius search.
//!
//! A bucket kd-tree whose points lie in leaf order. Nodes carry tight boxes, and distances to
//! boxes are summed in the same order as distances to points: rounding is monotone, so a box is
//! never computed to be farther than a point inside it and pruning is exact, also far from the
//! origin.

mod around;
mod build;
mod collect;
mod group;
mod search;
mod table;

#[cfg(test)]
mod around_tests;
#[cfg(test)]
pub(crate) mod tests;

pub use around::Around;
pub use table::NeighborTable;

use rayon::prelude::*;

use crate::order::SpatialOrder;
use crate::vec3::{self, Point};
pub(crate) use build::{LEAF, Leaf, Node};
use collect::{Ball, Closest, Nearest};

/// A found point and its squared distance from the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Index into the points the tree was built from.
    pub index: u32,
    /// Squared Euclidean distance.
    pub distance2: f64,
}

impl Default for Neighbor {
    /// What a search that finds nothing reports: no index, infinitely far.
    fn default() -> Self {
        Neighbor::NONE
    }
}

impl Neighbor {
    /// What a search that found nothing reports; it comes after every point.
    pub(crate) const NONE: Neighbor = Neighbor { index: u32::MAX, distance2: f64::INFINITY };

    /// Nearer, or as near with a lower index.
    #[inline(always)]
    pub(crate) fn before(self, other: Neighbor) -> bool {
        self.distance2 < other.distance2
            || (self.distance2 == other.distance2 && self.index < other.index)
    }

    fn order(&self, other: &Neighbor) -> std::cmp::Ordering {
        self.distance2.total_cmp(&other.distance2).then(self.index.cmp(&other.index))
    }
}

/// A search tree over finite points; rows that are not finite are left out.
///
/// Answers are exact and ordered by distance, then index: what sorting all points would give,
/// for any number of threads.
///
/// ```
/// use pellucid_cloud::KdTree;
///
/// let tree = KdTree::new(&[[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
/// let mut found = Vec::new();
/// tree.knn_into([0.9, 0.0, 0.0], 2, &mut found);
/// assert_eq!(found.iter().map(|n| n.index).collect::<Vec<_>>(), [2, 0]);
/// tree.radius_into([3.0, 0.0, 0.0], 2.0, &mut found);
/// assert_eq!(found.iter().map(|n| n.index).collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(Debug, Clone)]
pub struct KdTree {
    /// In depth-first order: a node's left child follows it.
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The node of each leaf.
    leaf_nodes: Vec<u32>,
    /// Finite points.
    len: usize,
    /// All points given, finite or not.
    rows: usize,
}

/// Queries per parallel task: fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 256;

impl KdTree {
    /// Builds the tree. Indices in answers refer to `points`.
    pub fn new(points: &[Point]) -> Self {
        build::build(points)
    }

    /// How many points can be found.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Indices of the finite points in the order of the tree's leaves: near in space, near here.
    pub fn leaf_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.leaves.iter().flat_map(|l| &l.index).copied().filter(|&i| i != u32::MAX)
    }

    /// The nearest point, or `None` in an empty tree or for a query that is not finite.
    pub fn nearest(&self, query: Point) -> Option<Neighbor> {
        let mut best = Closest(Neighbor::NONE);
        self.search(query, &mut best);
        (best.0.index != u32::MAX).then_some(best.0)
    }

    /// The `k` nearest points, nearest first, into `out` (cleared first).
    pub fn knn_into(&self, query: Point, k: usize, out: &mut Vec<Neighbor>) {
        let mut nearest = Nearest::new(out, k.min(self.len));
        self.search(query, &mut nearest);
        nearest.finish();
    }

    /// All points within `radius` (inclusive), nearest first, into `out` (cleared first).
    pub fn radius_into(&self, query: Point, radius: f64, out: &mut Vec<Neighbor>) {
        out.clear();
        self.within(query, radius, |n| {
            out.push(n);
            true
        });
        out.sort_unstable_by(Neighbor::order);
    }

    /// Calls `visit` for each point within `radius` (inclusive), in no particular order, until
    /// it returns `false`.
    pub fn within(&self, query: Point, radius: f64, visit: impl FnMut(Neighbor) -> bool) {
        self.search(query, &mut Ball::new(radius, visit));
    }

    /// The `k` nearest of each of the tree's own points; the point itself is among them.
    /// Rows of non-finite points hold `u32::MAX` and an infinite distance.
    pub fn knn_table(&self, k: usize) -> NeighborTable {
        table::of_own_points(self, k)
    }

    /// What `f` makes of the `k` nearest of each of the tree's own points, without keeping them: it
    /// gets the number of a point, its neighbors (nearest first, itself among them) and their
    /// squared distances, and scratch made by `scratch`. Points that are not finite get the default.
    ///
    /// ```
    /// use pellucid_cloud::KdTree;
    ///
    /// let line = [0.0, 1.0, 3.0].map(|x| [x, 0.0, 0.0]);
    /// let gaps = KdTree::new(&line).map_neighbors(2, || (), |(), _, _, d2| d2[1].sqrt());
    /// assert_eq!(gaps, [1.0, 1.0, 2.0]);
    /// ```
    pub fn map_neighbors<S, T: Send + Sync + Copy + Default>(
        &self,
        k: usize,
        scratch: impl Fn() -> S + Sync + Send,
        f: impl Fn(&mut S, usize, &[u32], &[f64]) -> T + Sync + Send,
    ) -> Vec<T> {
        table::map_own_points(self, k, scratch, f)
    }

    /// The `k` nearest of some of the tree's own points, each named once by its index; a point itself is in its row.
    ///
    /// ```
    /// use pellucid_cloud::KdTree;
    ///
    /// let line = [0.0, 1.0, 3.0].map(|x| [x, 0.0, 0.0]);
    /// assert_eq!(KdTree::new(&line).knn_of_own(&[2], 2).row(0), [2, 1]);
    /// ```
    pub fn knn_of_own(&self, points: &[u32], k: usize) -> NeighborTable {
        table::of_some_own_points(self, points, k)
    }

    /// The `k` nearest of each of the tree's own points, row after row, and what `f` makes of the squared distances of
    /// a row. Rows of points that are not finite hold `u32::MAX` and the default.
    ///
    /// ```
    /// use pellucid_cloud::KdTree;
    ///
    /// let line = [0.0, 1.0, 3.0].map(|x| [x, 0.0, 0.0]);
    /// let (rows, gaps) = KdTree::new(&line).neighbor_rows(2, |d2| d2[1].sqrt());
    /// assert_eq!((rows, gaps), (vec![0, 1, 1, 0, 2, 1], vec![1.0, 1.0, 2.0]));
    /// ```
    pub fn neighbor_rows<T: Send + Sync + Copy + Default>(
        &self,
        k: usize,
        f: impl Fn(&[f64]) -> T + Sync + Send,
    ) -> (Vec<u32>, Vec<T>) {
        table::rows_of_own_points(self, k, f)
    }

    /// The `k` nearest points of each query.
    /// Rows of non-finite queries hold `u32::MAX` and an infinite distance.
    pub fn knn_of(&self, queries: &[Point], k: usize) -> NeighborTable {
        table::of_queries(self, queries, k)
    }

    /// The nearest point of each query; `index` is `u32::MAX` for non-finite queries.
    pub fn nearest_of(&self, queries: &[Point]) -> Vec<Neighbor> {
        let order = SpatialOrder::new(queries);
        let nearest: Vec<Neighbor> = (order.indices().par_iter().with_min_len(CHUNK))
            .map(|&i| self.nearest(queries[i as usize]).unwrap_or(Neighbor::NONE))
            .collect();
        order.unsort(&nearest)
    }

    fn leaf_box(&self, leaf: usize) -> &Node {
        &self.nodes[self.leaf_nodes[leaf] as usize]
    }

    /// The tree itself, for algorithms that walk it.
    pub(crate) fn parts(&self) -> (&[Node], &[Leaf]) {
        (&self.nodes, &self.leaves)
    }

    fn search(&self, query: Point, found: &mut impl collect::Collect) {
        if vec3::is_finite(query) {
            search::search(self, query, found);
        }
    }
}
