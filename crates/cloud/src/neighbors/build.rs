//! Building: median splits of the widest side, down to full leaves.

use super::{KdTree, Neighbor};
use crate::vec3::{self, Point};

/// Points per leaf.
pub(crate) const LEAF: usize = 16;

/// Subtrees with fewer points are built by one task.
const SERIAL: usize = 4096;

/// A box around some leaves.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Node {
    pub lo: Point,
    pub hi: Point,
    /// The lowest index below this node: settles ties without looking inside.
    pub min_index: u32,
    /// How far behind this node its right child is (the left one is next); 0 in a leaf.
    pub right: u32,
    /// The first leaf below this node.
    pub leaf: u32,
}

impl Node {
    const EMPTY: Node = Node {
        lo: [f64::INFINITY; 3],
        hi: [f64::NEG_INFINITY; 3],
        min_index: u32::MAX,
        right: 0,
        leaf: 0,
    };

    /// A lower bound for every point below: nearest possible distance and lowest index.
    #[inline(always)]
    pub fn bound(&self, q: Point) -> Neighbor {
        // At most one of the differences is positive; both round like `p - q` does.
        let gap = |c: usize| (self.lo[c] - q[c]).max(q[c] - self.hi[c]).max(0.0);
        let d = [gap(0), gap(1), gap(2)];
        Neighbor { index: self.min_index, distance2: vec3::dot(d, d) }
    }

    /// The same between any point of a box and any point below.
    #[inline(always)]
    pub fn bound_box(&self, lo: &Point, hi: &Point) -> Neighbor {
        let gap = |c: usize| (self.lo[c] - hi[c]).max(lo[c] - self.hi[c]).max(0.0);
        let d = [gap(0), gap(1), gap(2)];
        Neighbor { index: self.min_index, distance2: vec3::dot(d, d) }
    }

    /// How many leaves the left child has.
    #[inline(always)]
    pub fn left_leaves(&self) -> u32 {
        // A subtree of `l` leaves has `2 l - 1` nodes.
        self.right / 2
    }
}

/// Points next to each other, one array per coordinate so that distances vectorize.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Leaf {
    pub x: [f64; LEAF],
    pub y: [f64; LEAF],
    pub z: [f64; LEAF],
    pub index: [u32; LEAF],
}

impl Leaf {
    /// Empty places are infinitely far and come last.
    const EMPTY: Leaf = Leaf {
        x: [f64::INFINITY; LEAF],
        y: [f64::INFINITY; LEAF],
        z: [f64::INFINITY; LEAF],
        index: [u32::MAX; LEAF],
    };

    /// Squared distances of all places from `q`, bit for bit those of `vec3::distance2`.
    #[inline(always)]
    pub fn distances2(&self, q: Point) -> [f64; LEAF] {
        let mut d = [0.0; LEAF];
        for i in 0..LEAF {
            let (x, y, z) = (self.x[i] - q[0], self.y[i] - q[1], self.z[i] - q[2]);
            d[i] = x * x + y * y + z * z;
        }
        d
    }

    pub fn point(&self, i: usize) -> Point {
        [self.x[i], self.y[i], self.z[i]]
    }
}

#[derive(Clone, Copy)]
struct Item {
    p: Point,
    index: u32,
}

pub(super) fn build(points: &[Point]) -> KdTree {
    let mut items: Vec<Item> = points
        .iter()
        .zip(0..)
        .filter(|(p, _)| vec3::is_finite(**p))
        .map(|(&p, index)| Item { p, index })
        .collect();
    let leaf_count = items.len().div_ceil(LEAF);
    let mut nodes = vec![Node::EMPTY; (2 * leaf_count).saturating_sub(1)];
    let mut leaves = vec![Leaf::EMPTY; leaf_count];
    if leaf_count > 0 {
        split(&mut items, &mut nodes, &mut leaves, 0);
    }
    let mut leaf_nodes: Vec<u32> = vec![0; leaf_count];
    for (at, node) in nodes.iter().enumerate().filter(|(_, n)| n.right == 0) {
        leaf_nodes[node.leaf as usize] = at as u32;
    }
    KdTree { nodes, leaves, leaf_nodes, len: items.len(), rows: points.len() }
}

fn split(items: &mut [Item], nodes: &mut [Node], leaves: &mut [Leaf], first: u32) {
    let (node, below) = nodes.split_first_mut().expect("a subtree has a node");
    *node = Node { leaf: first, ..Node::EMPTY };
    for item in items.iter() {
        for c in 0..3 {
            node.lo[c] = node.lo[c].min(item.p[c]);
            node.hi[c] = node.hi[c].max(item.p[c]);
        }
        node.min_index = node.min_index.min(item.index);
    }
    if let [leaf] = leaves {
        for (i, item) in items.iter().enumerate() {
            (leaf.x[i], leaf.y[i], leaf.z[i]) = (item.p[0], item.p[1], item.p[2]);
            leaf.index[i] = item.index;
        }
        return;
    }
    // Halves for sizes whose difference overflows to infinity.
    let side = |c: usize| 0.5 * node.hi[c] - 0.5 * node.lo[c];
    let axis = if side(0) >= side(1) && side(0) >= side(2) {
        0
    } else if side(1) >= side(2) {
        1
    } else {
        2
    };
    let left = leaves.len() / 2;
    // All leaves but the last are full. Equal coordinates split by index, so that a heap of
    // duplicates lies in index order and its lowest indices are found at once.
    items.select_nth_unstable_by(left * LEAF, |a, b| {
        a.p[axis].total_cmp(&b.p[axis]).then(a.index.cmp(&b.index))
    });
    node.right = 2 * left as u32;
    let serial = items.len() < SERIAL;
    let (items_l, items_r) = items.split_at_mut(left * LEAF);
    let (nodes_l, nodes_r) = below.split_at_mut(2 * left - 1);
    let (leaves_l, leaves_r) = leaves.split_at_mut(left);
    let mut build_l = || split(items_l, nodes_l, leaves_l, first);
    let mut build_r = || split(items_r, nodes_r, leaves_r, first + left as u32);
    if serial {
        build_l();
        build_r();
    } else {
        rayon::join(build_l, build_r);
    }
}
