//! From a document to a file.

use std::collections::HashSet;
use std::io::{Cursor, Read, Seek, Write};
use std::ops::Range;

use ::e57::{
    E57Reader, E57Writer, PointCloud as Scan, PointCloudWriter, RawValues, Record, RecordDataType,
    RecordValue,
};
use pellucid_cloud::{Attribute, PointCloud};

use super::added::{self, Added};
use super::create::create;
use super::frame::{Frame, stored, value};
use super::widen::Widened;
use super::{E57Source, attribute, copied, open, points};
use crate::document::{Detail, Document, Dropped, Encoding, WriteJob, Written};
use crate::error::{Fault, WriteFault};
use crate::faces::CHANGED;
use crate::template::is_same;

/// What a file of other points does not have.
pub(super) const SCANS: &str = "scans with their poses, images";

/// Why the library refused.
pub(super) struct Refused(pub(super) String);

impl From<::e57::Error> for Refused {
    fn from(e: ::e57::Error) -> Self {
        Refused(match super::fault(0, &e) {
            Fault::At(_, text) => text,
            Fault::NoPoints(_) => e.to_string(),
        })
    }
}

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    if !matches!(job.encoding, None | Some(Encoding::BinaryLittle)) {
        let fault = "E57 is written in binary, least significant byte first";
        return Err(WriteFault::Unfit(fault.to_owned()));
    }
    let mut written = Written::default();
    // The library reads back what it has written, to make checksums.
    let mut out = Cursor::new(Vec::new());
    let done = match &document.source.detail {
        Detail::E57(e57) if e57.points() == document.cloud.len() => {
            again(e57, &document.cloud, &mut out, &mut written.dropped)
        }
        detail => {
            if matches!(detail, Detail::E57(_)) {
                written
                    .dropped
                    .push(Dropped { attribute: SCANS.to_owned(), reason: CHANGED.to_owned() });
            }
            create(document, &mut out, &mut written.dropped)
        }
    };
    done.map_err(|Refused(text)| WriteFault::Unfit(format!("E57 cannot hold this: {text}")))?;
    sink.write_all(out.get_ref())?;
    Ok(written)
}

/// The file that was read, with the points where they are now.
fn again(
    e57: &E57Source,
    cloud: &PointCloud,
    out: &mut Cursor<Vec<u8>>,
    dropped: &mut Vec<Dropped>,
) -> Result<(), Refused> {
    let mut reader = open(&e57.bytes).map_err(|f| Refused(format!("{f:?}")))?;
    let mut writer = copied::start(&reader, out)?;
    let new = Known::of(e57.scans.iter()).others(cloud, dropped);
    if !new.is_empty() && !reader.extensions().iter().any(added::is_ours) {
        writer.register_extension(added::extension())?;
    }
    dropped.extend(copied::left_out(&reader));
    let mut first = 0;
    for scan in &e57.scans {
        scan_again(&mut reader, &mut writer, scan, cloud, first, &new)?;
        first += scan.records as usize;
    }
    copied::images(&mut reader, &mut writer)?;
    writer.finalize()?;
    Ok(())
}

/// The attributes that a file has.
pub(super) struct Known {
    names: HashSet<String>,
    /// Records of a scan, at most.
    records: usize,
}

impl Known {
    pub fn of<'a>(scans: impl Iterator<Item = &'a Scan>) -> Known {
        let mut known = Known { names: HashSet::from(["scan".to_owned()]), records: 0 };
        for scan in scans {
            let names = scan.prototype.iter().filter_map(|r| attribute(&r.name));
            known.names.extend(names.map(|(name, _)| name));
            known.records = known.records.max(scan.prototype.len());
        }
        known
    }

    /// The other attributes, which join the records of every scan.
    pub fn others<'a>(&self, cloud: &'a PointCloud, dropped: &mut Vec<Dropped>) -> Vec<Added<'a>> {
        let unknown = cloud.attributes().filter(|a| !self.names.contains(a.name()));
        added::plan(unknown, self.records.max(self.names.len()), dropped)
    }
}

fn scan_again(
    reader: &mut E57Reader<Cursor<&[u8]>>,
    writer: &mut E57Writer<&mut Cursor<Vec<u8>>>,
    scan: &Scan,
    cloud: &PointCloud,
    first: usize,
    new: &[Added],
) -> Result<(), Refused> {
    let frame = Frame::of(scan).ok_or_else(|| Refused("a scan without coordinates".to_owned()))?;
    let rows = first..first + scan.records as usize;
    let mut widened = Widened::of(scan, &frame);
    if widened.depends() {
        cloud.positions()[rows.clone()].iter().for_each(|p| widened.add(&frame, *p));
    }
    let own = widened.records();
    let added: Vec<Record> = new.iter().map(|n| n.record.clone()).collect();
    let mut w = copied::scan(writer, scan, [&*own, &*added].concat())?;
    rows_again(&mut w, &mut *points(reader, scan)?, (&frame, &own), (cloud, rows), new)?;
    w.finalize()?;
    Ok(())
}

/// Writes rows of a scan from what was stored and what a cloud has now.
pub(super) fn rows_again<W: Read + Write + Seek>(
    w: &mut PointCloudWriter<'_, W>,
    raws: &mut dyn Iterator<Item = ::e57::Result<RawValues>>,
    (frame, own): (&Frame, &[Record]),
    (cloud, rows): (&PointCloud, Range<usize>),
    new: &[Added],
) -> Result<(), Refused> {
    // The attribute of each record, with its component.
    let sources: Vec<Option<(&Attribute, usize)>> = own
        .iter()
        .map(|r| {
            let (name, component) = attribute(&r.name)?;
            let a = cloud.attribute(&name).filter(|a| component < a.width())?;
            Some((a, component))
        })
        .collect();
    for (row, raw) in rows.zip(raws) {
        let mut raw = raw?;
        let before = frame.point(&raw);
        frame.put(&mut raw, before, cloud.positions()[row]);
        for ((raw, source), record) in raw.iter_mut().zip(&sources).zip(own) {
            let Some((a, component)) = source else { continue };
            let new = a.values().get_f64(row * a.width() + component);
            let old = value(raw, &record.data_type);
            if let Some(new) = new.filter(|&new| new.is_finite() && !is_same(new, old)) {
                *raw = clamped(stored(new, &record.data_type), &record.data_type);
            }
        }
        raw.extend(new.iter().map(|n| n.value(row)));
        w.add_point(raw)?;
    }
    Ok(())
}

fn clamped(x: RecordValue, ty: &RecordDataType) -> RecordValue {
    match (x, ty) {
        (RecordValue::Integer(x), RecordDataType::Integer { min, max }) => {
            RecordValue::Integer(x.max(*min).min(*max))
        }
        (RecordValue::ScaledInteger(x), RecordDataType::ScaledInteger { min, max, .. }) => {
            RecordValue::ScaledInteger(x.max(*min).min(*max))
        }
        (x, _) => x,
    }
}
