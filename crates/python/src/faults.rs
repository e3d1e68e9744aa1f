//! Errors of the library as Python's.

use std::fmt::Display;

use pellucid::denoise::DenoiseError;
use pellucid::io::IoError;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyOSError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    pellucid,
    Cancelled,
    PyException,
    "A run was given up because the progress callable returned False."
);

/// Something that was given is wrong; the message says the rule.
pub fn value(fault: impl Display) -> PyErr {
    PyValueError::new_err(fault.to_string())
}

/// A run that gave no result.
pub fn of_run(fault: DenoiseError) -> PyErr {
    match fault {
        DenoiseError::Cancelled => Cancelled::new_err("cancelled"),
        DenoiseError::Numerical { .. } => PyRuntimeError::new_err(fault.to_string()),
        other => value(other),
    }
}

/// A file that could not be read or written.
pub fn of_file(fault: IoError) -> PyErr {
    let message = fault.to_string();
    match fault {
        IoError::Missing { .. } | IoError::NoFolder { .. } => PyFileNotFoundError::new_err(message),
        IoError::Directory { .. } | IoError::OutputIsDirectory { .. } => {
            PyIsADirectoryError::new_err(message)
        }
        IoError::OutputExists { .. } | IoError::OutputIsInput { .. } => {
            PyFileExistsError::new_err(message)
        }
        IoError::Read { .. } | IoError::Write { .. } | IoError::OutputReadOnly { .. } => {
            PyOSError::new_err(message)
        }
        _ => PyValueError::new_err(message),
    }
}
