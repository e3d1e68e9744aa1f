//! Feature graph learning (Hu, Gao, Cheung, Guo 2020): Algorithm 1, and nothing else.
//!
//! Each step is a function elsewhere: normals and sampling in the cloud crate, patches in
//! [`crate::patch`], features and weights in [`crate::graph`], the solve in [`crate::system`].

mod params;
pub(super) mod steps;
pub(super) mod stop;
mod table;

pub use params::{
    FglParameters, MetricRule, NormalSign, Observation, Sampling, Schedule, Solver, StopRule,
};

use pellucid_cloud::{Point, PointCloud};

use crate::frame::LocalFrame;
use crate::patch::{PatchGraph, Patches};
use crate::registry::Method;
use crate::{DenoiseError, Denoised, Denoiser, Iteration, Report, Run, Snapshot, Stop};

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: table::PRESETS,
    parameters: table::PARAMETERS,
    ..Method::new::<FglParameters>(
        "fgl",
        "pulls similar patches together over a graph whose metric is learned from the cloud",
        "Hu, Gao, Cheung & Guo 2020, Feature graph learning for 3D point cloud denoising",
        Some("10.1109/TSP.2020.2978617"),
    )
};

/// Fewest points it works with; smaller patches than asked for are used below the patch size.
const MIN_POINTS: usize = 4;

/// The method with checked parameters.
struct Fgl(FglParameters);

impl Denoiser for Fgl {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let p = &self.0;
        let mut report = Report::default();
        let frame = Run::timed(&mut report, "frame", || {
            LocalFrame::enter(noisy, p.units, METHOD.name, MIN_POINTS).map(LocalFrame::aligned)
        })?;
        let observed = frame.points();
        let mut y = observed.to_vec();
        let learner = steps::Learner::new(p, run.seed);
        let mut stop =
            Run::timed(&mut report, "noise", || stop::Stopper::new(p, frame.noise_or(p.noise)));
        let mut why = Stop::IterationLimit;

        for i in 1..=p.iterations {
            let mut record = Iteration { index: i, ..Iteration::default() };
            run.progress("denoising", i, stop.progress(i, p.iterations))?;

            let nearest = Run::timed(&mut report, "neighbours", || steps::nearest(&y, p));
            let normals = Run::timed(&mut report, "normals", || steps::normals(&y, &nearest, p));
            let centers = Run::timed(&mut report, "sampling", || {
                steps::centers(&y, &nearest, p, &frame, i, run.seed)
            });
            let apart = steps::apart(&normals, p);
            let patches = Run::timed(&mut report, "patches", || {
                let size = p.patch_size.min(nearest.k());
                let (origin, rule) = (p.patch_origin, p.uncovered);
                Patches::build_apart(&y, &nearest, &centers, size, origin, rule, apart)
            });
            let graph = Run::timed(&mut report, "counterparts", || {
                PatchGraph::link_apart(&y, &patches, p.patch_neighbors, p.intra_patch, apart)
            });
            let features = steps::features(p, noisy, &frame, &y, &normals)?;
            let metric = Run::timed(&mut report, "learning", || {
                learner.learn(&y, &frame, &patches, &graph, &features, &mut record)
            })?;
            let weighted = Run::timed(&mut report, "weights", || {
                steps::weigh(p, &patches, &graph, &features, &normals, metric.as_ref(), run.seed)
            });
            let anchor = match p.observation {
                Observation::Noisy => observed,
                Observation::Previous => &y,
            };
            let gamma = steps::gamma(p, i, stop.estimate().sigma);
            let next = Run::timed(&mut report, "solve", || {
                steps::solve(p, &weighted, anchor, &y, gamma, &mut record)
            })?;
            let first_gamma = steps::gamma(p, 1, stop.estimate().sigma);
            steps::record_objective(p, &weighted, &next, observed, first_gamma, &mut record);
            report.uncovered_points = report.uncovered_points.max(patches.uncovered());
            report.features = features.names().to_vec();
            steps::record_movement(&mut record, &y, &next, frame.unit());
            let enough = stop.judge(&mut record, observed, &next, &normals, &nearest, frame.unit());
            y = next;
            let positions = || frame.leave(noisy, &y);
            let watched = run.iteration(&Snapshot { record: &record, positions: &positions })?;
            report.metric = record.metric.clone();
            report.history.push(record);
            if let Some(reason) = enough.or(watched.then_some(Stop::Observer)) {
                why = reason;
                break;
            }
        }

        report.spacing = Some(stop.estimate().spacing * frame.unit());
        report.noise = Some(stop.estimate().sigma * frame.unit());
        frame.describe(&mut report);
        denoised(noisy, frame.leave(noisy, &y), why, report)
    }
}

/// The cloud with its points at these places.
fn denoised(
    noisy: &PointCloud,
    positions: Vec<Point>,
    stop: Stop,
    report: Report,
) -> Result<Denoised, DenoiseError> {
    let cloud = noisy.with_positions(positions).map_err(|e| DenoiseError::Numerical {
        step: "putting points back",
        detail: e.to_string(),
    })?;
    Ok(Denoised { cloud, iterations: report.history.len(), stop, report })
}
