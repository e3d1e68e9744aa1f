//! The table of formats: help, documentation, detection, reading and writing all go by it.

use std::io::Write;
use std::path::Path;

use crate::compression::inner_path;
use crate::document::{Document, Encoding, WriteJob, Written};
use crate::error::{Fault, WriteFault};
use crate::limits::Limits;
use crate::{e57, las, npy, obj, off, pcd, ply, ptx, stl, text};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Polygon file format, also known as Stanford triangle format.
    Ply,
    /// The format of the Point Cloud Library.
    Pcd,
    /// ASPRS LAS, the usual format of aerial scans.
    Las,
    /// LAS, compressed.
    Laz,
    /// Wavefront geometry.
    Obj,
    /// Object file format, a mesh as text.
    Off,
    /// Triangles, each with its own corners.
    Stl,
    /// ASTM E57, scans with their poses.
    E57,
    /// Scans as text, with the scanner's pose.
    Ptx,
    /// An array of NumPy.
    Npy,
    /// Several arrays of NumPy.
    Npz,
    /// One point a line, as text.
    Text,
}

/// One row of the table of formats.
#[derive(Debug)]
#[non_exhaustive]
pub struct FormatInfo {
    /// Which one.
    pub format: Format,
    /// Short name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Extensions in lower case; the first is the usual one.
    pub extensions: &'static [&'static str],
    /// Encodings that can be asked for.
    pub encodings: &'static [Encoding],
    /// What survives reading and writing back.
    pub keeps: &'static str,
    /// Whether the content looks like it.
    pub(crate) sniff: fn(&[u8]) -> bool,
    pub(crate) read: fn(&[u8], &Limits) -> Result<Document, Fault>,
    pub(crate) write: fn(&Document, &WriteJob, &mut dyn Write) -> Result<Written, WriteFault>,
}

const LAS_KEEPS: &str = "every field of every point format, extra bytes, scale and offset, the \
                         header, VLRs and EVLRs with the coordinate system";

const TABLE: &[FormatInfo] = &[
    FormatInfo {
        format: Format::Ply,
        name: "PLY",
        title: "Polygon file format (ascii, binary little and big endian)",
        extensions: &["ply"],
        encodings: &[Encoding::BinaryLittle, Encoding::BinaryBig, Encoding::Ascii],
        keeps: "every property with its order and type, other elements such as faces, comments",
        sniff: ply::sniff,
        read: |bytes, _| ply::read(bytes),
        write: ply::write,
    },
    FormatInfo {
        format: Format::Pcd,
        name: "PCD",
        title: "Point Cloud Library (ascii, binary, compressed)",
        extensions: &["pcd"],
        encodings: &[Encoding::BinaryLittle, Encoding::Ascii],
        keeps: "every field with its order, type and count, the grid, viewpoint, comments",
        sniff: pcd::sniff,
        read: pcd::read,
        write: pcd::write,
    },
    FormatInfo {
        format: Format::Laz,
        name: "LAZ",
        title: "Compressed LAS 1.0 to 1.4, COPC (read)",
        extensions: &["laz"],
        encodings: &[Encoding::BinaryLittle],
        keeps: LAS_KEEPS,
        sniff: las::sniff_laz,
        read: las::read,
        write: las::write_laz,
    },
    FormatInfo {
        format: Format::Las,
        name: "LAS",
        title: "ASPRS LAS 1.0 to 1.4, point formats 0 to 10",
        extensions: &["las"],
        encodings: &[Encoding::BinaryLittle],
        keeps: LAS_KEEPS,
        sniff: las::sniff,
        read: las::read,
        write: las::write_las,
    },
    FormatInfo {
        format: Format::Obj,
        name: "OBJ",
        title: "Wavefront geometry; its vertices are the points",
        extensions: &["obj"],
        encodings: &[Encoding::Ascii],
        keeps: "every line word for word but for the coordinates of points that move",
        sniff: obj::sniff,
        read: |bytes, _| obj::read(bytes),
        write: obj::write,
    },
    FormatInfo {
        format: Format::Off,
        name: "OFF",
        title: "Object file format as text, also COFF and NOFF; its vertices are the points",
        extensions: &["off"],
        encodings: &[Encoding::Ascii],
        keeps: "every line word for word but for the coordinates of points that move",
        sniff: off::sniff,
        read: |bytes, _| off::read(bytes),
        write: off::write,
    },
    FormatInfo {
        format: Format::Stl,
        name: "STL",
        title: "Triangles (ascii, binary); corners in one place are one point",
        extensions: &["stl"],
        encodings: &[Encoding::BinaryLittle, Encoding::Ascii],
        keeps: "triangles, their order and attribute bytes, the header; normals where none moved",
        sniff: stl::sniff,
        read: |bytes, _| stl::read(bytes),
        write: stl::write,
    },
    FormatInfo {
        format: Format::E57,
        name: "E57",
        title: "ASTM E57; all scans in the frame of the file",
        extensions: &["e57"],
        encodings: &[Encoding::BinaryLittle],
        keeps: "scans with their poses, own coordinates and records, invalid points, images",
        sniff: e57::sniff,
        read: e57::read,
        write: e57::write,
    },
    FormatInfo {
        format: Format::Ptx,
        name: "PTX",
        title: "Scans as text with the scanner's pose; all in one frame",
        extensions: &["ptx"],
        encodings: &[Encoding::Ascii],
        keeps: "every line word for word but for the coordinates of points that move",
        sniff: ptx::sniff,
        read: |bytes, _| ptx::read(bytes),
        write: ptx::write,
    },
    FormatInfo {
        format: Format::Npy,
        name: "NPY",
        title: "NumPy array, N x 3 or more, or with named fields",
        extensions: &["npy"],
        encodings: &[Encoding::BinaryLittle],
        keeps: "type, byte order, memory order, shape, every column or field",
        sniff: npy::sniff,
        read: |bytes, _| npy::read(bytes),
        write: npy::write,
    },
    FormatInfo {
        format: Format::Npz,
        name: "NPZ",
        title: "NumPy archive; its array \"points\", or the first of N x 3 or more, is the cloud",
        extensions: &["npz"],
        encodings: &[Encoding::BinaryLittle],
        keeps: "every array; those with a row for each point are attributes",
        sniff: npy::sniff_npz,
        read: npy::read_npz,
        write: npy::write_npz,
    },
    FormatInfo {
        format: Format::Text,
        name: "text",
        title: "One point a line, separated by spaces, tabs, commas or semicolons",
        extensions: &["xyz", "txt", "csv", "pts", "asc"],
        encodings: &[Encoding::Ascii],
        keeps: "every column with its order and name, the header line, leading comments",
        sniff: text::sniff,
        read: |bytes, _| text::read(bytes),
        write: text::write,
    },
];

impl Format {
    /// Every format, with what is known about it.
    ///
    /// ```
    /// for info in pellucid_io::Format::all() {
    ///     assert!(!info.extensions.is_empty());
    /// }
    /// ```
    pub fn all() -> &'static [FormatInfo] {
        TABLE
    }

    /// The row of this format.
    pub fn info(self) -> &'static FormatInfo {
        // Every variant has a row (tested); the first stands in for none.
        TABLE.iter().find(|i| i.format == self).unwrap_or(&TABLE[0])
    }

    /// Short name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Extensions in lower case; the first is the usual one.
    pub fn extensions(self) -> &'static [&'static str] {
        self.info().extensions
    }

    /// The format that a path's extension names; `.gz` or `.zst` may follow it.
    ///
    /// ```
    /// use pellucid_io::Format;
    /// assert_eq!(Format::from_path("a/Scan.PLY".as_ref()), Some(Format::Ply));
    /// assert_eq!(Format::from_path("a/ply".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Self> {
        let path = inner_path(path);
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::from_name(&extension)
    }

    /// The format of that extension or name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        TABLE
            .iter()
            .find(|i| i.extensions.contains(&name.as_str()) || i.name.eq_ignore_ascii_case(&name))
            .map(|i| i.format)
    }

    /// Whether it holds attributes of any name.
    ///
    /// ```
    /// use pellucid_io::Format;
    /// assert!(Format::Ply.holds_attributes() && !Format::Stl.holds_attributes());
    /// ```
    pub fn holds_attributes(self) -> bool {
        !matches!(self, Format::Obj | Format::Off | Format::Stl | Format::Ptx)
    }

    /// Whether it holds faces.
    pub(crate) fn holds_faces(self) -> bool {
        matches!(self, Format::Ply | Format::Obj | Format::Off | Format::Stl)
    }

    /// Whether it takes over the comments of other formats.
    pub(crate) fn holds_comments(self) -> bool {
        matches!(self, Format::Ply | Format::Pcd | Format::Obj)
    }

    /// The format that a file's first bytes look like.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        TABLE.iter().find(|i| (i.sniff)(bytes)).map(|i| i.format)
    }
}

/// `ply, pcd …`, for messages.
pub(crate) fn known_names() -> String {
    let all: Vec<&str> = TABLE.iter().flat_map(|i| i.extensions).copied().collect();
    all.join(", ")
}

/// `.ply, .xyz …`, for messages.
pub(crate) fn known_extensions() -> String {
    let all: Vec<String> =
        TABLE.iter().flat_map(|i| i.extensions).map(|e| format!(".{e}")).collect();
    all.join(", ")
}
