//! Signs of normals.

use rayon::prelude::*;

use super::union::SignedUnion;
use crate::neighbors::NeighborTable;
use crate::vec3::{self, Point};

/// Columns of the table that make the graph: a point and its twelve nearest.
const COLUMNS: usize = 13;
/// Rows per task; fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 4096;
/// Bits of an edge's key below its weight, which name its place in the table.
const PLACE_BITS: u32 = 40;

/// Turns each normal to the side of its point from which `viewpoint` is seen.
///
/// ```
/// let mut normals = vec![[0.0, 0.0, -1.0]];
/// pellucid_cloud::normals::orient_to_viewpoint(&[[0.0; 3]], &mut normals, [3.0, 0.0, 9.0]);
/// assert_eq!(normals, [[0.0, 0.0, 1.0]]);
/// ```
pub fn orient_to_viewpoint(points: &[Point], normals: &mut [Point], viewpoint: Point) {
    for (p, n) in points.iter().zip(normals) {
        if vec3::dot(vec3::sub(viewpoint, *p), *n) < 0.0 {
            *n = n.map(|x| -x);
        }
    }
}

/// Turns each normal to the side of the reference normal of the same row.
pub fn orient_like(normals: &mut [Point], reference: &[Point]) {
    for (n, r) in normals.iter_mut().zip(reference) {
        if vec3::dot(*n, *r) < 0.0 {
            *n = n.map(|x| -x);
        }
    }
}

/// Turns unit normals so that neighbors agree, and outwards as a whole.
///
/// Signs spread along the minimum spanning tree of the graph of the first twelve neighbors in
/// the self-query `table` (Hoppe et al. 1992, doi:10.1145/133994.134011). Besides `1 - |n_i·n_j|`
/// the weight of an edge counts how steeply it leaves the two tangent planes, so that the tree
/// runs along the surface and not through a thin plate; and two normals agree when one is like
/// the mirror image of the other in the plane halfway between their points, which holds on flat
/// parts and around sharp edges alike.
///
/// Each connected part is then turned as a whole so that the normal of its highest point looks up;
/// should that normal be nearly level, so that the one of its six extreme points in the axis
/// directions whose normal is most along its direction looks that way. Equal weights and equal
/// heights go by index. Zero normals stay zero.
///
/// ```
/// use pellucid_cloud::{KdTree, normals::{estimate_normals, orient_consistently}};
///
/// let floor: Vec<_> = (0..100).map(|i| [(i % 10) as f64, (i / 10) as f64, 4.0]).collect();
/// let table = KdTree::new(&floor).knn_table(13);
/// let mut normals = estimate_normals(&floor, &table);
/// orient_consistently(&floor, &mut normals, &table);
/// assert!(normals.iter().all(|n| n[2] > 0.99));
/// ```
///
/// # Panics
/// If points, normals and rows of the table are not equally many.
pub fn orient_consistently(points: &[Point], normals: &mut [Point], table: &NeighborTable) {
    if table.is_empty() {
        return;
    }
    assert_eq!(points.len(), normals.len(), "one normal for each point");
    assert_eq!(points.len(), table.len(), "one row for each point");
    let columns = table.k().min(COLUMNS);
    let mut keys = edges(points, normals, table, columns);
    // The place makes every key different, so this order is the only one.
    keys.par_sort_unstable();
    let mut parts = SignedUnion::new(points.len());
    for key in keys {
        let place = (key & ((1 << PLACE_BITS) - 1)) as usize;
        let i = place / columns;
        let j = table.row(i)[place % columns] as usize;
        let d = vec3::sub(points[j], points[i]);
        parts.join(i, j, agreement(d, normals[i], normals[j]) < 0.0);
    }
    let turned = outward(points, normals, &mut parts);
    for (n, turn) in normals.iter_mut().zip(turned) {
        if turn {
            *n = n.map(|x| -x);
        }
    }
}

/// The edges as keys that sort by weight, then by place in the table.
fn edges(points: &[Point], normals: &[Point], table: &NeighborTable, columns: usize) -> Vec<u64> {
    let chunks = points.len().div_ceil(CHUNK);
    let rows = |chunk: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(points.len());
    (0..chunks)
        .into_par_iter()
        .flat_map_iter(rows)
        .flat_map_iter(|i| {
            let row = &table.row(i)[..columns];
            row.iter().enumerate().filter_map(move |(c, &j)| {
                if j == u32::MAX || j as usize == i {
                    return None;
                }
                // An edge named by both ends is taken from the lower one.
                let j = j as usize;
                if j < i && table.row(j)[..columns].contains(&(i as u32)) {
                    return None;
                }
                let (a, b) = (normals[i], normals[j]);
                if a == [0.0; 3] || b == [0.0; 3] {
                    return None;
                }
                let w = weight(vec3::sub(points[j], points[i]), a, b);
                // Half the range of 24 bits: weights go up to two.
                let level = (w.clamp(0.0, 2.0) * f64::from(1 << 23)) as u64;
                let level = level.min((1 << 24) - 1);
                Some(level << PLACE_BITS | (i * columns + c) as u64)
            })
        })
        .collect()
}

/// How unsure it is to carry a sign over the edge `d` between points with normals `a` and `b`.
fn weight(d: Point, a: Point, b: Point) -> f64 {
    let (da, db, dd) = (vec3::dot(d, a), vec3::dot(d, b), vec3::dot(d, d));
    let steep = if dd > 0.0 { 0.5 * (da * da + db * db) / dd } else { 0.0 };
    1.0 - vec3::dot(a, b).abs() + steep
}

/// Cosine between `a` and the mirror image of `b` in the plane across the middle of `d`.
fn agreement(d: Point, a: Point, b: Point) -> f64 {
    let dd = vec3::dot(d, d);
    let mirrored = if dd > 0.0 { 2.0 * vec3::dot(d, a) * vec3::dot(d, b) / dd } else { 0.0 };
    vec3::dot(a, b) - mirrored
}

/// Which normals to turn, given how each relates to the first of its part.
fn outward(points: &[Point], normals: &[Point], parts: &mut SignedUnion) -> Vec<bool> {
    let n = points.len();
    // Six extreme points per part, kept at the row of its root: +z first.
    let mut slot = vec![u32::MAX; n];
    let mut extremes: Vec<[u32; 6]> = Vec::new();
    let along = |i: usize, e: usize| {
        let x = points[i][2 - e / 2];
        if e.is_multiple_of(2) { x } else { -x }
    };
    let mut turned = vec![false; n];
    for i in 0..n {
        let (root, flipped) = parts.find(i);
        turned[i] = flipped;
        if normals[i] == [0.0; 3] {
            continue;
        }
        if slot[root] == u32::MAX {
            slot[root] = extremes.len() as u32;
            extremes.push([i as u32; 6]);
        }
        let best = &mut extremes[slot[root] as usize];
        for (e, b) in best.iter_mut().enumerate() {
            if along(i, e) > along(*b as usize, e) {
                *b = i as u32;
            }
        }
    }
    let look = |best: &[u32; 6], e: usize| {
        let i = best[e] as usize;
        let x = normals[i][2 - e / 2] * if turned[i] { -1.0 } else { 1.0 };
        if e.is_multiple_of(2) { x } else { -x }
    };
    let wrong: Vec<bool> = extremes
        .iter()
        .map(|best| {
            let mut chosen = look(best, 0);
            if chosen.abs() < 0.3 {
                for e in 1..6 {
                    if look(best, e).abs() > chosen.abs() {
                        chosen = look(best, e);
                    }
                }
            }
            chosen < 0.0
        })
        .collect();
    for i in 0..n {
        let (root, _) = parts.find(i);
        if slot[root] != u32::MAX && wrong[slot[root] as usize] {
            turned[i] = !turned[i];
        }
    }
    turned
}
