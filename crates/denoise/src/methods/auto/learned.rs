//! What is known of a large cloud as a whole, and a piece of it denoised with that.

use pellucid_cloud::{Point, PointCloud, vec3};
use serde::{Deserialize, Serialize};

use super::levels::{Level, MostRounds};
use super::survey::{Survey, WHOLE_UP_TO};
use super::treatment::{Treatment, Work};
use super::{Auto, AutoParameters, MIN_POINTS, MOST_ROUNDS, NAME, Tuning, kinds};
use crate::frame::{self, LocalFrame, Place};
use crate::parameters::Parameters;
use crate::{DenoiseError, Report, Run, Stop};

/// Changes with everything that makes other results from the same numbers.
const VERSION: u32 = 17;

/// Most rounds of clouds above [`WHOLE_UP_TO`] points: such a surface is flat from point to point, and what few
/// rounds leave is smoothed away at the end of a level.
const ROUNDS_OF_LARGE: MostRounds = MostRounds { alone: 3, parts: 2, after_parts: 0 };

/// Width of the surroundings that a piece needs, in spacings of each level: for its end, for each
/// round, and for the square root of the number of passes of facets and choices, which spread like
/// heat.
const HALO: f64 = 28.0;
const HALO_OF_ROUND: f64 = 6.0;
const HALO_OF_PASSES: f64 = 12.0;

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
    pub(super) treatment: Treatment,
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
        parameters.clone().denoiser()?;
        let (points, numbers) = survey.drawn();
        let Some((low, high)) = survey.bounds().filter(|_| points.len() >= MIN_POINTS) else {
            let (finite, rows, needed) = (survey.points(), survey.points(), MIN_POINTS);
            return Err(DenoiseError::TooFewPoints { method: NAME, finite, rows, needed });
        };
        let seed = run.seed;
        let mut quiet = Run::default().with_seed(seed).with_cancel(run.cancel_flag().clone());
        crate::install(run.threads(), || {
            let place = place_of(survey, &points, (low, high));
            let all: Vec<u32> = (0..points.len() as u32).collect();
            let inner = survey.inner();
            let large = survey.points() > WHOLE_UP_TO;
            let mut work = Work {
                auto: &Auto { parameters: parameters.clone(), tuning: Tuning::default() },
                frame: LocalFrame::at(&place, &all, &points, &numbers),
                positions: &points,
                inner: Some(&inner),
                most: if large { ROUNDS_OF_LARGE } else { MOST_ROUNDS },
                seed,
                stopped: false,
                report: &mut Report::default(),
                run: &mut quiet,
            };
            let distinct = work.frame.points().len();
            if survey.takes_whole() && distinct < MIN_POINTS {
                let (finite, rows, needed) = (distinct, survey.points(), MIN_POINTS);
                return Err(DenoiseError::TooFewPoints { method: NAME, finite, rows, needed });
            }
            let (treatment, _) = work.learn()?;
            let parameters = parameters.clone();
            Ok(Learned { version: VERSION, place, treatment, parameters, seed })
        })
    }

    /// Surveys and learns from a cloud at hand; `None` if it is small enough to be one piece.
    pub(super) fn of(
        parameters: &AutoParameters,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Option<(Learned, LocalFrame)>, DenoiseError> {
        let Some((survey, rows, points)) = survey_of_large(noisy) else { return Ok(None) };
        let learned = Learned::from_survey(&survey, parameters, run)?;
        let ordinals: Vec<u32> = (0..rows.len() as u32).collect();
        let frame = LocalFrame::at(&learned.place, &rows, &points, &ordinals);
        Ok(Some((learned, frame)))
    }

    /// How far around its own points a piece must reach for them to get what the whole run would
    /// give them, in file units.
    pub fn halo(&self) -> f64 {
        let tuning = Tuning::default();
        let passes = |count: usize| HALO_OF_PASSES * (count as f64).sqrt();
        let Treatment { trial, levels, estimate, rows, .. } = &self.treatment;
        let width = |level: &Level| {
            let rounds = HALO_OF_ROUND * level.rounds.len() as f64;
            let facets = if level.finish.facets { passes(tuning.passes_of_facets()) } else { 0.0 };
            level.unit * (HALO + rounds + facets) * tuning.step(*rows) as f64
        };
        let of_levels = |levels: &[Level]| levels.iter().map(width).sum::<f64>();
        let kinds = if trial.is_empty() { 0.0 } else { kinds::REACH };
        let spacings = of_levels(trial) + of_levels(levels) + kinds;
        if self.is_idle() { 0.0 } else { (spacings + estimate.reach()) * self.place.unit }
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
            let (given, rows) = (numbers.len(), points.len());
            return Err(DenoiseError::Length { what: "row numbers", given, rows });
        }
        if points.len() < MIN_POINTS || self.is_idle() {
            return Ok(points[..core].to_vec());
        }
        crate::install(run.threads(), || {
            let rows: Vec<u32> = (0..points.len() as u32).collect();
            let mut work = Work {
                auto: &Auto { parameters: self.parameters.clone(), tuning: Tuning::default() },
                frame: LocalFrame::at(&self.place, &rows, points, numbers),
                positions: points,
                inner: None,
                most: MOST_ROUNDS,
                seed: self.seed,
                stopped: false,
                report: &mut Report::default(),
                run,
            };
            let y = work.apply(&self.treatment)?;
            if work.stopped {
                // What there is would not fit other pieces.
                return Err(DenoiseError::Cancelled);
            }
            let mut moved = work.frame.leave_from(points, &y);
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
        self.treatment.levels.is_empty()
    }

    /// The median point of those learned from.
    pub fn center(&self) -> Point {
        self.place.center
    }

    /// Whether a point takes part: it is finite and no missing measurement.
    pub fn takes_part(&self, p: Point) -> bool {
        vec3::is_finite(p) && !self.place.is_missing(p)
    }

    /// The mean spacing of the points, in file units.
    pub fn spacing(&self) -> f64 {
        self.place.unit
    }

    /// The noise of the cloud, in file units.
    pub fn noise(&self) -> f64 {
        self.treatment.estimate.noise * self.place.unit
    }

    /// How many rounds a piece goes through.
    pub fn rounds(&self) -> usize {
        self.treatment.rounds()
    }

    /// Why it is that many.
    pub fn stop(&self) -> Stop {
        self.treatment.stop()
    }

    /// What was found, in words.
    pub fn notes(&self) -> Vec<String> {
        super::explain(&self.treatment, &self.parameters)
    }
}

/// A survey of a cloud that is too large to be learned from as a whole, its finite rows and their positions.
pub(super) fn survey_of_large(noisy: &PointCloud) -> Option<(Survey, Vec<u32>, Vec<Point>)> {
    if noisy.len() <= WHOLE_UP_TO {
        return None;
    }
    let rows: Vec<u32> = noisy.finite_rows().into_iter().map(|r| r as u32).collect();
    if rows.len() <= WHOLE_UP_TO {
        return None;
    }
    let points: Vec<Point> = rows.iter().map(|&r| noisy.positions()[r as usize]).collect();
    Some((Survey::new().finish(&points, |i| i as u32), rows, points))
}

pub(super) fn place_of(survey: &Survey, drawn: &[Point], (low, high): (Point, Point)) -> Place {
    let (center, unit) = frame::measure(drawn);
    Place { low, high, center, unit, missing: survey.has_missing() }
}

#[cfg(test)]
#[path = "learned_tests.rs"]
mod tests;
