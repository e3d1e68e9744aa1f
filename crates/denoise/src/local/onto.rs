//! Projection onto a surface that points and normals define: what such methods share.

use pellucid_cloud::{KdTree, Point, PointCloud, vec3};

use super::{
    Neighborhood, NormalSource, Oriented, QUARTIC_CUT2, SIGN_NEIGHBORS, SPACING_NEIGHBORS, Support,
    smooth_normal_neighbors,
};
use crate::frame::Unit;
use crate::passes::Passes;
use crate::{DenoiseError, Denoised, Run};

/// The parameters that these methods have in common.
pub struct Onto {
    /// The method.
    pub name: &'static str,
    /// Fewest points it works with.
    pub min_points: usize,
    /// Radius of a support in local spacings.
    pub filter_scale: Option<f64>,
    /// Radius of every support, instead.
    pub radius: Option<f64>,
    /// What `radius` and `reach` are in.
    pub units: Unit,
    /// Where normals come from.
    pub normals: NormalSource,
    /// Largest move; `None`: from the noise.
    pub reach: Option<f64>,
    /// Passes.
    pub iterations: usize,
}

impl Onto {
    /// Moves each point to where `project` puts it, given its support; `automatic` is the filter
    /// scale for a noise in spacings.
    pub fn denoise(
        &self,
        noisy: &PointCloud,
        run: &mut Run,
        automatic: impl Fn(f64) -> f64,
        project: impl Fn(Point, f64, &mut Neighborhood) -> Option<Point> + Sync,
    ) -> Result<Denoised, DenoiseError> {
        let mut work = Passes::begin(noisy, self.name, self.min_points, run)?;
        let sigma = work.noise.sigma;
        let support = match (self.filter_scale, self.radius) {
            (Some(scale), _) => Support::Local(scale),
            (_, Some(radius)) => Support::Fixed(work.frame.length(radius, self.units)),
            _ if work.is_clean() => return Ok(work.leave_alone()),
            _ => {
                let scale = automatic(sigma);
                work.note(format!("filter scale {scale:.1}, for noise of {sigma:.2} spacings"));
                Support::Local(scale)
            }
        };
        let reach = self.reach.map_or(1.0 + 6.0 * sigma, |r| work.frame.length(r, self.units));
        let supply = self.normals.supply(noisy, &work.frame, smooth_normal_neighbors(sigma))?;
        work.run(run, self.iterations, |pass, points, run| {
            let tree = KdTree::new(points);
            // One table for supports and signs.
            let table = tree.knn_table(SPACING_NEIGHBORS.max(SIGN_NEIGHBORS));
            let radii = support.radii(&table);
            let normals = supply.of(points, &tree, &table);
            drop(table);
            let surface = Oriented { points, normals: &normals, tree: &tree };
            pass.each(
                points,
                run,
                || Neighborhood::new(&surface, QUARTIC_CUT2),
                |near, i, q| {
                    let foot = project(q, radii[i], near).unwrap_or(q);
                    // Not `> reach`: a place that is no number is no place.
                    if vec3::distance2(foot, q) <= reach * reach { foot } else { q }
                },
            )
        })
    }
}
