//! Neighborhoods of many queries, one after the other, that lie near each other.
//!
//! The leaves around a query are copied out once, with room to spare; the queries that follow
//! look through the copy, without a branch per point, until one comes too near to its rim.

use super::{KdTree, LEAF, Neighbor};
use crate::vec3::{self, Point};

/// How much farther than asked for points are copied out.
const SPARE: f64 = 1.4;
/// How much farther than the last neighbor of the query before to look, in squared distance.
const MARGIN: f64 = 1.3;
/// The tree is asked instead of copying out more points than this, and than this many times those
/// wanted: a heap of duplicates would be looked through again and again.
const CROWD: usize = 1024;
const CROWDED: usize = 16;
/// Squares of smaller lengths vanish, and bounds with them.
const TINY: f64 = 1e-140;

/// The neighborhoods of queries, given in an order in which most are near the one before.
///
/// Which points are found depends on the query alone; their order also on the queries before.
///
/// ```
/// use pellucid_cloud::KdTree;
///
/// let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
/// let tree = KdTree::new(&points);
/// let mut around = tree.around(&points);
/// around.ball([0.9, 0.0, 0.0], 1.0);
/// assert_eq!(around.len(), 2);
/// around.nearest([2.9, 0.0, 0.0], 1);
/// assert_eq!(around.indices(), [1]);
/// assert!((around.offsets()[0][0] - 0.1).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct Around<'t> {
    tree: &'t KdTree,
    points: &'t [Point],
    /// All points of the leaves within `reach` of `center`, one array a coordinate.
    copy: [Vec<f64>; 3],
    pub(super) copied: Vec<u32>,
    center: Point,
    reach: f64,
    /// Squared radius to try first for the nearest points.
    guess: f64,
    stack: Vec<u32>,
    /// Places in the copy.
    near: Vec<u32>,
    scratch: Vec<Neighbor>,
    /// What was found, the first `count` of each: positions relative to the query, indices,
    /// squared distances.
    count: usize,
    found: [Vec<f64>; 3],
    indices: Vec<u32>,
    distances2: Vec<f64>,
}

impl KdTree {
    /// Neighborhoods, among the points that the tree was built from, of queries near each other.
    pub fn around<'t>(&'t self, points: &'t [Point]) -> Around<'t> {
        Around {
            tree: self,
            points,
            copy: Default::default(),
            copied: Vec::new(),
            center: [0.0; 3],
            reach: -1.0,
            guess: f64::INFINITY,
            stack: Vec::new(),
            near: Vec::new(),
            scratch: Vec::new(),
            count: 0,
            found: Default::default(),
            indices: Vec::new(),
            distances2: Vec::new(),
        }
    }
}

impl Around<'_> {
    /// Finds all points within `radius` (inclusive) of `query`; none for one that is not finite.
    pub fn ball(&mut self, query: Point, radius: f64) {
        if !(vec3::is_finite(query) && radius.is_finite() && radius >= 0.0) {
            self.count = 0;
            return;
        }
        if !self.covers(query, radius) {
            self.gather(query, SPARE * radius, usize::MAX);
        }
        self.select(query, radius * radius);
    }

    /// Finds the points within `radius`, at most the `most` nearest of them, and does not visit
    /// many more, however many there are.
    pub fn ball_of(&mut self, query: Point, radius: f64, most: usize) {
        if !(vec3::is_finite(query) && radius.is_finite() && radius >= 0.0) {
            self.count = 0;
            return;
        }
        if self.covers(query, radius) || self.gather(query, SPARE * radius, limit(most)) {
            self.select(query, radius * radius);
            if self.count > most {
                self.keep_nearest(most);
            }
        } else {
            self.ask(query, most);
            // Nearest first, so those beyond the radius come last.
            self.count = self.distances2().partition_point(|&d2| d2 <= radius * radius);
        }
    }

    /// Finds the `k` nearest points of `query`, or all where there are fewer; none for a query
    /// that is not finite.
    pub fn nearest(&mut self, query: Point, k: usize) {
        let k = k.min(self.tree.len);
        if !vec3::is_finite(query) || k == 0 {
            self.count = 0;
            return;
        }
        let radius = self.guess.sqrt();
        if radius.is_finite()
            && radius > TINY
            && (self.covers(query, radius) || self.gather(query, SPARE * radius, limit(k)))
        {
            self.select(query, self.guess);
            if self.count < k {
                // All that the copy is sure to hold.
                let rest = self.reach - vec3::distance2(query, self.center).sqrt();
                self.select(query, (rest * rest).max(self.guess));
            }
            if self.count >= k {
                self.keep_nearest(k);
                return;
            }
        }
        self.ask(query, k);
    }

    /// How many points were found.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where the found points are, relative to the query, one slice a coordinate.
    pub fn offsets(&self) -> [&[f64]; 3] {
        self.found.each_ref().map(|c| &c[..self.count])
    }

    /// The found points, each relative to the query.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let [x, y, z] = self.offsets();
        x.iter().zip(y).zip(z).map(|((&x, &y), &z)| [x, y, z])
    }

    /// Their indices.
    pub fn indices(&self) -> &[u32] {
        &self.indices[..self.count]
    }

    /// Their squared distances from the query.
    pub fn distances2(&self) -> &[f64] {
        &self.distances2[..self.count]
    }

    /// Whether every point within `radius` of `query` is in the copy.
    fn covers(&self, query: Point, radius: f64) -> bool {
        radius > TINY && vec3::distance2(query, self.center).sqrt() + radius <= self.reach
    }

    /// Copies out the leaves within `reach` of `center`; gives up on more than `limit` points.
    fn gather(&mut self, center: Point, reach: f64, limit: usize) -> bool {
        (self.center, self.reach) = (center, -1.0);
        self.copy.iter_mut().for_each(Vec::clear);
        self.copied.clear();
        self.stack.clear();
        if !self.tree.nodes.is_empty() {
            self.stack.push(0);
        }
        let reach2 = reach * reach;
        while let Some(at) = self.stack.pop() {
            let node = &self.tree.nodes[at as usize];
            if node.bound(center).distance2 > reach2 {
                continue;
            }
            if node.right > 0 {
                self.stack.extend([at + node.right, at + 1]);
                continue;
            }
            let leaf = &self.tree.leaves[node.leaf as usize];
            for (copy, side) in self.copy.iter_mut().zip([&leaf.x, &leaf.y, &leaf.z]) {
                copy.extend_from_slice(side);
            }
            self.copied.extend_from_slice(&leaf.index);
            if self.copied.len() > limit {
                return false;
            }
        }
        // A little less, for the rounding of both sides of the comparison in `covers`.
        self.reach = reach * (1.0 - 1e-12);
        true
    }

    /// Takes from the copy what lies within a squared radius of `q`.
    #[inline]
    fn select(&mut self, q: Point, radius2: f64) {
        // Finite, so that the places a leaf leaves empty are out of reach.
        let radius2 = radius2.min(f64::MAX);
        let all = self.copied.len();
        self.make_room(all);
        // Which ones: written in any case and kept if near, cheaper than a branch.
        let near = &mut self.near[..all];
        let [x, y, z] = self.copy.each_ref().map(|c| &c[..all]);
        let mut count = 0;
        let leaves = x.as_chunks::<LEAF>().0.iter().zip(y.as_chunks::<LEAF>().0);
        for (leaf, ((x, y), z)) in leaves.zip(z.as_chunks::<LEAF>().0).enumerate() {
            let mut d2 = [0.0; LEAF];
            for i in 0..LEAF {
                let d = [x[i] - q[0], y[i] - q[1], z[i] - q[2]];
                d2[i] = vec3::dot(d, d);
            }
            let near = &mut near[count..count + LEAF];
            let mut kept = 0;
            for (i, &d2) in d2.iter().enumerate() {
                near[kept % LEAF] = (leaf * LEAF + i) as u32;
                kept += usize::from(d2 <= radius2);
            }
            count += kept;
        }
        let [fx, fy, fz] = self.found.each_mut().map(|c| &mut c[..count]);
        let (indices, distances2) = (&mut self.indices[..count], &mut self.distances2[..count]);
        for (to, &from) in self.near[..count].iter().enumerate() {
            let from = from as usize;
            let d = [x[from] - q[0], y[from] - q[1], z[from] - q[2]];
            [fx[to], fy[to], fz[to]] = d;
            indices[to] = self.copied[from];
            distances2[to] = vec3::dot(d, d);
        }
        self.count = count;
    }

    fn make_room(&mut self, count: usize) {
        if self.indices.len() < count {
            for values in self.found.iter_mut().chain([&mut self.distances2]) {
                values.resize(count, 0.0);
            }
            self.indices.resize(count, 0);
            self.near.resize(count, 0);
        }
    }

    /// Of what was found keeps the `k` nearest, in the order they are in; ties go by index.
    fn keep_nearest(&mut self, k: usize) {
        if k == 0 {
            self.count = 0;
            return;
        }
        let pairs = self.indices[..self.count].iter().zip(&self.distances2);
        let pairs = pairs.map(|(&index, &distance2)| Neighbor { index, distance2 });
        self.scratch.clear();
        self.scratch.extend(pairs);
        let (_, &mut last, _) = self.scratch.select_nth_unstable_by(k - 1, Neighbor::order);
        self.guess = MARGIN * last.distance2;
        let mut kept = 0;
        for i in 0..self.count {
            let n = Neighbor { index: self.indices[i], distance2: self.distances2[i] };
            for values in &mut self.found {
                values[kept] = values[i];
            }
            (self.indices[kept], self.distances2[kept]) = (n.index, n.distance2);
            kept += usize::from(!last.before(n));
        }
        self.count = kept;
    }

    /// Takes the nearest points from the tree.
    fn ask(&mut self, q: Point, k: usize) {
        self.tree.knn_into(q, k, &mut self.scratch);
        self.guess = MARGIN * self.scratch.last().map_or(0.0, |n| n.distance2);
        self.count = self.scratch.len();
        self.make_room(self.count);
        for (i, n) in self.scratch.iter().enumerate() {
            let d = vec3::sub(self.points[n.index as usize], q);
            for (values, d) in self.found.iter_mut().zip(d) {
                values[i] = d;
            }
            (self.indices[i], self.distances2[i]) = (n.index, n.distance2);
        }
    }
}

/// Most points to copy out for neighborhoods of `wanted`.
fn limit(wanted: usize) -> usize {
    CROWD.max(wanted.saturating_mul(CROWDED))
}
