//! Counterparts and distances of patches in each other's tangent planes (Zeng et al. 2020).

use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use super::Patches;
use super::counterpart::{NONE, PatchGraph, nearest_patches, relative};

/// Points that give the height of a patch between its points.
const CORNERS: usize = 3;
/// Keeps the weight of a corner finite that a point falls on.
const ON_A_CORNER: f64 = 1e-9;

/// Patches linked by counterparts in the tangent plane, with the squared distance of each link.
#[derive(Debug, Clone)]
pub struct TangentLinks {
    /// Who answers to whom.
    pub graph: PatchGraph,
    /// Mean squared height difference of the patches of each link (patch after patch, neighbour
    /// after neighbour); infinite where there is no neighbour.
    pub distance2: Vec<f64>,
}

impl TangentLinks {
    /// Links each patch to the `neighbors` patches whose centres are nearest.
    ///
    /// Both patches of a link are projected on the tangent plane of the first, given by `normals`
    /// (one a patch, of any sign): a point's counterpart is the one nearest to it in the plane, and
    /// the distance of the patches is the difference of their heights above the plane, where the
    /// second is interpolated between its three nearest points. The distance is the mean of both
    /// directions.
    pub fn new(
        points: &[Point],
        patches: &Patches,
        normals: &[Point],
        neighbors: usize,
    ) -> TangentLinks {
        let size = patches.size();
        let linked = nearest_patches(points, patches, neighbors);
        let mut slots = vec![0u8; linked.len() * size];
        let mut distance2 = vec![f64::INFINITY; linked.len()];
        let rows = slots.par_chunks_mut(neighbors * size).zip(distance2.par_chunks_mut(neighbors));
        rows.enumerate().for_each_init(
            || Pair::new(size),
            |pair, (s, (slots, distance2))| {
                relative(points, patches, s, &mut pair.s);
                for (e, slots) in slots.chunks_exact_mut(size).enumerate() {
                    let t = linked[s * neighbors + e];
                    if t == NONE {
                        continue;
                    }
                    let t = t as usize;
                    relative(points, patches, t, &mut pair.t);
                    let there = pair.one_way(normals[s], Some(slots));
                    std::mem::swap(&mut pair.s, &mut pair.t);
                    let back = pair.one_way(normals[t], None);
                    std::mem::swap(&mut pair.s, &mut pair.t);
                    distance2[e] = 0.5 * (there + back);
                }
            },
        );
        let graph = PatchGraph::from_parts(size, neighbors, linked, slots);
        TangentLinks { graph, distance2 }
    }
}

/// Two patches, relative to their origins, and their places in a tangent plane.
struct Pair {
    s: Vec<Point>,
    t: Vec<Point>,
    flat: Vec<Point>,
}

impl Pair {
    fn new(size: usize) -> Pair {
        Pair { s: vec![[0.0; 3]; size], t: vec![[0.0; 3]; size], flat: vec![[0.0; 3]; size] }
    }

    /// Mean squared height difference over the plane with normal `n`, from the points of `s`.
    fn one_way(&mut self, n: Point, mut slots: Option<&mut [u8]>) -> f64 {
        let (u, v) = vec3::tangents(n);
        let local = |x: Point| [vec3::dot(x, u), vec3::dot(x, v), vec3::dot(x, n)];
        for (flat, &x) in self.flat.iter_mut().zip(&self.t) {
            *flat = local(x);
        }
        let mut sum = 0.0;
        for (a, &x) in self.s.iter().enumerate() {
            let x = local(x);
            let near = nearest_in_plane(&self.flat, x);
            if let Some(slots) = slots.as_deref_mut() {
                slots[a] = near[0].1 as u8;
            }
            let (mut height, mut weight) = (0.0, 0.0);
            for (d2, b) in near.iter().take(self.flat.len()) {
                let w = 1.0 / (d2 + ON_A_CORNER);
                height += w * self.flat[*b][2];
                weight += w;
            }
            let difference = x[2] - height / weight;
            sum += difference * difference;
        }
        sum / self.s.len() as f64
    }
}

/// The places nearest to `x` in the plane, nearest first, ties by place.
#[inline]
fn nearest_in_plane(flat: &[Point], x: Point) -> [(f64, usize); CORNERS] {
    let mut best = [(f64::INFINITY, 0); CORNERS];
    for (b, y) in flat.iter().enumerate() {
        let (du, dv) = (x[0] - y[0], x[1] - y[1]);
        let d2 = du * du + dv * dv;
        if d2 < best[2].0 {
            best[2] = (d2, b);
            if d2 < best[1].0 {
                best.swap(1, 2);
                if d2 < best[0].0 {
                    best.swap(0, 1);
                }
            }
        }
    }
    best
}
