//! Reading and writing.

use std::path::PathBuf;

use pellucid::PointCloud;
use pellucid::io::{self, Document, WriteOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{self, Points, Rows};
use crate::faults::{of_file, value};

/// What a file held beyond points and attributes, kept for writing back.
#[pyclass(frozen, module = "pellucid._native")]
pub struct Source(pub(crate) io::Source);

#[pymethods]
impl Source {
    /// The name of the format.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.0.format().map(io::Format::name)
    }

    /// Comments, without their marks.
    #[getter]
    fn comments(&self) -> Vec<String> {
        self.0.comments().to_vec()
    }

    /// Where the scanner stood.
    #[getter]
    fn viewpoints(&self) -> Vec<[f64; 3]> {
        self.0.viewpoints()
    }
}

/// Points, attributes by name, and the rest of the file.
#[pyfunction]
pub fn read(py: Python<'_>, path: PathBuf) -> PyResult<(Rows<'_>, Bound<'_, PyDict>, Source)> {
    let Document { cloud, source } = crate::alone(py, || io::read(&path)).map_err(of_file)?;
    let (points, attributes) = columns(py, cloud)?;
    Ok((points, attributes, Source(source)))
}

/// Points and attributes by name.
pub(crate) fn columns(
    py: Python<'_>,
    cloud: PointCloud,
) -> PyResult<(Rows<'_>, Bound<'_, PyDict>)> {
    let attributes = PyDict::new(py);
    for attribute in cloud.attributes() {
        attributes.set_item(attribute.name(), arrays::array(py, attribute)?)?;
    }
    Ok((arrays::rows(py, cloud.into_positions())?, attributes))
}

/// A document of points, attributes and what else a file held.
pub(crate) fn document(
    points: &Points<'_>,
    attributes: &Bound<'_, PyDict>,
    source: Option<&Bound<'_, Source>>,
) -> PyResult<Document> {
    let mut cloud = PointCloud::new(points.copied()?);
    for (name, given) in attributes {
        let attribute = arrays::attribute(&name.extract::<String>()?, &given)?;
        cloud.set_attribute(attribute).map_err(value)?;
    }
    let source = source.map(|s| s.get().0.clone()).unwrap_or_default();
    Ok(Document { cloud, source })
}

/// Writes a file; tells what its format could not hold, and what only in another form.
#[pyfunction]
pub fn write(
    py: Python<'_>,
    path: PathBuf,
    points: Points<'_>,
    attributes: &Bound<'_, PyDict>,
    source: Option<&Bound<'_, Source>>,
    overwrite: bool,
) -> PyResult<[Vec<(String, String)>; 2]> {
    let document = document(&points, attributes, source)?;
    let options = WriteOptions { overwrite, ..WriteOptions::default() };
    let written = crate::alone(py, || io::write(&path, &document, &options)).map_err(of_file)?;
    let pairs = |all: Vec<io::Dropped>| all.into_iter().map(|d| (d.attribute, d.reason)).collect();
    Ok([pairs(written.dropped), pairs(written.changed)])
}
