//! Files too large for memory: positions are read piece by piece, and put back piece by piece, while
//! all else is copied from the one file to the other as it is.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use pellucid_cloud::Point;

use crate::batches::{Batches, Stopped, read_at};
use crate::compression::Compression;
use crate::document::{Document, Dropped};
use crate::e57::{E57Parts, E57Pieces};
use crate::error::IoError;
use crate::format::Format;
use crate::las::LasPieces;
use crate::limits::Limits;
use crate::ply::PlyPieces;
use crate::read_plain;

/// A file to be gone through piece by piece: LAS, LAZ, E57, or binary PLY.
///
/// ```
/// use std::io::Cursor;
/// use pellucid_io::PieceFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.ply");
/// let head = b"ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\n\
///     property float y\nproperty float z\nproperty uchar quality\nend_header\n";
/// let rows = [[0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64, 7]; 2].concat();
/// std::fs::write(&path, [&head[..], &rows].concat())?;
///
/// let file = PieceFile::open(&path)?;
/// let mut sum = 0.0;
/// file.positions(&mut |points| {
///     sum += points.iter().map(|p| p[2]).sum::<f64>();
///     true
/// })?;
/// assert_eq!((file.len(), sum), (2, 4.0));
///
/// let mut out = Cursor::new(Vec::new());
/// file.rewrite(file.format(), &mut out, &mut |_, points| {
///     points.iter_mut().for_each(|p| p[2] += 1.0);
///     true
/// })?;
/// assert_eq!(out.get_ref().len(), head.len() + rows.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PieceFile {
    name: String,
    format: Format,
    file: File,
    kind: Kind,
}

enum Kind {
    Las(Box<LasPieces>),
    Ply(PlyPieces),
    E57(Arc<E57Pieces>),
}

/// Somewhere to write to and to go back in, such as a file open for reading and writing.
///
/// It need not be buffered.
pub trait Sink: Read + Write + Seek {}

impl<T: Read + Write + Seek> Sink for T {}

impl PieceFile {
    /// Reads the parts of a file that are not points.
    pub fn open(path: &Path) -> Result<PieceFile, IoError> {
        let name = path.display().to_string();
        let fault = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => IoError::Missing { file: name.clone() },
            _ => IoError::Read { file: name.clone(), source },
        };
        // Checked before it is opened, since opening a pipe waits for somebody who writes.
        let kind = std::fs::metadata(path).map_err(fault)?.file_type();
        if kind.is_dir() {
            return Err(IoError::Directory { file: name });
        }
        if !kind.is_file() {
            return Err(IoError::Device { file: name });
        }
        let mut file = File::open(path).map_err(fault)?;
        let len = file.metadata().map_err(fault)?.len();
        if len == 0 {
            return Err(IoError::Empty { file: name });
        }
        let stopped = |e: Stopped| e.of(&name);
        let head = read_at(&mut file, 0, len.min(512) as usize).map_err(stopped)?;
        if let Some(how) = Compression::from_path(path).or(Compression::from_content(&head)) {
            let fault = format!(
                "files compressed with {} are read as a whole only; unpack it first",
                how.name()
            );
            return Err(IoError::Unfit { file: name, fault });
        }
        let found = Format::from_content(&head);
        let named = Format::from_path(path);
        if let (Some(named), Some(found)) = (named, found)
            && !(named.info().sniff)(&head)
        {
            let (named, extension) = (named.name(), found.extensions()[0]);
            return Err(IoError::WrongFormat { file: name, named, found: found.name(), extension });
        }
        let format = named.or(found).ok_or(IoError::UnknownFormat { file: name.clone() })?;
        let kind = match format {
            Format::Las | Format::Laz => {
                Kind::Las(Box::new(LasPieces::open(&mut file).map_err(stopped)?))
            }
            Format::Ply => Kind::Ply(PlyPieces::open(&mut file).map_err(stopped)?),
            Format::E57 => Kind::E57(Arc::new(E57Pieces::open(&mut file).map_err(stopped)?)),
            other => {
                let fault = format!(
                    "{} is read as a whole only; LAS, LAZ, E57 and binary PLY can be read in \
                     pieces: convert it first",
                    other.name()
                );
                return Err(IoError::Unfit { file: name, fault });
            }
        };
        Ok(PieceFile { name, format, file, kind })
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Las(las) => las.count,
            Kind::Ply(ply) => ply.count,
            Kind::E57(e57) => e57.count,
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// An error unless a file of this name can be written piece by piece; else its format, which is that
    /// of this one if the name does not tell.
    pub fn check_output(&self, output: &Path) -> Result<Format, IoError> {
        if let Some(how) = Compression::from_path(output) {
            let fault = format!(
                "a file compressed with {} cannot be written piece by piece; write it without .{}",
                how.name(),
                how.extension()
            );
            return Err(IoError::Unfit { file: output.display().to_string(), fault });
        }
        let format = Format::from_path(output).unwrap_or(self.format);
        self.check_becomes(format).map(|()| format)
    }

    /// An error unless it can be written in that format piece by piece.
    pub fn check_becomes(&self, format: Format) -> Result<(), IoError> {
        let las = |f| matches!(f, Format::Las | Format::Laz);
        if format == self.format || las(format) && las(self.format) {
            return Ok(());
        }
        let (own, other) = (self.format.name(), format.name());
        let fault = format!(
            "a file of {own} cannot become {other} piece by piece; write {own} and convert that"
        );
        Err(IoError::Unfit { file: self.name.clone(), fault })
    }

    /// Whether its vertices have normals, which keep their values when it is written.
    pub fn has_normals(&self) -> bool {
        match &self.kind {
            Kind::Las(_) => false,
            Kind::Ply(ply) => ply.normals,
            Kind::E57(e57) => e57.has_normals(),
        }
    }

    /// Where the scanners stood, if the file says so: one place for each scan.
    pub fn viewpoints(&self) -> Vec<Point> {
        match &self.kind {
            Kind::E57(e57) => e57.viewpoints(),
            _ => Vec::new(),
        }
    }

    /// What will be left out of a file written by [`rewrite`](Self::rewrite).
    pub fn left_out(&self) -> Vec<Dropped> {
        match &self.kind {
            Kind::Las(las) => las.left_out(),
            Kind::Ply(_) => Vec::new(),
            Kind::E57(e57) => e57.left_out(),
        }
    }

    /// How often [`rewrite`](Self::rewrite) goes through all positions.
    ///
    /// Twice if coordinates are E57's integers: how many bits they take must be known before the
    /// first is written.
    pub fn passes(&self) -> usize {
        match &self.kind {
            Kind::E57(e57) => e57.passes(),
            _ => 1,
        }
    }

    /// Hands all positions to `take`, in order and some at a time, while it returns `true`.
    /// Tells whether it came to the end.
    pub fn positions(&self, take: &mut dyn FnMut(&[Point]) -> bool) -> Result<bool, IoError> {
        let mut take = |points: &[Point]| match take(points) {
            true => Ok(()),
            false => Err(Stopped::Enough),
        };
        self.ended(self.handle().and_then(|mut file| match &self.kind {
            Kind::Las(las) => las.positions(&mut file, &mut take),
            Kind::Ply(ply) => ply.positions(&mut file, &mut take),
            Kind::E57(e57) => e57.positions(&mut file, &mut take),
        }))
    }

    /// Hands all points with their attributes to `take`, in order and at most `most` at a time, while
    /// it returns `true`: as documents that [`PieceWriter`](crate::PieceWriter) puts together again.
    /// Tells whether it came to the end. Not for PLY that has more than points.
    pub fn documents(
        &self,
        most: usize,
        take: &mut dyn FnMut(Document) -> bool,
    ) -> Result<bool, IoError> {
        let mut more = |d: Document| if take(d) { Ok(()) } else { Err(Stopped::Enough) };
        if let Kind::E57(pieces) = &self.kind {
            return self.ended(self.handle().and_then(|mut file| {
                let parts = E57Parts { pieces: pieces.clone(), file: self.handle()? };
                E57Pieces::documents(&Arc::new(parts), &mut file, most, &mut more)
            }));
        }
        let (limits, mut failure) = (Limits::default(), None);
        let plain = if self.format == Format::Ply { Format::Ply } else { Format::Las };
        let mut take = |bytes: &[u8]| match read_plain(bytes, plain, &self.name, &limits) {
            Ok(mut document) => {
                document.source.format = Some(self.format);
                more(document)
            }
            Err(e) => {
                failure = Some(e);
                Err(Stopped::Enough)
            }
        };
        let result = self.handle().and_then(|mut file| match &self.kind {
            Kind::Las(las) => las.files(&mut file, most, &mut take),
            Kind::Ply(ply) => ply.files(&mut file, most, &mut take),
            Kind::E57(_) => Ok(()),
        });
        failure.map_or_else(|| self.ended(result), Err)
    }

    /// Writes the file to `sink`, which must be empty, with the positions that `change` makes of
    /// its own. It gets the number of the first and some of them, in order, while it returns
    /// `true`; if there are two [`passes`](Self::passes), all of them twice, and must do the same
    /// both times. Tells how many bytes the file has, if it came to the end.
    ///
    /// Coordinates that stay the same keep their bytes. LAS may become LAZ and the other way
    /// round; any other change of format is refused.
    pub fn rewrite(
        &self,
        format: Format,
        sink: &mut dyn Sink,
        change: &mut dyn FnMut(usize, &mut [Point]) -> bool,
    ) -> Result<Option<u64>, IoError> {
        self.check_becomes(format)?;
        let mut change = |first: usize, points: &mut [Point]| match change(first, points) {
            true => Ok(()),
            false => Err(Stopped::Enough),
        };
        let mut sink = Watched { sink, fault: None, at: 0, end: 0 };
        let result = self.handle().and_then(|mut file| {
            const BUFFER: usize = 1 << 20;
            match &self.kind {
                Kind::Las(las) => {
                    let mut out = BufWriter::with_capacity(BUFFER, &mut sink);
                    las.rewrite(&mut file, format == Format::Laz, &mut out, &mut change)?;
                    Ok(out.flush()?)
                }
                Kind::Ply(ply) => {
                    let mut out = BufWriter::with_capacity(BUFFER, &mut sink);
                    ply.rewrite(&mut file, &mut out, &mut change)?;
                    Ok(out.flush()?)
                }
                Kind::E57(e57) => e57.rewrite(&mut file, &mut sink, &mut change),
            }
        });
        match (result, sink.fault) {
            (Err(_), Some(source)) => {
                Err(IoError::Write { file: format!("the copy of {}", self.name), source })
            }
            (result, _) => Ok(self.ended(result)?.then_some(sink.end)),
        }
    }

    fn handle(&self) -> Result<File, Stopped> {
        Ok(self.file.try_clone()?)
    }

    fn ended(&self, result: Result<(), Stopped>) -> Result<bool, IoError> {
        match result {
            Ok(()) => Ok(true),
            Err(Stopped::Enough) => Ok(false),
            Err(e) => Err(e.of(&self.name)),
        }
    }
}

/// Remembers that it was the sink that failed, and not the file; and how far it was written.
struct Watched<'a> {
    sink: &'a mut dyn Sink,
    fault: Option<io::Error>,
    at: u64,
    end: u64,
}

impl Watched<'_> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(e) = &result
            && e.kind() != io::ErrorKind::Interrupted
        {
            let copy = |e: &io::Error| io::Error::new(e.kind(), e.to_string());
            self.fault =
                Some(e.raw_os_error().map_or_else(|| copy(e), io::Error::from_raw_os_error));
        }
        result
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let result = self.sink.read(bytes);
        self.at += *result.as_ref().unwrap_or(&0) as u64;
        self.note(result)
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.sink.write(bytes);
        self.at += *result.as_ref().unwrap_or(&0) as u64;
        self.end = self.end.max(self.at);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.sink.flush();
        self.note(result)
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let result = self.sink.seek(to);
        self.at = *result.as_ref().unwrap_or(&self.at);
        self.note(result)
    }
}
