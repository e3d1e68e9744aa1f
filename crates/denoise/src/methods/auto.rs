//! Decides everything from the cloud: feature graph learning without a knob.
//!
//! What the noise is, how large patches are, which normals to trust and when to stop follow from
//! the cloud itself ([`choose`]); then [`super::fgl`] runs, and at last points even out along the
//! surface ([`relax`]), since half of what is left of the noise by then lies sideways.

mod choose;
mod relax;

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use crate::frame::{LocalFrame, Unit};
use crate::registry::{Method, Parameter, Parameters};
use crate::run::{Control, Observer, Progress};
use crate::{DenoiseError, Denoised, Denoiser, Iteration, ParameterError, Run, Snapshot, Stop};

use super::fgl::Fgl;

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
        AutoParameters { strength: 1.0, even: 6, reach: 5.0 }
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

impl Denoiser for Auto {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        run.progress("looking", 1, 0.0)?;
        let frame = LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS)?;
        let found = choose::look(&frame);
        let mut notes = found.in_words();
        let Some(parameters) = found.choose(self.0.strength) else {
            notes.push("nothing was moved".to_owned());
            let cloud = noisy.clone();
            let mut report = crate::Report { notes, ..crate::Report::default() };
            report.spacing = Some(frame.unit());
            report.noise = Some(found.sigma() * frame.unit());
            report.skipped_rows = noisy.len() - frame.rows().len();
            return Ok(Denoised { cloud, iterations: 0, stop: Stop::NothingToDo, report });
        };
        notes.push(format!(
            "patches of {} points, normals from {} neighbours",
            parameters.patch_size, parameters.normal_neighbors
        ));

        let position_scale = parameters.position_scale;
        let mut inner = Run::default().with_seed(run.seed).with_cancel(run.cancel_flag().clone());
        inner = inner.with_observer(Forward(run));
        let fitted = Fgl::new(parameters).denoise(noisy, &mut inner);
        drop(inner);
        let mut out = fitted?;
        if out.stop != Stop::Observer && self.0.even > 0 {
            self.finish(noisy, &frame, &found, &mut out, run)?;
        }
        notes.append(&mut out.report.notes);
        notes.extend(choose::ending(&out, position_scale));
        out.report.notes = notes;
        out.report.noise = Some(found.sigma() * frame.unit());
        Ok(out)
    }
}

impl Auto {
    /// Evens out the points of `out` and holds back those that went too far.
    fn finish(
        &self,
        noisy: &PointCloud,
        frame: &LocalFrame,
        found: &choose::Found,
        out: &mut Denoised,
        run: &mut Run,
    ) -> Result<(), DenoiseError> {
        run.progress("evening out", out.iterations + 1, 0.99)?;
        let before: Vec<_> =
            frame.rows().iter().map(|&r| frame.local(out.cloud.positions()[r as usize])).collect();
        let after = Run::timed(&mut out.report, "evening out", || {
            let mut y = before.clone();
            relax::along_surface(&mut y, self.0.even);
            relax::hold(frame.points(), &mut y, self.0.reach * found.sigma().max(0.5));
            y
        });
        let mut record = Iteration { index: out.iterations + 1, ..Iteration::default() };
        super::fgl::steps::record_movement(&mut record, &before, &after, frame.unit());
        let positions = || frame.leave(noisy, &after);
        run.iteration(&Snapshot { record: &record, positions: &positions })?;
        out.report.history.push(record);
        out.cloud = noisy.with_positions(positions()).map_err(|e| DenoiseError::Numerical {
            step: "putting points back",
            detail: e.to_string(),
        })?;
        out.iterations += 1;
        Ok(())
    }
}

/// Shows the outer run what the inner one does, as part of a longer way.
struct Forward<'a, 'b>(&'a mut Run<'b>);

impl Observer for Forward<'_, '_> {
    fn progress(&mut self, p: &Progress) -> Control {
        match self.0.progress(p.step, p.iteration, 0.98 * p.fraction) {
            Ok(()) => Control::Continue,
            Err(_) => Control::Cancel,
        }
    }

    fn iteration(&mut self, snapshot: &Snapshot) -> Control {
        // The last word is not said yet when the inner method would stop.
        let record = Iteration { would_stop: false, ..snapshot.record.clone() };
        match self.0.iteration(&Snapshot { record: &record, positions: snapshot.positions }) {
            Ok(false) => Control::Continue,
            Ok(true) => Control::Stop,
            Err(_) => Control::Cancel,
        }
    }
}
