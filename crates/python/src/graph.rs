//! Feature metric learning.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pellucid::graph::edges::Edges;
use pellucid::graph::learn::{LearnParams, learn};
use pellucid::graph::metric::Metric;
use pellucid::graph::weights::weights;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::arrays::{self, Rows};
use crate::faults::value;

/// The metric, its factor, the weight of each pair, and how learning went as JSON.
type Answer<'py> = (Rows<'py>, Rows<'py>, Bound<'py, PyArray1<f64>>, String);

/// Learns a metric for features and signals of nodes, both with a row for each node.
#[pyfunction]
pub fn learn_graph<'py>(
    py: Python<'py>,
    features: PyReadonlyArray2<'py, f64>,
    signals: PyReadonlyArray2<'py, f64>,
    pairs: PyReadonlyArray2<'py, u32>,
    parameters: &Bound<'py, PyDict>,
) -> PyResult<Answer<'py>> {
    let (nodes, k) = (features.shape()[0], features.shape()[1]);
    let given = Value::Object(arrays::parameters(parameters)?);
    let params: LearnParams = serde_json::from_value(given).map_err(value)?;
    let flat: Vec<f64> = features.as_array().iter().copied().collect();
    let columns: Vec<Vec<f64>> =
        signals.as_array().columns().into_iter().map(|c| c.to_vec()).collect();
    let ends: Vec<u32> = pairs.as_array().iter().copied().collect();
    let pairs = ends.as_chunks::<2>().0.iter().map(|&[i, j]| (i, j)).collect();
    let learned = crate::alone(py, || -> Result<_, String> {
        let mut builder = Edges::builder(nodes).feature_rows(k, &flat).pairs(pairs);
        for signal in &columns {
            builder = builder.signal(signal);
        }
        let edges = builder.build().map_err(|e| e.to_string())?;
        let learned = learn(&edges, &params).map_err(|e| e.to_string())?;
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
