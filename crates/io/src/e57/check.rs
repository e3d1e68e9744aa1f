//! Refuses, before anything is allocated, scans that promise more than the file can hold.

use std::collections::HashMap;
use std::io::{Read, Seek};

use ::e57::{PointCloud as Scan, RecordDataType};

use super::read::type_of;
use super::{attribute, bits, readahead};
use crate::error::Fault;
use crate::limits;

/// What the scans of a file hold.
pub(super) struct Held {
    pub points: usize,
    /// Bytes of memory for all attributes of a point.
    pub columns: usize,
    /// Bytes of memory while reading.
    pub ahead: usize,
}

/// Checks the scans of a file of `len` bytes; `most` is how much memory may go to values that wait
/// for the rest of their points.
pub(super) fn scans(
    source: &mut (impl Read + Seek),
    len: usize,
    scans: &[Scan],
    most: usize,
) -> Result<Held, Fault> {
    if scans.len() > limits::ELEMENTS {
        return Err(Fault::byte(
            0,
            format!("{} scans, more than {}", scans.len(), limits::ELEMENTS),
        ));
    }
    let mut total = 0u64;
    let mut sizes: HashMap<(String, usize), usize> = HashMap::new();
    let mut waiting = 0;
    for scan in scans {
        let at = scan.file_offset as usize;
        if scan.prototype.len() > limits::COLUMNS {
            return Err(Fault::byte(at, format!("more than {} records", limits::COLUMNS)));
        }
        check_records(scan)?;
        for record in &scan.prototype {
            // A column of several scans may become one of doubles.
            let size = if scans.len() > 1 { 8 } else { type_of(&record.data_type).size() };
            sizes.extend(attribute(&record.name).map(|name| (name, size)));
        }
        if sizes.len() > limits::COLUMNS {
            let fault = format!("with this scan, more than {} columns", limits::COLUMNS);
            return Err(Fault::byte(at, fault));
        }
        let each: u64 = scan.prototype.iter().map(|r| u64::from(bits(r))).sum();
        // Constants take no room; a scan of nothing else is none.
        let fit = (8 * len as u64).checked_div(each).unwrap_or(1 << 16);
        if scan.records > fit {
            let fault = format!(
                "a scan promises {} points of {each} bits, which do not fit in the file; it is \
                 truncated or the count is wrong",
                scan.records
            );
            return Err(Fault::byte(at, fault));
        }
        total = total.saturating_add(scan.records);
        waiting = waiting.max(readahead::check(source, scan, most)?);
    }
    match usize::try_from(total) {
        Ok(points) if points <= limits::POINTS => {
            Ok(Held { points, columns: sizes.values().sum(), ahead: waiting })
        }
        _ => Err(Fault::byte(0, format!("{total} points are more than one cloud can hold"))),
    }
}

/// Refuses records that the library would trip over, or that would overwrite each other.
fn check_records(scan: &Scan) -> Result<(), Fault> {
    let at = scan.file_offset as usize;
    for (i, record) in scan.prototype.iter().enumerate() {
        let name = &record.name;
        if scan.prototype[..i].iter().any(|r| r.name == *name) {
            return Err(Fault::byte(at, format!("a scan has two records {name:?}")));
        }
        let (RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max }) =
            record.data_type
        else {
            continue;
        };
        if max < min {
            let fault = format!("the record {name:?} goes from {min} to {max}");
            return Err(Fault::byte(at, fault));
        }
    }
    Ok(())
}
