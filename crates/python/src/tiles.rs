//! A large cloud in pieces: `Survey` and `Learned`.

use numpy::PyReadonlyArray1;
use pellucid::Run;
use pellucid::cloud::{Point, vec3};
use pellucid::denoise::tiles;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::arrays::{self, Points, Rows};
use crate::faults::{of_run, value};
use crate::watch::watched;

/// Surveys a cloud in passes over all of its points, in parts of any size, wherever they are.
///
/// >>> import pellucid
/// >>> from pellucid import tiles
/// >>> points = pellucid.synthetic("torus", 3000).points
/// >>> survey = tiles.Survey()
/// >>> while not survey.is_done:
/// ...     _ = survey.see(points[:1000], 0) + survey.see(points[1000:], 1000)
/// ...     survey.end_pass()
/// >>> survey.points
/// 3000
#[pyclass(module = "pellucid._native")]
pub struct Survey(tiles::Survey);

#[pymethods]
impl Survey {
    #[new]
    fn new() -> Self {
        Survey(tiles::Survey::new())
    }

    /// Written down by `to_json`.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        py.detach(|| serde_json::from_str(text)).map(Survey).map_err(value)
    }

    /// All of it as text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&self.0)).map_err(value)
    }

    /// Whether enough is known.
    #[getter]
    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    /// Finite points seen.
    #[getter]
    fn points(&self) -> usize {
        self.0.points()
    }

    /// The box around all points.
    #[getter]
    fn bounds(&self) -> Option<(Point, Point)> {
        self.0.bounds()
    }

    /// An empty one in the same pass.
    fn part(&self) -> Self {
        Survey(self.0.part())
    }

    /// Adds what a part has seen.
    fn join(&mut self, part: &Survey) {
        self.0.join(part.0.clone());
    }

    /// Surveys points that are numbered from `first` on; those that are not finite have no number.
    /// Gives how many have one.
    fn see(&mut self, py: Python<'_>, points: Points<'_>, first: u32) -> PyResult<usize> {
        let mut points = points.copied()?;
        let survey = &mut self.0;
        Ok(py.detach(move || {
            points.retain(|p| vec3::is_finite(*p));
            survey.see(&points, |i| first.wrapping_add(i as u32));
            points.len()
        }))
    }

    /// All points have been shown.
    fn end_pass(&mut self) {
        self.0.end_pass();
    }
}

/// What is known of a cloud as a whole; `pellucid.tiles.learn` makes it.
///
/// >>> from pellucid import tiles
/// >>> hasattr(tiles.Learned, "piece")
/// True
#[pyclass(frozen, module = "pellucid._native")]
pub struct Learned(tiles::Learned);

#[pymethods]
impl Learned {
    /// Learns from a finished survey.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        survey: &Survey,
        parameters: &Bound<'_, PyDict>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        if !survey.0.is_done() {
            return Err(value("the survey is not done; show it all points again until it is"));
        }
        let given = Value::Object(arrays::parameters(parameters)?);
        let parameters: tiles::AutoParameters = serde_json::from_value(given).map_err(value)?;
        let survey = &survey.0;
        let learned = watched(py, None, |_, flag| {
            let run = Run::default().with_seed(seed).with_threads(Some(threads.unwrap_or(0)));
            tiles::Learned::from_survey(survey, &parameters, &mut run.with_cancel(flag))
        })?;
        learned.map(Learned).map_err(of_run)
    }

    /// Written down by `to_json`.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let learned: tiles::Learned = serde_json::from_str(text).map_err(value)?;
        match learned.is_current() {
            true => Ok(Learned(learned)),
            false => Err(value("this was learned by another version of pellucid; learn it again")),
        }
    }

    /// All of it as text.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(value)
    }

    #[getter]
    fn halo(&self) -> f64 {
        self.0.halo()
    }

    #[getter]
    fn noise(&self) -> f64 {
        self.0.noise()
    }

    #[getter]
    fn spacing(&self) -> f64 {
        self.0.spacing()
    }

    #[getter]
    fn rounds(&self) -> usize {
        self.0.rounds()
    }

    #[getter]
    fn is_idle(&self) -> bool {
        self.0.is_idle()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes()
    }

    /// New positions of the first `core` points.
    fn piece<'py>(
        &self,
        py: Python<'py>,
        points: Points<'py>,
        numbers: PyReadonlyArray1<'py, u32>,
        core: usize,
        threads: Option<usize>,
    ) -> PyResult<Rows<'py>> {
        let points = points.copied()?;
        let numbers: Vec<u32> = numbers.as_array().iter().copied().collect();
        if !points.iter().all(|p| vec3::is_finite(*p)) {
            return Err(value("a point of the piece is not finite; leave it out"));
        }
        let moved = watched(py, None, |_, flag| {
            let run = Run::default().with_threads(Some(threads.unwrap_or(0))).with_cancel(flag);
            self.0.denoise_piece(&points, &numbers, core, &mut run.with_seed(0))
        })?;
        arrays::rows(py, moved.map_err(of_run)?)
    }
}
