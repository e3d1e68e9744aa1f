//! Points with normals and supports: what implicit surfaces are defined by.

use super::SphereFit;
use super::lanes::{Pair, Points, dot, each_two};
use pellucid_cloud::stats::upper_median;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree, NeighborTable};
use rayon::prelude::*;

/// The point and its nearest that the local spacing is measured with.
pub const SPACING_NEIGHBORS: usize = 16;
/// Points per parallel task.
const CHUNK: usize = 512;

/// The local spacing of every point: half the distance to its 15th neighbor, so about the side of
/// the square that a point stands for, as the median over the neighborhood. A lone outlier so gets
/// the spacing of the surface next to it.
///
/// `table` is that of the points themselves; its first sixteen columns count.
pub fn local_spacing(table: &NeighborTable) -> Vec<f64> {
    let k = table.k().min(SPACING_NEIGHBORS);
    let own: Vec<f64> = (0..table.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|i| 2.0 * (table.distances2(i)[..k].last().map_or(0.0, |d| d / k as f64)).sqrt())
        .collect();
    (0..table.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|i| {
            let mut around = [0.0; SPACING_NEIGHBORS];
            let row = &table.row(i)[..k];
            for (a, &j) in around.iter_mut().zip(row) {
                *a = own[j as usize];
            }
            upper_median(&mut around[..row.len()]).unwrap_or(0.0)
        })
        .collect()
}

/// How far a point sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// That many local spacings.
    Local(f64),
    /// The same distance everywhere, in local units.
    Fixed(f64),
}

impl Support {
    /// The radius for each point of the table.
    pub fn radii(self, table: &NeighborTable) -> Vec<f64> {
        match self {
            Support::Fixed(radius) => vec![radius; table.len()],
            Support::Local(scale) => {
                let mut spacing = local_spacing(table);
                spacing.iter_mut().for_each(|s| *s *= scale);
                spacing
            }
        }
    }
}

/// Points with normals, to be searched.
pub struct Oriented<'a> {
    /// The points.
    pub points: &'a [Point],
    /// A unit normal for each.
    pub normals: &'a [Point],
    /// The tree of the points.
    pub tree: &'a KdTree,
}

/// Points around a query that moves a little; scratch of one worker.
#[derive(Debug)]
pub struct Neighborhood<'a> {
    around: Around<'a>,
    cut2: f64,
    normals: &'a [Point],
    /// The normals of the points collected, one array a coordinate, and how far each point is
    /// from the place of collection along its normal.
    near: [Vec<f64>; 4],
    /// Where the points were collected, and the query relative to it.
    center: Point,
    offset: Point,
}

/// Where the kernel `(1 - t²)⁴` is cut off, in squared radii: it would be 0.004,
/// and the points beyond would have a thousandth of the weight of all, but a quarter of the work.
pub const QUARTIC_CUT2: f64 = 0.75;
/// Points are collected within a radius larger by this part, so that small moves need no search.
const MARGIN: f64 = 0.3;

impl<'a> Neighborhood<'a> {
    /// For queries near each other, with points up to `cut2` squared radii.
    pub fn new(from: &Oriented<'a>, cut2: f64) -> Self {
        Neighborhood {
            cut2,
            around: from.tree.around(from.points),
            normals: from.normals,
            near: Default::default(),
            center: [0.0; 3],
            offset: [0.0; 3],
        }
    }

    /// Collects the points around `q` that matter for supports of `radius`.
    #[inline]
    pub fn collect(&mut self, q: Point, radius: f64) {
        (self.center, self.offset) = (q, [0.0; 3]);
        self.around.ball(q, (self.cut2.sqrt() + MARGIN) * radius);
        let [nx, ny, nz, h] = &mut self.near;
        let n = self.around.len();
        if nx.len() < n {
            for values in [&mut *nx, ny, nz, h] {
                values.resize(n, 0.0);
            }
        }
        let found = self.around.indices().iter().zip(self.around.points());
        let near = nx.iter_mut().zip(ny).zip(nz.iter_mut().zip(h));
        for (((nx, ny), (nz, h)), (&i, x)) in near.zip(found) {
            let normal = self.normals[i as usize];
            [*nx, *ny, *nz] = normal;
            *h = vec3::dot(x, normal);
        }
    }

    /// Moves the query by `step`.
    #[inline]
    pub fn follow(&mut self, step: Point, radius: f64) {
        self.offset = vec3::add(self.offset, step);
        if vec3::norm(self.offset) > MARGIN * radius {
            self.collect(self.position(), radius);
        }
    }

    /// Where repeated steps from `q` lead: at most that many, fewer once a step is shorter than `arrived`;
    /// `None` where a step is.
    #[inline]
    pub fn walk(
        &mut self,
        q: Point,
        radius: f64,
        most: usize,
        arrived: f64,
        step: impl Fn(&Self) -> Option<Point>,
    ) -> Option<Point> {
        self.collect(q, radius);
        for i in 1..=most {
            let step = step(self)?;
            if i == most || vec3::dot(step, step) < arrived * arrived {
                return Some(vec3::add(self.position(), step));
            }
            self.follow(step, radius);
        }
        None
    }

    /// Where the query is.
    #[inline]
    pub fn position(&self) -> Point {
        vec3::add(self.center, self.offset)
    }

    /// The sphere fitted with weights `(1 - t²)⁴`, `t` being the distance in units of `radius`,
    /// and the number of points that count.
    #[inline]
    pub fn sphere(&self, radius: f64) -> (SphereFit, usize) {
        let scale = 1.0 / (radius * radius);
        let rate = Pair::both(scale);
        let [ox, oy, oz] = self.offset.map(Pair::both);
        let [x, y, z] = self.around.offsets();
        let [nx, ny, nz, h] = self.near.each_ref().map(|c| &c[..x.len()]);
        let mut s = [Pair::default(); 9];
        let mut count = Pair::default();
        each_two([x, y, z, nx, ny, nz, h], FAR, |[x, y, z, nx, ny, nz, h]| {
            let (x, y, z) = (x - ox, y - oy, z - oz);
            let t2 = (x * x + y * y + z * z) * rate;
            let inside = t2.below(self.cut2);
            let u = inside * (Pair::both(1.0) - t2);
            let (u2, t2) = (u * u, inside * t2);
            let w = u2 * u2;
            let terms = [w, w * x, w * y, w * z, w * nx, w * ny, w * nz, w * t2, w * h];
            for t in 0..9 {
                s[t] = s[t] + terms[t];
            }
            count = count + inside;
        });
        let [w, x, y, z, nx, ny, nz, t2, h] = s.map(Pair::sum);
        // Heights are over the place where the points were collected.
        let h = h - vec3::dot(self.offset, [nx, ny, nz]);
        (SphereFit::from([w, x, y, z, nx, ny, nz, t2 / scale, h]), count.sum() as usize)
    }

    /// Sums over the points within `radius`, `TERMS` values for each, and their number.
    ///
    /// `terms` gets two points relative to the query, their normals, and their squared distances in
    /// units of the squared radius.
    #[inline(always)]
    pub fn sum<const TERMS: usize>(
        &self,
        radius: f64,
        terms: impl Fn(Points, Points, Pair) -> [Pair; TERMS],
    ) -> ([f64; TERMS], usize) {
        let scale = Pair::both(1.0 / (radius * radius));
        let [ox, oy, oz] = self.offset.map(Pair::both);
        let [x, y, z] = self.around.offsets();
        let [nx, ny, nz, _] = self.near.each_ref().map(|c| &c[..x.len()]);
        let mut sums = [Pair::default(); TERMS];
        let mut count = Pair::default();
        each_two([x, y, z, nx, ny, nz], FAR, |[x, y, z, nx, ny, nz]| {
            let p = [x - ox, y - oy, z - oz];
            let t2 = dot(p, p) * scale;
            let inside = t2.below(self.cut2);
            let values = terms(p, [nx, ny, nz], inside * t2);
            for t in 0..TERMS {
                sums[t] = sums[t] + inside * values[t];
            }
            count = count + inside;
        });
        (sums.map(Pair::sum), count.sum() as usize)
    }
}

/// Where points are that do not count: beyond every radius, but with finite squares.
const FAR: f64 = 1e100;
