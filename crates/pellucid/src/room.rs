//! Whether a disk has room for outputs, found out before the work.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::Path;

use pellucid_io::{Compression, Format, IoError};

/// An output that keeps all points is at least this share of an input of the same format, even as binary PLY out of text.
const LEAST: f64 = 0.25;

/// Checks that the disk has room for what is made of each input, as pairs of input and output: an error names
/// the first output of a folder whose disk has too little.
///
/// Only outputs that keep all points in the format of their input are judged, and those by a lower bound.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("in.xyz"), folder.path().join("out.xyz"));
/// std::fs::write(&input, "0 0 0\n")?;
/// pellucid::room::check([(&*input, &*output)])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check<'a>(files: impl IntoIterator<Item = (&'a Path, &'a Path)>) -> Result<(), IoError> {
    check_with(files, free)
}

fn check_with<'a>(
    files: impl IntoIterator<Item = (&'a Path, &'a Path)>,
    free: impl Fn(&Path) -> Option<u64>,
) -> Result<(), IoError> {
    let mut folders: BTreeMap<&Path, (&Path, u64)> = BTreeMap::new();
    for (input, output) in files {
        let Some(folder) = output.parent() else { continue };
        let (_, needed) = folders.entry(folder).or_insert((output, 0));
        let least = least(input, output);
        // What is replaced gives its room back, but only when the new file is complete.
        *needed = if output.exists() { least.max(*needed) } else { *needed + least };
    }
    for (folder, (output, needed)) in folders {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Some(free) = free(folder).filter(|free| *free < needed) else { continue };
        let fault = format!("the disk has {free} bytes free, and at least {needed} are needed");
        let source = Error::new(ErrorKind::StorageFull, fault);
        return Err(IoError::Write { file: output.display().to_string(), source });
    }
    Ok(())
}

/// The fewest bytes that an output can have.
fn least(input: &Path, output: &Path) -> u64 {
    let kind = |path: &Path| (Format::from_path(path), Compression::from_path(path));
    let about = std::fs::metadata(input).ok().filter(|about| about.is_file());
    match about.filter(|_| kind(input) == kind(output)) {
        Some(about) => (about.len() as f64 * LEAST) as u64,
        None => 0,
    }
}

/// Free bytes of the disk that a folder is on, for users without privileges.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
