//! What can go wrong, where, and what to do about it.

use std::fmt;
use std::io;

/// Where in a file a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Counted from one.
    Line(usize),
    /// Counted from zero.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(n) => write!(f, "line {n}"),
            Place::Byte(n) => write!(f, "byte {n}"),
        }
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// There is no such file.
    #[error("{file}: there is no such file; check the path")]
    Missing {
        /// The file.
        file: String,
    },
    /// A folder was given where a file was wanted.
    #[error("{file}: this is a folder, not a file; name a file in it")]
    Directory {
        /// The folder.
        file: String,
    },
    /// A device was given where a file was wanted, or a pipe where it must be a file.
    #[error("{file}: this is a device or a pipe, not a file; name a file, or - for stdin")]
    Device {
        /// The device.
        file: String,
    },
    /// The file could not be opened or read.
    #[error("{file}: cannot be read: {source}; check its permissions and the disk")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no content.
    #[error("{file}: the file is empty (0 bytes); was it copied completely?")]
    Empty {
        /// The file.
        file: String,
    },
    /// Neither extension nor content tells the format.
    #[error(
        "{file}: unknown format; use a file that ends in {}",
        crate::format::known_extensions()
    )]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// The content of a stream does not tell the format, and nobody else does.
    #[error(
        "{stream}: its format is not known; name it, as one of {}",
        crate::format::known_names()
    )]
    UnknownStream {
        /// The stream.
        stream: String,
    },
    /// A stream that may have no end.
    #[error("{stream}: the stream has more than {most} bytes; save it as a file and name that")]
    LongStream {
        /// The stream.
        stream: String,
        /// How many bytes are read.
        most: usize,
    },
    /// No format of that name.
    #[error("there is no format \"{name}\"; known formats: {}", crate::format::known_names())]
    UnknownName {
        /// What was asked for.
        name: String,
    },
    /// The content belongs to another format than the extension.
    #[error(
        "{file}: byte 0: the name says {named} but the content is {found}; rename it to end in \
         .{extension}"
    )]
    WrongFormat {
        /// The file.
        file: String,
        /// What the extension says.
        named: &'static str,
        /// What the content is.
        found: &'static str,
        /// An extension for what it is.
        extension: &'static str,
    },
    /// The content breaks the format's rules or promises more than it holds.
    #[error("{file}: {place}: {fault}")]
    Malformed {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// What is wrong.
        fault: String,
    },
    /// A text file without a single point.
    #[error("{file}: line {lines}: the file ended and no points were found; is it a point cloud?")]
    NoPoints {
        /// The file.
        file: String,
        /// How many lines were read.
        lines: usize,
    },
    /// The output is there already.
    #[error("{file}: the file exists already; choose another name or allow overwriting")]
    OutputExists {
        /// The output.
        file: String,
    },
    /// No file can have the name of the output.
    #[error("{file}: no file can have this name ({source}); choose another")]
    OutputName {
        /// The output.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The output is one of the inputs.
    #[error("{file}: this is an input and would be overwritten; choose another name")]
    OutputIsInput {
        /// The output.
        file: String,
    },
    /// The output is a folder.
    #[error("{file}: the output is a folder; name a file in it")]
    OutputIsDirectory {
        /// The output.
        file: String,
    },
    /// The output's folder does not exist.
    #[error("{file}: the folder {folder} does not exist; create it first")]
    NoFolder {
        /// The output.
        file: String,
        /// The folder.
        folder: String,
    },
    /// The output exists and may not be written.
    #[error("{file}: the file is read-only and is left alone; choose another name")]
    OutputReadOnly {
        /// The output.
        file: String,
    },
    /// The document cannot be put in this format.
    #[error("{file}: {fault}")]
    Unfit {
        /// The output.
        file: String,
        /// Why not.
        fault: String,
    },
    /// Writing failed; nothing was left behind.
    #[error(
        "{file}: cannot be written: {source}; check the free space and the folder's permissions"
    )]
    Write {
        /// The output.
        file: String,
        /// What the system said.
        source: io::Error,
    },
}

impl IoError {
    /// Whether the input or the request is at fault (and not the disk or its permissions).
    pub fn is_input_fault(&self) -> bool {
        !matches!(self, IoError::Write { .. })
    }
}

/// A fault found by a reader, which does not know the file's name.
#[derive(Debug)]
pub(crate) enum Fault {
    At(Place, String),
    NoPoints(usize),
}

impl Fault {
    pub fn line(line: usize, fault: impl Into<String>) -> Self {
        Fault::At(Place::Line(line), fault.into())
    }

    pub fn byte(at: usize, fault: impl Into<String>) -> Self {
        Fault::At(Place::Byte(at), fault.into())
    }

    /// A fault at byte `at` of a text, reported by its line.
    pub fn line_of(text: &[u8], at: usize, fault: impl Into<String>) -> Self {
        let before = &text[..at.min(text.len())];
        Fault::line(memchr::memchr_iter(b'\n', before).count() + 1, fault)
    }

    pub fn of(self, file: &str) -> IoError {
        let file = file.to_owned();
        match self {
            Fault::At(place, fault) => IoError::Malformed { file, place, fault },
            Fault::NoPoints(lines) => IoError::NoPoints { file, lines },
        }
    }
}

/// Why a writer gave up.
#[derive(Debug)]
pub(crate) enum WriteFault {
    Io(io::Error),
    Unfit(String),
}

impl From<io::Error> for WriteFault {
    fn from(source: io::Error) -> Self {
        WriteFault::Io(source)
    }
}
