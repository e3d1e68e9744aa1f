//! What is known of a large cloud as a whole, and a piece of it denoised with that.

use pellucid_cloud::noise::NoiseMap;
use pellucid_cloud::{Point, PointCloud};
use serde::{Deserialize, Serialize};

use super::aside;
use super::choose::{self, Found};
use super::round::Cloud;
use super::schedule::Follow;
use super::stages::Rounds;
use super::survey::{Survey, WHOLE_UP_TO};
use super::{Auto, AutoParameters, MIN_POINTS, NAME, Plan};
use crate::frame::{self, LocalFrame, Place};
use crate::registry::Parameters;
use crate::{DenoiseError, Report, Run, Stop};

/// Changes with everything that makes other results from the same numbers.
const VERSION: u32 = 6;

/// Width of the surroundings that a piece needs, in spacings: for what comes at the end, for
/// each round, and for each pass over normals at the end.
///
/// A round carries what it sees from patch to patch, so the width goes with the rounds. On a million
/// points (4 rounds), pieces with 48 spacings around them differ from the whole run by 3e-5
/// spacings at most, those with 40 by 0.015 and those with 64 by 3e-12 (docs/big-clouds.md).
const HALO: f64 = 28.0;
const HALO_OF_ROUND: f64 = 6.0;
const HALO_OF_PASS: f64 = 3.0;

/// All that the method `auto` needs to know of a cloud as a whole: learned once from a [`Survey`],
/// it gives every piece of the cloud what the whole run would.
///
/// Plain data: write it down, send it elsewhere, read it back.
///
/// ```
/// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
/// use pellucid_denoise::Run;
/// use pellucid_denoise::tiles::{Learned, Survey};
///
/// let cloud = add_noise(&Shape::Torus.sample(3_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
/// let points = cloud.positions();
/// let mut survey = Survey::new();
/// while !survey.is_done() {
///     survey.see(points, |i| i as u32);
///     survey.end_pass();
/// }
/// let learned = Learned::from_survey(&survey, &Default::default(), &mut Run::default())?;
///
/// // A piece: its own points first, then those within `halo` of them.
/// let (core, halo) = (|p: &[f64; 3]| p[0] < 0.0, learned.halo());
/// let mut rows: Vec<u32> = (0..3_000).filter(|&i| core(&points[i as usize])).collect();
/// let own = rows.len();
/// let near = |p: &[f64; 3]| !core(p) && p[0] < halo;
/// rows.extend((0..3_000).filter(|&i| near(&points[i as usize])));
/// let piece: Vec<_> = rows.iter().map(|&i| points[i as usize]).collect();
/// let moved = learned.denoise_piece(&piece, &rows, own, &mut Run::default())?;
/// assert_eq!(moved.len(), own);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    version: u32,
    pub(super) place: Place,
    pub(super) found: Found,
    pub(super) plan: Plan,
    parameters: AutoParameters,
    seed: u64,
}

impl Learned {
    /// Learns from the points that a finished survey drew, with the seed of the run.
    pub fn from_survey(
        survey: &Survey,
        parameters: &AutoParameters,
        run: &mut Run,
    ) -> Result<Learned, DenoiseError> {
        parameters.clone().check()?;
        let (points, numbers) = survey.drawn();
        let Some((low, high)) = survey.bounds().filter(|_| points.len() >= MIN_POINTS) else {
            let (finite, rows, needed) = (survey.points(), survey.points(), MIN_POINTS);
            return Err(DenoiseError::TooFewPoints { method: NAME, finite, rows, needed });
        };
        let seed = run.seed;
        let mut quiet = Run::default().with_seed(seed).with_cancel(run.cancel_flag().clone());
        crate::install(run.threads(), || {
            let (centre, unit) = frame::measure(&points);
            let place = Place { low, high, centre, unit };
            let all: Vec<u32> = (0..points.len() as u32).collect();
            let mut frame = LocalFrame::at(&place, &all, &points, &numbers);
            let inner = survey.inner();
            let inside = |frame: &LocalFrame| -> Vec<bool> {
                frame.rows().iter().map(|&r| inner[r as usize]).collect()
            };
            let seen = inside(&frame);
            let cloud = Cloud { inner: Some(&seen), ..Cloud::of(&frame, seed) };
            let found = choose::look(&cloud, parameters.without);
            aside::set_aside(&mut frame, found.sigma());
            let inner = inside(&frame);
            let cloud = Cloud { inner: Some(&inner), ..Cloud::of(&frame, seed) };
            let noises = found.noises(&cloud);
            let cloud = cloud.with(noises.as_ref());
            let auto = Auto(parameters.clone());
            let follow = Follow::new(found.sigma(), parameters.strength);
            let follow = match survey.points() > WHOLE_UP_TO {
                true => follow.briefly(),
                false => follow,
            };
            let too_few = frame.points().len() < MIN_POINTS;
            let plan = match too_few || auto.is_idle(&found) {
                true => Plan::idle(),
                false => {
                    let (show, report) = (|_: &[Point]| Vec::new(), &mut Report::default());
                    let (auto, frame, show) = (&auto, &frame, &show);
                    Rounds { auto, frame, show, report, run: &mut quiet }
                        .learn(&cloud, follow)?
                        .plan
                }
            };
            let parameters = parameters.clone();
            Ok(Learned { version: VERSION, place, found, plan, parameters, seed })
        })
    }

    /// Surveys and learns from a cloud at hand; `None` if it is small enough to be one piece.
    pub(super) fn of(
        parameters: &AutoParameters,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Option<(Learned, LocalFrame)>, DenoiseError> {
        if noisy.len() <= WHOLE_UP_TO {
            return Ok(None);
        }
        let rows: Vec<u32> = noisy.finite_rows().into_iter().map(|r| r as u32).collect();
        if rows.len() <= WHOLE_UP_TO {
            return Ok(None);
        }
        let points: Vec<Point> = rows.iter().map(|&r| noisy.positions()[r as usize]).collect();
        let survey = Survey::new().finish(&points, |i| i as u32);
        let learned = Learned::from_survey(&survey, parameters, run)?;
        let ordinals: Vec<u32> = (0..rows.len() as u32).collect();
        let frame = LocalFrame::at(&learned.place, &rows, &points, &ordinals);
        Ok(Some((learned, frame)))
    }

    /// How far around its own points a piece must reach for them to get what the whole run would
    /// give them, in file units.
    pub fn halo(&self) -> f64 {
        let noises = if self.found.is_uneven() { NoiseMap::reach() } else { 0.0 };
        let Plan { recipes, finish, .. } = &self.plan;
        let passes = HALO_OF_PASS * finish.normal_passes as f64;
        let spacings = HALO + HALO_OF_ROUND * recipes.len() as f64 + passes + noises;
        if self.plan.recipes.is_empty() { 0.0 } else { spacings * self.place.unit }
    }

    /// Denoises a piece of the cloud: its own points, the first `core` of `points`, and those
    /// within [`halo`](Self::halo) of them. Gives the new positions of its own.
    ///
    /// `numbers` are those of the survey: they decide what is drawn at random. Points must be
    /// finite. The order of points does not matter, nor does the number of threads.
    pub fn denoise_piece(
        &self,
        points: &[Point],
        numbers: &[u32],
        core: usize,
        run: &mut Run,
    ) -> Result<Vec<Point>, DenoiseError> {
        if numbers.len() != points.len() || core > points.len() {
            return Err(DenoiseError::PartLength { given: numbers.len(), rows: points.len() });
        }
        if points.len() < MIN_POINTS || self.plan.recipes.is_empty() {
            return Ok(points[..core].to_vec());
        }
        crate::install(run.threads(), || {
            let rows: Vec<u32> = (0..points.len() as u32).collect();
            let mut frame = LocalFrame::at(&self.place, &rows, points, numbers);
            drop(rows);
            aside::set_aside(&mut frame, self.found.sigma());
            if frame.points().len() < MIN_POINTS {
                return Ok(points[..core].to_vec());
            }
            let auto = Auto(self.parameters.clone());
            let cloud = Cloud::of(&frame, self.seed);
            let noises = self.found.noises(&cloud);
            let cloud = cloud.with(noises.as_ref());
            let show = |y: &[Point]| frame.leave_from(points, y);
            let mut report = Report::default();
            let rounds =
                Rounds { auto: &auto, frame: &frame, show: &show, report: &mut report, run };
            let ended = rounds.repeat(&cloud, self.plan.clone())?;
            if ended.plan.stop != self.plan.stop {
                // The observer wants no more, but what there is would not fit other pieces.
                return Err(DenoiseError::Cancelled);
            }
            let mut y = ended.y;
            auto.finish(
                &cloud,
                &frame,
                &mut y,
                &self.plan.finish,
                &self.found,
                &show,
                &mut report,
                run,
            )?;
            let mut moved = show(&y);
            moved.truncate(core);
            Ok(moved)
        })
    }

    /// Whether this version of the program can use it.
    pub fn is_current(&self) -> bool {
        self.version == VERSION
    }

    /// Whether the cloud is left as it is.
    pub fn is_idle(&self) -> bool {
        self.plan.recipes.is_empty()
    }

    /// The mean spacing of the points, in file units.
    pub fn spacing(&self) -> f64 {
        self.place.unit
    }

    /// The noise of the cloud, in file units.
    pub fn noise(&self) -> f64 {
        self.found.sigma() * self.place.unit
    }

    /// How many rounds a piece goes through.
    pub fn rounds(&self) -> usize {
        self.plan.recipes.len()
    }

    /// Why it is that many.
    pub fn stop(&self) -> Stop {
        self.plan.stop
    }

    /// What was found, in words.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.found.in_words();
        match self.plan.recipes.first() {
            None => notes.push("nothing was moved".to_owned()),
            Some(first) => {
                notes.push(format!("patches of {} points at first", first.settings.size));
            }
        }
        notes
    }
}

#[cfg(test)]
#[path = "learned_tests.rs"]
mod tests;
