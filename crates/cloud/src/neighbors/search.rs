//! One query: down the tree, nearer child first.

use super::collect::Collect;
use super::{KdTree, LEAF, Leaf, Neighbor};
use crate::vec3::Point;

/// The tree is balanced and holds fewer than 2^32 points, so no path is longer.
const DEPTH: usize = 40;

#[inline(always)]
pub(super) fn search(tree: &KdTree, q: Point, found: &mut impl Collect) {
    let Some(root) = tree.nodes.first() else { return };
    let mut stack = [(Neighbor::NONE, 0usize); DEPTH];
    let mut top = 0;
    let (mut at, mut bound) = (0, root.bound(q));
    loop {
        if !found.limit().before(bound) {
            let node = &tree.nodes[at];
            if node.right == 0 {
                scan(&tree.leaves[node.leaf as usize], q, found);
            } else {
                let (left, right) = (at + 1, at + node.right as usize);
                let bound_l = tree.nodes[left].bound(q);
                let bound_r = tree.nodes[right].bound(q);
                // Equally near boxes by index: the search for ties ends sooner.
                let (near, far) = if bound_r.before(bound_l) {
                    ((bound_r, right), (bound_l, left))
                } else {
                    ((bound_l, left), (bound_r, right))
                };
                stack[top] = far;
                top += 1;
                (bound, at) = near;
                continue;
            }
        }
        if top == 0 {
            return;
        }
        top -= 1;
        (bound, at) = stack[top];
    }
}

/// Offers the points of a leaf.
#[inline(always)]
pub(super) fn scan(leaf: &Leaf, q: Point, found: &mut impl Collect) {
    let d = leaf.distances2(q);
    for i in 0..LEAF {
        let n = Neighbor { index: leaf.index[i], distance2: d[i] };
        if n.before(found.limit()) {
            found.take(n);
        }
    }
}
