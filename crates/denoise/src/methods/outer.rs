//! The outer loop of methods that move all points again and again over a graph.

use pellucid_cloud::{Point, PointCloud};

use crate::frame::LocalFrame;
use crate::{DenoiseError, Denoised, Iteration, Report, Run, Snapshot, Stop};

/// The next positions; spacing and normals are those of the positions before.
pub struct Step {
    pub next: Vec<Point>,
    /// The mean distance between neighbors.
    pub spacing: f64,
    pub normals: Vec<Point>,
}

/// What a step gives: the next local positions, and why it is the last step, if it is.
pub type Stepped = Result<(Vec<Point>, Option<Stop>), DenoiseError>;

/// Calls `step` up to `limit` times, each time with the positions that the previous call gave, and maps the
/// result back to the cloud.
pub fn outer_loop(
    noisy: &PointCloud,
    frame: &LocalFrame,
    run: &mut Run,
    limit: usize,
    mut report: Report,
    mut step: impl FnMut(&[Point], &mut Iteration, &mut Report, &mut Run) -> Stepped,
) -> Result<Denoised, DenoiseError> {
    let mut y = frame.points().to_vec();
    let mut stop = Stop::IterationLimit;
    for index in 1..=limit {
        let mut record = Iteration { index, ..Iteration::default() };
        let (next, enough) = step(&y, &mut record, &mut report, run)?;
        y = next;
        let positions = || frame.leave(noisy, &y);
        let watched = run.iteration(&Snapshot { record: &record, positions: &positions })?;
        report.history.push(record);
        if let Some(reason) = enough.or(watched.then_some(Stop::Observer)) {
            stop = reason;
            break;
        }
    }
    let cloud = noisy.with_positions(frame.leave(noisy, &y)).map_err(|e| {
        DenoiseError::Numerical { step: "putting points back", detail: e.to_string() }
    })?;
    Ok(Denoised { cloud, iterations: report.history.len(), stop, report })
}
