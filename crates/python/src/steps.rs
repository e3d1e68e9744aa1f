//! Pipelines: the steps of `pellucid run`.

use std::path::PathBuf;

use pellucid::Run;
use pellucid::io::Format;
use pellucid::steps::{Pipeline, StepError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Points, Rows};
use crate::faults::{Cancelled, value};
use crate::files::{self, Source};
use crate::watch::watched;

/// The points, their attributes, and what each step did as JSON.
type Answer<'py> = (Rows<'py>, Bound<'py, PyDict>, String);

/// A pipeline file as JSON, with every value checked.
#[pyfunction]
pub fn pipeline(text: &str) -> PyResult<String> {
    let pipeline = Pipeline::from_toml(text).map_err(value)?;
    serde_json::to_string(&pipeline).map_err(value)
}

/// Does the steps of a pipeline, given as JSON, with a cloud that will be written to `target`.
#[pyfunction]
#[pyo3(signature = (points, attributes, source, pipeline, target, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "called from one place, which names them all")]
pub fn apply_steps<'py>(
    py: Python<'py>,
    points: Points<'py>,
    attributes: &Bound<'py, PyDict>,
    source: Option<&Bound<'py, Source>>,
    pipeline: &str,
    target: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let pipeline = Pipeline::from_json(pipeline).map_err(value)?;
    let mut document = files::document(&points, attributes, source)?;
    drop(points);
    let target = target.and_then(|path| Format::from_path(&path));
    let threads = Some(threads.unwrap_or(0));
    let outcome = watched(py, progress.as_ref(), |teller, flag| {
        pellucid::denoise::install(threads, || {
            let run = Run::default().with_seed(pipeline.seed).with_cancel(flag);
            let mut run = match teller {
                Some(teller) => run.with_observer(teller),
                None => run,
            };
            pipeline.apply(&mut document, target, &mut run).map(|done| (document, done))
        })
    })?;
    let (document, done) = outcome.map_err(|e| match e {
        StepError::Cancelled => Cancelled::new_err("the run was cancelled"),
        e => value(e),
    })?;
    let said = serde_json::to_string(&done).map_err(value)?;
    let (points, attributes) = files::columns(py, document.cloud)?;
    Ok((points, attributes, said))
}
