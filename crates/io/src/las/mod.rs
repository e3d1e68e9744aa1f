//! LAS 1.0 to 1.4 and its compressed form LAZ: point formats 0 to 10.
//!
//! `file` knows the bytes around the points, `record` the fields of a point, `extra` the fields
//! that a file adds, `chunks` the compression (the `laz` crate's, but for `times` and
//! `point14`); `read` and `write` give them their meaning.
//!
//! Coordinates are integers times the file's scale plus its offset. A point that does not move
//! gets back exactly its stored integers; one that does is rounded to the nearest step, and one
//! that leaves the range of 32-bit steps is an error. Clouds from elsewhere get the coarsest power
//! of ten as scale that holds every coordinate to its last bits, or else the finest that reaches over the
//! cloud, are written as LAS 1.4, and 8-bit colors are spread over 16 bits (times 257).

mod append;
mod chunks;
mod classes;
mod columns;
mod crs;
#[cfg(test)]
mod decode_tests;
mod encode;
mod extra;
mod file;
mod locate;
mod packer;
mod pieces;
mod plan;
mod point14;
mod quantize;
mod read;
mod record;
mod times;
mod wkt;
mod write;

use std::sync::Arc;

use pellucid_cloud::Point;

pub(crate) use append::LasAppender;
pub use classes::{LAS_CLASSES, las_class_in_words, parse_las_class};
pub(crate) use pieces::LasPieces;
pub(crate) use read::read;
pub(crate) use write::{write_las, write_laz};

use extra::Descriptor;
use file::Frame;

use crate::scalar::ScalarType;

/// Whether the content is LAS or LAZ.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"LASF")
}

/// Whether the content is LAZ.
pub(crate) fn sniff_laz(bytes: &[u8]) -> bool {
    sniff(bytes) && bytes.get(file::at::FORMAT).is_some_and(|f| f & file::COMPRESSED != 0)
}

/// What a LAS file holds besides points and attributes.
#[derive(Debug)]
pub(crate) struct LasSource {
    frame: Arc<Frame>,
    slots: Vec<Slot>,
    count: usize,
    /// As they were read; while they are the same, so are the header's.
    bounds: Option<(Point, Point)>,
    returns: Vec<u64>,
    /// The stored coordinates, kept only if the positions do not determine them.
    stored: Option<Vec<[i32; 3]>>,
}

/// Bytes that the file added to each point, and the attribute that they became.
#[derive(Debug, Clone)]
struct Slot {
    /// `None` for bytes at the end of the record that nothing describes.
    descriptor: Option<Descriptor>,
    attribute: String,
    /// The first of its components, of which there may be more: a normal is gathered from three.
    first: usize,
    width: usize,
    ty: ScalarType,
    /// The attribute holds values times scale plus offset.
    scaled: bool,
}

impl LasSource {
    /// What only LAS can hold, for a report on what another format loses.
    pub fn records(&self) -> Vec<String> {
        let records = self.frame.vlrs.iter().chain(&self.frame.evlrs);
        records.map(|v| format!("{} {}", file::text(&v.user_id), v.record_id)).collect()
    }

    /// The same for other points.
    pub fn without_rows(&self) -> LasSource {
        let (frame, slots) = (self.frame.clone(), self.slots.clone());
        LasSource { frame, slots, count: 0, bounds: None, returns: Vec::new(), stored: None }
    }

    /// The steps of coordinates and the offsets.
    pub fn grid(&self) -> ([f64; 3], [f64; 3]) {
        quantize::of(&self.frame.header)
    }

    /// The coordinate system and its unit, if the file says.
    pub fn coordinate_system(&self) -> Option<String> {
        crs::of(self.frame.vlrs.iter().chain(&self.frame.evlrs))
    }

    /// The version of the format, such as 1.4.
    pub fn version(&self) -> String {
        let version = self.frame.header.version;
        format!("{}.{}", version.major, version.minor)
    }

    /// The point format of the records.
    pub fn point_format(&self) -> u8 {
        self.frame.format
    }

    /// Kinds of record beside the points, with their counts.
    pub fn other_elements(&self) -> Vec<(String, usize)> {
        let counts = [("VLR", self.frame.vlrs.len()), ("EVLR", self.frame.evlrs.len())];
        counts.into_iter().filter(|c| c.1 > 0).map(|(n, c)| (n.to_owned(), c)).collect()
    }
}
