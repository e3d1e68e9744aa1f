//! Codes, messages, and the guard that keeps panics in.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use pellucid::cloud::CloudError;
use pellucid::denoise::{DenoiseError, ParameterError};
use pellucid::io::IoError;

use crate::raw;

/// What came of a call.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// An argument is missing, is no UTF-8, or names what is not there.
    Argument = 1,
    /// A file or a cloud that cannot be used as it is, or an output that must not be written.
    Input = 2,
    /// The work failed: a disk that is full, a file that cannot be read.
    Work = 3,
    /// The progress function returned false.
    Cancelled = 4,
    /// A fault of the library itself; please report it.
    Internal = 5,
}

/// A code and what to say about it.
#[derive(Debug)]
pub(crate) struct Fault {
    status: Status,
    message: String,
}

impl Fault {
    /// An argument that cannot be used.
    pub fn argument(message: impl Display) -> Self {
        Fault { status: Status::Argument, message: message.to_string() }
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str));
        let message = format!(
            "a fault of the library: {}; please report it with the call that led to it",
            text.unwrap_or("a panic without a message")
        );
        Fault { status: Status::Internal, message }
    }
}

impl From<IoError> for Fault {
    fn from(e: IoError) -> Self {
        let status = if e.is_input_fault() { Status::Input } else { Status::Work };
        Fault { status, message: e.to_string() }
    }
}

impl From<ParameterError> for Fault {
    fn from(e: ParameterError) -> Self {
        Fault::argument(e)
    }
}

impl From<CloudError> for Fault {
    fn from(e: CloudError) -> Self {
        Fault::argument(e)
    }
}

impl From<DenoiseError> for Fault {
    fn from(e: DenoiseError) -> Self {
        let status = match e {
            DenoiseError::Cancelled => Status::Cancelled,
            DenoiseError::Parameter(_) => Status::Argument,
            _ => Status::Input,
        };
        Fault { status, message: e.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What was wrong with the last call of this thread, where, and what to do; empty if it succeeded.
///
/// It is valid until this thread calls a function that returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn pellucid_last_message() -> *const c_char {
    // A thread that is ending may have none any more.
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(ptr::null())
}

fn remember(message: &str) {
    // A thread that is ending has nobody to tell.
    let _ = LAST.try_with(|last| *last.borrow_mut() = raw::c_text(message));
}

/// Runs a call: what it fails with, or panics with, becomes a code and a message.
///
/// Handles may be used after a panic: nothing changes one of them before all that can fail is done.
pub(crate) fn guard(job: impl FnOnce() -> Result<(), Fault>) -> Status {
    let outcome = catch_unwind(AssertUnwindSafe(job));
    let outcome = outcome.unwrap_or_else(|payload| Err(Fault::panicked(&*payload)));
    match outcome {
        Ok(()) => {
            remember("");
            Status::Ok
        }
        Err(Fault { status, message }) => {
            remember(&message);
            status
        }
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
