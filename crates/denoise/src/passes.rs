//! What methods that move all points in passes have in common: entering the local frame, one
//! record and one look for the observer a pass, progress and cancelling within a pass.

use std::sync::atomic::Ordering;

use pellucid_cloud::PointCloud;
use pellucid_cloud::noise::NoiseEstimate;
use pellucid_cloud::vec3::{self, Point};
use rayon::prelude::*;

use crate::frame::{LocalFrame, Unit};
use crate::run::clocked;
use crate::{DenoiseError, Denoised, Iteration, Report, Run, Snapshot, Stop};

/// Points handled between two reports of progress, and by one parallel task.
const BLOCK: usize = 1 << 16;
const CHUNK: usize = 256;

/// Noise below this many spacings is left alone: a fit would add more error than it removes.
pub const NEGLIGIBLE_NOISE: f64 = 0.02;

/// A cloud between the passes of a method.
pub struct Passes<'c> {
    noisy: &'c PointCloud,
    /// The local frame, in spacings.
    pub frame: LocalFrame,
    /// The noise at the start, in local units.
    pub noise: NoiseEstimate,
    /// What is reported at the end.
    pub report: Report,
    name: &'static str,
}

impl<'c> Passes<'c> {
    /// Enters the frame and estimates the noise, unless it is given in file units.
    pub fn begin(
        noisy: &'c PointCloud,
        name: &'static str,
        needed: usize,
        noise: Option<f64>,
        run: &mut Run,
    ) -> Result<Self, DenoiseError> {
        let mut report = Report::default();
        run.progress("prepare", 1, 0.0)?;
        let (frame, noise) = Run::timed(&mut report, "prepare", || {
            let frame = LocalFrame::enter(noisy, Unit::Spacing, name, needed)?;
            let noise = frame.noise_or(noise);
            Ok::<_, DenoiseError>((frame, noise))
        })?;
        report.spacing = Some(frame.unit());
        report.noise = Some(noise.sigma * frame.unit());
        frame.describe(&mut report);
        Ok(Passes { noisy, frame, noise, report, name })
    }

    /// The cloud as it came.
    pub fn noisy(&self) -> &'c PointCloud {
        self.noisy
    }

    /// Whether the cloud shows so little noise that a method left to itself should not touch it.
    pub fn is_clean(&self) -> bool {
        self.noise.reliable && self.noise.sigma < NEGLIGIBLE_NOISE
    }

    /// Tells people what was decided.
    pub fn note(&mut self, text: String) {
        self.report.notes.push(text);
    }

    /// The result if nothing is to be done.
    pub fn leave_alone(mut self) -> Denoised {
        self.report.notes.push("the cloud shows no noise; nothing was moved".to_owned());
        let (cloud, report) = (self.noisy.clone(), self.report);
        Denoised { cloud, iterations: 0, stop: Stop::NothingToDo, report }
    }

    /// Calls `pass` up to `count` times with the points as the call before left them.
    pub fn run(
        mut self,
        run: &mut Run,
        count: usize,
        mut pass: impl FnMut(&Pass, &[Point], &mut Run) -> Result<Vec<Point>, DenoiseError>,
    ) -> Result<Denoised, DenoiseError> {
        let mut points = self.frame.points().to_vec();
        let mut stop = Stop::IterationLimit;
        for index in 1..=count {
            let (moved, seconds) =
                clocked(|| pass(&Pass { index, count, name: self.name }, &points, run));
            let moved = moved?;
            *self.report.seconds.entry("project".to_owned()).or_default() += seconds;
            let record = record(index, self.frame.unit(), &points, &moved);
            points = moved;
            let positions = || self.frame.leave(self.noisy, &points);
            let watched = run.iteration(&Snapshot { record: &record, positions: &positions })?;
            self.report.history.push(record);
            if watched {
                stop = Stop::Observer;
                break;
            }
        }
        let moved = self.frame.leave(self.noisy, &points);
        let cloud = self.noisy.with_positions(moved).map_err(|e| DenoiseError::Numerical {
            step: "putting points back",
            detail: e.to_string(),
        })?;
        let iterations = self.report.history.len();
        Ok(Denoised { cloud, iterations, stop, report: self.report })
    }
}

/// One pass over all points.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Counted from one.
    pub index: usize,
    /// How many there will be at most.
    pub count: usize,
    name: &'static str,
}

impl Pass {
    /// `step` of every point and its number, in parallel. Each task begins with new scratch
    /// space, so that what it keeps there depends on its own points alone.
    pub fn each<S>(
        &self,
        points: &[Point],
        run: &mut Run,
        scratch: impl Fn() -> S + Sync + Send,
        step: impl Fn(&mut S, usize, Point) -> Point + Sync + Send,
    ) -> Result<Vec<Point>, DenoiseError> {
        let mut moved = points.to_vec();
        self.fill([0.0, 1.0], &mut moved, run, scratch, |s, i, q| *q = step(s, i, *q))?;
        Ok(moved)
    }

    /// Works on every value and its number like [`each`](Self::each), as the part of the pass
    /// between these two shares of it.
    pub fn fill<T: Send, S>(
        &self,
        [from, to]: [f64; 2],
        values: &mut [T],
        run: &mut Run,
        scratch: impl Fn() -> S + Sync + Send,
        step: impl Fn(&mut S, usize, &mut T) + Sync + Send,
    ) -> Result<(), DenoiseError> {
        let all = values.len();
        let done = |n: usize| {
            let share = from + (to - from) * (n as f64 / all.max(1) as f64);
            (self.index as f64 - 1.0 + share) / self.count as f64
        };
        for (b, block) in values.chunks_mut(BLOCK).enumerate() {
            run.progress(self.name, self.index, done(b * BLOCK))?;
            let cancelled = run.cancel_flag();
            let chunks = block.par_chunks_mut(CHUNK).enumerate();
            chunks.for_each(|(c, chunk)| {
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
                let mut scratch = scratch();
                let first = b * BLOCK + c * CHUNK;
                for (i, value) in chunk.iter_mut().enumerate() {
                    step(&mut scratch, first + i, value);
                }
            });
        }
        run.progress(self.name, self.index, done(all))
    }
}

/// What a pass did, in file units.
fn record(index: usize, unit: f64, before: &[Point], after: &[Point]) -> Iteration {
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for (&a, &b) in before.iter().zip(after) {
        let d = vec3::distance2(a, b).sqrt();
        sum += d;
        most = most.max(d);
    }
    Iteration {
        index,
        mean_displacement: unit * sum / before.len().max(1) as f64,
        max_displacement: unit * most,
        ..Iteration::default()
    }
}
