//! What the program says: results on stdout, everything else on stderr; and files of its own.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

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

/// An error unless a file may be made at `path`.
pub fn check_free(path: &Path, overwrite: bool) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::input(naming(
            path,
            "is a folder, but a file was to be written there",
        )));
    }
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(Failure::input(naming(path, "exists already; give --overwrite to replace it")));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(Failure::input(naming(path, "its folder does not exist; make it first")));
    }
    Ok(())
}

/// Writes a file so that at every moment either the old one or all of the new one is there.
pub fn write_file(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Failure> {
    check_free(path, overwrite)?;
    let fault = |e: io::Error| Failure::work(naming(path, format!("cannot be written: {e}")));
    interrupt::writing(|| {
        let mut file = tempfile::Builder::new()
            .prefix(".pellucid-")
            .suffix(".part")
            .tempfile_in(folder_of(path))
            .map_err(fault)?;
        file.write_all(bytes).map_err(fault)?;
        as_new(file.as_file()).map_err(fault)?;
        file.as_file().sync_all().map_err(fault)?;
        let kept = if overwrite { file.persist(path) } else { file.persist_noclobber(path) };
        kept.map(|_| ()).map_err(|e| fault(e.error))
    })
}

/// Temporary files are private; give the file the rights of any other new one.
#[cfg(unix)]
fn as_new(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn as_new(_: &fs::File) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}
