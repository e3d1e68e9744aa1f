//! Feature metric learning, and what can be done with a graph.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pellucid::graph::edges::{Edges, Missing};
use pellucid::graph::laplacian::{Csr, Duplicate, Graph, Kind};
use pellucid::graph::learn::{LearnParams, SmoothParams, learn, learn_smooth};
use pellucid::graph::metric::Metric;
use pellucid::graph::solve::CgParams;
use pellucid::graph::spectrum::{self, ChebyshevFilter};
use pellucid::graph::weights::weights;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::arrays::{self, Rows};
use crate::faults::value;

/// The metric, its factor, the weight of each pair, and how learning went as JSON.
type Answer<'py> = (Rows<'py>, Rows<'py>, Bound<'py, PyArray1<f64>>, String);

/// Pairs of nodes, and the weight of each pair.
type Weighted<'py> = (PyReadonlyArray2<'py, u32>, PyReadonlyArray1<'py, f64>);

/// Learns a metric for features and signals of nodes, both with a row for each node, from the edges
/// between `observed` nodes. Features that are NaN are missing if `missing` says so.
#[pyfunction]
pub fn learn_graph<'py>(
    py: Python<'py>,
    features: PyReadonlyArray2<'py, f64>,
    signals: PyReadonlyArray2<'py, f64>,
    pairs: PyReadonlyArray2<'py, u32>,
    observed: Option<PyReadonlyArray1<'py, bool>>,
    missing: bool,
    parameters: &Bound<'py, PyDict>,
) -> PyResult<Answer<'py>> {
    let (nodes, k) = (features.shape()[0], features.shape()[1]);
    let given = Value::Object(arrays::parameters(parameters)?);
    let params: LearnParams = serde_json::from_value(given).map_err(value)?;
    let flat: Vec<f64> = features.as_array().iter().copied().collect();
    let columns: Vec<Vec<f64>> =
        signals.as_array().columns().into_iter().map(|c| c.to_vec()).collect();
    let pairs = pair_list(&pairs);
    let observed: Option<Vec<bool>> = observed.map(|o| o.as_array().iter().copied().collect());
    let learned = crate::alone(py, || -> Result<_, String> {
        let mut builder = Edges::builder(nodes).feature_rows(k, &flat).pairs(pairs);
        builder = builder.missing(if missing { Missing::ByEdge } else { Missing::Refuse });
        for signal in &columns {
            builder = builder.signal(signal);
        }
        let edges = builder.build().map_err(|e| e.to_string())?;
        let part = observed.map(|o| edges.between_nodes(&o)).transpose();
        let part = part.map_err(|e| e.to_string())?;
        let learned = learn(part.as_ref().unwrap_or(&edges), &params).map_err(|e| e.to_string())?;
        let weights = weights(&edges, &learned.metric);
        Ok((learned, weights))
    });
    let (learned, weights) = learned.map_err(value)?;
    let metric: &Metric = &learned.metric;
    Ok((
        arrays::table(py, metric.values(), k)?,
        arrays::table(py, &metric.factor(), k)?,
        weights.into_pyarray(py),
        json!(learned.info).to_string(),
    ))
}

fn pair_list(pairs: &PyReadonlyArray2<'_, u32>) -> Vec<(u32, u32)> {
    let ends: Vec<u32> = pairs.as_array().iter().copied().collect();
    ends.as_chunks::<2>().0.iter().map(|&[i, j]| (i, j)).collect()
}

fn laplacian(nodes: usize, (pairs, weights): &Weighted<'_>) -> PyResult<Csr> {
    let weights: Vec<f64> = weights.as_array().iter().copied().collect();
    let graph = Graph::from_pairs(nodes, &pair_list(pairs), &weights, Duplicate::Add);
    Ok(graph.map_err(value)?.laplacian(Kind::Combinatorial))
}

/// `h(L) z` for every column of a signal; `kernel` is h.
#[pyfunction]
pub fn filter_graph<'py>(
    py: Python<'py>,
    edges: Weighted<'py>,
    signal: PyReadonlyArray2<'py, f64>,
    kernel: &Bound<'py, PyAny>,
    order: usize,
) -> PyResult<Rows<'py>> {
    let (nodes, channels) = (signal.shape()[0], signal.shape()[1]);
    let l = laplacian(nodes, &edges)?;
    let fault = std::cell::Cell::new(None);
    let filter = ChebyshevFilter::new(&l, order, |frequency| {
        let answer = kernel.call1((frequency,)).and_then(|v| v.extract::<f64>());
        answer.unwrap_or_else(|e| {
            fault.set(Some(e));
            0.0
        })
    });
    if let Some(fault) = fault.take() {
        return Err(fault);
    }
    let z: Vec<f64> = signal.as_array().iter().copied().collect();
    let out = crate::alone(py, || filter.apply(&l, channels, &z)).map_err(value)?;
    arrays::table(py, &out, channels)
}

/// A signal with the values of unknown nodes filled in.
#[pyfunction]
pub fn interpolate_graph<'py>(
    py: Python<'py>,
    edges: Weighted<'py>,
    signal: PyReadonlyArray2<'py, f64>,
    known: PyReadonlyArray1<'py, bool>,
    smoothing: f64,
) -> PyResult<Rows<'py>> {
    let (nodes, channels) = (signal.shape()[0], signal.shape()[1]);
    let l = laplacian(nodes, &edges)?;
    let known: Vec<bool> = known.as_array().iter().copied().collect();
    let z: Vec<f64> = signal.as_array().iter().copied().collect();
    let params = CgParams { tolerance: 1e-9, ..CgParams::default() };
    let run = || spectrum::interpolate(&l, &known, channels, &z, smoothing, &params);
    let out = crate::alone(py, run).map_err(value)?;
    arrays::table(py, &out, channels)
}

/// The lowest graph frequencies, and their eigenvectors as rows.
#[pyfunction]
pub fn graph_spectrum<'py>(
    py: Python<'py>,
    nodes: usize,
    edges: Weighted<'py>,
    count: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Rows<'py>)> {
    let l = laplacian(nodes, &edges)?;
    let run = || spectrum::lowest_frequencies(&l, count, &spectrum::laplacian_params());
    let found = crate::alone(py, run).map_err(value)?;
    let vectors = arrays::table(py, &found.vectors, nodes)?;
    Ok((found.values.into_pyarray(py), vectors))
}

/// Weights from signals alone (Kalofolias 2016).
#[pyfunction]
pub fn smooth_graph<'py>(
    py: Python<'py>,
    nodes: usize,
    pairs: PyReadonlyArray2<'py, u32>,
    distances: PyReadonlyArray1<'py, f64>,
    log_degrees: f64,
    evenness: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let d: Vec<f64> = distances.as_array().iter().copied().collect();
    let params = SmoothParams { log_degrees, evenness, ..SmoothParams::default() };
    let pairs = pair_list(&pairs);
    let run = || learn_smooth(nodes, &pairs, &d, &params);
    Ok(crate::alone(py, run).map_err(value)?.weights.into_pyarray(py))
}
