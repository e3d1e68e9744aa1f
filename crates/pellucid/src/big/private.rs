//! A folder that is ours alone, and files in it, which are opened without following links.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Makes a folder that only its owner may enter, complete with what `fill` puts into it.
pub(super) fn make_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pellucid-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    let mut folder = builder.tempdir_in(parent)?;
    fill(folder.path())?;
    fs::rename(folder.path(), path)?;
    folder.disable_cleanup(true);
    Ok(())
}

/// What is wrong with a folder that is to be entered, unless it is ours alone.
pub(super) fn fault_of_folder(path: &Path) -> io::Result<Option<String>> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(Some("it is a link or a file".to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if about.uid() != rustix::process::geteuid().as_raw() {
            return Ok(Some("it belongs to another user".to_owned()));
        }
        let mode = about.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Ok(Some(format!("other users may enter it (mode {mode:o})")));
        }
    }
    Ok(None)
}

/// Locks a file for as long as it is open, or this process lives; `None` if another one holds it.
pub(super) fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = options().read(true).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(e)) => return Err(e),
    }
    // Whoever held it may have removed it meanwhile, and another one made a new one.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (ours, there) = (file.metadata()?, fs::symlink_metadata(path)?);
        if (ours.dev(), ours.ino()) != (there.dev(), there.ino()) {
            return Ok(None);
        }
    }
    Ok(Some(file))
}

/// Opens a file to be read.
pub(super) fn open(path: &Path) -> io::Result<File> {
    options().read(true).open(path)
}

/// Opens a file to be written on.
pub(super) fn append(path: &Path) -> io::Result<File> {
    options().append(true).open(path)
}

/// A new file in place of whatever has its name.
pub(super) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => options().write(true).create_new(true).open(path),
    }
}

fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there is no mode to set"))]
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options
}
