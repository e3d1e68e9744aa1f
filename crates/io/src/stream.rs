//! Clouds from a pipe and into one.

use std::borrow::Cow;
use std::io::{Read, Write};

use crate::compression::unpacked;
use crate::document::{Document, WriteJob, WriteOptions, Written};
use crate::error::{IoError, WriteFault};
use crate::format::Format;
use crate::limits::Limits;
use crate::{limits, read_plain};

/// Reads a cloud to the end of a stream; `kind` is the name or extension of its format, which is
/// detected from the content where it is not given; so is whether it is compressed as a whole.
///
/// ```
/// let document = pellucid_io::read_stream(&mut "1 2 3\n4 5 6\n".as_bytes(), "stdin", None)?;
/// assert_eq!(document.cloud.len(), 2);
/// # Ok::<(), pellucid_io::IoError>(())
/// ```
pub fn read_stream(
    stream: &mut dyn Read,
    name: &str,
    kind: Option<&str>,
) -> Result<Document, IoError> {
    let bytes = read_up_to(limits::STREAM_BYTES, stream, name)?;
    let (bytes, limits) = unpacked(Cow::Owned(bytes), &Limits::default(), name)?;
    let format = match kind {
        Some(kind) => Some(find(kind)?),
        None => Format::from_content(&bytes),
    };
    if bytes.is_empty() {
        return Err(IoError::Empty { file: name.to_owned() });
    }
    let format = format.ok_or_else(|| IoError::UnknownStream { stream: name.to_owned() })?;
    let mut document = read_plain(&bytes, format, name, &limits)?;
    document.source.extension = kind.map(str::to_ascii_lowercase).unwrap_or_default();
    Ok(document)
}

/// Writes a cloud into a stream, whole or (if it does not fit the format) not at all; `kind` is
/// the name or extension of the format, or else it is that of the document's file.
pub fn write_stream(
    stream: &mut dyn Write,
    name: &str,
    document: &Document,
    kind: Option<&str>,
    options: &WriteOptions,
) -> Result<Written, IoError> {
    let file = || name.to_owned();
    let source = &document.source;
    let (format, extension) = match (kind, source.format) {
        (Some(kind), _) => (find(kind)?, kind.to_ascii_lowercase()),
        (None, Some(format)) => (format, source.extension.clone()),
        (None, None) => return Err(IoError::UnknownStream { stream: file() }),
    };
    let job = WriteJob::new(options, &extension);
    let mut bytes = Vec::new();
    let written = (format.info().write)(document, &job, &mut bytes);
    let mut written = written.map_err(|fault| match fault {
        WriteFault::Io(source) => IoError::Write { file: file(), source },
        WriteFault::Unfit(fault) => IoError::Unfit { file: file(), fault },
    })?;
    let sent = stream.write_all(&bytes).and_then(|()| stream.flush());
    sent.map_err(|source| IoError::Write { file: file(), source })?;
    written.dropped.extend(source.left_behind(format));
    Ok(written)
}

/// The content of a stream, or an error if it has more than `most` bytes.
pub(crate) fn read_up_to(
    most: usize,
    stream: &mut dyn Read,
    name: &str,
) -> Result<Vec<u8>, IoError> {
    let file = || name.to_owned();
    let mut bytes = Vec::new();
    let read = stream.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| IoError::Read { file: file(), source })?;
    if bytes.len() > most {
        return Err(IoError::LongStream { stream: file(), most });
    }
    Ok(bytes)
}

fn find(kind: &str) -> Result<Format, IoError> {
    Format::from_name(kind).ok_or_else(|| IoError::UnknownName { name: kind.to_owned() })
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
