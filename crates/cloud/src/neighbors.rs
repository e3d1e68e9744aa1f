//! Exact nearest-neighbour and radius search.

use rayon::prelude::*;

use crate::vec3::{self, Point};

/// A found point and its squared distance from the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Index into the points the tree was built from.
    pub index: u32,
    /// Squared Euclidean distance.
    pub distance2: f64,
}

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
}

/// A search tree over finite points; rows that are not finite are left out.
#[derive(Debug, Clone)]
pub struct KdTree {
    points: Vec<Point>,
    index: Vec<u32>,
    rows: usize,
}

impl KdTree {
    /// Builds the tree. Indices in answers refer to `points`.
    pub fn new(points: &[Point]) -> Self {
        let index: Vec<u32> =
            (0..points.len() as u32).filter(|&i| vec3::is_finite(points[i as usize])).collect();
        let sorted = index.iter().map(|&i| points[i as usize]).collect();
        KdTree { points: sorted, index, rows: points.len() }
    }

    /// How many points can be found.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The nearest point, or `None` in an empty tree.
    pub fn nearest(&self, query: Point) -> Option<Neighbor> {
        let mut out = Vec::with_capacity(1);
        self.knn_into(query, 1, &mut out);
        out.first().copied()
    }

    /// The `k` nearest points, nearest first, into `out` (cleared first).
    pub fn knn_into(&self, query: Point, k: usize, out: &mut Vec<Neighbor>) {
        self.all_into(query, out);
        out.truncate(k);
    }

    /// All points within `radius` (inclusive), nearest first, into `out` (cleared first).
    pub fn radius_into(&self, query: Point, radius: f64, out: &mut Vec<Neighbor>) {
        self.all_into(query, out);
        out.retain(|n| n.distance2 <= radius * radius);
    }

    fn all_into(&self, query: Point, out: &mut Vec<Neighbor>) {
        out.clear();
        out.extend(
            self.points
                .iter()
                .zip(&self.index)
                .map(|(&p, &index)| Neighbor { index, distance2: vec3::distance2(p, query) }),
        );
        out.sort_by(|a, b| a.distance2.total_cmp(&b.distance2).then(a.index.cmp(&b.index)));
    }

    /// The `k` nearest of each of the tree's own points; the point itself is among them.
    /// Rows of non-finite points hold `u32::MAX` and an infinite distance.
    pub fn knn_table(&self, k: usize) -> NeighborTable {
        let mut queries = vec![[f64::NAN; 3]; self.rows];
        for (&i, &p) in self.index.iter().zip(&self.points) {
            queries[i as usize] = p;
        }
        self.knn_of(&queries, k)
    }

    /// The `k` nearest points of each query.
    pub fn knn_of(&self, queries: &[Point], k: usize) -> NeighborTable {
        let k = k.min(self.len());
        let mut indices = vec![u32::MAX; queries.len() * k];
        let mut distances2 = vec![f64::INFINITY; queries.len() * k];
        if k > 0 {
            indices.par_chunks_mut(k).zip(distances2.par_chunks_mut(k)).zip(queries).for_each_init(
                Vec::new,
                |found, ((i, d), &q)| {
                    if vec3::is_finite(q) {
                        self.knn_into(q, k, found);
                        for (slot, n) in found.iter().enumerate() {
                            i[slot] = n.index;
                            d[slot] = n.distance2;
                        }
                    }
                },
            );
        }
        NeighborTable { k, indices, distances2 }
    }

    /// The nearest point of each query; `index` is `u32::MAX` for non-finite queries.
    pub fn nearest_of(&self, queries: &[Point]) -> Vec<Neighbor> {
        let none = Neighbor { index: u32::MAX, distance2: f64::INFINITY };
        queries
            .par_iter()
            .map(|&q| if vec3::is_finite(q) { self.nearest(q).unwrap_or(none) } else { none })
            .collect()
    }
}
