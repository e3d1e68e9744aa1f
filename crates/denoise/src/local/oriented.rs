//! Points with normals and supports: what implicit surfaces are defined by.

use pellucid_cloud::KdTree;
use pellucid_cloud::vec3::{self, Point};
use rayon::prelude::*;

/// The point and its nearest that the local spacing is measured with.
const SPACING_NEIGHBORS: usize = 16;
/// Points per parallel task.
const CHUNK: usize = 512;

/// The local spacing of every point: half the distance to its 15th neighbour, so about the side of
/// the square that a point stands for, as the median over the neighbourhood. A lone outlier so gets
/// the spacing of the surface next to it.
pub fn local_spacing(tree: &KdTree) -> Vec<f64> {
    let table = tree.knn_table(SPACING_NEIGHBORS);
    let own: Vec<f64> = (0..table.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|i| 2.0 * (table.distances2(i).last().map_or(0.0, |d| d / table.k() as f64)).sqrt())
        .collect();
    (0..table.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|i| {
            let mut around = [0.0; SPACING_NEIGHBORS];
            let row = table.row(i);
            for (a, &j) in around.iter_mut().zip(row) {
                *a = own[j as usize];
            }
            let around = &mut around[..row.len()];
            let middle = around.len() / 2;
            *around.select_nth_unstable_by(middle, f64::total_cmp).1
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
    /// The radius for each point of the tree.
    pub fn radii(self, tree: &KdTree, count: usize) -> Vec<f64> {
        match self {
            Support::Fixed(radius) => vec![radius; count],
            Support::Local(scale) => {
                let mut spacing = local_spacing(tree);
                spacing.iter_mut().for_each(|s| *s *= scale);
                spacing
            }
        }
    }
}

/// A point and its normal.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    /// Position, relative to something near.
    pub x: Point,
    /// Unit normal.
    pub n: Point,
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
#[derive(Debug, Default)]
pub struct Neighborhood {
    near: Vec<Near>,
    /// Where the points were collected, and the query relative to it.
    centre: Point,
    offset: Point,
}

/// Points are collected within a radius larger by this part, so that small moves need no search.
const MARGIN: f64 = 0.1;

impl Neighborhood {
    /// Collects the points around `q` that matter for supports of `radius`.
    #[inline]
    pub fn collect(&mut self, from: &Oriented, q: Point, radius: f64) {
        self.near.clear();
        (self.centre, self.offset) = (q, [0.0; 3]);
        from.tree.within(q, (1.0 + MARGIN) * radius, |found| {
            let i = found.index as usize;
            self.near.push(Near { x: vec3::sub(from.points[i], q), n: from.normals[i] });
            true
        });
    }

    /// Moves the query by `step`.
    #[inline]
    pub fn follow(&mut self, from: &Oriented, step: Point, radius: f64) {
        self.offset = vec3::add(self.offset, step);
        if vec3::norm(self.offset) > MARGIN * radius {
            self.collect(from, self.position(), radius);
        }
    }

    /// Where the query is.
    #[inline]
    pub fn position(&self) -> Point {
        vec3::add(self.centre, self.offset)
    }

    /// The points within `radius`, relative to the query, each with its squared distance in units
    /// of the squared radius.
    #[inline]
    pub fn within(&self, radius: f64) -> impl Iterator<Item = (Near, f64)> + '_ {
        let scale = 1.0 / (radius * radius);
        self.near.iter().filter_map(move |p| {
            let x = vec3::sub(p.x, self.offset);
            let t2 = vec3::dot(x, x) * scale;
            (t2 < 1.0).then_some((Near { x, n: p.n }, t2))
        })
    }
}
