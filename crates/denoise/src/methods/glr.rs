//! Graph Laplacian regularization of a low-dimensional manifold of patches (Zeng et al. 2020):
//! patches that look alike in each other's tangent planes pull each other together.

mod params;
mod published;

use featgraph::exp::exp;
use featgraph::solve::{CgParams, conjugate_gradient};
use pellucid_cloud::{KdTree, NeighborTable, Point, PointCloud, normals, spacing, vec3};
use rayon::prelude::*;

use super::fgl::steps::record_movement;
use super::fgl::stop::Stopper;
use super::outer::{Step, outer_loop};
use crate::frame::{LocalFrame, Unit};
use crate::local::normal_neighbors;
use crate::parameters::Setting;
use crate::patch::{Origin, PatchGraph, Patches, TangentLinks, Uncovered, poisson_centers};
use crate::system::{Damped, Laplacian, PointSystem, WeightedGraph, Weights};
use crate::{DenoiseError, Denoised, Iteration, Report, Run, Stop};
pub use params::{Form, Glr, METHOD};
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

/// The published strengths are in units of the file.
const FILE_RULE: &str = "revised for a cloud whose spacing is below 1e-50 or above 1e50";

/// Denoises with checked parameters.
fn denoise(p: &Glr, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
    let mut report = Report::default();
    run.progress("prepare", 1, 0.0)?;
    let frame = Run::timed(&mut report, "frame", || {
        LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS).map(LocalFrame::aligned)
    })?;
    if p.form == Form::Published {
        frame.check_file_units("form", p.form.given(), FILE_RULE)?;
    }
    let noise = Run::timed(&mut report, "noise", || frame.noise_or(p.noise));
    let size = p.patch_size.unwrap_or_else(|| automatic_size(noise.sigma));
    report.spacing = Some(frame.unit());
    report.noise = Some(noise.sigma * frame.unit());
    frame.describe(&mut report);
    report.notes.push(format!("patches of {size}, for noise of {:.2} spacings", noise.sigma));

    let mut stop = Stopper::by_movement(p.stop_movement, p.stop_noise, noise);
    let published =
        (p.form == Form::Published).then(|| Published::new(&frame, p, size, noise.sigma));
    let around = normal_neighbors(noise.sigma);
    let algorithm = Algorithm { p, frame: &frame, published, size, around, seed: run.seed };
    let mut before = f64::INFINITY;
    outer_loop(noisy, &frame, run, p.iterations, report, |y, record, report, run| {
        let done = stop.progress(record.index, p.iterations);
        let step = algorithm.step(y, record, report, run, done)?;
        record_movement(record, y, &step.next, frame.unit());
        let (start, unit) = (frame.points(), frame.unit());
        let enough = stop.judge(record, start, &step.next, &step.normals, step.spacing, unit);
        // Noise goes in ever smaller steps; what remains is shuffling along the surface.
        let steady = record.mean_displacement >= p.stop_steady * before;
        before = record.mean_displacement;
        record.would_stop |= steady;
        Ok((step.next, enough.or(steady.then_some(Stop::Converged))))
    })
}

/// What is the same in all iterations.
struct Algorithm<'a> {
    p: &'a Glr,
    frame: &'a LocalFrame,
    /// With the form of the authors' program.
    published: Option<Published>,
    /// Points of a patch.
    size: usize,
    /// Points that a normal is fitted to.
    around: usize,
    seed: u64,
}

impl Algorithm<'_> {
    /// One iteration, from `y`; `done` is the share of the run that is done.
    fn step(
        &self,
        y: &[Point],
        record: &mut Iteration,
        report: &mut Report,
        run: &mut Run,
        done: f64,
    ) -> Result<Step, DenoiseError> {
        let i = record.index;
        run.progress("neighbors", i, done)?;
        let nearest = Run::timed(report, "neighbors", || {
            KdTree::new(y).knn_table(self.around.max(self.size))
        });
        let spacing = spacing::mean_spacing(&nearest);
        let normals = Run::timed(report, "normals", || normals::estimate_normals(y, &nearest));
        let patches = Run::timed(report, "patches", || match &self.published {
            Some(published) => published.patches().clone(),
            None => self.patches(y, &nearest, i),
        });
        // Large, and not looked at again.
        drop(nearest);
        run.progress("patches", i, done)?;
        let links = Run::timed(report, "links", || self.links(y, &patches, &normals));
        report.uncovered_points = report.uncovered_points.max(patches.uncovered());
        run.progress("solve", i, done)?;
        let next = Run::timed(report, "solve", || {
            let (graph, weights, gamma) = self.weights(i, links);
            let laplacian = Laplacian::Combinatorial;
            let weighted = WeightedGraph::new(&patches, &graph, weights, laplacian);
            record.edges = weighted.len();
            let system = weighted.assemble(y)?;
            // The system is all that the solver needs.
            drop(weighted);
            drop((patches, graph));
            solve(system, y, gamma, record)
        })?;
        Ok(Step { next, spacing, normals })
    }

    /// Patches of iteration `i` that cover all points.
    fn patches(&self, y: &[Point], nearest: &NeighborTable, i: usize) -> Patches {
        let share = self.p.patch_share;
        let centers = poisson_centers(y, nearest, share, self.frame, i, self.seed);
        let (size, rule) = (self.size.min(nearest.k()), Uncovered::ExtraPatches);
        Patches::build(y, nearest, &centers, size, Origin::Mean, rule)
    }

    /// The counterparts of the patches' points in the tangent planes of neighbor patches.
    fn links(&self, y: &[Point], patches: &Patches, normals: &[Point]) -> TangentLinks {
        match &self.published {
            Some(published) => published.links(self.frame, y, self.p.patch_neighbors),
            None => {
                let at = patches.centers().iter().map(|&c| normals[c as usize]);
                let at: Vec<Point> = at.collect();
                let mut links = TangentLinks::new(y, patches, &at, self.p.patch_neighbors);
                links.graph.leave_out_repeated();
                links
            }
        }
    }

    /// The graph, its weights and the strength of iteration `i`.
    fn weights(&self, i: usize, links: TangentLinks) -> (PatchGraph, Weights, f64) {
        let (width, gamma) = (self.p.width, self.p.gamma);
        match &self.published {
            Some(published) => {
                let weights = Weights::OfEdges(published.weights(i, &links, width));
                (links.graph, weights, gamma * published.gamma(i))
            }
            None => (links.graph, Weights::OfLinks(weights(width, links.distance2)), gamma),
        }
    }
}

/// `exp(-d² / 2ε²)` of the patches of each link, from the squares of d.
fn weights(width: f64, mut distance2: Vec<f64>) -> Vec<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for d2 in distance2.iter().filter(|d2| d2.is_finite()) {
        sum += d2;
        count += 1.0;
    }
    let epsilon2 = width * width * sum / f64::max(count, 1.0);
    // Patches without any difference are all alike.
    let rate = if epsilon2 > 0.0 { 0.5 / epsilon2 } else { 0.0 };
    distance2.par_iter_mut().for_each(|d2| {
        let w = if d2.is_finite() { exp(-rate * *d2) } else { 0.0 };
        *d2 = if w >= NO_WEIGHT { w } else { 0.0 };
    });
    distance2
}

/// The least `|y - y0|² + γ tr(V'LV)`, where V are the points relative to their patches.
fn solve(
    mut system: PointSystem,
    y: &[Point],
    gamma: f64,
    record: &mut Iteration,
) -> Result<Vec<Point>, DenoiseError> {
    let mut right = system.take_pull();
    right.iter_mut().for_each(|f| *f = vec3::scale(*f, gamma));
    let mut step = vec![[0.0; 3]; y.len()];
    let params = CgParams { tolerance: SOLVED, ..CgParams::default() };
    let operator = Damped { system: &system, gamma };
    let info = conjugate_gradient(&operator, &right, &mut step, &params).map_err(|e| {
        DenoiseError::Numerical { step: "the linear system", detail: e.to_string() }
    })?;
    record.solver_iterations = info.iterations;
    record.gamma = Some(gamma);
    step.iter_mut().zip(y).for_each(|(d, &y)| *d = vec3::add(y, *d));
    Ok(step)
}
