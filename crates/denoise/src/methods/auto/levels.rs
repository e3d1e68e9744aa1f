//! Coarse to fine: where the noise spans several spacings, the cloud is cut into interleaved parts
//! in which it is near one, each part is denoised by itself, and all points together come last.

use pellucid_cloud::{Point, spacing, vec3};
use serde::{Deserialize, Serialize};

use super::choice::Measured;
use super::estimate::{self, Sample};
use super::finish::Finish;
use super::round::{Cloud, Moved, Recipe, Seen};
use super::schedule::{Follow, WALLS_AFTER};
use super::tuning::Tuning;
use super::{MIN_POINTS, weigh};
use crate::graph::scramble;
use crate::{DenoiseError, Iteration, Report, Run, Snapshot, Stop};

/// Makes the deal of points to parts another draw than that of centers.
const DEAL: u64 = 0x9e37_79b9_7f4a_7c15;

/// Fewest points of a part.
const FEWEST: usize = 512;

/// Share of the work that is done when all parts are, while it is not known how many rounds follow.
const SHARE_OF_PARTS: f64 = 0.6;
/// What the end of a level takes, in rounds, without and with facets.
const ENDS: [f64; 2] = [0.4, 1.2];

/// Most rounds of a level.
#[derive(Debug, Clone, Copy)]
pub struct MostRounds {
    /// Of a cloud that is not cut into parts.
    pub alone: usize,
    /// Of parts.
    pub parts: usize,
    /// Of all points together after parts; without any they go through the end of the level only.
    pub after_parts: usize,
}

/// What is done at one scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// How many interleaved parts the cloud is cut into.
    pub parts: usize,
    /// The mean spacing of a part, in spacings of the cloud.
    pub unit: f64,
    /// Rounds, as they were learned.
    pub rounds: Vec<Recipe>,
    /// Why there are no more rounds.
    pub stop: Stop,
    /// How thin features are for the noise: 0 not, 1 very.
    pub thinness: f64,
    /// What comes after the rounds.
    pub finish: Finish,
}

/// A run over the levels.
pub struct Levels<'a, 'r> {
    /// The points.
    pub cloud: Cloud<'a>,
    /// The constants.
    pub tuning: &'a Tuning,
    /// How much of the noise is removed, 1 for all of it.
    pub strength: f64,
    /// Steps of tangential relaxation.
    pub even: usize,
    /// Most rounds of levels.
    pub most: MostRounds,
    /// Most rounds of the level at hand.
    pub limit: usize,
    /// Where the level at hand begins and ends, as shares of the work.
    pub span: [f64; 2],
    /// All positions of the cloud with points moved to these.
    pub show: &'a dyn Fn(&[Point]) -> Vec<Point>,
    /// File units a spacing.
    pub unit: f64,
    pub report: &'a mut Report,
    pub run: &'a mut Run<'r>,
    /// Where points are.
    pub y: Vec<Point>,
    /// Whether the observer asked to stop.
    pub stopped: bool,
}

/// A part of the points, in its own unit.
struct Part {
    rows: Vec<u32>,
    observed: Vec<Point>,
    numbers: Vec<u32>,
    noise: Vec<f64>,
    inner: Option<Vec<bool>>,
    y: Vec<Point>,
    /// Spacings of the cloud a unit of the part.
    unit: f64,
    /// Whether its rounds are shown and counted: those of the last part.
    shown: bool,
}

impl Level {
    /// How much there is to do, in rounds.
    fn work(&self) -> f64 {
        self.rounds.len() as f64 + ENDS[usize::from(self.finish.facets)]
    }
}

impl Levels<'_, '_> {
    /// Learns the levels for that noise, coarsest first, and goes through them.
    pub fn learn(&mut self, noise: f64) -> Result<Vec<Level>, DenoiseError> {
        let parts = self.parts(noise);
        let most = if parts > 1 { self.most.parts } else { self.most.alone };
        let end = if parts > 1 { SHARE_OF_PARTS } else { 1.0 };
        (self.limit, self.span) = (most, [0.0, end]);
        let mut levels = vec![self.level(parts, noise, None)?];
        if parts > 1 && !self.stopped {
            let left = estimate::noise_left(&self.sample());
            if left >= self.tuning.negligible {
                (self.limit, self.span) = (self.most.after_parts, [end, 1.0]);
                levels.push(self.level(1, left, None)?);
            }
        }
        Ok(levels)
    }

    /// Goes through levels as they were learned.
    pub fn apply(&mut self, levels: &[Level]) -> Result<(), DenoiseError> {
        let all: f64 = levels.iter().map(Level::work).sum();
        let mut done = 0.0;
        for level in levels {
            let begin = done / all;
            done += level.work();
            self.span = [begin, done / all];
            if !self.stopped {
                self.level(level.parts, 0.0, Some(level))?;
            }
        }
        Ok(())
    }

    /// How many parts leave the noise near the side of a point's square in each; fewer where
    /// features are thinner than the noise.
    fn parts(&self, noise: f64) -> usize {
        let sample = self.sample();
        let thinness = estimate::thinness(&sample, noise);
        let sides = noise / estimate::side(&sample, noise);
        let ratio = sides * (1.0 - self.tuning.less_coarse * thinness);
        if ratio <= self.tuning.coarse {
            return 1;
        }
        let parts = (self.tuning.parts * ratio).round() as usize;
        parts.min(self.y.len() / FEWEST).max(1)
    }

    fn sample(&self) -> Sample<'_> {
        Sample { points: &self.y, numbers: self.cloud.numbers, inner: self.cloud.inner }
    }

    /// Goes through a level as it was learned, or learns it from its first part.
    fn level(
        &mut self,
        parts: usize,
        noise: f64,
        given: Option<&Level>,
    ) -> Result<Level, DenoiseError> {
        let mut level = given.cloned();
        let [begin, end] = self.span;
        for k in 0..parts {
            let at = |k: usize| begin + (end - begin) * k as f64 / parts as f64;
            self.span = [at(k), at(k + 1)];
            let mut part = self.part(k, parts);
            // A piece of a cloud may have nearly nothing of a part.
            if part.rows.len() < MIN_POINTS {
                continue;
            }
            let unit = match &level {
                Some(level) => level.unit,
                None => spacing::spacing_of(&part.y),
            };
            part.scale(1.0 / unit);
            part.unit = unit;
            let done = self.denoise_part(&mut part, noise / unit, parts, level.as_ref())?;
            level = Some(Level { unit, ..done });
            part.scale(unit);
            for (&row, &p) in part.rows.iter().zip(&part.y) {
                self.y[row as usize] = p;
            }
        }
        level.ok_or(DenoiseError::Numerical { step: "levels", detail: "no part has points".into() })
    }

    /// Reports round `index` of the part at hand, of which a share is done.
    fn progress(&mut self, index: usize, share: f64) -> Result<(), DenoiseError> {
        let [begin, end] = self.span;
        self.run.progress("denoising", index, 0.98 * (begin + (end - begin) * share))
    }

    /// Rounds and the end of a level on one part.
    fn denoise_part(
        &mut self,
        part: &mut Part,
        noise: f64,
        parts: usize,
        given: Option<&Level>,
    ) -> Result<Level, DenoiseError> {
        let mut level = match given {
            Some(level) => level.clone(),
            None => self.rounds_of(part, noise, parts)?,
        };
        if let Some(given) = given {
            let mut seen = Seen::default();
            let start = part.y.clone();
            for (k, recipe) in given.rounds.iter().enumerate() {
                self.progress(k + 1, k as f64 / given.work())?;
                let limit = self.strength * self.tuning.most_removed(given.thinness);
                let moved = part.cloud(&self.cloud).round(
                    &part.y,
                    &start,
                    k + 1,
                    &recipe.settings,
                    limit,
                    Some(recipe),
                    &mut seen,
                    self.report,
                )?;
                if self.take(part, moved, None)? {
                    return Ok(level);
                }
            }
        }
        if !self.stopped {
            let Part { observed, noise, y, .. } = part;
            let measured = Measured { observed, noise, tuning: self.tuning };
            let step = self.cloud.step;
            let worth =
                Run::timed(self.report, "finish", || level.finish.apply(&measured, step, y));
            if given.is_none() {
                level.finish.facets = worth;
            }
        }
        Ok(level)
    }

    /// Learns the rounds of a level, and what comes after them.
    fn rounds_of(
        &mut self,
        part: &mut Part,
        noise: f64,
        parts: usize,
    ) -> Result<Level, DenoiseError> {
        let mut seen = Seen::default();
        let mut rounds = Vec::new();
        let mut follow = Follow::new(self.tuning, noise, self.strength);
        let start = part.y.clone();
        let mut stop = Stop::IterationLimit;
        for index in 1..=self.limit {
            self.progress(index, 0.9 * follow.done())?;
            let cloud = part.cloud(&self.cloud);
            let settings = follow.settings();
            let moved = cloud.round(
                &part.y,
                &start,
                index,
                &settings,
                follow.limit(),
                None,
                &mut seen,
                self.report,
            )?;
            if index == WALLS_AFTER {
                let sample = Sample {
                    points: &moved.y,
                    numbers: &part.numbers,
                    inner: part.inner.as_deref(),
                };
                follow.walls(estimate::thinness(&sample, noise));
            }
            let enough = follow.judge(moved.mean, moved.removed);
            rounds.push(moved.recipe.clone());
            if self.take(part, moved, Some(follow.left()))? {
                stop = Stop::Observer;
                break;
            }
            if let Some(reason) = enough {
                stop = reason;
                break;
            }
        }
        let sample =
            Sample { points: &part.y, numbers: &part.numbers, inner: part.inner.as_deref() };
        let left = estimate::noise_left(&sample);
        let thinness = follow.thinness();
        let amount = ((1.0 - thinness) * self.strength).min(1.0);
        let even = (self.even as f64 * (1.0 - 0.5 * thinness)).round() as usize;
        // Too few points of a part are on a small facet to say whether it is one.
        let finish =
            Finish { facets: parts == 1, ..Finish::new(self.tuning, noise, left, amount, even) };
        Ok(Level { parts, unit: 1.0, rounds, stop, thinness, finish })
    }

    /// Takes a round over and shows it, if its part is shown; whether the observer wants no more.
    fn take(
        &mut self,
        part: &mut Part,
        moved: Moved,
        left: Option<f64>,
    ) -> Result<bool, DenoiseError> {
        if !part.shown {
            part.y = moved.y;
            return Ok(false);
        }
        let index = self.report.history.len() + 1;
        let mut record = Iteration { index, ..Iteration::default() };
        super::super::fgl::steps::record_movement(
            &mut record,
            &part.y,
            &moved.y,
            part.unit * self.unit,
        );
        record.noise_left = left.map(|left| left * part.unit * self.unit);
        record.gamma = Some(moved.recipe.settings.gamma);
        let rows = moved.recipe.metric.chunks_exact(weigh::FEATURES);
        record.metric = Some(rows.map(<[f64]>::to_vec).collect());
        part.y = moved.y;
        let positions = || {
            let mut y = self.y.clone();
            for (&row, &p) in part.rows.iter().zip(&part.y) {
                y[row as usize] = vec3::scale(p, part.unit);
            }
            (self.show)(&y)
        };
        let watched = self.run.iteration(&Snapshot { record: &record, positions: &positions })?;
        self.report.metric.clone_from(&record.metric);
        self.report.features = weigh::NAMES.map(String::from).to_vec();
        self.report.history.push(record);
        self.stopped |= watched;
        Ok(watched)
    }

    /// Part `k` of `parts`: points are dealt out by their numbers, so that a piece of the cloud has
    /// the parts that the whole would have there.
    fn part(&self, k: usize, parts: usize) -> Part {
        let cloud = &self.cloud;
        let is_dealt =
            |i: &usize| scramble(u64::from(cloud.numbers[*i]) ^ DEAL) % parts as u64 == k as u64;
        let rows: Vec<usize> = (0..self.y.len()).filter(is_dealt).collect();
        Part {
            observed: rows.iter().map(|&i| cloud.observed[i]).collect(),
            numbers: rows.iter().map(|&i| cloud.numbers[i]).collect(),
            noise: rows.iter().map(|&i| cloud.noise[i]).collect(),
            inner: cloud.inner.map(|inner| rows.iter().map(|&i| inner[i]).collect()),
            y: rows.iter().map(|&i| self.y[i]).collect(),
            rows: rows.into_iter().map(|i| i as u32).collect(),
            unit: 1.0,
            shown: k + 1 == parts,
        }
    }
}

impl Part {
    fn cloud<'a>(&'a self, whole: &Cloud<'a>) -> Cloud<'a> {
        Cloud {
            observed: &self.observed,
            numbers: &self.numbers,
            noise: &self.noise,
            inner: self.inner.as_deref(),
            ..*whole
        }
    }

    fn scale(&mut self, by: f64) {
        for p in self.observed.iter_mut().chain(&mut self.y) {
            *p = vec3::scale(*p, by);
        }
        self.noise.iter_mut().for_each(|n| *n *= by);
    }
}
