//! Files too large for memory: positions out of them, and into a copy.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use numpy::PyReadonlyArray2;
use pellucid::cloud::{Point, vec3};
use pellucid::io::{IoError, Part, PieceFile, WriteOptions};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::faults::{of_file, value};

/// What went wrong with a file.
enum Fault {
    File(IoError),
    System(io::Error),
    Rows,
}

impl From<IoError> for Fault {
    fn from(e: IoError) -> Self {
        Fault::File(e)
    }
}

impl From<io::Error> for Fault {
    fn from(e: io::Error) -> Self {
        Fault::System(e)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::File(e) => of_file(e),
            Fault::System(e) => PyOSError::new_err(e.to_string()),
            Fault::Rows => value("there are not as many new positions as finite points"),
        }
    }
}

/// The file, unless it can only be read as a whole.
fn open(path: &Path) -> Result<Option<PieceFile>, Fault> {
    match PieceFile::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(IoError::Unfit { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Copies all positions into a file of doubles; gives the number of rows, or None if the format can
/// only be read as a whole.
#[pyfunction]
pub fn unpack(py: Python<'_>, path: PathBuf, target: PathBuf) -> PyResult<Option<usize>> {
    let work = || -> Result<Option<usize>, Fault> {
        let Some(file) = open(&path)? else { return Ok(None) };
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&target)?);
        let mut fault = None;
        file.positions(&mut |points| {
            let mut numbers = points.as_flattened().iter();
            match numbers.try_for_each(|x| out.write_all(&x.to_ne_bytes())) {
                Ok(()) => true,
                Err(e) => {
                    fault = Some(e);
                    false
                }
            }
        })?;
        fault.map_or(Ok(()), Err)?;
        out.flush()?;
        Ok(Some(file.len()))
    };
    Ok(py.detach(work)?)
}

/// Writes a copy of a file with other positions for its finite points, in their
/// order. Gives False if the formats can only be read and written as a whole.
#[pyfunction]
pub fn rewrite(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    moved: PyReadonlyArray2<'_, f64>,
    overwrite: bool,
) -> PyResult<bool> {
    let moved: &[Point] = moved.as_slice().map_err(value)?.as_chunks::<3>().0;
    let work = || -> Result<bool, Fault> {
        let Some(file) = open(&path)? else { return Ok(false) };
        let Ok(format) = file.check_output(&out) else { return Ok(false) };
        let forbid = vec![path.clone()];
        let options = WriteOptions { overwrite, forbid, ..Default::default() };
        let mut part = Part::beside(&out, &options)?;
        let mut rest = moved;
        let bytes = file.rewrite(format, part.file(), &mut |first, points| {
            // Some formats are gone through twice.
            if first == 0 {
                rest = moved;
            }
            for p in points.iter_mut().filter(|p| vec3::is_finite(**p)) {
                let Some((first, others)) = rest.split_first() else { return false };
                (*p, rest) = (*first, others);
            }
            true
        })?;
        match bytes {
            Some(bytes) if rest.is_empty() => part.put_in_place(bytes)?,
            _ => return Err(Fault::Rows),
        }
        Ok(true)
    };
    Ok(py.detach(work)?)
}
