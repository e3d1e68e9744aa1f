//! Rounds, one after another: learned until it is enough, or done again as they were learned.
//!
//! Where noise differs from place to place, a stage ends when the noisiest points are done. Those
//! that had not joined by then have the next one for themselves.

use pellucid_cloud::Point;

use super::choose;
use super::finish::Finish;
use super::round::{Cloud, Moved, Recipe, Seen};
use super::schedule::{self, Follow, Settings};
use super::{Auto, AutoParameters, Decision, Plan, weigh};
use crate::frame::LocalFrame;
use crate::{DenoiseError, Iteration, Report, Run, Snapshot, Stop};

/// Most stages: each leaves points with a fraction of its noise.
const STAGES: usize = 4;

/// Rounds that came to an end.
pub struct Ended {
    /// Where points are.
    pub y: Vec<Point>,
    /// What was done, and what is left to do.
    pub plan: Plan,
}

/// Rounds on their way.
pub struct Rounds<'a, 'r> {
    pub auto: &'a Auto,
    pub frame: &'a LocalFrame,
    pub show: &'a dyn Fn(&[Point]) -> Vec<Point>,
    pub report: &'a mut Report,
    pub run: &'a mut Run<'r>,
}

/// Where rounds are.
struct State {
    y: Vec<Point>,
    recipes: Vec<Recipe>,
    seen: Seen,
    /// Part of the work that was told to be done.
    told: f64,
}

impl State {
    fn of(cloud: &Cloud) -> State {
        let (y, seen) = (cloud.observed.to_vec(), Seen::default());
        State { y, recipes: Vec::new(), seen, told: 0.0 }
    }
}

impl Rounds<'_, '_> {
    /// Learns what to do on the way.
    pub fn learn(mut self, cloud: &Cloud, follow: Follow) -> Result<Ended, DenoiseError> {
        let mut state = State::of(cloud);
        let mut cloud = Cloud { ..*cloud };
        let mut follow = follow;
        let mut stop = self.stage(&cloud, &mut follow, &mut state)?;
        let AutoParameters { strength, even, without, .. } = self.auto.0;
        let (mut thinness, sigma) = (follow.thinness(), follow.sigma());
        let left = choose::noise_left(&cloud, &state.y);
        for _ in 1..STAGES {
            let joined = state.recipes.last().map_or(0.0, |r| r.settings.least_noise);
            let next = cloud.noises.and_then(|n| n.below(joined));
            let Some(band) = next.filter(|_| stop != Stop::Observer) else { break };
            cloud.band = band;
            follow = follow.anew(choose::noise(&cloud, without));
            stop = self.stage(&cloud, &mut follow, &mut state)?;
            thinness = thinness.max(follow.thinness());
        }
        let finish = Finish::new(sigma, left, thinness, strength, even).without(without);
        let State { y, recipes, .. } = state;
        Ok(Ended { y, plan: Plan { recipes, stop, thinness, finish } })
    }

    /// Does again what was learned.
    pub fn repeat(mut self, cloud: &Cloud, plan: Plan) -> Result<Ended, DenoiseError> {
        let mut state = State::of(cloud);
        let mut stop = plan.stop;
        for (i, recipe) in plan.recipes.iter().enumerate() {
            state.told = i as f64 / plan.recipes.len() as f64;
            let moved = self.round(cloud, &recipe.settings, Some(recipe), &mut state)?;
            if self.is_enough(moved, recipe.left, &mut state)? {
                stop = Stop::Observer;
                break;
            }
        }
        let State { y, recipes, .. } = state;
        Ok(Ended { y, plan: Plan { recipes, stop, ..plan } })
    }

    /// Rounds until `follow` says that it is enough for the noisiest points.
    fn stage(
        &mut self,
        cloud: &Cloud,
        follow: &mut Follow,
        state: &mut State,
    ) -> Result<Stop, DenoiseError> {
        let without = self.auto.0.without;
        for i in 1..=follow.most() {
            state.told = state.told.max(0.95 * follow.done());
            let below = cloud.band.below;
            let settings = Settings { below, ..follow.settings(without) };
            let mut moved = self.round(cloud, &settings, None, state)?;
            if i == schedule::WALLS_AFTER && without != Some(Decision::ThinWalls) {
                follow.walls(choose::thinness(cloud, &moved.y, follow.sigma()));
            }
            let enough = follow
                .judge(moved.mean, moved.removed)
                .filter(|&stop| stop != Stop::Converged || without != Some(Decision::Rest));
            moved.recipe.left = follow.left();
            if self.is_enough(moved, follow.left(), state)? {
                return Ok(Stop::Observer);
            }
            if let Some(reason) = enough {
                return Ok(reason);
            }
        }
        Ok(Stop::IterationLimit)
    }

    fn round(
        &mut self,
        cloud: &Cloud,
        settings: &Settings,
        given: Option<&Recipe>,
        state: &mut State,
    ) -> Result<Moved, DenoiseError> {
        let index = state.recipes.len() + 1;
        self.run.progress("denoising", index, 0.98 * state.told)?;
        cloud.round(&state.y, index, settings, given, &mut state.seen, self.report)
    }

    /// Takes a round over and shows it; whether the observer wants no more.
    fn is_enough(
        &mut self,
        moved: Moved,
        left: f64,
        state: &mut State,
    ) -> Result<bool, DenoiseError> {
        let unit = self.frame.unit();
        let index = state.recipes.len() + 1;
        let mut record = Iteration { index, ..Iteration::default() };
        super::super::fgl::steps::record_movement(&mut record, &state.y, &moved.y, unit);
        record.noise_left = Some(left * unit);
        record.gamma = Some(moved.recipe.settings.gamma);
        record.metric = Some(rows(&moved.recipe.metric));
        state.y = moved.y;
        let positions = || (self.show)(&state.y);
        let watched = self.run.iteration(&Snapshot { record: &record, positions: &positions })?;
        self.report.metric = record.metric.clone();
        self.report.features = weigh::NAMES.map(String::from).to_vec();
        self.report.history.push(record);
        state.recipes.push(moved.recipe);
        Ok(watched)
    }
}

fn rows(metric: &[f64]) -> Vec<Vec<f64>> {
    metric.chunks_exact(weigh::FEATURES).map(<[f64]>::to_vec).collect()
}
