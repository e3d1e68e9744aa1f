//! What went wrong, and with which code the program ends.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use pellucid::denoise::{DenoiseError, ParameterError};
use pellucid::io::IoError;

/// Why the program ends without having done its work.
#[derive(Debug)]
pub enum Failure {
    /// Bad input or usage: code 2.
    Input(String),
    /// The work failed: code 1.
    Work(String),
    /// Ctrl-C: code 130, as shells expect.
    Interrupted,
    /// Ctrl-C in work whose finished part is kept: code 130.
    Paused(String),
    /// Whoever read our output has gone; nothing to say.
    ReaderGone,
}

impl Failure {
    /// Bad input or usage.
    pub fn input(message: impl Display) -> Self {
        Failure::Input(message.to_string())
    }

    /// A failure while working.
    pub fn work(message: impl Display) -> Self {
        Failure::Work(message.to_string())
    }

    /// A method's failure on the cloud of a file; it fails on these numbers every time.
    pub fn denoise(file: &Path, error: DenoiseError) -> Self {
        match error {
            DenoiseError::Cancelled => Failure::Interrupted,
            e => Failure::Input(naming(file, e)),
        }
    }

    /// The code the program ends with.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Input(_) => 2,
            Failure::Work(_) => 1,
            Failure::Interrupted | Failure::Paused(_) => 130,
            Failure::ReaderGone => 0,
        }
    }

    /// What to tell the person, if anything.
    pub fn message(&self) -> Option<&str> {
        match self {
            Failure::Input(m) | Failure::Work(m) | Failure::Paused(m) => Some(m),
            Failure::Interrupted => Some("interrupted; nothing was written"),
            Failure::ReaderGone => None,
        }
    }
}

/// `FILE: fault`.
pub fn naming(file: &Path, fault: impl Display) -> String {
    format!("{}: {fault}", file.display())
}

impl From<IoError> for Failure {
    fn from(e: IoError) -> Self {
        match e {
            IoError::OutputExists { file } => Failure::input(format!(
                "{file}: the file exists already; choose another name or give --overwrite"
            )),
            e if e.is_input_fault() => Failure::input(e),
            e => Failure::work(e),
        }
    }
}

impl From<ParameterError> for Failure {
    fn from(e: ParameterError) -> Self {
        Failure::input(plain(&e.to_string()))
    }
}

/// A message of the parser of parameters in plain words: what a value must be.
pub fn plain(message: &str) -> String {
    let typed = || {
        let (head, tail) = message.split_once(": invalid type: ")?;
        let (_, wanted) = tail.rsplit_once("expected ")?;
        let wanted = match wanted {
            "usize" | "u64" | "u32" | "i64" => "a whole number",
            "f64" | "f32" => "a number",
            "a boolean" => "true or false",
            other => other,
        };
        Some(format!("{head}, but it must be {wanted}"))
    };
    typed().unwrap_or_else(|| message.to_owned())
}

impl From<&Failure> for ExitCode {
    fn from(f: &Failure) -> Self {
        ExitCode::from(f.code())
    }
}
