//! The library as a Python extension module, `pellucid._native`.
//!
//! Only numbers cross here: arrays, names and JSON. What people see is `python/pellucid`.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod arrays;
mod denoise;
mod faults;
mod files;
mod graph;
mod measures;
mod pieces;
mod steps;
mod tiles;
mod watch;

use pellucid::cloud::synth::Shape;
use pyo3::prelude::*;

use crate::arrays::Rows;
use crate::faults::value;

/// Runs `job` without the interpreter, on threads of its own: those of a shared pool would be
/// missing in a process that was forked off.
fn alone<T: Send>(py: Python<'_>, job: impl FnOnce() -> T + Send) -> T {
    py.detach(|| pellucid::denoise::install(Some(0), job))
}

/// Points and normals of a synthetic shape.
#[pyfunction]
fn shape<'py>(py: Python<'py>, name: &str, count: usize, seed: u64) -> PyResult<[Rows<'py>; 2]> {
    let shape: Shape = name.parse().map_err(value)?;
    let cloud = alone(py, || shape.sample(count, seed));
    let normals = cloud.normals().unwrap_or_default();
    Ok([arrays::rows(py, cloud.into_positions())?, arrays::rows(py, normals)?])
}

#[pymodule]
#[pyo3(name = "_native")]
fn native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Cancelled", m.py().get_type::<faults::Cancelled>())?;
    m.add_class::<files::Source>()?;
    m.add_class::<tiles::Survey>()?;
    m.add_class::<tiles::Learned>()?;
    m.add_function(wrap_pyfunction!(shape, m)?)?;
    m.add_function(wrap_pyfunction!(denoise::denoise, m)?)?;
    m.add_function(wrap_pyfunction!(denoise::methods, m)?)?;
    m.add_function(wrap_pyfunction!(files::read, m)?)?;
    m.add_function(wrap_pyfunction!(files::write, m)?)?;
    m.add_function(wrap_pyfunction!(steps::pipeline, m)?)?;
    m.add_function(wrap_pyfunction!(steps::apply_steps, m)?)?;
    m.add_function(wrap_pyfunction!(pieces::unpack, m)?)?;
    m.add_function(wrap_pyfunction!(pieces::rewrite, m)?)?;
    m.add_function(wrap_pyfunction!(graph::learn_graph, m)?)?;
    m.add_function(wrap_pyfunction!(graph::filter_graph, m)?)?;
    m.add_function(wrap_pyfunction!(graph::interpolate_graph, m)?)?;
    m.add_function(wrap_pyfunction!(graph::graph_spectrum, m)?)?;
    m.add_function(wrap_pyfunction!(graph::smooth_graph, m)?)?;
    m.add_function(wrap_pyfunction!(measures::measure, m)?)?;
    m.add_function(wrap_pyfunction!(measures::point_to_plane, m)?)?;
    m.add_function(wrap_pyfunction!(measures::point_to_mesh, m)?)?;
    m.add_function(wrap_pyfunction!(measures::uniformity, m)?)?;
    m.add_function(wrap_pyfunction!(measures::compare, m)?)?;
    m.add_function(wrap_pyfunction!(measures::add_noise, m)?)?;
    m.add_function(wrap_pyfunction!(measures::estimate_noise, m)?)?;
    m.add_function(wrap_pyfunction!(measures::outliers, m)?)?;
    m.add_function(wrap_pyfunction!(measures::uncertainty, m)?)?;
    Ok(())
}
