//! Point-cloud files, read and written with every attribute kept.
//!
//! A [`Document`] is a cloud together with whatever else its file held (comments, faces, the
//! order and types of properties), so that writing it back changes only what was meant to change.
//!
//! ```
//! use pellucid_io::{Encoding, Format, WriteOptions, read_bytes, write_bytes};
//!
//! let text = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
//!     property float z\nproperty uchar quality\nend_header\n0.1 2 3 7\n";
//! let document = read_bytes(text, Format::Ply, "one.ply")?;
//! assert_eq!(document.cloud.len(), 1);
//! assert!(document.cloud.attribute("quality").is_some());
//! let again = write_bytes(&document, Format::Ply, &WriteOptions::default())?;
//! assert_eq!(again, text);
//! # Ok::<(), pellucid_io::IoError>(())
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod append;
mod atomic;
mod batches;
mod caught;
mod column;
mod compression;
mod digits;
mod document;
mod e57;
mod error;
mod faces;
mod format;
mod las;
pub mod limits;
mod meaning;
mod mesh;
mod npy;
mod obj;
mod off;
mod pcd;
mod pieces;
mod ply;
mod ptx;
mod rows;
mod scalar;
mod standard;
mod stl;
mod stream;
mod template;
mod text;
mod unsupported;

use std::borrow::Cow;
use std::path::Path;

pub use append::PieceWriter;
pub use atomic::{Part, check_output, write_file};
pub use compression::Compression;
pub use document::{Document, Dropped, Encoding, LasScale, Source, WriteOptions, Written};
pub use error::{IoError, Place};
pub use format::{Format, FormatInfo};
pub use las::{LAS_CLASSES, las_class_in_words, parse_las_class};
pub use limits::Limits;
pub use mesh::{MESH_EXTENSIONS, read_mesh, read_mesh_bytes};
pub use pieces::{PieceFile, Sink};
pub use scalar::ScalarType;
pub use stream::{read_stream, write_stream};

use document::WriteJob;
use error::WriteFault;

/// Reads a file; its format is given by the extension and checked by the content.
///
/// ```no_run
/// let document = pellucid_io::read("scan.ply".as_ref())?;
/// println!("{} points", document.cloud.len());
/// # Ok::<(), pellucid_io::IoError>(())
/// ```
pub fn read(path: &Path) -> Result<Document, IoError> {
    read_with(path, &Limits::default())
}

/// Reads a file like [`read`], with limits of the caller's on what it may take.
pub fn read_with(path: &Path, limits: &Limits) -> Result<Document, IoError> {
    let bytes = read_file(path)?;
    let name = path.display().to_string();
    compression::check_name(path, &bytes)?;
    let (bytes, limits) = compression::unpacked(Cow::Owned(bytes), limits, &name)?;
    let found = Format::from_content(&bytes);
    let format = match (Format::from_path(path), found) {
        (Some(named), _) => named,
        (None, Some(found)) => found,
        (None, None) => return Err(IoError::UnknownFormat { file: name }),
    };
    let mut document = read_plain(&bytes, format, &name, &limits)?;
    document.source.extension = extension(path);
    Ok(document)
}

/// Reads a file's bytes, which may be compressed as a whole; `name` is used in messages.
pub fn read_bytes(bytes: &[u8], format: Format, name: &str) -> Result<Document, IoError> {
    read_bytes_with(bytes, format, name, &Limits::default())
}

/// Reads a file's bytes like [`read_bytes`], with limits of the caller's on what it may take.
pub fn read_bytes_with(
    bytes: &[u8],
    format: Format,
    name: &str,
    limits: &Limits,
) -> Result<Document, IoError> {
    let (bytes, limits) = compression::unpacked(Cow::Borrowed(bytes), limits, name)?;
    read_plain(&bytes, format, name, &limits)
}

/// Reads bytes that are not compressed as a whole.
fn read_plain(
    bytes: &[u8],
    format: Format,
    name: &str,
    limits: &Limits,
) -> Result<Document, IoError> {
    if bytes.is_empty() {
        return Err(IoError::Empty { file: name.to_owned() });
    }
    let info = format.info();
    if !(info.sniff)(bytes)
        && let Some(found) = Format::from_content(bytes)
    {
        return Err(IoError::WrongFormat {
            file: name.to_owned(),
            named: info.name,
            found: found.name(),
            extension: found.extensions()[0],
        });
    }
    let mut document = (info.read)(bytes, limits).map_err(|fault| fault.of(name))?;
    document.source.format = Some(format);
    Ok(document)
}

/// Writes a file in the format that its extension names, compressed if another extension behind it
/// says so (`.ply.gz`, `.ply.zst`): whole or not at all.
///
/// The file appears under its name only once it is complete and on the disk. What the format
/// could not hold is listed in the result.
pub fn write(path: &Path, document: &Document, options: &WriteOptions) -> Result<Written, IoError> {
    let format = Format::from_path(path)
        .ok_or_else(|| IoError::UnknownFormat { file: path.display().to_string() })?;
    let extension = extension(path);
    let job = WriteJob::new(options, &extension);
    let how = Compression::from_path(path);
    let mut written = atomic::write(path, options, |sink| {
        compression::through(how, sink, |sink| (format.info().write)(document, &job, sink))
    })?;
    written.dropped.extend(document.source.left_behind(format));
    Ok(written)
}

/// Writes to memory.
pub fn write_bytes(
    document: &Document,
    format: Format,
    options: &WriteOptions,
) -> Result<Vec<u8>, IoError> {
    let info = format.info();
    // The style of a file in the same format is kept; else that of its first extension.
    let extension = match document.source.format {
        Some(f) if f == format => document.source.extension.as_str(),
        _ => info.extensions[0],
    };
    let mut out = Vec::new();
    match (info.write)(document, &WriteJob::new(options, extension), &mut out) {
        Ok(_) => Ok(out),
        Err(WriteFault::Io(source)) => Err(IoError::Write { file: "memory".to_owned(), source }),
        Err(WriteFault::Unfit(fault)) => Err(IoError::Unfit { file: "memory".to_owned(), fault }),
    }
}

/// The extension of the format, in lower case.
fn extension(path: &Path) -> String {
    compression::inner_path(path)
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

fn read_file(path: &Path) -> Result<Vec<u8>, IoError> {
    let file = path.display().to_string();
    let fault = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => IoError::Missing { file: file.clone() },
        _ => IoError::Read { file: file.clone(), source },
    };
    let kind = std::fs::metadata(path).map_err(fault)?.file_type();
    if kind.is_dir() {
        return Err(IoError::Directory { file });
    }
    if is_device(kind) {
        return Err(IoError::Device { file });
    }
    if kind.is_file() {
        return std::fs::read(path).map_err(fault);
    }
    let mut pipe = std::fs::File::open(path).map_err(fault)?;
    stream::read_up_to(limits::STREAM_BYTES, &mut pipe, &file)
}

/// Whether it is something such as `/dev/zero`, which may have no end.
#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
