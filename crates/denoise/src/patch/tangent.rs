//! Counterparts and distances of patches in each other's tangent planes (Zeng et al. 2020).

use featgraph::wide;
use pellucid_cloud::eigen3::smallest_eigenvector;
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use super::Patches;
use super::counterpart::{NONE, PatchGraph, nearest_patches};

/// Points that give the height of a patch between its points.
const CORNERS: usize = 3;
/// Keeps the weight of a corner finite that a point falls on.
const ON_A_CORNER: f64 = 1e-9;
/// Points whose corners are looked for side by side.
const LANES: usize = 4;

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
        let there = |pair: &mut Pair, s: usize, slots: &mut [u8]| {
            pair.one_way(normals[s], slots, interpolated)
        };
        let mut links = Self::over(points, patches, linked, neighbors, there);
        links.average_both_ways(points, patches, there);
        links
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
        let height = |flat: &Places, x: Point, corners: &Corners| {
            if corners[0].0 <= near * near {
                flat[2][corners[0].1]
            } else {
                on_plane(flat, x, corners)
            }
        };
        Self::over(points, patches, linked, neighbors, |pair, _, slots| {
            let n = normal_about_origin(&pair.s);
            pair.one_way(n, slots, height)
        })
    }

    /// Links with counterparts and distances by `compare`, for two patches and the number of the
    /// first.
    fn over(
        points: &[Point],
        patches: &Patches,
        linked: Vec<u32>,
        neighbors: usize,
        compare: impl Fn(&mut Pair, usize, &mut [u8]) -> f64 + Sync,
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
                    distance2[e] = compare(pair, s, slots);
                }
            },
        );
        let graph = PatchGraph::from_parts(size, neighbors, linked, slots);
        TangentLinks { graph, distance2 }
    }

    /// Takes the mean of the distances of both directions. Most links are there both ways, and the
    /// way back is known; for the others it is measured by `compare`.
    fn average_both_ways(
        &mut self,
        points: &[Point],
        patches: &Patches,
        compare: impl Fn(&mut Pair, usize, &mut [u8]) -> f64 + Sync,
    ) {
        let (linked, neighbors) = self.graph.links();
        let (size, there) = (patches.size(), &self.distance2);
        let mut both = vec![f64::INFINITY; there.len()];
        both.par_chunks_mut(neighbors).enumerate().for_each_init(
            || (Pair::new(size), vec![0; size]),
            |(pair, slots), (s, both)| {
                for (e, both) in both.iter_mut().enumerate() {
                    let link = s * neighbors + e;
                    let t = linked[link];
                    if t == NONE {
                        continue;
                    }
                    let t = t as usize;
                    let row = &linked[t * neighbors..(t + 1) * neighbors];
                    let back = match row.iter().position(|&x| x as usize == s) {
                        Some(back) => there[t * neighbors + back],
                        None => {
                            relative(points, patches, t, &mut pair.s);
                            relative(points, patches, s, &mut pair.t);
                            compare(pair, t, slots)
                        }
                    };
                    *both = 0.5 * (there[link] + back);
                }
            },
        );
        self.distance2 = both;
    }
}

/// The points of a patch, one array a coordinate; there is room for whole lanes.
type Places = [Vec<f64>; 3];

/// Two patches, relative to their origins, and their places in a tangent plane.
struct Pair {
    size: usize,
    s: Places,
    t: Places,
    flat_s: Places,
    flat_t: Places,
}

impl Pair {
    fn new(size: usize) -> Pair {
        let places = || [(); 3].map(|()| vec![0.0; size.next_multiple_of(LANES)]);
        Pair { size, s: places(), t: places(), flat_s: places(), flat_t: places() }
    }

    /// Mean squared height difference over the plane with normal `n`, from the points of `s` to
    /// the `height` of `t` there; the counterparts go into `slots`.
    fn one_way(
        &mut self,
        n: Point,
        slots: &mut [u8],
        height: impl Fn(&Places, Point, &Corners) -> f64,
    ) -> f64 {
        let (u, v) = vec3::tangents(n);
        let size = self.size;
        let mut sum = 0.0;
        wide::run_work(OneWay { pair: self, axes: [u, v, n], slots, height, sum: &mut sum });
        sum / size as f64
    }
}

/// The comparison of two patches over a plane.
struct OneWay<'a, H> {
    pair: &'a mut Pair,
    /// Two axes in the plane, and its normal.
    axes: [Point; 3],
    slots: &'a mut [u8],
    height: H,
    /// Squared height differences.
    sum: &'a mut f64,
}

impl<H: Fn(&Places, Point, &Corners) -> f64> wide::Work for OneWay<'_, H> {
    #[inline(always)]
    fn run(self) {
        let Pair { size, s, t, flat_s, flat_t } = self.pair;
        flatten(s, self.axes, flat_s);
        flatten(t, self.axes, flat_t);
        for first in (0..*size).step_by(LANES) {
            let near = nearest_in_plane(flat_t, *size, flat_s, first);
            for lane in 0..LANES.min(*size - first) {
                let a = first + lane;
                let corners = near.map(|(d2, places)| (d2[lane], places[lane] as usize));
                self.slots[a] = corners[0].1 as u8;
                let x = [flat_s[0][a], flat_s[1][a], flat_s[2][a]];
                let difference = x[2] - (self.height)(flat_t, x, &corners);
                *self.sum += difference * difference;
            }
        }
    }
}

/// Places of the points of patch `s`, relative to its origin.
fn relative(points: &[Point], patches: &Patches, s: usize, out: &mut Places) {
    let c = patches.origins()[s];
    for (i, &p) in patches.members(s).iter().enumerate() {
        let v = vec3::sub(points[p as usize], c);
        out.iter_mut().zip(v).for_each(|(out, v)| out[i] = v);
    }
}

/// Coordinates along the axes.
#[inline(always)]
fn flatten([x, y, z]: &Places, axes: [Point; 3], out: &mut Places) {
    for (out, axis) in out.iter_mut().zip(axes) {
        for (((out, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
            *out = vec3::dot([x, y, z], axis);
        }
    }
}

/// The squared distances and places of the points nearest in the plane, nearest first; infinite
/// where a patch has fewer.
type Corners = [(f64, usize); CORNERS];

/// The height between the corners, each weighted by its inverse squared distance.
#[inline(always)]
fn interpolated(flat: &Places, _: Point, corners: &Corners) -> f64 {
    let (mut height, mut weight) = (0.0, 0.0);
    for (d2, b) in corners {
        let w = 1.0 / (d2 + ON_A_CORNER);
        height += w * flat[2][*b];
        weight += w;
    }
    height / weight
}

/// The height at `x` of the plane through the corners; that of the nearest one if they lie on a
/// line as seen from above.
fn on_plane(flat: &Places, x: Point, corners: &Corners) -> f64 {
    let [a, b, c] = corners.map(|(_, place)| [0, 1, 2].map(|c| flat[c][place]));
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
fn normal_about_origin([x, y, z]: &Places) -> Point {
    let mut second = [0.0; 6];
    for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
        for (sum, product) in second.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += product;
        }
    }
    smallest_eigenvector(second)
}

/// Of the `size` points in `flat`, those nearest in the plane to each of the points from `first` on in
/// `from`: squared distances and places, nearest first, ties by place.
#[inline(always)]
fn nearest_in_plane(
    flat: &Places,
    size: usize,
    from: &Places,
    first: usize,
) -> [([f64; LANES], [u64; LANES]); CORNERS] {
    let mut best = [([f64::INFINITY; LANES], [0; LANES]); CORNERS];
    let lanes =
        |values: &[f64]| -> [f64; LANES] { std::array::from_fn(|lane| values[first + lane]) };
    let (x, y) = (lanes(&from[0]), lanes(&from[1]));
    for (b, (u, v)) in flat[0][..size].iter().zip(&flat[1][..size]).enumerate() {
        let [(d0, b0), (d1, b1), (d2, b2)] = &mut best;
        for lane in 0..LANES {
            let (du, dv) = (x[lane] - u, y[lane] - v);
            let d = du * du + dv * dv;
            // Chosen without branches, so that lanes stay side by side.
            let (first, second, third) = (d < d0[lane], d < d1[lane], d < d2[lane]);
            let later = |is: bool, shift: (f64, u64), stay: (f64, u64)| {
                (if is { shift.0 } else { stay.0 }, if is { shift.1 } else { stay.1 })
            };
            let new = (d, b as u64);
            let kept = later(third, new, (d2[lane], b2[lane]));
            (d2[lane], b2[lane]) = later(second, (d1[lane], b1[lane]), kept);
            let kept = later(second, new, (d1[lane], b1[lane]));
            (d1[lane], b1[lane]) = later(first, (d0[lane], b0[lane]), kept);
            (d0[lane], b0[lane]) = later(first, new, (d0[lane], b0[lane]));
        }
    }
    best
}

#[cfg(test)]
#[path = "tangent_tests.rs"]
mod tests;
