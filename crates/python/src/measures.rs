//! Quality, noise and outliers.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pellucid::PointCloud;
use pellucid::cloud::noise;
use pellucid::cloud::quality::{self, QualityError, TriangleMesh};
use pellucid::cloud::synth::{self, NoiseModel, NoiseScale};
use pellucid::outliers::{self as outlying, Rule};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::alone;
use crate::arrays::{self, Points, Rows};
use crate::faults::value;

/// A measure that takes two sets of points, by its name.
#[pyfunction]
pub fn measure(py: Python<'_>, name: &str, result: Points<'_>, truth: Points<'_>) -> PyResult<f64> {
    let measure: fn(&[_], &[_]) -> Result<f64, QualityError> = match name {
        "paper_mse" => quality::paper_mse,
        "paper_snr" => quality::paper_snr,
        "chamfer" => quality::chamfer,
        "hausdorff" => quality::hausdorff,
        "hausdorff95" => quality::hausdorff95,
        _ => return Err(value(format!("there is no measure \"{name}\""))),
    };
    let (result, truth) = (result.copied()?, truth.copied()?);
    alone(py, || measure(&result, &truth)).map_err(value)
}

/// Mean distance to the planes at the nearest points of the truth.
#[pyfunction]
pub fn point_to_plane(
    py: Python<'_>,
    result: Points<'_>,
    truth: Points<'_>,
    normals: Points<'_>,
) -> PyResult<f64> {
    let (result, truth, normals) = (result.copied()?, truth.copied()?, normals.copied()?);
    alone(py, || quality::point_to_plane(&result, &truth, &normals)).map_err(value)
}

fn mesh(vertices: &Points, triangles: &PyReadonlyArray2<u32>) -> PyResult<TriangleMesh> {
    if triangles.shape()[1] != 3 {
        let shape = triangles.shape();
        return Err(value(format!("triangles have shape {shape:?}, but it must be (N, 3)")));
    }
    let rows = triangles.as_array();
    Ok(TriangleMesh {
        vertices: vertices.copied()?,
        triangles: rows.rows().into_iter().map(|r| [r[0], r[1], r[2]]).collect(),
    })
}

/// Distance to a mesh, one way or both ways.
#[pyfunction]
pub fn point_to_mesh(
    py: Python<'_>,
    result: Points<'_>,
    vertices: Points<'_>,
    triangles: PyReadonlyArray2<'_, u32>,
    two_way: bool,
) -> PyResult<f64> {
    let mesh = mesh(&vertices, &triangles)?;
    let result = result.copied()?;
    let measure = if two_way { quality::point_to_mesh_two_way } else { quality::point_to_mesh };
    alone(py, || measure(&result, &mesh)).map_err(value)
}

/// How evenly points are spread.
#[pyfunction]
pub fn uniformity(py: Python<'_>, points: Points<'_>) -> PyResult<Option<f64>> {
    let points = points.copied()?;
    Ok(alone(py, || quality::uniformity(&points)))
}

/// Every measure, as JSON.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    result: Points<'_>,
    truth: Points<'_>,
    normals: Option<Points<'_>>,
    surface: Option<(Points<'_>, PyReadonlyArray2<'_, u32>)>,
) -> PyResult<String> {
    let result = PointCloud::new(result.copied()?);
    let mut truth = PointCloud::new(truth.copied()?);
    if let Some(normals) = normals {
        truth.set_normals(&normals.copied()?).map_err(value)?;
    }
    let mesh = surface.map(|(v, t)| mesh(&v, &t)).transpose()?;
    let found = alone(py, || quality::compare(&result, &truth, mesh.as_ref())).map_err(value)?;
    Ok(json!(found).to_string())
}

/// Points moved by noise, and its standard deviation.
#[pyfunction]
pub fn add_noise<'py>(
    py: Python<'py>,
    points: Points<'py>,
    normals: Option<Points<'py>>,
    level: f64,
    model: &str,
    scale: &str,
    seed: u64,
) -> PyResult<(Rows<'py>, f64)> {
    let model: NoiseModel = model.parse().map_err(value)?;
    let scale: NoiseScale = scale.parse().map_err(value)?;
    let mut cloud = PointCloud::new(points.copied()?);
    if let Some(normals) = normals {
        cloud.set_normals(&normals.copied()?).map_err(value)?;
    }
    let (noisy, sigma) = alone(py, || {
        let sigma = scale.sigma(cloud.positions(), level)?;
        Ok::<_, synth::NoiseError>((synth::add_noise(&cloud, model, sigma, seed)?, sigma))
    })
    .map_err(value)?;
    Ok((arrays::rows(py, noisy.into_positions())?, sigma))
}

/// The estimated noise, as JSON.
#[pyfunction]
pub fn estimate_noise(py: Python<'_>, points: Points<'_>) -> PyResult<String> {
    let points = points.copied()?;
    Ok(json!(alone(py, || noise::estimate_noise(&points))).to_string())
}

/// About how far each denoised point is from the surface.
#[pyfunction]
pub fn uncertainty<'py>(
    py: Python<'py>,
    before: Points<'py>,
    after: Points<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (before, after) = (before.copied()?, after.copied()?);
    if before.len() != after.len() {
        let (a, b) = (before.len(), after.len());
        return Err(value(format!("{a} points before and {b} after; give the same points twice")));
    }
    Ok(alone(py, || pellucid::denoise::uncertainty(&before, &after)).into_pyarray(py))
}

/// Which points are outliers.
#[pyfunction]
pub fn outliers<'py>(
    py: Python<'py>,
    points: Points<'py>,
    rule: &str,
    parameters: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    if !Rule::NAMES.contains(&rule) {
        let known = Rule::NAMES.join(", ");
        return Err(value(format!("there is no rule \"{rule}\"; known rules: {known}")));
    }
    let given = arrays::parameters(parameters)?;
    let rule: Rule = serde_json::from_value(json!({ rule: given }))
        .map_err(|e| value(format!("rule \"{rule}\": {e}")))?;
    let points = points.copied()?;
    let found = alone(py, || outlying::find(&points, &rule)).map_err(value)?;
    Ok(found.flags.into_pyarray(py))
}
