//! `denoise` and the table of methods.

use numpy::{IntoPyArray, PyArray1};
use pellucid::denoise::registry;
use pellucid::{PointCloud, Run};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::arrays::{self, Points, Rows};
use crate::faults::{of_run, value};
use crate::watch::watched;

/// The points, how far each moved, which are points of a surface, and the rest as JSON.
type Answer<'py> =
    (Rows<'py>, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<bool>>>, String);

/// Denoises points that have these attributes.
#[pyfunction]
#[pyo3(signature = (points, attributes, method, preset, parameters, seed, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "called from one place, which names them all")]
pub fn denoise<'py>(
    py: Python<'py>,
    points: Points<'py>,
    attributes: &Bound<'py, PyDict>,
    method: &str,
    preset: Option<&str>,
    parameters: &Bound<'py, PyDict>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let method = registry::find(method).map_err(value)?;
    let denoiser = method.build(preset, &arrays::parameters(parameters)?).map_err(value)?;
    let mut noisy = PointCloud::new(points.copied()?);
    drop(points);
    for (name, given) in attributes {
        let attribute = arrays::attribute(&name.extract::<String>()?, &given)?;
        noisy.set_attribute(attribute).map_err(value)?;
    }
    // Always a pool of its own (0: as many threads as the machine has): a shared one would have
    // no threads in a process that was forked off.
    let threads = Some(threads.unwrap_or(0));
    let outcome = watched(py, progress.as_ref(), |teller, flag| {
        let run = Run::default().with_seed(seed).with_threads(threads).with_cancel(flag);
        let mut run = match teller {
            Some(teller) => run.with_observer(teller),
            None => run,
        };
        denoiser.denoise(&noisy, &mut run).map(|result| {
            let displacements = result.displacement(&noisy);
            drop(noisy);
            (result, displacements)
        })
    })?;
    let (mut result, displacements) = outcome.map_err(of_run)?;
    let surface = result.report.surface.take().map(|rows| rows.into_pyarray(py));
    let rest = json!({
        "stop": result.stop,
        "iterations": result.iterations,
        "report": result.report,
    });
    let points = arrays::rows(py, result.cloud.into_positions())?;
    Ok((points, displacements.into_pyarray(py), surface, rest.to_string()))
}

/// The registry as JSON.
#[pyfunction]
pub fn methods() -> PyResult<String> {
    serde_json::to_string(registry::methods()).map_err(value)
}
