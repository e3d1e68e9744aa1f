//! PCD, the format of the Point Cloud Library: a header of keywords, then the points as text,
//! as records, or field after field and compressed.
//!
//! Own code, since the crate for it (`pcd-rs`) gives up what has to be kept: comments, the
//! viewpoint as written, packed colors down to the bit, padding and unnamed fields.
//!
//! A packed `rgb` or `rgba` field becomes the attribute `color` of three bytes (four if any
//! upper byte is set, or if the field is called `rgba`) and is packed again into a field of the
//! same name and type, with the same bits.

mod header;
mod lzf;
mod read;
mod write;

use header::{Data, Field};

use crate::meaning::From;

pub(crate) use read::read;
pub(crate) use write::write;

/// Where the values of a field went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// One column.
    One(From),
    /// An attribute with all its components.
    Whole(String),
    /// The attribute `color`, packed.
    Packed,
}

/// What a PCD file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct PcdSource {
    width: usize,
    height: usize,
    viewpoint: Option<[f64; 7]>,
    data: Data,
    /// The header but for its last line.
    lines: Vec<Vec<u8>>,
    slots: Vec<(Field, Origin)>,
}

impl PcdSource {
    /// Where the sensor was; the usual pose says that nobody knows.
    pub fn viewpoint(&self) -> Option<[f64; 3]> {
        let v = self.viewpoint?;
        (v != [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).then_some([v[0], v[1], v[2]])
    }

    /// Where the sensor was; that of an organized cloud is at the origin unless it says otherwise.
    pub fn eye(&self) -> Option<[f64; 3]> {
        self.viewpoint().or_else(|| self.grid().map(|_| [0.0; 3]))
    }

    /// Columns and rows of an organized cloud.
    pub fn grid(&self) -> Option<(usize, usize)> {
        (self.height > 1).then_some((self.width, self.height))
    }
}

/// Whether the first lines are those of the format.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 12)];
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    lines
        .find(|l| !l.is_empty() && l[0] != b'#')
        .is_some_and(|l| [&b"VERSION"[..], b"FIELDS", b"COLUMNS"].iter().any(|k| l.starts_with(k)))
        && (head.starts_with(b"# .PCD")
            || memchr::memmem::find(head, b"\nDATA ").is_some()
            || head.starts_with(b"VERSION"))
}

#[cfg(test)]
#[path = "lzf_tests.rs"]
mod lzf_tests;
