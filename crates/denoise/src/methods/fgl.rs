//! Feature graph learning (Hu, Gao, Cheung, Guo 2020): Algorithm 1, and nothing else.
//!
//! Each step is a function elsewhere: normals and sampling in the cloud crate, patches in
//! [`crate::patch`], features and weights in [`crate::graph`], the solve in [`crate::system`].

mod params;
pub(super) mod steps;
pub(super) mod stop;
mod table;

pub use params::{Fgl, MetricRule, NormalSign, Observation, Sampling, Schedule, Solver, StopRule};

use pellucid_cloud::{Point, PointCloud, spacing};

use super::outer::{Step, outer_loop};
use crate::frame::LocalFrame;
use crate::patch::{PatchGraph, Patches};
use crate::registry::Method;
use crate::system::WeightedGraph;
use crate::{DenoiseError, Denoised, Iteration, Report, Run};

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: table::PRESETS,
    ..Method::new::<Fgl>(
        "fgl",
        "pulls similar patches together over a graph whose metric is learned from the cloud",
        "Hu, Gao, Cheung & Guo 2020, Feature graph learning for 3D point cloud denoising",
        Some("10.1109/TSP.2020.2978617"),
    )
};

/// Fewest points it works with; smaller patches than asked for are used below the patch size.
const MIN_POINTS: usize = 4;

/// Denoises with checked parameters.
fn denoise(p: &Fgl, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
    let mut report = Report::default();
    let frame = Run::timed(&mut report, "frame", || {
        LocalFrame::enter(noisy, p.units, METHOD.name, MIN_POINTS).map(LocalFrame::aligned)
    })?;
    let noise = Run::timed(&mut report, "noise", || frame.noise_or(p.noise));
    report.spacing = Some(noise.spacing * frame.unit());
    report.noise = Some(noise.sigma * frame.unit());
    frame.describe(&mut report);
    let mut stop = stop::Stopper::new(p, noise);
    let algorithm = Algorithm {
        p,
        noisy,
        frame: &frame,
        learner: steps::Learner::new(p, run.seed),
        sigma: noise.sigma,
        seed: run.seed,
    };
    outer_loop(noisy, &frame, run, p.iterations, report, |y, record, report, run| {
        run.progress("denoising", record.index, stop.progress(record.index, p.iterations))?;
        let step = algorithm.step(y, record, report)?;
        steps::record_movement(record, y, &step.next, frame.unit());
        let (observed, unit) = (frame.points(), frame.unit());
        let enough = stop.judge(record, observed, &step.next, &step.normals, step.spacing, unit);
        Ok((step.next, enough))
    })
}

/// What is the same in all iterations of Algorithm 1.
struct Algorithm<'a> {
    p: &'a Fgl,
    noisy: &'a PointCloud,
    frame: &'a LocalFrame,
    learner: steps::Learner<'a>,
    /// The noise in local units.
    sigma: f64,
    seed: u64,
}

impl Algorithm<'_> {
    /// One iteration, from `y`.
    fn step(
        &self,
        y: &[Point],
        record: &mut Iteration,
        report: &mut Report,
    ) -> Result<Step, DenoiseError> {
        let (p, frame, seed, i) = (self.p, self.frame, self.seed, record.index);
        let nearest = Run::timed(report, "neighbors", || steps::nearest(y, p));
        let spacing = spacing::mean_spacing(&nearest);
        let normals = Run::timed(report, "normals", || steps::normals(y, &nearest, p));
        let centers =
            Run::timed(report, "sampling", || steps::centers(y, &nearest, p, frame, i, seed));
        let apart = steps::apart(&normals, p);
        let patches = Run::timed(report, "patches", || {
            let size = p.patch_size.min(nearest.k());
            Patches::build_apart(y, &nearest, &centers, size, p.patch_origin, p.uncovered, apart)
        });
        let graph = Run::timed(report, "counterparts", || {
            PatchGraph::link_apart(y, &patches, p.patch_neighbors, p.intra_patch, apart)
        });
        let features = steps::features(p, self.noisy, frame, y, &normals)?;
        let metric = Run::timed(report, "learning", || {
            self.learner.learn(y, frame, &patches, &graph, &features, record)
        })?;
        let weighted = Run::timed(report, "weights", || {
            steps::weigh(p, &patches, &graph, &features, &normals, metric.as_ref(), seed)
        });
        let next = Run::timed(report, "solve", || self.solve(&weighted, y, record))?;
        report.uncovered_points = report.uncovered_points.max(patches.uncovered());
        report.features = features.names().to_vec();
        report.metric = record.metric.clone();
        Ok(Step { next, spacing, normals })
    }

    /// Moves the points over the weighted graph.
    fn solve(
        &self,
        weighted: &WeightedGraph,
        y: &[Point],
        record: &mut Iteration,
    ) -> Result<Vec<Point>, DenoiseError> {
        let (p, observed) = (self.p, self.frame.points());
        let anchor = match p.observation {
            Observation::Noisy => observed,
            Observation::Previous => y,
        };
        let gamma = |i| steps::gamma(p, i, self.sigma);
        let next = steps::solve(p, weighted, anchor, y, gamma(record.index), record)?;
        steps::record_objective(p, weighted, &next, observed, gamma(1), record);
        Ok(next)
    }
}
