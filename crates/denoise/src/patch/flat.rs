//! Patches around chosen points, and counterparts found with heights counted less.
//!
//! Noise lies in the heights over the surface. A counterpart that is nearest in all three
//! directions is nearest in noise too, and averaging over such counterparts removes little of it;
//! with heights scaled down, points answer to each other by their place along the surface.

use pellucid_cloud::{KdTree, Point, vec3};
use rayon::prelude::*;

use super::counterpart::{NONE, PatchGraph, nearest_patches_apart};
use super::{Apart, Patches};

/// Places handled at once; rows of places are filled up to a multiple of it. Not in single precision:
/// there, two places are as near as each other often enough for a turned cloud to get other
/// counterparts.
const LANES: usize = 2;

impl Patches {
    /// Patches of `size` points around `centers`, and around each point that these leave out.
    /// Members are chosen by `apart` among `candidates` of the nearest of a center: all of these, or every `step`-th.
    /// Patches of a squared radius above `limit` are left out; `None` takes ten times the usual radius.
    pub fn cover(
        points: &[Point],
        tree: &KdTree,
        centers: &[u32],
        size: usize,
        (candidates, step): (usize, usize),
        apart: Apart,
        limit: Option<f64>,
    ) -> Patches {
        let around = |centers: &[u32]| tree.knn_of_own(centers, candidates * step).every(step);
        let nearest = around(centers);
        let mut patches = Patches::empty(size.min(nearest.k()));
        let limit = limit
            .unwrap_or_else(|| Patches::reach_limit(&nearest, 0..centers.len(), patches.size()));
        patches.set_limit(limit);
        patches.add(&nearest, centers, limit, apart);
        let left_out = patches.mark_uncovered(points.len());
        patches.add(&around(&left_out), &left_out, limit, apart);
        patches.center_on_means(points);
        patches
    }
}

impl PatchGraph {
    /// Links each patch to the `neighbors` patches whose centers are nearest by `apart`; points
    /// answer to those nearest in place, where heights over a patch count `height` times.
    pub fn link_flat(
        points: &[Point],
        patches: &Patches,
        neighbors: usize,
        apart: Apart,
        height: f64,
    ) -> PatchGraph {
        let size = patches.size();
        let linked = nearest_patches_apart(points, patches, neighbors, apart);
        let width = size.next_multiple_of(LANES);
        let mut places = vec![f64::INFINITY; patches.len() * 3 * width];
        places.par_chunks_mut(3 * width).enumerate().with_min_len(64).for_each(|(s, out)| {
            flatten(points, patches, s, apart.normals, height, out);
        });
        let mut slots = vec![0u8; linked.len() * size];
        slots.par_chunks_mut(neighbors * size).enumerate().with_min_len(64).for_each(
            |(s, slots)| {
                let own = &places[s * 3 * width..][..3 * width];
                for (slots, &t) in slots.chunks_exact_mut(size).zip(&linked[s * neighbors..]) {
                    if t != NONE {
                        let other = &places[t as usize * 3 * width..][..3 * width];
                        for (a, slot) in slots.iter_mut().enumerate() {
                            let v = [own[a], own[width + a], own[2 * width + a]];
                            *slot = nearest_place(v, other);
                        }
                    }
                }
            },
        );
        PatchGraph::from_parts(size, neighbors, linked, slots)
    }
}

/// The places of the points of patch `s`, x before y before z, relative to its origin and with
/// heights along its mean normal scaled by `height`.
fn flatten(
    points: &[Point],
    patches: &Patches,
    s: usize,
    normals: &[Point],
    height: f64,
    out: &mut [f64],
) {
    let (members, origin) = (patches.members(s), patches.origins()[s]);
    let ahead = normals[patches.centers()[s] as usize];
    let sum = members.iter().fold([0.0; 3], |sum, &m| {
        let n = normals[m as usize];
        if vec3::dot(n, ahead) < 0.0 { vec3::sub(sum, n) } else { vec3::add(sum, n) }
    });
    let n = vec3::normalized(sum).unwrap_or_default();
    let width = out.len() / 3;
    for (a, &m) in members.iter().enumerate() {
        let v = vec3::sub(points[m as usize], origin);
        let v = vec3::sub(v, vec3::scale(n, (1.0 - height) * vec3::dot(v, n)));
        for c in 0..3 {
            out[c * width + a] = v[c];
        }
    }
}

/// Eq. (38): the place nearest to `v`, ties by number.
#[inline]
fn nearest_place(v: [f64; 3], places: &[f64]) -> u8 {
    let width = places.len() / 3;
    let (x, rest) = places.split_at(width);
    let (y, z) = rest.split_at(width);
    let mut best = [f64::INFINITY; LANES];
    let mut at = [0u64; LANES];
    let blocks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for (block, ((x, y), z)) in blocks.enumerate() {
        for l in 0..LANES {
            let (dx, dy, dz) = (x[l] - v[0], y[l] - v[1], z[l] - v[2]);
            let d = dx * dx + dy * dy + dz * dz;
            let nearer = d < best[l];
            best[l] = if nearer { d } else { best[l] };
            at[l] = if nearer { block as u64 } else { at[l] };
        }
    }
    let mut first = (f64::INFINITY, 0);
    for l in 0..LANES {
        let place = at[l] * LANES as u64 + l as u64;
        if best[l] < first.0 || (best[l] == first.0 && place < first.1) {
            first = (best[l], place);
        }
    }
    first.1 as u8
}

#[cfg(test)]
#[path = "flat_tests.rs"]
mod tests;
