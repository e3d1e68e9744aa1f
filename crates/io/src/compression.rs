//! Files that are compressed as a whole, such as `scan.ply.gz`: any format may be.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::caught::caught;
use crate::error::{Fault, IoError, WriteFault};
use crate::limits::Limits;

/// How a file is compressed as a whole.
///
/// ```
/// use pellucid_io::{Compression, Format};
/// assert_eq!(Compression::from_path("scan.ply.gz".as_ref()), Some(Compression::Gzip));
/// assert_eq!(Format::from_path("scan.ply.gz".as_ref()), Some(Format::Ply));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// gzip (RFC 1952), `.gz`.
    Gzip,
    /// Zstandard (RFC 8878), `.zst`.
    Zstd,
}

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Blocks that are decoded at a time; one has at most 128 KiB.
const BLOCKS: usize = 8;

impl Compression {
    /// Short name.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
        }
    }

    /// The extension that comes behind that of the format.
    pub fn extension(self) -> &'static str {
        match self {
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
        }
    }

    /// The compression that the end of a file's name tells.
    pub fn from_path(path: &Path) -> Option<Self> {
        let named = |e: &OsStr, c: Self| e.eq_ignore_ascii_case(c.extension());
        let extension = path.extension()?;
        [Compression::Gzip, Compression::Zstd].into_iter().find(|c| named(extension, *c))
    }

    /// The compression that the first bytes of a file tell.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        match bytes {
            b if b.starts_with(GZIP_MAGIC) => Some(Compression::Gzip),
            b if b.starts_with(ZSTD_MAGIC) => Some(Compression::Zstd),
            _ => None,
        }
    }
}

/// A path without the extension of a compression: `scan.ply` for `scan.ply.gz`.
pub(crate) fn inner_path(path: &Path) -> Cow<'_, Path> {
    match Compression::from_path(path) {
        Some(_) => Cow::Owned(path.with_extension("")),
        None => Cow::Borrowed(path),
    }
}

/// An error unless the content of a file is compressed the way its name says, or is not and the name
/// says nothing of it.
pub(crate) fn check_name(path: &Path, bytes: &[u8]) -> Result<(), IoError> {
    let (named, found) = (Compression::from_path(path), Compression::from_content(bytes));
    if named == found || bytes.is_empty() {
        return Ok(());
    }
    let fault = match (named, found) {
        (Some(named), None) => format!(
            "the name says {0} but the content is not compressed so; rename it to end without .{1}",
            named.name(),
            named.extension()
        ),
        (_, Some(found)) => {
            let inner = inner_path(path);
            let name = inner.file_name().unwrap_or_default().to_string_lossy();
            format!(
                "the content is compressed with {}; rename it to {name}.{}",
                found.name(),
                found.extension()
            )
        }
        (None, None) => return Ok(()),
    };
    Err(Fault::byte(0, fault).of(&path.display().to_string()))
}

/// The content of a file, unpacked if it is compressed as a whole, and the limits that hold for it:
/// what it may take is counted by the size of the file as it was, once.
pub(crate) fn unpacked<'a>(
    bytes: Cow<'a, [u8]>,
    limits: &Limits,
    name: &str,
) -> Result<(Cow<'a, [u8]>, Limits), IoError> {
    let Some(found) = Compression::from_content(&bytes) else { return Ok((bytes, *limits)) };
    let most = limits.most(bytes.len());
    let plain = match found {
        Compression::Gzip => gunzip(&bytes, most),
        Compression::Zstd => caught(|| unzstd(&bytes, most))
            .unwrap_or_else(|| Err("the compressed data is broken".to_owned())),
    };
    let plain = plain.map_err(|fault| Fault::byte(0, fault).of(name))?;
    if plain.is_empty() {
        return Err(Fault::byte(0, "there is nothing in the compressed file").of(name));
    }
    if let Some(twice) = Compression::from_content(&plain) {
        let fault =
            format!("the file is compressed twice, inside with {}; unpack it", twice.name());
        return Err(Fault::byte(0, fault).of(name));
    }
    Ok((Cow::Owned(plain), Limits { memory: most, inflation: 0 }))
}

fn too_much(file: usize, most: usize) -> String {
    format!(
        "{file} compressed bytes hold more than {most}, the limit of what is unpacked; unpack it by \
         hand if it can be trusted"
    )
}

fn gunzip(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take((most as u64).saturating_add(1));
    match reader.read_to_end(&mut plain) {
        Ok(_) if plain.len() > most => Err(too_much(bytes.len(), most)),
        Ok(_) => Ok(plain),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
            Err("the compressed data ends early; was it copied completely?".to_owned())
        }
        Err(e) => Err(format!("the compressed data is broken ({e}); was it copied completely?")),
    }
}

/// All frames of a file, one after the other.
fn unzstd(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let broken = |e: &dyn std::fmt::Display| {
        format!("the compressed data is broken ({e}); was it copied completely?")
    };
    let mut plain = Vec::new();
    let mut rest = bytes;
    let mut decoder = FrameDecoder::new();
    while !rest.is_empty() {
        let window = window(rest);
        match decoder.init(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let end = "the compressed data ends early; was it copied completely?";
                rest = rest.get(length as usize..).ok_or(end)?;
                continue;
            }
            Err(e) => return Err(broken(&e)),
        }
        // What is held back for later blocks to refer to.
        if window.unwrap_or_else(|| decoder.content_size()) > most as u64 {
            return Err(too_much(bytes.len(), most));
        }
        while !decoder.is_finished() {
            let strategy = BlockDecodingStrategy::UptoBlocks(BLOCKS);
            decoder.decode_blocks(&mut rest, strategy).map_err(|e| broken(&e))?;
            if plain.len().saturating_add(decoder.can_collect()) > most {
                return Err(too_much(bytes.len(), most));
            }
            decoder.collect_to_writer(&mut plain).map_err(|e| broken(&e))?;
        }
        let (stored, found) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
        if stored.is_some() && stored != found {
            return Err("the checksum is wrong: the data was damaged".to_owned());
        }
    }
    Ok(plain)
}

/// The window that the header of a frame asks for; `None` if it is as large as the content.
fn window(frame: &[u8]) -> Option<u64> {
    const SINGLE_SEGMENT: u8 = 1 << 5;
    let descriptor = *frame.get(4)?;
    if descriptor & SINGLE_SEGMENT != 0 {
        return None;
    }
    let byte = *frame.get(5)?;
    let base = 1u64 << (10 + (byte >> 3));
    Some(base + base / 8 * u64::from(byte & 7))
}

/// Lets `fill` write to `sink`, compressed if `how` says so. The same content gives the same bytes.
pub(crate) fn through<T>(
    how: Option<Compression>,
    sink: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, WriteFault>,
) -> Result<T, WriteFault> {
    match how {
        None => fill(sink),
        Some(Compression::Gzip) => {
            let mut packer = GzEncoder::new(sink, flate2::Compression::default());
            let result = fill(&mut packer)?;
            packer.finish()?;
            Ok(result)
        }
        Some(Compression::Zstd) => {
            // The library reads what it packs, and takes any failure to write for a bug.
            let mut plain = Vec::new();
            let result = fill(&mut plain)?;
            sink.write_all(&compress_to_vec(plain.as_slice(), CompressionLevel::Fastest))?;
            Ok(result)
        }
    }
}

#[cfg(test)]
#[path = "compression_tests.rs"]
mod tests;
