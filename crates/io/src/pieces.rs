//! Files too large for memory: positions are read piece by piece, and put back piece by piece, while
//! all else is copied from the one file to the other as it is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use pellucid_cloud::Point;

use crate::document::Dropped;
use crate::error::{Fault, IoError};
use crate::format::Format;
use crate::las::LasPieces;
use crate::ply::PlyPieces;

/// A file to be gone through piece by piece: LAS, LAZ, or binary PLY.
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
/// file.rewrite(file.format(), &mut out, &mut |points| {
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
}

/// Somewhere to write to, and to go back in.
pub trait Sink: Write + Seek {}

impl<T: Write + Seek> Sink for T {}

/// Why going through a file ended early.
pub(crate) enum Stopped {
    Io(io::Error),
    At(Fault),
    Unfit(String),
    /// The caller had enough.
    Enough,
}

impl From<io::Error> for Stopped {
    fn from(e: io::Error) -> Self {
        Stopped::Io(e)
    }
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::At(fault)
    }
}

impl PieceFile {
    /// Looks at the parts of a file that are not points.
    pub fn open(path: &Path) -> Result<PieceFile, IoError> {
        let name = path.display().to_string();
        let fault = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => IoError::Missing { file: name.clone() },
            _ => IoError::Read { file: name.clone(), source },
        };
        if std::fs::metadata(path).map_err(fault)?.is_dir() {
            return Err(IoError::Directory { file: name });
        }
        let mut file = File::open(path).map_err(fault)?;
        let len = file.metadata().map_err(fault)?.len();
        if len == 0 {
            return Err(IoError::Empty { file: name });
        }
        let stopped = |e: Stopped| e.of(&name);
        let head = read_at(&mut file, 0, len.min(512) as usize).map_err(stopped)?;
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
            other => {
                let fault = format!(
                    "{} is read as a whole only; LAS, LAZ and binary PLY can be read in pieces: \
                     convert it first",
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
        }
    }

    /// What will be left out of a file written by [`rewrite`](Self::rewrite).
    pub fn left_out(&self) -> Vec<Dropped> {
        match &self.kind {
            Kind::Las(las) if las.is_copc() => vec![Dropped {
                attribute: "COPC index".to_owned(),
                reason: "points moved out of its cells; the output is a plain file with the \
                         points in the same order"
                    .to_owned(),
            }],
            _ => Vec::new(),
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
        }))
    }

    /// Writes the file to `sink` with the positions that `change` makes of its own, which it gets in
    /// order and some at a time, while it returns `true`. Tells whether it came to the end.
    ///
    /// Coordinates that stay the same keep their bytes. LAS may become LAZ and the other way
    /// round; any other change of format is refused.
    pub fn rewrite(
        &self,
        format: Format,
        sink: &mut dyn Sink,
        change: &mut dyn FnMut(&mut [Point]) -> bool,
    ) -> Result<bool, IoError> {
        self.check_becomes(format)?;
        let mut change = |points: &mut [Point]| match change(points) {
            true => Ok(()),
            false => Err(Stopped::Enough),
        };
        self.ended(self.handle().and_then(|mut file| match &self.kind {
            Kind::Las(las) => las.rewrite(&mut file, format == Format::Laz, sink, &mut change),
            Kind::Ply(ply) => ply.rewrite(&mut file, sink, &mut change),
        }))
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

impl Stopped {
    fn of(self, name: &str) -> IoError {
        let file = name.to_owned();
        match self {
            Stopped::Io(source) => IoError::Read { file, source },
            Stopped::At(fault) => fault.of(name),
            Stopped::Unfit(fault) => IoError::Unfit { file, fault },
            Stopped::Enough => IoError::Unfit { file, fault: "stopped".to_owned() },
        }
    }
}

/// `size` bytes from byte `at` on.
pub(crate) fn read_at(file: &mut File, at: usize, size: usize) -> Result<Vec<u8>, Stopped> {
    file.seek(SeekFrom::Start(at as u64))?;
    let mut bytes = vec![0; size];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Copies `size` bytes from byte `at` on.
pub(crate) fn copy(
    file: &mut File,
    at: usize,
    size: usize,
    sink: &mut dyn Sink,
) -> Result<(), Stopped> {
    file.seek(SeekFrom::Start(at as u64))?;
    let copied = io::copy(&mut file.take(size as u64), &mut &mut *sink)?;
    if copied < size as u64 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(())
}
