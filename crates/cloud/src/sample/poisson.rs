//! Poisson-disk sampling.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use crate::neighbors::KdTree;
use crate::vec3::Point;

/// Chooses points no two of which are within `radius` (inclusive) of each other, such that every
/// finite point is within `radius` of a chosen one. Returns their indices in ascending order.
///
/// Every point has a rank hashed from its coordinates and `seed`, and is chosen unless a point
/// of better rank within `radius` is. So the choice depends neither on the order of the points
/// nor on threads, and only on what is near: pieces of a cloud with enough overlap give the
/// choice of the whole. Of equal points the first is chosen. A radius that is negative or not a
/// number counts as zero, which removes duplicates and nothing else.
///
/// ```
/// use pellucid_cloud::sample::poisson_disk;
///
/// let points = [0.0, 0.1, 5.0, 5.0, 9.0].map(|x| [x, 0.0, 0.0]);
/// let chosen = poisson_disk(&points, 1.0, 7);
/// assert_eq!(chosen.len(), 3);
/// assert_eq!(chosen[1..], [2, 4]);
/// ```
pub fn poisson_disk(points: &[Point], radius: f64, seed: u64) -> Vec<u32> {
    let hashes: Vec<u64> = points.par_iter().map(|&p| hash(p, seed)).collect();
    poisson_disk_by_rank(points, radius, &hashes)
}

/// [`poisson_disk`] with ranks of the caller's choice, one a point; the lower, the better.
///
/// # Panics
/// If there are fewer ranks than points.
pub fn poisson_disk_by_rank(points: &[Point], radius: f64, hashes: &[u64]) -> Vec<u32> {
    poisson_disk_by_rank_in(&KdTree::new(points), points, radius, hashes)
}

/// [`poisson_disk_by_rank`] with a tree of the same points at hand.
///
/// # Panics
/// If there are fewer ranks than points, or the tree is one of other points.
pub fn poisson_disk_by_rank_in(
    tree: &KdTree,
    points: &[Point],
    radius: f64,
    hashes: &[u64],
) -> Vec<u32> {
    let radius = radius.max(0.0);
    let outranks = |a: u32, b: u32| {
        let (i, j) = (a as usize, b as usize);
        let order = hashes[i].cmp(&hashes[j]);
        // Different points with the same hash are unlikely, not impossible.
        let order = order.then_with(|| bits(points[i]).cmp(&bits(points[j])));
        order.then(a.cmp(&b)) == Ordering::Less
    };
    let state: Vec<AtomicU8> = points.iter().map(|_| AtomicU8::new(OPEN)).collect();
    let is = |i: u32, s: u8| state[i as usize].load(Relaxed) == s;

    let mut open: Vec<Open> =
        tree.leaf_order().map(|point| Open { point, blocker: NOBODY }).collect();
    while !open.is_empty() {
        // Nothing changes state while points look for somebody to wait for ...
        open.par_iter_mut().with_min_len(CHUNK).for_each(|o| {
            if o.blocker != NOBODY && is(o.blocker, OPEN) {
                return;
            }
            o.blocker = NOBODY;
            tree.within(points[o.point as usize], radius, |n| {
                if n.index != o.point && is(n.index, OPEN) && outranks(n.index, o.point) {
                    o.blocker = n.index;
                }
                o.blocker == NOBODY
            });
        });
        // ... and those with nobody are never within reach of each other: the order in which
        // they are written does not matter.
        open.par_iter().with_min_len(CHUNK).filter(|o| o.blocker == NOBODY).for_each(|o| {
            tree.within(points[o.point as usize], radius, |n| {
                let decided = if n.index == o.point { CHOSEN } else { COVERED };
                state[n.index as usize].store(decided, Relaxed);
                true
            });
        });
        open.retain(|o| is(o.point, OPEN));
    }
    (0..points.len() as u32).filter(|&i| is(i, CHOSEN)).collect()
}

const OPEN: u8 = 0;
const CHOSEN: u8 = 1;
const COVERED: u8 = 2;

const NOBODY: u32 = u32::MAX;

/// Points per parallel task.
const CHUNK: usize = 256;

/// An undecided point, and one of better rank within the radius that must be decided before.
struct Open {
    point: u32,
    blocker: u32,
}

/// The coordinates' bits; adding zero makes the two zeros equal.
fn bits(p: Point) -> [u64; 3] {
    p.map(|x| (x + 0.0).to_bits())
}

/// Mixes the bits of a point, coordinate by coordinate (Steele et al. 2014, "Fast splittable
/// pseudorandom number generators", doi:10.1145/2660193.2660195).
fn hash(p: Point, seed: u64) -> u64 {
    bits(p).iter().fold(seed, |h, &x| {
        let mut h = (h ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15);
        h = (h ^ h >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ h >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^ h >> 31
    })
}
