//! Farthest-point sampling.

use crate::neighbors::{KdTree, LEAF, Leaf, Node};
use crate::vec3::Point;

/// Chooses `count` points, each the farthest from those chosen before it, beginning with `start`.
///
/// Returns indices in the order of choice; of equally far points the lowest index comes first.
/// Exactly what the simple loop over all points gives, but the points lie in boxes that know
/// the largest distance inside, and a new sample touches only boxes nearer than that (the idea
/// of Han et al. 2023, doi:10.1109/TCAD.2023.3274922). The kd-tree of the boxes is also the
/// tournament that finds the next sample.
///
/// Points that are not finite are never chosen, and no point is chosen twice: there are fewer
/// samples than asked for if points run out. If `start` is not the index of a finite point, the
/// first finite point takes its place.
///
/// ```
/// use pellucid_cloud::sample::farthest_points;
///
/// let points = [0.0, 1.0, 2.0, 8.0, 9.0].map(|x| [x, 0.0, 0.0]);
/// assert_eq!(farthest_points(&points, 3, 0), [0, 4, 2]);
/// ```
pub fn farthest_points(points: &[Point], count: usize, start: usize) -> Vec<u32> {
    let tree = KdTree::new(points);
    let (nodes, leaves) = tree.parts();
    let count = count.min(tree.len());
    let mut samples = Vec::with_capacity(count);
    if count == 0 {
        return samples;
    }
    let mut search = Search {
        nodes,
        leaves,
        distances2: vec![[f64::INFINITY; LEAF]; leaves.len()],
        farthest: vec![Candidate::NONE; nodes.len()],
        sample: Candidate::first(nodes, leaves, start),
        q: [0.0; 3],
    };
    for (distances2, leaf) in search.distances2.iter_mut().zip(leaves) {
        for i in (0..LEAF).filter(|&i| leaf.index[i] == u32::MAX) {
            distances2[i] = CHOSEN;
        }
    }
    search.place_sample();
    search.update::<true>(0, true);
    samples.push(search.sample.index);
    while samples.len() < count {
        search.sample = search.farthest[0];
        search.place_sample();
        samples.push(search.sample.index);
        search.update::<false>(0, true);
    }
    samples
}

/// Distance of a chosen point or an empty place: below that of all others, so that it is never
/// chosen again.
const CHOSEN: f64 = -1.0;

/// A point that may be next.
#[derive(Clone, Copy)]
struct Candidate {
    /// Squared distance from the samples so far.
    distance2: f64,
    index: u32,
    leaf: u32,
}

impl Candidate {
    const NONE: Candidate = Candidate { distance2: CHOSEN, index: u32::MAX, leaf: 0 };

    #[inline(always)]
    fn better(self, other: Candidate) -> Candidate {
        let ahead = self.distance2 > other.distance2
            || (self.distance2 == other.distance2 && self.index < other.index);
        if ahead { self } else { other }
    }

    /// The point `start`, or else the first of all.
    fn first(nodes: &[Node], leaves: &[Leaf], start: usize) -> Candidate {
        let find = |index: u32| {
            let leaf = leaves.iter().position(|l| l.index.contains(&index))?;
            Some(Candidate { distance2: f64::INFINITY, index, leaf: leaf as u32 })
        };
        let start = u32::try_from(start).ok().filter(|&s| s != u32::MAX);
        start.and_then(find).or_else(|| find(nodes[0].min_index)).unwrap_or(Candidate::NONE)
    }
}

struct Search<'a> {
    nodes: &'a [Node],
    leaves: &'a [Leaf],
    /// Squared distance of every point from the samples so far.
    distances2: Vec<[f64; LEAF]>,
    /// The farthest point below each node.
    farthest: Vec<Candidate>,
    /// The newest sample, and where it is.
    sample: Candidate,
    q: Point,
}

impl Search<'_> {
    fn place_sample(&mut self) {
        let leaf = &self.leaves[self.sample.leaf as usize];
        if let Some(i) = leaf.index.iter().position(|&i| i == self.sample.index) {
            self.q = leaf.point(i);
            self.distances2[self.sample.leaf as usize][i] = CHOSEN;
        }
    }

    /// Brings what the sample changes below a node up to date; at first, everything.
    /// `home` tells whether the sample is below this node: it is done with then, even if it
    /// changes nothing else.
    fn update<const FIRST: bool>(&mut self, at: usize, home: bool) {
        let node = &self.nodes[at];
        if node.right == 0 {
            self.farthest[at] = self.update_leaf(node.leaf);
            return;
        }
        let (left, right) = (at + 1, at + node.right as usize);
        let home_right = self.sample.leaf >= node.leaf + node.left_leaves();
        for (child, home) in [(left, home && !home_right), (right, home && home_right)] {
            let bound = self.nodes[child].bound(self.q).distance2;
            if FIRST || home || bound < self.farthest[child].distance2 {
                self.update::<FIRST>(child, home);
            }
        }
        self.farthest[at] = self.farthest[left].better(self.farthest[right]);
    }

    #[inline(always)]
    fn update_leaf(&mut self, leaf: u32) -> Candidate {
        let points = &self.leaves[leaf as usize];
        let distances2 = &mut self.distances2[leaf as usize];
        let new = points.distances2(self.q);
        let mut farthest = CHOSEN;
        for i in 0..LEAF {
            let d = if new[i] < distances2[i] { new[i] } else { distances2[i] };
            distances2[i] = d;
            farthest = if d > farthest { d } else { farthest };
        }
        let mut index = u32::MAX;
        for i in 0..LEAF {
            index = index.min(if distances2[i] == farthest { points.index[i] } else { u32::MAX });
        }
        Candidate { distance2: farthest, index, leaf }
    }
}
