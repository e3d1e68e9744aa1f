//! Oriented normals of the points a method works on.

use std::borrow::Cow;

use pellucid_cloud::eigen3::smallest_eigenvector;
use pellucid_cloud::normals::orient_consistently;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, NeighborTable, PointCloud};
use rayon::prelude::*;

use super::Moments;
use crate::DenoiseError;
use crate::frame::LocalFrame;
use crate::parameters::choices;

/// Points per parallel task; fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 256;
/// Neighbors over which signs spread, the point included.
pub const SIGN_NEIGHBORS: usize = 13;
/// Most points in a neighborhood, whatever the noise.
const MOST_NEIGHBORS: usize = 80;

choices! {
    /// Where a method takes its normals from: the value of a parameter `normals`.
    #[derive(Default)]
    pub enum NormalSource {
        /// Estimated from the points, and turned so that neighbors agree.
        #[default]
        Estimate = "estimate",
        /// Those that the cloud came with.
        File = "file",
    }
}

impl NormalSource {
    /// The unit normal of each local point of `frame`, neighbors on the same side; `sigma` is the
    /// noise in spacings.
    ///
    /// With `File`, points whose normal is zero or not finite get that of the nearest point with a
    /// usable one; an error if there is none at all.
    pub fn normals(
        self,
        cloud: &PointCloud,
        frame: &LocalFrame,
        sigma: f64,
    ) -> Result<Vec<Point>, DenoiseError> {
        let supply = self.supply(cloud, frame, normal_neighbors(sigma))?;
        let points = frame.points();
        let tree = KdTree::new(points);
        Ok(supply.of(points, &tree, &tree.knn_table(SIGN_NEIGHBORS)).into_owned())
    }

    /// The same for methods of several passes, with estimates from that many points.
    pub fn supply(
        self,
        cloud: &PointCloud,
        frame: &LocalFrame,
        neighbors: usize,
    ) -> Result<NormalSupply, DenoiseError> {
        Ok(match self {
            NormalSource::Estimate => NormalSupply::Estimated(neighbors),
            NormalSource::File => NormalSupply::Fixed(stored(cloud, frame)?),
        })
    }
}

/// Normals for the passes of a run: those of the file stay, estimated ones follow the points.
pub enum NormalSupply {
    /// The same in every pass.
    Fixed(Vec<Point>),
    /// Estimated from that many points.
    Estimated(usize),
}

impl NormalSupply {
    /// The normals of the local points as they are now, given their tree and a table of
    /// [`SIGN_NEIGHBORS`] or more.
    pub fn of(&self, points: &[Point], tree: &KdTree, table: &NeighborTable) -> Cow<'_, [Point]> {
        match self {
            NormalSupply::Fixed(normals) => Cow::Borrowed(normals),
            NormalSupply::Estimated(k) => Cow::Owned(estimate_oriented(points, tree, table, *k)),
        }
    }
}

/// Points that a normal is fitted to, for noise of `sigma` spacings: the neighborhood must reach
/// past the noise.
pub fn normal_neighbors(sigma: f64) -> usize {
    reaching(sigma, 10.0)
}

/// The same for surfaces that are defined by normals more than by points, so that noise in normals
/// costs more than detail.
pub fn smooth_normal_neighbors(sigma: f64) -> usize {
    reaching(sigma, 20.0)
}

fn reaching(sigma: f64, growth: f64) -> usize {
    let k = 10.0 + growth * sigma * sigma;
    // A conversion of NaN gives zero.
    (k.round() as usize).clamp(10, MOST_NEIGHBORS)
}

/// The unit normals of planes fitted to the `k` nearest of each point, itself included, turned by
/// [`orient_consistently`] over the first columns of `table`.
pub fn estimate_oriented(
    points: &[Point],
    tree: &KdTree,
    table: &NeighborTable,
    k: usize,
) -> Vec<Point> {
    let mut normals = vec![[0.0; 3]; points.len()];
    let chunks = normals.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK));
    chunks.for_each(|(out, queries)| {
        // One for each chunk: what it finds comes in an order that depends on the queries before.
        let mut around = tree.around(points);
        for (n, &q) in out.iter_mut().zip(queries) {
            around.nearest(q, k.max(3));
            let covariance = Moments::of(around.offsets()).covariance();
            let covariance = covariance.filter(|c| c.iter().all(|v| v.is_finite()));
            *n = covariance.map_or([0.0, 0.0, 1.0], smallest_eigenvector);
        }
    });
    orient_consistently(points, &mut normals, table);
    normals
}

/// The cloud's own normals, made unit.
fn stored(cloud: &PointCloud, frame: &LocalFrame) -> Result<Vec<Point>, DenoiseError> {
    let fault = |what: &str| DenoiseError::Attribute {
        name: pellucid_cloud::attribute::names::NORMAL.to_owned(),
        fault: format!("{what}; use normals=estimate, or a cloud with normals"),
    };
    let all = cloud.normals().ok_or_else(|| fault("is not in the cloud"))?;
    let given: Vec<Option<Point>> = frame.pick(&all).into_iter().map(vec3::normalized).collect();
    if given.iter().all(Option::is_some) {
        return Ok(given.into_iter().flatten().collect());
    }
    let points = frame.points();
    let (usable, normals): (Vec<Point>, Vec<Point>) =
        points.iter().zip(&given).filter_map(|(&p, n)| Some((p, (*n)?))).unzip();
    let tree = KdTree::new(&usable);
    points
        .iter()
        .zip(given)
        .map(|(&p, n)| n.or_else(|| Some(normals[tree.nearest(p)?.index as usize])))
        .collect::<Option<_>>()
        .ok_or_else(|| fault("has no usable value"))
}
