//! Outputs that are whole or absent.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::document::WriteOptions;
use crate::error::{IoError, WriteFault};

/// Checks, before any work is done, that an output may be written.
///
/// It must not be one of the inputs, not exist unless overwriting is allowed, and its folder
/// must be there.
pub fn check_output(path: &Path, options: &WriteOptions) -> Result<(), IoError> {
    let file = path.display().to_string();
    if path.file_name().is_none() {
        return Err(IoError::OutputIsDirectory { file });
    }
    if let Ok(real) = fs::canonicalize(path) {
        let same = |input: &PathBuf| fs::canonicalize(input).is_ok_and(|i| i == real);
        if options.forbid.iter().any(same) {
            return Err(IoError::OutputIsInput { file });
        }
    }
    match fs::metadata(path) {
        Ok(m) if m.is_dir() => Err(IoError::OutputIsDirectory { file }),
        // Devices and pipes are written to, never replaced.
        Ok(m) if !m.is_file() => Ok(()),
        Ok(_) if !options.overwrite => Err(IoError::OutputExists { file }),
        Ok(m) if m.permissions().readonly() => Err(IoError::OutputReadOnly { file }),
        Ok(_) => Ok(()),
        Err(_) => {
            let folder = folder_of(path);
            if folder.is_dir() {
                Ok(())
            } else {
                Err(IoError::NoFolder { file, folder: folder.display().to_string() })
            }
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// Runs `fill` on a temporary file beside `path`, which takes its place once it is on the disk.
pub(crate) fn write<T>(
    path: &Path,
    options: &WriteOptions,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, WriteFault>,
) -> Result<T, IoError> {
    check_output(path, options)?;
    let file = || path.display().to_string();
    let failed = |source: io::Error| IoError::Write { file: file(), source };
    let fault = |fault: WriteFault| match fault {
        WriteFault::Io(source) => IoError::Write { file: file(), source },
        WriteFault::Unfit(fault) => IoError::Unfit { file: file(), fault },
    };
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|m| !m.is_file()) {
        let device = fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        let mut sink = BufWriter::with_capacity(1 << 20, device);
        let result = fill(&mut sink).map_err(fault)?;
        sink.flush().map_err(failed)?;
        return Ok(result);
    }
    // Through a link the file behind it is replaced, and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&target);

    let temporary = new_temporary(folder).map_err(failed)?;
    let mut sink = BufWriter::with_capacity(1 << 20, temporary);
    let result = fill(&mut sink).map_err(fault)?;
    let temporary = sink.into_inner().map_err(|e| failed(e.into_error()))?;
    if let Some(m) = &existing {
        temporary.as_file().set_permissions(m.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    let persisted = if options.overwrite {
        temporary.persist(&target)
    } else {
        temporary.persist_noclobber(&target)
    };
    // A failed rename removes the temporary file when the error is dropped.
    persisted.map_err(|e| match e.error.kind() {
        io::ErrorKind::AlreadyExists if !options.overwrite => {
            IoError::OutputExists { file: file() }
        }
        _ => failed(e.error),
    })?;
    sync_folder(folder);
    Ok(result)
}

/// Moves a finished file to where an output goes, which must be on the same file system.
///
/// Like any output it appears whole, and replaces another only if that is allowed.
pub fn put_in_place(part: &Path, path: &Path, options: &WriteOptions) -> Result<(), IoError> {
    check_output(path, options)?;
    let file = || path.display().to_string();
    let failed = |source: io::Error| IoError::Write { file: file(), source };
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(m) = fs::metadata(&target) {
        fs::set_permissions(part, m.permissions()).map_err(failed)?;
    }
    let part = tempfile::TempPath::try_from_path(part).map_err(failed)?;
    let persisted = match options.overwrite {
        true => part.persist(&target),
        false => part.persist_noclobber(&target),
    };
    persisted.map_err(|e| {
        // The work is not to be lost: whoever made the part still has it.
        let exists = e.error.kind() == io::ErrorKind::AlreadyExists;
        let _ = e.path.keep();
        if exists { IoError::OutputExists { file: file() } } else { failed(e.error) }
    })?;
    sync_folder(folder_of(&target));
    Ok(())
}

fn new_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pellucid-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: less whatever the user's mask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Makes the rename itself durable. The file is complete either way, so a file system that
/// cannot do it is no failure.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(handle) = fs::File::open(folder) {
        let _ = handle.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
