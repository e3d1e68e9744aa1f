//! Two verbs: learn from a sample what to do, and apply it to a piece. A cloud that fits is its own
//! sample and its own piece.

use pellucid_cloud::Point;
use serde::{Deserialize, Serialize};

use super::estimate::{Estimate, Sample};
use super::kinds::Kinds;
use super::levels::{Level, Levels, MostRounds};
use super::round::Cloud;
use super::{Auto, MIN_POINTS, outliers, relax, sideways};
use crate::frame::LocalFrame;
use crate::{DenoiseError, Report, Run, Stop};

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Treatment {
    /// The noise of what is surface.
    pub estimate: Estimate,
    /// Levels that separate volumes from surfaces, if there are any volumes.
    pub trial: Vec<Level>,
    /// Levels of what is surface.
    pub levels: Vec<Level>,
    /// Whether points move along their normals only.
    pub along_normals: bool,
    /// Whether points on lines are those of rows of a scan.
    pub rows: bool,
}

/// Points to learn from, or to denoise.
pub struct Work<'a, 'r> {
    pub auto: &'a Auto,
    /// The points; those that take no part are left out on the way.
    pub frame: LocalFrame,
    /// Positions of all rows.
    pub positions: &'a [Point],
    /// Rows that have all of their neighbors, where some do not.
    pub inner: Option<&'a [bool]>,
    pub most: MostRounds,
    pub seed: u64,
    /// Whether the observer asked to stop.
    pub stopped: bool,
    pub report: &'a mut Report,
    pub run: &'a mut Run<'r>,
}

impl Treatment {
    /// The last level with rounds of its own.
    pub fn last(&self) -> Option<&Level> {
        self.levels.iter().rev().find(|l| !l.rounds.is_empty())
    }

    /// Why rounds ended.
    pub fn stop(&self) -> Stop {
        self.last().map_or(Stop::NothingToDo, |l| l.stop)
    }

    /// How many rounds points go through.
    pub fn rounds(&self) -> usize {
        self.trial.iter().chain(&self.levels).map(|l| l.rounds.len()).sum()
    }
}

impl Work<'_, '_> {
    /// Learns what to do, and does it: where points are then.
    pub fn learn(&mut self) -> Result<(Treatment, Vec<Point>), DenoiseError> {
        let (mut estimate, _) = self.estimate();
        let rows = self.set_aside(estimate.noise, None);
        let noise = estimate.of_points(&self.sample(&self.inner_points()));
        let mut trial = Vec::new();
        let mut y = self.frame.points().to_vec();
        let mut levels = Vec::new();
        if !self.is_idle(&estimate) {
            (levels, y) = self.levels(&noise, rows, |l| l.learn(estimate.noise))?;
            if !self.stopped && self.leave_out_volumes(&y, false) {
                trial = levels;
                levels = Vec::new();
                let noise;
                (estimate, noise) = self.estimate();
                y = self.frame.points().to_vec();
                if !self.is_idle(&estimate) {
                    (levels, y) = self.levels(&noise, rows, |l| l.learn(estimate.noise))?;
                }
            }
        }
        let along_normals = !levels.is_empty() && self.is_regular(&y);
        if along_normals {
            sideways::undo(self.frame.points(), &mut y);
        }
        self.hold(&estimate, &mut y)?;
        Ok((Treatment { estimate, trial, levels, along_normals, rows }, y))
    }

    /// Does what was learned: where points are then.
    pub fn apply(&mut self, t: &Treatment) -> Result<Vec<Point>, DenoiseError> {
        let mut y = self.frame.points().to_vec();
        if self.frame.points().len() < MIN_POINTS {
            return Ok(y);
        }
        self.set_aside(t.estimate.noise, Some(t.rows));
        for (levels, is_trial) in [(&t.trial, true), (&t.levels, false)] {
            if self.stopped {
                break;
            }
            y = self.frame.points().to_vec();
            if !levels.is_empty() && y.len() >= MIN_POINTS {
                let noise = t.estimate.of_points(&self.sample(&self.inner_points()));
                ((), y) = self.levels(&noise, t.rows, |l| l.apply(levels))?;
                if is_trial && !self.stopped {
                    self.leave_out_volumes(&y, true);
                    y = self.frame.points().to_vec();
                }
            }
        }
        if t.along_normals {
            sideways::undo(self.frame.points(), &mut y);
        }
        self.hold(&t.estimate, &mut y)?;
        Ok(y)
    }

    /// Whether measured points still have their distances along the surface `y`.
    fn is_regular(&self, y: &[Point]) -> bool {
        let inner = self.inner_points();
        let is_inner = |i: usize| inner.as_ref().is_none_or(|inner| inner[i]);
        sideways::regularity(self.frame.points(), y, is_inner) > self.auto.tuning.regular
    }

    /// Sets outliers and lines aside; whether lines are the rows of a scan.
    fn set_aside(&mut self, noise: f64, rows: Option<bool>) -> bool {
        let frame = &mut self.frame;
        let found = Run::timed(self.report, "outliers", || outliers::set_aside(frame, noise, rows));
        self.report.gross_outliers = found.outliers;
        self.report.line_points = found.lines;
        found.rows
    }

    /// The noise as the parameters give it, or else as the points show it.
    fn estimate(&mut self) -> (Estimate, Vec<f64>) {
        if let Some(given) = self.auto.parameters.noise {
            let noise = given / self.frame.unit();
            let all = vec![noise; self.frame.points().len()];
            return (Estimate { noise, uneven: None, steps: None, reliable: true }, all);
        }
        let inner = self.inner_points();
        let mut report = std::mem::take(self.report);
        let found = Run::timed(&mut report, "noise", || Estimate::new(&self.sample(&inner)));
        *self.report = report;
        found
    }

    fn inner_points(&self) -> Option<Vec<bool>> {
        self.inner.map(|inner| self.frame.pick(inner))
    }

    fn sample<'b>(&'b self, inner: &'b Option<Vec<bool>>) -> Sample<'b> {
        Sample {
            points: self.frame.points(),
            numbers: self.frame.ordinals(),
            inner: inner.as_deref(),
        }
    }

    fn is_idle(&self, estimate: &Estimate) -> bool {
        estimate.noise < self.auto.tuning.negligible
            || self.auto.parameters.strength == 0.0
            || self.frame.points().len() < MIN_POINTS
    }

    /// Goes through levels, for points in the rows of a scan or not.
    fn levels<T>(
        &mut self,
        noise: &[f64],
        rows: bool,
        go: impl FnOnce(&mut Levels) -> Result<T, DenoiseError>,
    ) -> Result<(T, Vec<Point>), DenoiseError> {
        let inner = self.inner_points();
        let (frame, positions) = (&self.frame, self.positions);
        let show = |y: &[Point]| frame.leave_from(positions, y);
        let mut levels = Levels {
            cloud: Cloud {
                observed: frame.points(),
                numbers: frame.ordinals(),
                noise,
                step: self.auto.tuning.step(rows),
                seed: self.seed,
                inner: inner.as_deref(),
            },
            tuning: &self.auto.tuning,
            strength: self.auto.parameters.strength,
            even: self.auto.parameters.even,
            most: self.most,
            limit: 0,
            span: [0.0, 1.0],
            show: &show,
            unit: frame.unit(),
            report: self.report,
            run: self.run,
            y: frame.points().to_vec(),
            stopped: false,
        };
        let done = go(&mut levels)?;
        let Levels { y, stopped, .. } = levels;
        self.stopped |= stopped;
        Ok((done, y))
    }

    /// Takes points out of the frame that did not become a surface; whether there are any. It is
    /// known, or to be found out, whether the cloud has volumes.
    fn leave_out_volumes(&mut self, y: &[Point], known: bool) -> bool {
        let (frame, tuning) = (&mut self.frame, &self.auto.tuning);
        let flags = Run::timed(self.report, "kinds", || {
            let kinds = Kinds::new(frame.points(), y, tuning)?;
            (known || kinds.has_volumes(frame.ordinals())).then(|| kinds.volumes())
        });
        let count = flags.iter().flatten().filter(|f| **f).count();
        if let Some(flags) = flags.filter(|_| count > 0) {
            frame.leave_out(&flags);
            self.report.volume_points = count;
        }
        count > 0
    }

    /// Brings points back that went too far.
    fn hold(&mut self, estimate: &Estimate, y: &mut [Point]) -> Result<(), DenoiseError> {
        if self.stopped {
            return Ok(());
        }
        let reach = self.auto.parameters.reach;
        let noise = estimate.of_points(&self.sample(&None));
        let negligible = self.auto.tuning.negligible;
        relax::hold(self.frame.points(), y, |i| match noise[i] < negligible {
            true => 0.0,
            false => reach * noise[i].max(0.5),
        });
        if self.report.history.is_empty() {
            return Ok(());
        }
        self.run.progress("finishing", self.report.history.len(), 0.99)?;
        Ok(())
    }
}
