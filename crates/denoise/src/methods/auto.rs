//! Decides everything from the cloud: feature graph learning without a parameter to set.
//!
//! Gross outliers take no part ([`outliers`]). The noise is estimated ([`estimate`]); where it spans
//! several spacings, interleaved parts of the cloud are denoised first ([`levels`]). A [`round`] is an
//! iteration of the paper's Algorithm 1 in a form that sees only what is near, and no place is
//! moved by more than its noise ([`discrepancy`]). At the end of a level a place becomes curved or
//! faceted, whichever its measured points agree with ([`finish`]), and points relax along the
//! surface ([`relax`]). What did not become a surface is put back ([`kinds`]). All that is global is
//! learned from a sample and applied to a piece ([`treatment`], [`learned`], [`survey`]).

mod choice;
mod discrepancy;
mod estimate;
mod finish;
mod kinds;
mod learned;
mod levels;
mod outliers;
mod overview;
mod pull;
mod relax;
mod round;
mod schedule;
mod sideways;
mod survey;
mod treatment;
mod tuning;
mod weigh;

use pellucid_cloud::PointCloud;

use crate::frame::{LocalFrame, Unit};
use crate::parameters::{Checked, Parameters, above, between, parameters};
use crate::registry::Method;
use crate::{DenoiseError, Denoised, Denoiser, Report, Run, Stop};

use levels::MostRounds;
use treatment::{Treatment, Work};

pub use learned::Learned;
pub use overview::CloudEstimate;
pub use survey::Survey;
pub use tuning::Tuning;

/// Most rounds of clouds that are learned from as a whole.
const MOST_ROUNDS: MostRounds = MostRounds { alone: 20, parts: 10, after_parts: 10 };
const NAME: &str = "auto";
const MIN_POINTS: usize = 4;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    ..Method::new::<AutoParameters>(
        NAME,
        "feature graph learning with everything decided from the cloud itself",
        "after Hu, Gao, Cheung & Guo 2020, Feature graph learning for 3D point cloud denoising",
        Some("10.1109/TSP.2020.2978617"),
    )
};

parameters! {
    /// Parameters of the default method.
    pub struct AutoParameters {
        /// Denoising strength from 0 to 2; 1 is automatic, lower values keep more detail.
        strength: f64 = 1.0, in between(0.0, 2.0);
        /// Number of steps of tangential relaxation at the end of a level; 0 for none.
        even: usize = 4, in between(0.0, 100.0), unit "steps";
        /// Largest displacement of a point, in units of the estimated noise.
        reach: f64 = 5.0, in above(0.0), unit "noise";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for AutoParameters {
    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let parameters = AutoParameters::clone(checked);
        Auto { parameters, tuning: Tuning::default() }.denoise(noisy, run)
    }
}

/// The method with other constants, for studies.
#[doc(hidden)]
pub fn with_tuning(parameters: AutoParameters, tuning: Tuning) -> Box<dyn Denoiser> {
    Box::new(Auto { parameters, tuning })
}

/// The default method.
struct Auto {
    parameters: AutoParameters,
    tuning: Tuning,
}

impl Denoiser for Auto {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        run.progress("estimating", 1, 0.0)?;
        let mut report = Report::default();
        let known =
            Run::timed(&mut report, "learning", || Learned::of(&self.parameters, noisy, run))?;
        let (frame, known) = match known {
            Some((known, frame)) => (frame, Some(known.treatment)),
            None => {
                let frame = Run::timed(&mut report, "frame", || {
                    LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS)
                })?;
                (frame, None)
            }
        };
        frame.describe(&mut report);
        report.spacing = Some(frame.unit());
        let seed = run.seed;
        let mut work = Work {
            auto: self,
            frame,
            positions: noisy.positions(),
            inner: None,
            most: MOST_ROUNDS,
            seed,
            stopped: false,
            report: &mut report,
            run,
        };
        let (treatment, y) = match known {
            Some(known) => {
                let y = work.apply(&known)?;
                (known, y)
            }
            None => work.learn()?,
        };
        let stop = if work.stopped { Stop::Observer } else { treatment.stop() };
        let moved = work.frame.leave(noisy, &y);
        let frame = work.frame;
        report.surface = Some(frame.are_in(noisy.len()));
        report.noise = Some(treatment.estimate.noise * frame.unit());
        let about_rows = std::mem::take(&mut report.notes);
        report.notes = explain(&treatment, &self.parameters);
        report.notes.extend(about_rows);
        report.notes.extend(outliers::in_words(report.gross_outliers));
        report.notes.extend(kinds::in_words(report.volume_points, report.line_points));
        let cloud = match treatment.levels.is_empty() {
            true => noisy.clone(),
            false => noisy.with_positions(moved).map_err(|e| DenoiseError::Numerical {
                step: "putting points back",
                detail: e.to_string(),
            })?,
        };
        Ok(Denoised { cloud, iterations: report.history.len(), stop, report })
    }
}

/// What was learned, in words.
fn explain(t: &Treatment, parameters: &AutoParameters) -> Vec<String> {
    let given = if parameters.noise.is_some() { ", as given" } else { "" };
    let mut words = vec![t.estimate.in_words() + given];
    let Some(last) = t.last() else {
        if parameters.strength > 0.0 && t.trial.is_empty() {
            words.push("too little noise to tell from the surface".into());
        }
        words.push("nothing was moved".into());
        return words;
    };
    for level in t.levels.iter().filter(|l| l.parts > 1) {
        words.push(format!(
            "the noise spans several spacings: denoised in {} interleaved parts first",
            level.parts
        ));
    }
    let why = match last.stop {
        Stop::Converged => "points hardly moved any more",
        Stop::NoiseRemoved if last.thinness > 0.0 => {
            "features are thinner than the noise, and would have collapsed"
        }
        Stop::NoiseRemoved => "points had moved by as much as the noise",
        Stop::IterationLimit => "the limit of rounds was reached",
        _ => "the observer asked to stop",
    };
    words.push(format!("patches of {} points at first", last.rounds[0].settings.size));
    words.push(format!("stopped after {} rounds: {why}", last.rounds.len()));
    words
}
