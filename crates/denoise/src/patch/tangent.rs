//! Counterparts and distances of patches in each other's tangent planes (Zeng et al. 2020).

use pellucid_cloud::eigen3::smallest_eigenvector;
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
    /// Mean squared height difference of the patches of each link (patch after patch, neighbor
    /// after neighbor); infinite where there is no neighbor.
    pub distance2: Vec<f64>,
}

impl TangentLinks {
    /// Links each patch to the `neighbors` patches whose centers are nearest.
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
        let linked = nearest_patches(points, patches, neighbors);
        Self::over(points, patches, linked, neighbors, |pair, s, t, slots| {
            let there = pair.one_way(normals[s], Some(slots), interpolated);
            std::mem::swap(&mut pair.s, &mut pair.t);
            let back = pair.one_way(normals[t], None, interpolated);
            std::mem::swap(&mut pair.s, &mut pair.t);
            0.5 * (there + back)
        })
    }

    /// The same as in the authors' program: neighbors by the centers at `start`, the normal of a
    /// patch from its own points about its origin, heights of the counterpart, or of the plane
    /// through the three nearest points where the counterpart is farther than `near` in the plane,
    /// and the distance in one direction only.
    pub fn published(
        start: &[Point],
        points: &[Point],
        patches: &Patches,
        neighbors: usize,
        near: f64,
    ) -> TangentLinks {
        let linked = nearest_patches(start, patches, neighbors);
        let height = |flat: &[Point], x: Point, corners: &Corners| {
            if corners[0].0 <= near * near {
                flat[corners[0].1][2]
            } else {
                on_plane(flat, x, corners)
            }
        };
        Self::over(points, patches, linked, neighbors, |pair, _, _, slots| {
            let n = normal_about_origin(&pair.s);
            pair.one_way(n, Some(slots), height)
        })
    }

    /// Links with counterparts and distances by `compare`, for two patches and their numbers.
    fn over(
        points: &[Point],
        patches: &Patches,
        linked: Vec<u32>,
        neighbors: usize,
        compare: impl Fn(&mut Pair, usize, usize, &mut [u8]) -> f64 + Sync,
    ) -> TangentLinks {
        let size = patches.size();
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
                    relative(points, patches, t as usize, &mut pair.t);
                    distance2[e] = compare(pair, s, t as usize, slots);
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

    /// Mean squared height difference over the plane with normal `n`, from the points of `s` to
    /// the `height` of `t` there.
    fn one_way(
        &mut self,
        n: Point,
        mut slots: Option<&mut [u8]>,
        height: impl Fn(&[Point], Point, &Corners) -> f64,
    ) -> f64 {
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
            let difference = x[2] - height(&self.flat, x, &near);
            sum += difference * difference;
        }
        sum / self.s.len() as f64
    }
}

/// The squared distances and places of the points nearest in the plane, nearest first; infinite
/// where a patch has fewer.
type Corners = [(f64, usize); CORNERS];

/// The height between the corners, each weighted by its inverse squared distance.
fn interpolated(flat: &[Point], _: Point, corners: &Corners) -> f64 {
    let (mut height, mut weight) = (0.0, 0.0);
    for (d2, b) in corners.iter().take(flat.len()) {
        let w = 1.0 / (d2 + ON_A_CORNER);
        height += w * flat[*b][2];
        weight += w;
    }
    height / weight
}

/// The height at `x` of the plane through the corners; that of the nearest one if they lie on a
/// line as seen from above.
fn on_plane(flat: &[Point], x: Point, corners: &Corners) -> f64 {
    let [a, b, c] = corners.map(|(_, place)| flat[place]);
    let (ab, ac) = (vec3::sub(b, a), vec3::sub(c, a));
    let det = ab[0] * ac[1] - ab[1] * ac[0];
    let wide = (ab[0].hypot(ab[1])) * (ac[0].hypot(ac[1]));
    // Not `<=`, so that NaN ends here too.
    if !(det.abs() > 1e-6 * wide && corners[2].0.is_finite()) {
        return a[2];
    }
    let (u, v) = (x[0] - a[0], x[1] - a[1]);
    let (s, t) = ((u * ac[1] - v * ac[0]) / det, (v * ab[0] - u * ab[1]) / det);
    a[2] + s * ab[2] + t * ac[2]
}

/// The direction in which points spread least about the origin.
fn normal_about_origin(points: &[Point]) -> Point {
    let mut second = [0.0; 6];
    for &[x, y, z] in points {
        for (sum, product) in second.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += product;
        }
    }
    smallest_eigenvector(second)
}

/// The places nearest to `x` in the plane, nearest first, ties by place.
#[inline]
fn nearest_in_plane(flat: &[Point], x: Point) -> Corners {
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

#[cfg(test)]
#[path = "tangent_tests.rs"]
mod tests;
