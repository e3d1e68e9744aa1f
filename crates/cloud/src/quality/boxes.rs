//! A tree of bounding boxes with branch-and-bound search, for triangles and for points.

use crate::vec3::{Point, add, scale};

/// Items per leaf.
const LEAF: usize = 8;

/// An axis-aligned box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aabb {
    pub lo: Point,
    pub hi: Point,
}

impl Aabb {
    pub fn of(points: &[Point]) -> Self {
        let mut bounds = Aabb { lo: [f64::INFINITY; 3], hi: [f64::NEG_INFINITY; 3] };
        for &p in points {
            bounds = bounds.union(Aabb { lo: p, hi: p });
        }
        bounds
    }

    fn union(self, other: Self) -> Self {
        let mut out = self;
        for c in 0..3 {
            out.lo[c] = self.lo[c].min(other.lo[c]);
            out.hi[c] = self.hi[c].max(other.hi[c]);
        }
        out
    }

    fn center(&self) -> Point {
        scale(add(self.lo, self.hi), 0.5)
    }

    /// The squared gap between two boxes; zero when they touch.
    pub fn gap2(&self, other: &Aabb) -> f64 {
        let mut sum = 0.0;
        for c in 0..3 {
            let gap = (self.lo[c] - other.hi[c]).max(other.lo[c] - self.hi[c]).max(0.0);
            sum += gap * gap;
        }
        sum
    }
}

/// A node: a leaf holds `count > 0` items from `first`; an inner node's children are the next
/// node and node `first`.
#[derive(Debug, Clone)]
struct Node {
    bounds: Aabb,
    first: u32,
    count: u32,
}

/// Boxes halved at the median of their longest axis.
#[derive(Debug, Clone)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl BoxTree {
    pub fn new(boxes: &[Aabb]) -> Self {
        let centers: Vec<Point> = boxes.iter().map(Aabb::center).collect();
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len() / LEAF + 1);
        if !boxes.is_empty() {
            split(boxes, &centers, &mut items, 0, &mut nodes);
        }
        BoxTree { nodes, items }
    }

    /// The smallest `item(i)` of all items, where `item(i)` is at least `query.gap2(box of i)`;
    /// `stack` is scratch space. Infinite for an empty tree.
    pub fn smallest(
        &self,
        query: &Aabb,
        stack: &mut Vec<(f64, u32)>,
        mut item: impl FnMut(u32) -> f64,
    ) -> f64 {
        let mut best = f64::INFINITY;
        stack.clear();
        if let Some(root) = self.nodes.first() {
            stack.push((query.gap2(&root.bounds), 0));
        }
        while let Some((gap2, at)) = stack.pop() {
            if gap2 >= best {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                let first = node.first as usize;
                for &i in &self.items[first..first + node.count as usize] {
                    best = best.min(item(i));
                }
                continue;
            }
            let child = |i: u32| (query.gap2(&self.nodes[i as usize].bounds), i);
            let (left, right) = (child(at + 1), child(node.first));
            // The nearer one is visited first, so it goes on the stack last.
            let (near, far) = if left.0 <= right.0 { (left, right) } else { (right, left) };
            stack.push(far);
            stack.push(near);
        }
        best
    }
}

/// Adds the node over `items`, which start at `offset` in the final order, and all below it.
fn split(
    boxes: &[Aabb],
    centers: &[Point],
    items: &mut [u32],
    offset: usize,
    nodes: &mut Vec<Node>,
) {
    let bounds =
        items[1..].iter().fold(boxes[items[0] as usize], |all, &i| all.union(boxes[i as usize]));
    let place = nodes.len();
    nodes.push(Node { bounds, first: offset as u32, count: items.len() as u32 });
    if items.len() <= LEAF {
        return;
    }
    let spread = items.iter().fold(Aabb::of(&[]), |all, &i| {
        let c = centers[i as usize];
        all.union(Aabb { lo: c, hi: c })
    });
    let width = |c: usize| spread.hi[c] - spread.lo[c];
    let axis = (1..3).fold(0, |best, c| if width(c) > width(best) { c } else { best });
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |&i, &j| {
        centers[i as usize][axis].total_cmp(&centers[j as usize][axis]).then(i.cmp(&j))
    });
    let (low, high) = items.split_at_mut(half);
    split(boxes, centers, low, offset, nodes);
    let second = nodes.len() as u32;
    split(boxes, centers, high, offset + half, nodes);
    nodes[place].first = second;
    nodes[place].count = 0;
}
