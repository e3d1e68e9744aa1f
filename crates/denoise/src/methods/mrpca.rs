//! Moving robust principal components (Mattei & Castrodad 2017): overlapping neighborhoods are
//! planes but for a sparse part, and a point settles where the planes of its neighbors agree.

mod average;

use featgraph::exp::exp;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, NeighborTable, PointCloud};
use rayon::prelude::*;

use crate::local::{Moments, Plane, PlaneSum};
use crate::parameters::{Checked, Parameters, above, between, choices, parameters};
use crate::passes::Passes;
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "mrpca";
const MIN_POINTS: usize = 4;
/// Most points in an automatic neighborhood, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 72;
/// Rows per task; fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 256;
/// Reweighted fits for the l1 deviation of a neighborhood from its plane.
const PLANE_ROUNDS: usize = 3;
/// Reweighted solves for the l1 deviation of a point from the planes around it.
const POINT_ROUNDS: usize = 3;
/// What counts as no deviation: the l1 norm is rounded off below this part of the noise.
const ROUNDED: f64 = 0.7;

/// Without any noise a deviation of a hundredth spacing is one.
const LEAST_NOISE: f64 = 0.01;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "paper",
        about: "a sparse part by weighted l1, and the mean of the estimates of all neighborhoods",
        properties: Properties::USUAL,
    }],
    ..Method::new::<Mrpca>(
        NAME,
        "lets each point settle between the robust planes of its neighbors; keeps edges",
        "Mattei & Castrodad 2017, Point cloud denoising via moving RPCA",
        Some("10.1111/cgf.13068"),
    )
};

choices! {
    /// Where points go, given the planes of their neighborhoods.
    pub enum Positions {
        /// Where the l1 distance to the planes around is least.
        Planes = "planes",
        /// To the mean of the estimates of all neighborhoods that have the point, as in the paper.
        Averages = "averages",
    }
}

parameters! {
    /// Parameters of moving robust principal component analysis.
    pub struct Mrpca {
        /// Where points go: to where the planes around them agree, or to the mean of the estimates of
        /// all neighborhoods.
        positions: Positions = Positions::Planes;
        /// Number of points in a neighborhood, the point included; null: from the estimated noise.
        neighbors: Option<usize> = None, in between(4.0, 10_000.0), unit "points";
        /// Angle between normals at which the weight of a neighbor has fallen to 1/e.
        normal_angle: f64 = 25.0, in above(0.0).up_to(360.0), unit "degrees";
        /// Pull towards a point's previous position, relative to a pull of 1 towards the planes.
        data_fit: f64 = 0.1, in above(0.0);
        /// With `averages`: deviation from a plane above which the rest counts as sparse, in units of
        /// the noise.
        sparsity: f64 = 1.0, in above(0.0);
        /// Number of passes; each starts from the previous result.
        iterations: usize = 3, in between(1.0, 1000.0), unit "iterations";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Mrpca {
    fn preset(name: &str) -> Option<Self> {
        let paper = Mrpca { positions: Positions::Averages, ..Self::default() };
        (name == "paper").then_some(paper)
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let mut passes = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        if checked.neighbors.is_none() && passes.is_clean() {
            return Ok(passes.leave_alone());
        }
        let sigma = passes.noise.sigma;
        let k = checked.neighbors.unwrap_or_else(|| automatic_neighbors(sigma));
        passes.report.notes.push(format!("{k} neighbors, for noise of {sigma:.2} spacings"));
        let reach = 1.0 + 6.0 * sigma;
        let rounded = ROUNDED * sigma.max(LEAST_NOISE);
        let fit = Fit {
            sharpness: checked.normal_angle.to_radians().powi(-2),
            pull: checked.data_fit,
            rounded,
            reach2: reach * reach,
        };
        passes.run(run, checked.iterations, |pass, points, run| {
            let table = KdTree::new(points).knn_table(k);
            if checked.positions == Positions::Averages {
                let sparsity = checked.sparsity * sigma.max(LEAST_NOISE);
                return fit.averages(points, &table, sparsity, pass, run);
            }
            let mut planes = fit.first_planes(points, &table);
            for _ in 0..PLANE_ROUNDS {
                run.progress(NAME, pass.index, (pass.index - 1) as f64 / pass.count as f64)?;
                planes = fit.refit(points, &table, &planes);
            }
            pass.each(points, run, Vec::new, |around, i, p| {
                fit.settle(&planes, table.row(i), i, p, around)
            })
        })
    }
}

/// Points of a neighborhood for noise of `sigma` spacings: it must reach past the noise.
fn automatic_neighbors(sigma: f64) -> usize {
    ((10.0 + 18.0 * sigma * sigma).round() as usize).min(MOST_NEIGHBORS)
}

/// What the passes of a run have in common, in local units.
struct Fit {
    /// One over the square of the angle between normals at which weights fall to 1/e.
    sharpness: f64,
    pull: f64,
    rounded: f64,
    reach2: f64,
}

impl Fit {
    /// How much two normals of any sign count for each other, by the angle between them.
    #[inline]
    fn similarity(&self, a: Point, b: Point) -> f64 {
        let c = vec3::dot(a, b).abs().min(1.0);
        // The squared angle to fourth order: θ² ≈ 2(1 - c) (1 + (1 - c)/6).
        let s = 1.0 - c;
        exp(-self.sharpness * 2.0 * s * (1.0 + s / 6.0))
    }

    /// The weight that makes a square as large as the (rounded) absolute value.
    #[inline]
    fn robust(&self, deviation: f64) -> f64 {
        self.rounded / deviation.abs().max(self.rounded)
    }

    /// The plane of least squared deviation of each neighborhood.
    fn first_planes(&self, points: &[Point], table: &NeighborTable) -> Vec<Option<Plane>> {
        each_point(points, |i, q| {
            let mut moments = Moments::default();
            for &j in table.row(i) {
                moments.add(vec3::sub(points[j as usize], q), 1.0);
            }
            moments.plane().map(|plane| moved(&plane, q))
        })
    }

    /// One reweighted fit towards the planes of least weighted l1 deviation.
    fn refit(
        &self,
        points: &[Point],
        table: &NeighborTable,
        planes: &[Option<Plane>],
    ) -> Vec<Option<Plane>> {
        each_point(points, |i, q| {
            let own = planes[i]?;
            let mut moments = Moments::default();
            for &j in table.row(i) {
                let Some(other) = &planes[j as usize] else { continue };
                let x = points[j as usize];
                let w = self.similarity(own.normal, other.normal) * self.robust(own.offset(x));
                moments.add(vec3::sub(x, q), w);
            }
            moments.plane().map(|plane| moved(&plane, q)).or(Some(own))
        })
    }

    /// Where the weighted l1 distance of point `i`, at `p`, to the planes around it is least.
    fn settle(
        &self,
        planes: &[Option<Plane>],
        row: &[u32],
        i: usize,
        p: Point,
        around: &mut Vec<(Plane, f64)>,
    ) -> Point {
        let Some(own) = planes[i] else { return p };
        around.clear();
        let origin = vec3::scale(p, -1.0);
        around.extend(row.iter().filter_map(|&j| {
            let plane = planes[j as usize]?;
            Some((moved(&plane, origin), self.similarity(own.normal, plane.normal)))
        }));
        let total: f64 = around.iter().map(|(_, w)| w).sum();
        let mut step = [0.0; 3];
        for _ in 0..POINT_ROUNDS {
            let mut sum = PlaneSum::default();
            for (plane, w) in around.iter() {
                sum.add(plane, w * self.robust(plane.offset(step)));
            }
            let Some(x) = sum.nearest([0.0; 3], self.pull * total) else { return p };
            step = x;
        }
        if vec3::dot(step, step) <= self.reach2 { vec3::add(p, step) } else { p }
    }
}

fn moved(plane: &Plane, by: Point) -> Plane {
    Plane { center: vec3::add(plane.center, by), normal: plane.normal }
}

/// `f` of every point and its number, in parallel.
fn each_point<T: Send>(points: &[Point], f: impl Fn(usize, Point) -> T + Sync) -> Vec<T> {
    points.par_iter().enumerate().with_min_len(CHUNK).map(|(i, &q)| f(i, q)).collect()
}
