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
mod relax;
mod round;
mod schedule;
mod survey;
mod weigh;

use pellucid_cloud::{Point, PointCloud};
use serde::{Deserialize, Serialize};

use crate::frame::{LocalFrame, Unit};
use crate::registry::{Method, Parameter, Parameters};
use crate::{
    DenoiseError, Denoised, Denoiser, Iteration, ParameterError, Report, Run, Snapshot, Stop,
};

use finish::Finish;
use round::{Cloud, Recipe, Seen};
use schedule::{Follow, Settings};

pub use learned::Learned;
pub use survey::Survey;

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
}

impl Default for AutoParameters {
    fn default() -> Self {
        AutoParameters { strength: 1.0, even: 4, reach: 5.0 }
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

/// Rounds that came to an end.
struct Ended {
    y: Vec<Point>,
    plan: Plan,
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
                let found = Run::timed(&mut report, "noise", || choose::look(&all));
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
        let follow = Follow::new(found.sigma(), self.0.strength);
        let all = Cloud::of(&frame, run.seed);
        let show = |y: &[Point]| frame.leave(noisy, y);
        let Ended { mut y, plan } =
            self.rounds(&all, follow, plan, &frame, &show, &mut report, run)?;
        report.notes.extend(choose::ending(&plan, self.0.strength, &report));
        if plan.stop != Stop::Observer {
            self.finish(&frame, &mut y, &plan.finish, &found, &show, &mut report, run)?;
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

    /// What the rounds need to know of a large cloud, from a part of it.
    fn learn(
        &self,
        cloud: &Cloud,
        frame: &LocalFrame,
        follow: Follow,
        run: &mut Run,
    ) -> Result<Plan, DenoiseError> {
        let mut quiet = Run::default().with_seed(run.seed).with_cancel(run.cancel_flag().clone());
        let mut report = Report::default();
        let show = |_: &[Point]| Vec::new();
        let ended = self.rounds(cloud, follow, None, frame, &show, &mut report, &mut quiet)?;
        Ok(ended.plan)
    }

    /// Rounds until it is enough, or as many as there are recipes.
    #[allow(clippy::too_many_arguments)]
    fn rounds(
        &self,
        cloud: &Cloud,
        mut follow: Follow,
        given: Option<Plan>,
        frame: &LocalFrame,
        show: &dyn Fn(&[Point]) -> Vec<Point>,
        report: &mut Report,
        run: &mut Run,
    ) -> Result<Ended, DenoiseError> {
        let mut y = cloud.observed.to_vec();
        let mut recipes = Vec::new();
        let limit = given.as_ref().map_or(follow.most(), |g| g.recipes.len());
        let mut stop = given.as_ref().map_or(Stop::IterationLimit, |g| g.stop);
        let mut told = 0.0_f64;
        let mut seen = Seen::default();
        for i in 1..=limit {
            let by_count = (i - 1) as f64 / limit as f64;
            told = told.max(if given.is_some() { by_count } else { 0.95 * follow.done() });
            run.progress("denoising", i, 0.98 * told)?;
            let settings = Settings::for_noise(follow.left());
            let recipe = given.as_ref().map(|g| &g.recipes[i - 1]);
            let moved = cloud.round(&y, i, &settings, recipe, &mut seen, report)?;
            let mut record = Iteration { index: i, ..Iteration::default() };
            super::fgl::steps::record_movement(&mut record, &y, &moved.y, frame.unit());
            y = moved.y;
            if i == schedule::WALLS_AFTER && given.is_none() {
                follow.walls(choose::thinness(cloud, &y, follow.sigma()));
            }
            let enough = follow.judge(moved.mean, moved.removed);
            record.noise_left = Some(follow.left() * frame.unit());
            record.gamma = Some(moved.recipe.settings.gamma);
            record.metric = Some(rows(&moved.recipe.metric));
            let watched = run.iteration(&Snapshot { record: &record, positions: &|| show(&y) })?;
            report.metric = record.metric.clone();
            report.features = weigh::NAMES.map(String::from).to_vec();
            report.history.push(record);
            recipes.push(moved.recipe);
            if watched {
                stop = Stop::Observer;
                break;
            }
            if let (Some(reason), None) = (enough, &given) {
                stop = reason;
                break;
            }
        }
        let (thinness, finish) = given.map_or_else(
            || {
                let (left, thinness) = (choose::noise_left(cloud, &y), follow.thinness());
                let AutoParameters { strength, even, .. } = self.0;
                (thinness, Finish::new(follow.sigma(), left, thinness, strength, even))
            },
            |g| (g.thinness, g.finish),
        );
        Ok(Ended { y, plan: Plan { recipes, stop, thinness, finish } })
    }

    /// Smooths and evens out the points and holds back those that went too far.
    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        frame: &LocalFrame,
        y: &mut Vec<Point>,
        finish: &Finish,
        found: &choose::Found,
        show: &dyn Fn(&[Point]) -> Vec<Point>,
        report: &mut Report,
        run: &mut Run,
    ) -> Result<(), DenoiseError> {
        let reach = self.0.reach * found.sigma().max(0.5);
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

fn rows(metric: &[f64]) -> Vec<Vec<f64>> {
    metric.chunks_exact(weigh::FEATURES).map(<[f64]>::to_vec).collect()
}
