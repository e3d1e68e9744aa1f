//! Outputs that are whole or absent.

use std::fs;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::compression::inner_path;
use crate::document::WriteOptions;
use crate::error::{IoError, WriteFault};

/// Checks, before any work is done, that an output may be written.
///
/// It must not be one of the inputs, not exist unless overwriting is allowed, and its folder
/// must be there and take a small file: it may be read-only, or the disk full.
pub fn check_output(path: &Path, options: &WriteOptions) -> Result<(), IoError> {
    check_name(path, options)?;
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Ok(());
    }
    let failed = |source| IoError::Write { file: path.display().to_string(), source };
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut builder = tempfile::Builder::new();
    let trial = builder.prefix(".pellucid-").suffix(".part").tempfile_in(folder_of(&target));
    trial.and_then(|mut file| file.write_all(&[0; TRIAL])).map_err(failed)
}

/// Bytes that a folder is asked to take before the work.
const TRIAL: usize = 4096;

/// What can be said of an output without touching its folder.
fn check_name(path: &Path, options: &WriteOptions) -> Result<(), IoError> {
    let file = path.display().to_string();
    let Some(name) = path.file_name() else {
        return Err(IoError::OutputIsDirectory { file });
    };
    let plain = inner_path(Path::new(name)).to_string_lossy().to_ascii_lowercase();
    if plain.ends_with(".copc.laz") {
        let fault = "cloud-optimized files (COPC) cannot be written, and this name promises one; \
                     name it to end in .laz without .copc";
        return Err(IoError::Unfit { file, fault: fault.to_owned() });
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
        Err(source) if is_bad_name(&source) => Err(IoError::OutputName { file, source }),
        // A link to nowhere.
        Err(_) if !options.overwrite && fs::symlink_metadata(path).is_ok() => {
            Err(IoError::OutputExists { file })
        }
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

/// Whether the file system has no room for a name, or a name has a zero in it.
fn is_bad_name(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// Writes bytes to a file: whole or not at all. For what is no cloud, such as a report.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report.json");
/// pellucid_io::write_file(&path, b"{}", &Default::default())?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_file(path: &Path, bytes: &[u8], options: &WriteOptions) -> Result<(), IoError> {
    write(path, options, |sink| Ok(sink.write_all(bytes)?))
}

/// Runs `fill` on a temporary file beside `path`, which takes its place once it is on the disk.
pub(crate) fn write<T>(
    path: &Path,
    options: &WriteOptions,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, WriteFault>,
) -> Result<T, IoError> {
    check_name(path, options)?;
    let failed = |source: io::Error| IoError::Write { file: path.display().to_string(), source };
    let fault = |fault: WriteFault| match fault {
        WriteFault::Io(source) => failed(source),
        WriteFault::Unfit(fault) => IoError::Unfit { file: path.display().to_string(), fault },
    };
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let device = fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        let mut sink = BufWriter::with_capacity(1 << 20, device);
        let result = fill(&mut sink).map_err(fault)?;
        sink.flush().map_err(failed)?;
        return Ok(result);
    }
    let mut part = Part::beside(path, options)?;
    let counted = Counted { sink: part.file(), bytes: 0, end: Vec::new() };
    let mut sink = BufWriter::with_capacity(1 << 20, counted);
    let result = fill(&mut sink).map_err(fault)?;
    let Counted { bytes, end, .. } = sink.into_inner().map_err(|e| failed(e.into_error()))?;
    part.check_end(&end)?;
    part.put_in_place(bytes)?;
    Ok(result)
}

/// An output that is being written under another name, and is removed unless it is put in place.
///
/// From the start, nobody can read it who cannot read the output that it replaces or, if it is new,
/// the inputs.
pub struct Part {
    temporary: NamedTempFile,
    output: PathBuf,
    overwrite: bool,
}

impl Part {
    /// Checks, like [`check_output`], that an output may be written, and that it is no device.
    pub fn check(output: &Path, options: &WriteOptions) -> Result<(), IoError> {
        check_output(output, options)?;
        if fs::metadata(output).is_ok_and(|m| !m.is_file()) {
            let fault = "this is a device or a pipe; name a file to be written".to_owned();
            return Err(IoError::Unfit { file: output.display().to_string(), fault });
        }
        Ok(())
    }

    /// A hidden file beside the output.
    pub fn beside(output: &Path, options: &WriteOptions) -> Result<Part, IoError> {
        // Through a link the file behind it is replaced, and the link stays.
        let target = fs::canonicalize(output).unwrap_or_else(|_| output.to_owned());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".pellucid-").suffix(".part");
        Part::new(&mut builder, folder_of(&target), output, options)
    }

    /// A file `output.part` in a folder of the caller's, in place of whatever is there by that name.
    /// The folder must be on the file system of the output.
    pub fn in_folder(
        folder: &Path,
        output: &Path,
        options: &WriteOptions,
    ) -> Result<Part, IoError> {
        // If this fails, so will making a new one.
        let _ = fs::remove_file(folder.join("output.part"));
        let mut builder = tempfile::Builder::new();
        builder.prefix("output").suffix(".part").rand_bytes(0);
        Part::new(&mut builder, folder, output, options)
    }

    fn new(
        builder: &mut tempfile::Builder,
        folder: &Path,
        output: &Path,
        options: &WriteOptions,
    ) -> Result<Part, IoError> {
        Part::check(output, options)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(mode(output, &options.forbid)));
        }
        let failed = |source| IoError::Write { file: output.display().to_string(), source };
        let temporary = builder.tempfile_in(folder).map_err(failed)?;
        Ok(Part { temporary, output: output.to_owned(), overwrite: options.overwrite })
    }

    /// Where it is until it is put in place.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// To be written to.
    pub fn file(&mut self) -> &mut fs::File {
        self.temporary.as_file_mut()
    }

    fn failed(&self, source: io::Error) -> IoError {
        IoError::Write { file: self.output.display().to_string(), source }
    }

    /// An error unless the file ends with these bytes.
    fn check_end(&mut self, end: &[u8]) -> Result<(), IoError> {
        let mut last = vec![0; end.len()];
        let file = self.file();
        let read = file
            .seek(io::SeekFrom::End(-(end.len() as i64)))
            .and_then(|_| file.read_exact(&mut last));
        match read {
            Ok(()) if last == end => Ok(()),
            Ok(()) => Err(self.failed(io::Error::other("its end is not what was written"))),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// Gives the file the name of the output, once it is on the disk with all of its `bytes`.
    pub fn put_in_place(self, bytes: u64) -> Result<(), IoError> {
        let on_disk = || {
            self.temporary.as_file().sync_all()?;
            // What has the name, which must be the file that was written to.
            let held = self.temporary.reopen()?.metadata()?.len();
            match held == bytes {
                true => Ok(()),
                false => Err(io::Error::other(format!("{held} of {bytes} bytes are on the disk"))),
            }
        };
        on_disk().map_err(|e| self.failed(e))?;
        let file = || self.output.display().to_string();
        let failed = |source: io::Error| IoError::Write { file: file(), source };
        let target = fs::canonicalize(&self.output).unwrap_or_else(|_| self.output.clone());
        if let Ok(m) = fs::metadata(&target) {
            self.temporary.as_file().set_permissions(m.permissions()).map_err(failed)?;
        }
        let persisted = match self.overwrite {
            true => self.temporary.persist(&target),
            false => self.temporary.persist_noclobber(&target),
        };
        // A failed rename removes the temporary file when the error is dropped.
        persisted.map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists if !self.overwrite => {
                IoError::OutputExists { file: file() }
            }
            _ => failed(e.error),
        })?;
        sync_folder(folder_of(&target));
        Ok(())
    }
}

/// The mode of an output, before the user's mask takes away from it: that of the file it replaces;
/// else that of any new file, but for those who may not read an input.
#[cfg(unix)]
fn mode(output: &Path, inputs: &[PathBuf]) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).ok().map(|m| m.permissions().mode() & 0o666);
    let shared = || inputs.iter().filter_map(|i| mode(i)).fold(0o666, |all, m| all & (m | 0o600));
    mode(output).unwrap_or_else(shared)
}

/// Counts what goes to a file and remembers the end of it.
struct Counted<'a> {
    sink: &'a mut fs::File,
    bytes: u64,
    end: Vec<u8>,
}

/// Bytes of the end that are remembered.
const END: usize = 256;

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.sink.write(bytes)?;
        self.bytes += n as u64;
        self.end.extend_from_slice(&bytes[n.saturating_sub(END)..n]);
        self.end.drain(..self.end.len().saturating_sub(END));
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
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
