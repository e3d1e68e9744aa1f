//! Decides everything from the cloud: feature graph learning without a knob.
//!
//! Gross outliers take no part ([`aside`]). What the noise is ([`choose`]), how large patches are
//! and when to stop ([`schedule`]) follow from the cloud itself. A [`round`] is an iteration of the paper's Algorithm 1 in a form that sees
//! only what is near: besides the metric and a few numbers, learned from a part of a large cloud
//! ([`survey`], [`learned`]), a piece of the cloud gets what the whole would. At last heights are
//! smoothed once more ([`finish`]) and points even out along the surface ([`relax`]), since half of
//! what is left of the noise by then lies sideways.

mod aside;
mod choose;
mod finish;
mod learned;
mod pull;
mod regions;
mod relax;
mod round;
mod schedule;
mod stages;
mod survey;
mod weigh;
mod without;

use pellucid_cloud::{Point, PointCloud};
use serde::{Deserialize, Serialize};

use crate::frame::{LocalFrame, Unit};
use crate::registry::{Method, Parameter, Parameters};
use crate::{
    DenoiseError, Denoised, Denoiser, Iteration, ParameterError, Report, Run, Snapshot, Stop,
};

use finish::Finish;
use round::{Cloud, Recipe};
use schedule::Follow;
use stages::{Ended, Rounds};

pub use learned::Learned;
pub use survey::Survey;
pub use without::Decision;

const NAME: &str = "auto";
const MIN_POINTS: usize = 4;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    parameters: &[
        Parameter {
            name: "strength",
            unit: "",
            about: "1 as the cloud asks for; less keeps more, more smooths more (0 to 2)",
        },
        Parameter {
            name: "even",
            unit: "steps",
            about: "steps of evening out the points along the surface at the end; 0 for none",
        },
        Parameter {
            name: "reach",
            unit: "noise",
            about: "no point moves by more than this many times the estimated noise",
        },
        Parameter {
            name: "without",
            unit: "",
            about: "for studies: a decision to leave out, by its name in the method's page",
        },
    ],
    ..Method::new::<AutoParameters>(
        NAME,
        "feature graph learning with everything decided from the cloud itself",
        "after Hu, Gao, Cheung & Guo 2020, Feature graph learning for 3D point cloud denoising",
        Some("10.1109/TSP.2020.2978617"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoParameters {
    /// How much of what the cloud asks for is done.
    pub strength: f64,
    /// Steps along the surface at the end.
    pub even: usize,
    /// Most that a point may move, in units of the noise.
    pub reach: f64,
    /// A decision to leave out, for studies.
    pub without: Option<Decision>,
}

impl Default for AutoParameters {
    fn default() -> Self {
        AutoParameters { strength: 1.0, even: 4, reach: 5.0, without: None }
    }
}

impl Parameters for AutoParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let (s, r) = (self.strength, self.reach);
        ParameterError::check((0.0..=2.0).contains(&s), "strength", s, "0 to 2")?;
        ParameterError::check(self.even <= 100, "even", self.even, "0 to 100")?;
        ParameterError::check(r > 0.0 && r.is_finite(), "reach", r, "above 0")?;
        Ok(Box::new(Auto(self)))
    }
}

struct Auto(AutoParameters);

/// What rounds do, why there are no more of them, and what comes after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    recipes: Vec<Recipe>,
    stop: Stop,
    /// How thin walls are for the noise: 0 not, 1 very.
    thinness: f64,
    finish: Finish,
}

impl Plan {
    /// Nothing to do.
    fn idle() -> Plan {
        let finish = Finish::default();
        Plan { recipes: Vec::new(), stop: Stop::NothingToDo, thinness: 0.0, finish }
    }
}

impl Denoiser for Auto {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        run.progress("looking", 1, 0.0)?;
        let mut report = Report::default();
        let large = Run::timed(&mut report, "learning", || Learned::of(&self.0, noisy, run))?;
        let (mut frame, found, plan) = match large {
            Some((known, frame)) => (frame, known.found, Some(known.plan)),
            None => {
                let frame = Run::timed(&mut report, "frame", || {
                    LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS)
                })?;
                let all = Cloud::of(&frame, run.seed);
                let found = Run::timed(&mut report, "noise", || choose::look(&all, self.0.without));
                (frame, found, None)
            }
        };
        report.spacing = Some(frame.unit());
        report.noise = Some(found.sigma() * frame.unit());
        report.skipped_rows = noisy.len() - frame.rows().len();
        report.notes = found.in_words();
        report.gross_outliers =
            Run::timed(&mut report, "outliers", || aside::set_aside(&mut frame, found.sigma()));
        report.notes.extend(aside::in_words(report.gross_outliers));
        if self.is_idle(&found) || frame.points().len() < MIN_POINTS {
            report.notes.push("nothing was moved".to_owned());
            let (cloud, stop) = (noisy.clone(), Stop::NothingToDo);
            return Ok(Denoised { cloud, iterations: 0, stop, report });
        }
        let all = Cloud::of(&frame, run.seed);
        let noises = Run::timed(&mut report, "regions", || found.noises(&all));
        let all = all.with(noises.as_ref());
        let show = |y: &[Point]| frame.leave(noisy, y);
        let rounds = Rounds { auto: self, frame: &frame, show: &show, report: &mut report, run };
        let Ended { mut y, plan } = match plan {
            Some(plan) => rounds.repeat(&all, plan)?,
            None => rounds.learn(&all, Follow::new(found.sigma(), self.0.strength))?,
        };
        report.notes.extend(choose::ending(&plan, self.0.strength, &report));
        if plan.stop != Stop::Observer {
            self.finish(&all, &frame, &mut y, &plan.finish, &found, &show, &mut report, run)?;
        }
        let cloud = noisy.with_positions(show(&y)).map_err(|e| DenoiseError::Numerical {
            step: "putting points back",
            detail: e.to_string(),
        })?;
        Ok(Denoised { cloud, iterations: report.history.len(), stop: plan.stop, report })
    }
}

impl Auto {
    /// Whether there is nothing to do.
    fn is_idle(&self, found: &choose::Found) -> bool {
        found.is_clean() || self.0.strength == 0.0
    }

    /// Smooths and evens out the points and holds back those that went too far.
    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        cloud: &Cloud,
        frame: &LocalFrame,
        y: &mut Vec<Point>,
        finish: &Finish,
        found: &choose::Found,
        show: &dyn Fn(&[Point]) -> Vec<Point>,
        report: &mut Report,
        run: &mut Run,
    ) -> Result<(), DenoiseError> {
        let all = self.0.reach * found.sigma().max(0.5);
        let reach = |i| cloud.noises.map_or(all, |n| self.0.reach * n.movable(i));
        let index = report.history.len() + 1;
        run.progress("finishing", index, 0.99)?;
        let before = y.clone();
        Run::timed(report, "finish", || {
            finish.apply(y);
            relax::hold(frame.points(), y, reach);
        });
        let mut record = Iteration { index, ..Iteration::default() };
        super::fgl::steps::record_movement(&mut record, &before, y, frame.unit());
        run.iteration(&Snapshot { record: &record, positions: &|| show(y) })?;
        report.history.push(record);
        Ok(())
    }
}
