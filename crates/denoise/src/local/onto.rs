//! Projection onto a surface that points and normals define: what such methods share.

use pellucid_cloud::{KdTree, Point, PointCloud, vec3};

use super::{
    Neighborhood, NormalSource, NormalSupply, Oriented, QUARTIC_CUT2, SIGN_NEIGHBORS,
    SPACING_NEIGHBORS, Support, smooth_normal_neighbors,
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
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

/// The [`Onto`] of a method that has its parameters, by these names, and the constants `NAME` and `MIN_POINTS`.
macro_rules! onto {
    ($parameters:expr) => {
        $crate::local::Onto {
            name: NAME,
            min_points: MIN_POINTS,
            filter_scale: $parameters.filter_scale,
            radius: $parameters.radius,
            units: $parameters.units,
            normals: $parameters.normals,
            reach: $parameters.reach,
            iterations: $parameters.iterations,
            noise: $parameters.noise,
        }
    };
}
pub(crate) use onto;

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
        let mut work = Passes::begin(noisy, self.name, self.min_points, self.noise, run)?;
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
        let surface = SurfacePasses { support, supply, cut2: QUARTIC_CUT2 };
        surface.run(work, run, self.iterations, |near, at| {
            let foot = project(at.position, at.radius, near).unwrap_or(at.position);
            // Not `> reach`: a place that is no number is no place.
            if vec3::distance2(foot, at.position) <= reach * reach { foot } else { at.position }
        })
    }
}

/// Passes that show each point its neighbors and their normals.
pub struct SurfacePasses {
    /// How far a point sees.
    pub support: Support,
    /// Where normals come from.
    pub supply: NormalSupply,
    /// How many squared radii of its support are collected.
    pub cut2: f64,
}

/// A point of such a pass.
pub struct Placed {
    /// Where it is.
    pub position: Point,
    /// Its unit normal.
    pub normal: Point,
    /// The radius of its support.
    pub radius: f64,
}

impl SurfacePasses {
    /// Moves each point to where `place` puts it, given its neighborhood, in up to `count` passes.
    pub fn run(
        &self,
        work: Passes,
        run: &mut Run,
        count: usize,
        place: impl Fn(&mut Neighborhood, &Placed) -> Point + Sync + Send,
    ) -> Result<Denoised, DenoiseError> {
        work.run(run, count, |pass, points, run| {
            let tree = KdTree::new(points);
            // One table for supports and signs.
            let table = tree.knn_table(SPACING_NEIGHBORS.max(SIGN_NEIGHBORS));
            let radii = self.support.radii(&table);
            let normals = self.supply.of(points, &tree, &table);
            drop(table);
            let surface = Oriented { points, normals: &normals, tree: &tree };
            pass.each(
                points,
                run,
                || Neighborhood::new(&surface, self.cut2),
                |near, i, position| {
                    place(near, &Placed { position, normal: normals[i], radius: radii[i] })
                },
            )
        })
    }
}
