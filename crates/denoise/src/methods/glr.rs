//! Graph Laplacian regularisation of a low-dimensional manifold of patches (Zeng et al. 2020):
//! patches that look alike in each other's tangent planes pull each other together.

mod params;
mod published;

use featgraph::solve::{CgParams, conjugate_gradient};
use pellucid_cloud::{KdTree, NeighborTable, Point, PointCloud, normals, vec3};
use rayon::prelude::*;

use super::fgl::steps::record_movement;
use super::fgl::stop::Stopper;
use crate::frame::{LocalFrame, Unit};
use crate::local::normal_neighbors;
use crate::patch::{Origin, Patches, TangentLinks, Uncovered, poisson_centers};
use crate::system::{Damped, Laplacian, WeightedGraph};
use crate::{DenoiseError, Denoised, Denoiser, Iteration, Report, Run, Snapshot, Stop};
pub use params::{Form, GlrParameters, METHOD};
use published::Published;

const NAME: &str = "glr";
const MIN_POINTS: usize = 4;
/// Relative residual at which the linear solver stops.
const SOLVED: f64 = 1e-8;
/// Most points in an automatic patch: larger ones reach across thin walls, and cost their square.
const LARGEST_SIZE: usize = 12;
/// Smaller weights are dropped: they cost time and move nothing.
const NO_WEIGHT: f64 = 1e-3;

/// Points of a patch for noise of `sigma` spacings: it must reach past the noise.
fn automatic_size(sigma: f64) -> usize {
    ((9.0 + 3.0 * sigma * sigma).round() as usize).min(LARGEST_SIZE)
}

struct Glr(GlrParameters);

/// The published strengths are in units of the file.
const FILE_RULE: &str = "revised for a cloud whose spacing is below 1e-50 or above 1e50";

impl Denoiser for Glr {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let p = &self.0;
        let mut report = Report::default();
        run.progress("prepare", 1, 0.0)?;
        let frame = Run::timed(&mut report, "frame", || {
            LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS).map(LocalFrame::aligned)
        })?;
        if p.form == Form::Published {
            frame.check_file_units("form", p.form, FILE_RULE)?;
        }
        let noise = Run::timed(&mut report, "noise", || frame.noise_or(p.noise));
        let mut stop = Stopper::by_movement(p.stop_movement, p.stop_noise, noise);
        let size = p.patch_size.unwrap_or_else(|| automatic_size(noise.sigma));
        let around = normal_neighbors(noise.sigma);
        report.spacing = Some(frame.unit());
        report.noise = Some(noise.sigma * frame.unit());
        frame.describe(&mut report);
        report.notes.push(format!("patches of {size}, for noise of {:.2} spacings", noise.sigma));

        let published =
            (p.form == Form::Published).then(|| Published::new(&frame, p, size, noise.sigma));
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
            let patches = Run::timed(&mut report, "patches", || match &published {
                Some(published) => published.patches().clone(),
                None => self.patches(&y, &nearest, &frame, size, i, run.seed),
            });
            run.progress("patches", i, done)?;
            let links = Run::timed(&mut report, "links", || match &published {
                Some(published) => published.links(&frame, &y, p.patch_neighbors),
                None => {
                    let at = patches.centers().iter().map(|&c| normals[c as usize]);
                    let at: Vec<Point> = at.collect();
                    TangentLinks::new(&y, &patches, &at, p.patch_neighbors)
                }
            });
            run.progress("solve", i, done)?;
            let next = Run::timed(&mut report, "solve", || {
                let (weights, gamma) = match &published {
                    Some(published) => {
                        (published.weights(i, &links, p.width), p.gamma * published.gamma(i))
                    }
                    None => (self.weights(&patches, &links), p.gamma),
                };
                let laplacian = Laplacian::Combinatorial;
                let weighted = WeightedGraph::new(&patches, &links.graph, weights, laplacian);
                solve(&weighted, &y, gamma, &mut record)
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
    /// Patches of iteration `i` that cover all points.
    fn patches(
        &self,
        y: &[Point],
        nearest: &NeighborTable,
        frame: &LocalFrame,
        size: usize,
        i: usize,
        seed: u64,
    ) -> Patches {
        let centers = poisson_centers(y, nearest, self.0.patch_share, frame, i, seed);
        let (size, rule) = (size.min(nearest.k()), Uncovered::ExtraPatches);
        Patches::build(y, nearest, &centers, size, Origin::Mean, rule)
    }

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
