//! The points of a leaf ask together: the leaves that may matter are looked up once for all.
//!
//! Points near each other have neighbors at similar distances, so each query first collects
//! all points within a radius guessed from the query before it. With `k` or more of them the
//! answer is among them; it is sorted out at the end, without a branch per candidate.

use super::table::Row;
use super::{KdTree, LEAF, Neighbor};
use crate::vec3::{self, Point};

/// Most leaves to search together. Points in heaps of duplicates or beside wide gaps need more
/// and ask one by one instead.
const CROWD: usize = 128;

/// How much farther than the last neighbor of the query before to look, in squared distance.
const MARGIN: f64 = 1.3;

/// The same for all queries of a leaf together.
const REACH: f64 = 3.0;

/// Up to this many candidates are sorted by counting, the others by buckets.
const COUNTED: usize = 32;

/// Buckets of equal width in squared distance. On a surface the number of points grows with it, so that
/// each holds about as many.
const BUCKETS: usize = 128;

/// If a bucket has more candidates than this, all are sorted by comparing.
const HEAP: u16 = 24;

/// The leaves around a leaf, and scratch for its queries.
pub(super) struct Group {
    k: usize,
    /// Leaves within `reach` of the leaf, unless there is a crowd of them.
    leaves: Vec<u32>,
    crowded: bool,
    reach: f64,
    /// Their boxes, one array per side.
    lo: [Vec<f64>; 3],
    hi: [Vec<f64>; 3],
    /// Squared radius to try first.
    guess: f64,
    bounds: Vec<f64>,
    stack: Vec<u32>,
    /// Candidates, with room for a leaf more.
    distances2: Vec<f64>,
    indices: Vec<u32>,
    found: Vec<Neighbor>,
}

impl Group {
    pub fn new(k: usize) -> Self {
        Group {
            k,
            leaves: Vec::new(),
            crowded: false,
            reach: 0.0,
            lo: Default::default(),
            hi: Default::default(),
            guess: f64::INFINITY,
            bounds: vec![0.0; CROWD + 1],
            stack: Vec::new(),
            distances2: vec![0.0; (CROWD + 1) * LEAF],
            indices: vec![0; (CROWD + 1) * LEAF],
            found: Vec::with_capacity(k),
        }
    }

    /// Finds the leaves that the points of `leaf` may need.
    pub fn gather(&mut self, tree: &KdTree, leaf: usize) {
        let own = tree.leaf_box(leaf);
        // Finite, so that the places a leaf leaves empty are out of reach.
        self.reach = (REACH * self.guess).min(self.diagonal2(tree, leaf)).min(f64::MAX);
        self.leaves.clear();
        self.lo.iter_mut().chain(&mut self.hi).for_each(Vec::clear);
        self.stack.clear();
        self.stack.push(0);
        while let Some(at) = self.stack.pop() {
            let node = &tree.nodes[at as usize];
            if node.bound_box(&own.lo, &own.hi).distance2 > self.reach {
                continue;
            }
            if node.right > 0 {
                self.stack.extend([at + node.right, at + 1]);
                continue;
            }
            self.leaves.push(node.leaf);
            for c in 0..3 {
                self.lo[c].push(node.lo[c]);
                self.hi[c].push(node.hi[c]);
            }
            if self.leaves.len() > CROWD {
                break;
            }
        }
        self.crowded = self.leaves.len() > CROWD;
    }

    /// The squared diagonal of some leaves, this one among them, that hold `k` points: no
    /// neighbor is farther.
    fn diagonal2(&self, tree: &KdTree, leaf: usize) -> f64 {
        let count = self.k.div_ceil(LEAF);
        let full = tree.len / LEAF;
        if count > full || leaf >= full || count > CROWD {
            return f64::INFINITY;
        }
        let first = (leaf - leaf % count).min(full - count);
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for l in first..first + count {
            let node = tree.leaf_box(l);
            for c in 0..3 {
                lo[c] = lo[c].min(node.lo[c]);
                hi[c] = hi[c].max(node.hi[c]);
            }
        }
        vec3::distance2(lo, hi)
    }

    /// The nearest points of a point of the gathered leaf.
    #[inline(always)]
    pub fn query(&mut self, tree: &KdTree, q: Point, row: &mut Row) {
        let mut count = 0;
        if !self.crowded {
            count = self.collect(tree, q, self.guess.min(self.reach));
            if count < self.k {
                count = self.collect(tree, q, self.reach);
            }
        }
        if count < self.k {
            tree.knn_into(q, self.k, &mut self.found);
            row.fill(&self.found);
        } else {
            let is_sorted = (count <= COUNTED && self.sort_by_counting(count, row))
                || self.sort_by_buckets(count, row);
            if !is_sorted {
                self.sort_by_comparing(count);
                row.fill(&self.found);
            }
        }
        self.guess = MARGIN * row.distances2[self.k - 1];
    }

    /// Collects all points within a squared radius of `q`, not above `reach`; says how many.
    #[inline(always)]
    fn collect(&mut self, tree: &KdTree, q: Point, radius2: f64) -> usize {
        let boxes = self.leaves.len();
        let [lo_x, lo_y, lo_z] = self.lo.each_ref().map(|v| &v[..boxes]);
        let [hi_x, hi_y, hi_z] = self.hi.each_ref().map(|v| &v[..boxes]);
        let bounds = &mut self.bounds[..boxes];
        for b in 0..boxes {
            let x = (lo_x[b] - q[0]).max(q[0] - hi_x[b]).max(0.0);
            let y = (lo_y[b] - q[1]).max(q[1] - hi_y[b]).max(0.0);
            let z = (lo_z[b] - q[2]).max(q[2] - hi_z[b]).max(0.0);
            bounds[b] = x * x + y * y + z * z;
        }
        let mut count = 0;
        for (&leaf, &bound) in self.leaves.iter().zip(&*bounds) {
            if bound <= radius2 {
                let leaf = &tree.leaves[leaf as usize];
                let d = leaf.distances2(q);
                // Written in any case, kept if near: cheaper than a branch.
                let distances2 = &mut self.distances2[count..count + LEAF];
                let indices = &mut self.indices[count..count + LEAF];
                let mut kept = 0;
                for i in 0..LEAF {
                    distances2[kept % LEAF] = d[i];
                    indices[kept % LEAF] = leaf.index[i];
                    kept += usize::from(d[i] <= radius2);
                }
                count += kept;
            }
        }
        count
    }

    /// Puts each candidate in the place that the number of nearer ones tells. Gives up on ties.
    #[inline(always)]
    fn sort_by_counting(&mut self, count: usize, row: &mut Row) -> bool {
        const FREE: u8 = u8::MAX;
        let padded = count.next_multiple_of(8);
        self.distances2[count..padded].fill(f64::INFINITY);
        let d = &self.distances2[..padded];
        let mut order = [FREE; COUNTED];
        for (i, &di) in d[..count].iter().enumerate() {
            let nearer: u64 = d.iter().map(|&dj| u64::from(dj < di)).sum();
            order[nearer as usize % COUNTED] = i as u8;
        }
        // Of equals all but one have no place of their own, and the next place stays free.
        if order[..count.min(self.k + 1)].contains(&FREE) {
            return false;
        }
        let sorted = row.indices.iter_mut().zip(row.distances2.iter_mut()).zip(&order);
        for ((index, distance2), &i) in sorted {
            (*index, *distance2) = (self.indices[i as usize], d[i as usize]);
        }
        true
    }

    /// Puts candidates into buckets by distance, and then those into order that share one. Gives up on heaps.
    #[inline(always)]
    fn sort_by_buckets(&mut self, count: usize, row: &mut Row) -> bool {
        let (d, indices) = (&self.distances2[..count], &self.indices[..count]);
        let farthest = d.iter().fold(0.0, |most: f64, &d| most.max(d));
        let per_distance2 = BUCKETS as f64 / farthest;
        // The last bucket also takes the farthest, and everything if the quotient overflowed.
        let bucket = |d: f64| ((d * per_distance2) as usize).min(BUCKETS - 1);
        let mut ends = [0_u16; BUCKETS];
        d.iter().for_each(|&d| ends[bucket(d)] += 1);
        let (mut end, mut fullest) = (0, 0);
        for place in &mut ends {
            fullest = fullest.max(*place);
            end += *place;
            *place = end;
        }
        if fullest > HEAP {
            return false;
        }
        self.found.clear();
        self.found.resize(count, Neighbor::NONE);
        let found = &mut self.found[..count];
        for (&index, &distance2) in indices.iter().zip(d) {
            let end = &mut ends[bucket(distance2)];
            *end -= 1;
            found[usize::from(*end)] = Neighbor { index, distance2 };
        }
        for i in 1..count {
            let own = found[i];
            let mut at = i;
            while at > 0 && own.before(found[at - 1]) {
                found[at] = found[at - 1];
                at -= 1;
            }
            found[at] = own;
        }
        row.fill(&found[..self.k]);
        true
    }

    fn sort_by_comparing(&mut self, count: usize) {
        let candidates = self.indices[..count].iter().zip(&self.distances2[..count]);
        self.found.clear();
        self.found.extend(candidates.map(|(&index, &distance2)| Neighbor { index, distance2 }));
        self.found.select_nth_unstable_by(self.k - 1, Neighbor::order);
        self.found.truncate(self.k);
        self.found.sort_unstable_by(Neighbor::order);
    }
}
