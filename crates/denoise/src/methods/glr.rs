//! Graph Laplacian regularisation of a low-dimensional manifold of patches (Zeng et al. 2020):
//! patches that look alike in each other's tangent planes pull each other together.

use featgraph::solve::{CgParams, conjugate_gradient};
use pellucid_cloud::{KdTree, Point, PointCloud, normals, vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fgl::steps::record_movement;
use super::fgl::stop::Stopper;
use crate::frame::{LocalFrame, Unit};
use crate::local::normal_neighbors;
use crate::patch::{Origin, Patches, TangentLinks, Uncovered, poisson_centers};
use crate::registry::{Method, Parameter, Parameters};
use crate::system::{Damped, Laplacian, WeightedGraph};
use crate::{
    DenoiseError, Denoised, Denoiser, Iteration, ParameterError, Report, Run, Snapshot, Stop,
};

const NAME: &str = "glr";
const MIN_POINTS: usize = 4;
/// Relative residual at which the linear solver stops.
const SOLVED: f64 = 1e-8;
/// Most points in an automatic patch: larger ones reach across thin walls, and cost their square.
const LARGEST_SIZE: usize = 12;
/// Smaller weights are dropped: they cost time and move nothing.
const NO_WEIGHT: f64 = 1e-3;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    parameters: &[
        Parameter {
            name: "patch_size",
            unit: "points",
            about: "points per patch, the centre included; null: from the estimated noise",
        },
        Parameter { name: "patch_share", unit: "", about: "patches per point" },
        Parameter {
            name: "patch_neighbors",
            unit: "patches",
            about: "neighbour patches of each patch",
        },
        Parameter {
            name: "width",
            unit: "",
            about: "width of the weights, in root mean square patch distances",
        },
        Parameter { name: "gamma", unit: "", about: "strength of the regulariser: 1/mu" },
        Parameter { name: "iterations", unit: "iterations", about: "most iterations" },
        Parameter {
            name: "stop_steady",
            unit: "",
            about: "share of the movement of the iteration before at which movement no longer falls \
                    and it is enough",
        },
        Parameter {
            name: "stop_movement",
            unit: "spacings",
            about: "mean movement per iteration at which it is enough",
        },
        Parameter {
            name: "stop_noise",
            unit: "",
            about: "part of the estimated noise after whose removal it is enough, too",
        },
    ],
    ..Method::new::<GlrParameters>(
        NAME,
        "pulls patches together that look alike in each other's tangent planes",
        "Zeng et al. 2020, 3D point cloud denoising using graph Laplacian regularization of a low \
         dimensional manifold model",
        Some("10.1109/TIP.2019.2961429"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GlrParameters {
    /// Points per patch: k + 1; `None`: from the noise.
    pub patch_size: Option<usize>,
    /// Patches per point: M / N.
    pub patch_share: f64,
    /// Neighbour patches of each patch: K.
    pub patch_neighbors: usize,
    /// ε in root mean square patch distances.
    pub width: f64,
    /// Strength of the regulariser.
    pub gamma: f64,
    /// Most iterations.
    pub iterations: usize,
    /// Movement over that of the iteration before that ends the run.
    pub stop_steady: f64,
    /// Mean movement that ends the run.
    pub stop_movement: f64,
    /// Share of the noise whose removal ends the run.
    pub stop_noise: f64,
}

impl Default for GlrParameters {
    fn default() -> Self {
        GlrParameters {
            patch_size: None,
            patch_share: 0.3,
            patch_neighbors: 10,
            width: 0.45,
            gamma: 0.2,
            iterations: 12,
            stop_steady: 0.97,
            stop_movement: 0.06,
            stop_noise: 1.0,
        }
    }
}

impl Parameters for GlrParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let size = self.patch_size.is_none_or(|k| (3..=255).contains(&k));
        ParameterError::check(size, "patch_size", self.patch_size, "3 to 255, or null")?;
        let share = self.patch_share > 0.0 && self.patch_share <= 1.0;
        ParameterError::check(share, "patch_share", self.patch_share, "above 0, at most 1")?;
        let linked = (1..=255).contains(&self.patch_neighbors);
        ParameterError::check(linked, "patch_neighbors", self.patch_neighbors, "1 to 255")?;
        ParameterError::check(positive(self.width), "width", self.width, "above 0")?;
        ParameterError::check(positive(self.gamma), "gamma", self.gamma, "above 0")?;
        let some = (1..=1000).contains(&self.iterations);
        ParameterError::check(some, "iterations", self.iterations, "between 1 and 1000")?;
        let steady = self.stop_steady;
        ParameterError::check(positive(steady), "stop_steady", steady, "above 0")?;
        let rest = self.stop_movement >= 0.0 && self.stop_movement.is_finite();
        ParameterError::check(rest, "stop_movement", self.stop_movement, "at least 0")?;
        ParameterError::check(positive(self.stop_noise), "stop_noise", self.stop_noise, "above 0")?;
        Ok(Box::new(Glr(self)))
    }
}

/// Points of a patch for noise of `sigma` spacings: it must reach past the noise.
fn automatic_size(sigma: f64) -> usize {
    ((9.0 + 3.0 * sigma * sigma).round() as usize).min(LARGEST_SIZE)
}

struct Glr(GlrParameters);

impl Denoiser for Glr {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let p = &self.0;
        let mut report = Report::default();
        run.progress("prepare", 1, 0.0)?;
        let frame = Run::timed(&mut report, "frame", || {
            LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS).map(LocalFrame::aligned)
        })?;
        let noise = Run::timed(&mut report, "noise", || frame.noise());
        let mut stop = Stopper::by_movement(p.stop_movement, p.stop_noise, noise);
        let size = p.patch_size.unwrap_or_else(|| automatic_size(noise.sigma));
        let around = normal_neighbors(noise.sigma);
        report.spacing = Some(frame.unit());
        report.noise = Some(noise.sigma * frame.unit());
        frame.describe(&mut report);
        report.notes.push(format!("patches of {size}, for noise of {:.2} spacings", noise.sigma));

        let mut y = frame.points().to_vec();
        let mut why = Stop::IterationLimit;
        let mut before = f64::INFINITY;
        for i in 1..=p.iterations {
            let mut record = Iteration { index: i, ..Iteration::default() };
            let done = stop.progress(i, p.iterations);
            run.progress("neighbours", i, done)?;
            let nearest = Run::timed(&mut report, "neighbours", || {
                KdTree::new(&y).knn_table(around.max(size))
            });
            let normals =
                Run::timed(&mut report, "normals", || normals::estimate_normals(&y, &nearest));
            let patches = Run::timed(&mut report, "patches", || {
                let centers = poisson_centers(&y, &nearest, p.patch_share, &frame, i, run.seed);
                let (size, rule) = (size.min(nearest.k()), Uncovered::ExtraPatches);
                Patches::build(&y, &nearest, &centers, size, Origin::Mean, rule)
            });
            run.progress("patches", i, done)?;
            let links = Run::timed(&mut report, "links", || {
                let at = patches.centers().iter().map(|&c| normals[c as usize]);
                let at: Vec<Point> = at.collect();
                TangentLinks::new(&y, &patches, &at, p.patch_neighbors)
            });
            run.progress("solve", i, done)?;
            let next = Run::timed(&mut report, "solve", || {
                let weights = self.weights(&patches, &links);
                let graph = &links.graph;
                let laplacian = Laplacian::Combinatorial;
                let weighted = WeightedGraph::new(&patches, graph, weights, laplacian);
                solve(&weighted, &y, p.gamma, &mut record)
            })?;
            report.uncovered_points = report.uncovered_points.max(patches.uncovered());
            record_movement(&mut record, &y, &next, frame.unit());
            let start = frame.points();
            let enough = stop.judge(&mut record, start, &next, &normals, &nearest, frame.unit());
            // Noise goes in ever smaller steps; what stays is shuffling along the surface.
            let steady = record.mean_displacement >= p.stop_steady * before;
            before = record.mean_displacement;
            let enough = enough.or(steady.then_some(Stop::Converged));
            record.would_stop |= steady;
            y = next;
            let positions = || frame.leave(noisy, &y);
            let watched = run.iteration(&Snapshot { record: &record, positions: &positions })?;
            report.history.push(record);
            if let Some(reason) = enough.or(watched.then_some(Stop::Observer)) {
                why = reason;
                break;
            }
        }
        let cloud = noisy.with_positions(frame.leave(noisy, &y)).map_err(|e| {
            DenoiseError::Numerical { step: "putting points back", detail: e.to_string() }
        })?;
        Ok(Denoised { cloud, iterations: report.history.len(), stop: why, report })
    }
}

impl Glr {
    /// `exp(-d² / 2ε²)` of the patches of each edge, once for each pair of nodes.
    fn weights(&self, patches: &Patches, links: &TangentLinks) -> Vec<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for d2 in links.distance2.iter().filter(|d2| d2.is_finite()) {
            sum += d2;
            count += 1.0;
        }
        let epsilon2 = self.0.width * self.0.width * sum / f64::max(count, 1.0);
        // Patches without any difference are all alike.
        let rate = if epsilon2 > 0.0 { 0.5 / epsilon2 } else { 0.0 };
        let size = patches.size();
        let mut weights = vec![0.0; links.graph.capacity()];
        weights.par_chunks_mut(size).enumerate().for_each(|(link, weights)| {
            let d2 = links.distance2[link];
            let w = if d2.is_finite() { (-rate * d2).exp() } else { 0.0 };
            for (a, weight) in weights.iter_mut().enumerate() {
                if w >= NO_WEIGHT && !links.graph.is_repeated(link * size + a) {
                    *weight = w;
                }
            }
        });
        weights
    }
}

/// The least `|y - y0|² + γ tr(V'LV)`, where V are the points relative to their patches.
fn solve(
    weighted: &WeightedGraph,
    y: &[Point],
    gamma: f64,
    record: &mut Iteration,
) -> Result<Vec<Point>, DenoiseError> {
    let system = weighted.assemble(y);
    let right: Vec<Point> = system.pull().iter().map(|&f| vec3::scale(f, gamma)).collect();
    let mut step = vec![[0.0; 3]; y.len()];
    let params = CgParams { tolerance: SOLVED, ..CgParams::default() };
    let operator = Damped { system: &system, gamma };
    let info = conjugate_gradient(&operator, &right, &mut step, &params).map_err(|e| {
        DenoiseError::Numerical { step: "the linear system", detail: e.to_string() }
    })?;
    record.solver_iterations = info.iterations;
    record.edges = weighted.len();
    record.gamma = Some(gamma);
    Ok(y.iter().zip(&step).map(|(&y, &d)| vec3::add(y, d)).collect())
}
