//! What the program says: results on stdout, everything else on stderr; and files of its own.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use pellucid::io::WriteOptions;
use serde::Serialize;

use crate::failure::{Failure, naming};
use crate::interrupt;

/// Prints a result.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(e) => Err(Failure::work(format!("cannot write to stdout: {e}"))),
    }
}

/// Prints one JSON document.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&(json(value)? + "\n"))
}

/// A value as JSON, indented.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(Failure::work)
}

/// Says something on stderr; there is nobody to tell if that fails.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr().lock(), "pellucid: {message}");
}

/// Whether two names are those of one file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Writes a file that is no cloud: whole or not at all, and readable only for those who can read
/// the inputs that it was made from.
pub fn write_file(
    path: &Path,
    bytes: &[u8],
    overwrite: bool,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let options = WriteOptions { overwrite, forbid: inputs.to_vec(), ..WriteOptions::default() };
    interrupt::writing(|| Ok(pellucid::io::write_file(path, bytes, &options)?))
}

/// Makes a folder and those that it lies in, unless they are there.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => Failure::input(naming(
            path,
            "a folder is needed, but there is a file; choose another name",
        )),
        ErrorKind::InvalidFilename => Failure::input(naming(path, format!("{e}; choose another"))),
        _ => Failure::work(naming(path, format!("cannot be made: {e}"))),
    })
}

/// An error unless [`write_file`] may make a file at `path`.
pub fn check_free(path: &Path, overwrite: bool) -> Result<(), Failure> {
    let options = WriteOptions { overwrite, ..WriteOptions::default() };
    Ok(pellucid::io::check_output(path, &options)?)
}
