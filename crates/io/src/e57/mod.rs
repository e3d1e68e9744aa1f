//! E57: scans, each with its pose, and images. Reading and writing of the format itself is the
//! crate `e57`'s.
//!
//! All scans become one cloud in the frame of the file: poses are applied, spherical coordinates
//! made Cartesian, and the attribute `scan` says which scan a point is of where there are
//! several. Points marked invalid have no position (NaN). Writing E57 goes back to the scans'
//! own frames; a point that did not move gets the very values that were stored.

mod added;
mod append;
mod check;
mod copied;
mod create;
mod frame;
mod pieces;
mod read;
mod readahead;
mod widen;
mod write;
mod xml;
#[cfg(test)]
mod xml_tests;

use std::io::{Cursor, Read, Seek};

use ::e57::{E57Reader, PointCloud as Scan, Record, RecordDataType, RecordName, RecordValue};

use crate::error::Fault;
use crate::unsupported::counted;

pub(crate) use append::{E57Appender, E57Parts};
pub(crate) use pieces::E57Pieces;
pub(crate) use read::read;
pub(crate) use write::write;

/// What an E57 file held beyond the cloud: all of it, since a changed file is made out of it.
#[derive(Debug)]
pub(crate) struct E57Source {
    bytes: Vec<u8>,
    scans: Vec<Scan>,
    images: usize,
}

impl E57Source {
    fn points(&self) -> usize {
        self.scans.iter().map(|s| s.records as usize).sum()
    }

    /// Where the scanners stood, if that is known.
    pub fn viewpoints(&self) -> Vec<[f64; 3]> {
        viewpoints(self.scans.iter())
    }

    /// What only E57 can hold, for a report on what another format loses.
    pub fn records(&self) -> Vec<String> {
        let posed = self.scans.iter().filter(|s| s.transform.is_some()).count();
        let poses = (posed > 0).then(|| format!("the poses of {}", counted(posed, "scan")));
        let images = (self.images > 0).then(|| counted(self.images, "image"));
        let scans = "names, sensors and times of scans".to_owned();
        let described = |s: &Scan| s.name.is_some() || s.sensor_model.is_some();
        let descriptions = self.scans.iter().any(described).then_some(scans);
        poses.into_iter().chain(images).chain(descriptions).collect()
    }

    pub fn other_elements(&self) -> Vec<(String, usize)> {
        let all = [("scan".to_owned(), self.scans.len()), ("image".to_owned(), self.images)];
        all.into_iter().filter(|e| e.1 > 0).collect()
    }
}

/// Where the scanners stood; unknown unless every scan has a pose, or is stored as it was measured: by
/// ranges and angles, or in the grid of the scanner, which is then at the origin.
fn viewpoints<'a>(scans: impl Iterator<Item = &'a Scan>) -> Vec<[f64; 3]> {
    use RecordName::{ColumnIndex, RowIndex, SphericalRange};
    let has = |s: &Scan, name: RecordName| s.prototype.iter().any(|r| r.name == name);
    let measured = |s: &Scan| has(s, SphericalRange) || has(s, RowIndex) && has(s, ColumnIndex);
    let place = |s: &Scan| match &s.transform {
        Some(t) => Some([t.translation.x, t.translation.y, t.translation.z]),
        None => measured(s).then_some([0.0; 3]),
    };
    scans.map(place).collect::<Option<_>>().unwrap_or_default()
}

/// Whether the first bytes are the format's.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ASTM-E57")
}

/// Bytes of memory that a byte of the description may take: an empty element has four bytes.
const XML_MEMORY: usize = 32;

fn open(bytes: &[u8]) -> Result<E57Reader<Cursor<&[u8]>>, Fault> {
    let most = (4 * bytes.len() + (48 << 20)) / XML_MEMORY;
    open_with(Cursor::new(bytes), bytes.len(), most)
}

/// Checks the description of a file of `len` bytes, which may have `most` at most.
fn open_with<R: Read + Seek>(
    mut source: R,
    len: usize,
    most: usize,
) -> Result<E57Reader<R>, Fault> {
    let failed = |e: std::io::Error| Fault::byte(0, e.to_string());
    let mut head = [0; 40];
    source.rewind().map_err(failed)?;
    if source.read_exact(&mut head).is_ok() {
        let length = head[32..].iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
        if length > len as u64 || length > most as u64 {
            let fault = format!(
                "a description (XML) of {length} bytes in a file of {len}; it is truncated, or the \
                 length is wrong"
            );
            return Err(Fault::byte(32, fault));
        }
    }
    // Where it cannot be had, the reader says why.
    if let Ok(xml) = E57Reader::raw_xml(&mut source) {
        xml::check(&xml).map_err(|fault| Fault::byte(24, fault))?;
    }
    source.rewind().map_err(failed)?;
    E57Reader::new(source).map_err(|e| fault(0, &e))
}

/// What a scan stores, point by point.
fn points<'a, R: Read + Seek>(
    reader: &'a mut E57Reader<R>,
    scan: &Scan,
) -> ::e57::Result<Box<dyn Iterator<Item = ::e57::Result<Vec<RecordValue>>> + 'a>> {
    match constants(scan) {
        // Nothing is stored, and the library would look for its end for ever.
        Some(raw) => Ok(Box::new((0..scan.records).map(move |_| Ok(raw.clone())))),
        None => Ok(Box::new(reader.pointcloud_raw(scan)?)),
    }
}

/// The values of every point, if all records are constant and so take no room.
fn constants(scan: &Scan) -> Option<Vec<RecordValue>> {
    let value = |ty: &RecordDataType| match *ty {
        RecordDataType::Integer { min, max } => (min == max).then_some(RecordValue::Integer(min)),
        RecordDataType::ScaledInteger { min, max, .. } => {
            (min == max).then_some(RecordValue::ScaledInteger(min))
        }
        _ => None,
    };
    scan.prototype.iter().map(|r| value(&r.data_type)).collect()
}

/// An error of the library with what caused it.
fn fault(at: u64, error: &::e57::Error) -> Fault {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(e) = cause {
        text = format!("{text}: {e}");
        cause = e.source();
    }
    Fault::byte(at as usize, text)
}

/// The attribute that a record becomes, and which component of it.
fn attribute(name: &RecordName) -> Option<(String, usize)> {
    let named = match name {
        RecordName::CartesianX | RecordName::CartesianY | RecordName::CartesianZ => return None,
        RecordName::SphericalRange
        | RecordName::SphericalAzimuth
        | RecordName::SphericalElevation => return None,
        RecordName::CartesianInvalidState => "cartesian_invalid",
        RecordName::SphericalInvalidState => "spherical_invalid",
        RecordName::Intensity => "intensity",
        RecordName::IsIntensityInvalid => "intensity_invalid",
        RecordName::ColorRed => return Some(("color".to_owned(), 0)),
        RecordName::ColorGreen => return Some(("color".to_owned(), 1)),
        RecordName::ColorBlue => return Some(("color".to_owned(), 2)),
        RecordName::IsColorInvalid => "color_invalid",
        RecordName::RowIndex => "row_index",
        RecordName::ColumnIndex => "column_index",
        RecordName::ReturnCount => "return_count",
        RecordName::ReturnIndex => "return_index",
        RecordName::TimeStamp => "time",
        RecordName::IsTimeStampInvalid => "time_invalid",
        RecordName::Unknown { namespace, name } if namespace.is_empty() => name,
        RecordName::Unknown { namespace, name } => {
            let other = || Some((format!("{namespace}_{name}"), 0));
            return added::attribute(namespace, name).or_else(other);
        }
    };
    Some((named.to_owned(), 0))
}

/// Bits of one value in the file.
fn bits(record: &Record) -> u32 {
    match record.data_type {
        RecordDataType::Single { .. } => 32,
        RecordDataType::Double { .. } => 64,
        RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max } => {
            let range = i128::from(max) - i128::from(min);
            128 - range.max(0).leading_zeros()
        }
    }
}
