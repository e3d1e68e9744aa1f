//! From a document to a file.

use std::io::Write;

use las::Version;
use las::raw::header::{Evlr, LargeFile};
use las::raw::{Header, Vlr};
use pellucid_cloud::PointCloud;
use rayon::prelude::*;

use super::chunks::Packing;
use super::encode::Encoder;
use super::file::{self, COMPRESSED};
use super::plan::{self, RecordLayout};
use super::record::{self, RETURN};
use super::{LasSource, extra, quantize, read};
use crate::document::{Detail, Document, Dropped, LasScale, WriteJob, Written};
use crate::error::WriteFault;
use crate::rows::write_chunks;
use crate::scalar::ScalarType;
use crate::standard;

/// Writes LAS.
pub(crate) fn write_las(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    write(document, job, false, sink)
}

/// Writes LAZ.
pub(crate) fn write_laz(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    write(document, job, true, sink)
}

fn write(
    document: &Document,
    job: &WriteJob,
    packed: bool,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    let source = &document.source;
    let mut written = Written::default();
    let cloud = &*standard::for_las(&document.cloud, &mut written.changed);
    let las = match &source.detail {
        Detail::Las(las) => Some(las.as_ref()),
        _ => None,
    };
    let RecordLayout { format, length, columns, descriptors } =
        plan::plan(cloud, las, &mut written);
    let mut header = las.map_or_else(new_header, |l| l.frame.header.clone());
    let (scale, offset) = grid(document, las, job.las_scale, &header);
    [header.x_scale_factor, header.y_scale_factor, header.z_scale_factor] = scale;
    [header.x_offset, header.y_offset, header.z_offset] = offset;
    quantize::check(cloud.positions(), 0, scale, offset)?;
    let stored = las.and_then(|l| l.stored.as_deref()).filter(|k| k.len() == cloud.len());
    let encoder = Encoder { points: cloud.positions(), scale, offset, stored, columns, length };

    let unfit = || WriteFault::Unfit(format!("LAZ has no point format {format}"));
    let packing = packed.then(|| Packing::new(format, length).ok_or_else(unfit)).transpose()?;
    let described: Vec<u8> = descriptors.iter().flat_map(|d| d.0).collect();
    let (vlrs, evlrs, waves) = records(las, described, packing.as_ref(), &mut written)?;
    let (vlrs, evlrs): (Vec<&Vlr>, Vec<&Vlr>) =
        (vlrs.iter().map(Kept::get).collect(), evlrs.iter().map(Kept::get).collect());

    set_version(&mut header, record::first_version(format));
    header.point_data_record_format = format | if packed { COMPRESSED & 0x80 } else { 0 };
    header.point_data_record_length = length as u16;
    let gap = las.map_or(&[][..], |l| &l.frame.gap);
    header.number_of_variable_length_records = vlrs.len() as u32;
    let start = usize::from(header.header_size) + file::total(&vlrs) + gap.len();
    header.offset_to_point_data = u32::try_from(start)
        .map_err(|_| WriteFault::Unfit("the records before the points exceed 4 GB".to_owned()))?;
    set_counts(&mut header, cloud, las, format);
    set_bounds(&mut header, cloud, las);

    let points = Points::new(packing.as_ref(), &encoder, cloud.len())?;
    let place = |n: usize| (start + points.size() + file::total(&evlrs[..n])) as u64;
    header.start_of_waveform_data_packet_record =
        waves.map(place).or(header.start_of_waveform_data_packet_record.filter(|_| !internal(las)));
    header.evlr = (header.version.minor >= 4 && !evlrs.is_empty())
        .then(|| Evlr { start_of_first_evlr: place(0), number_of_evlrs: evlrs.len() as u32 });

    write_head(header, &vlrs, gap, sink)?;
    points.write(start, sink)?;
    for evlr in &evlrs {
        evlr.write_to(&mut *sink).map_err(failed)?;
    }
    Ok(written)
}

fn failed(e: las::Error) -> WriteFault {
    WriteFault::Io(std::io::Error::other(e.to_string()))
}

/// Writes all that comes before the points.
fn write_head(
    header: Header,
    vlrs: &[&Vlr],
    gap: &[u8],
    sink: &mut dyn Write,
) -> Result<(), WriteFault> {
    let mut head = Vec::new();
    header.write_to(&mut head).map_err(failed)?;
    for vlr in vlrs {
        vlr.write_to(&mut head).map_err(failed)?;
    }
    head.extend_from_slice(gap);
    Ok(sink.write_all(&head)?)
}

/// The points as they stand in the file.
enum Points<'a> {
    Plain { encoder: &'a Encoder<'a>, count: usize },
    Packed { chunks: Vec<Vec<u8>>, table: Vec<u8> },
}

impl<'a> Points<'a> {
    fn new(
        packing: Option<&Packing>,
        encoder: &'a Encoder<'a>,
        count: usize,
    ) -> Result<Points<'a>, WriteFault> {
        let Some(packing) = packing else { return Ok(Points::Plain { encoder, count }) };
        let chunks = pack(packing, encoder, count)?;
        let sizes: Vec<usize> = chunks.iter().map(Vec::len).collect();
        let mut table = Vec::new();
        packing.write_table(&sizes, &mut table)?;
        Ok(Points::Packed { chunks, table })
    }

    /// Their bytes in the file.
    fn size(&self) -> usize {
        match self {
            Points::Plain { encoder, count } => count * encoder.length,
            Points::Packed { chunks, table } => {
                8 + chunks.iter().map(Vec::len).sum::<usize>() + table.len()
            }
        }
    }

    /// Writes them; they start at byte `start` of the file.
    fn write(&self, start: usize, sink: &mut dyn Write) -> std::io::Result<()> {
        match self {
            Points::Plain { encoder, count } => {
                write_chunks(sink, *count, |rows, out| encoder.fill(rows, out))
            }
            Points::Packed { chunks, table } => {
                sink.write_all(&((start + self.size() - table.len()) as i64).to_le_bytes())?;
                for chunk in chunks {
                    sink.write_all(chunk)?;
                }
                sink.write_all(table)
            }
        }
    }
}

/// Scale and offset of the coordinates.
fn grid(
    document: &Document,
    las: Option<&LasSource>,
    wanted: Option<LasScale>,
    header: &Header,
) -> ([f64; 3], [f64; 3]) {
    let points = document.cloud.positions();
    let own = match las {
        Some(_) => quantize::of(header),
        None => {
            let position = document.source.position.unwrap_or([ScalarType::F64; 3]);
            quantize::choose(points, position)
        }
    };
    match wanted {
        None => own,
        Some(LasScale::Step(step)) => quantize::with_step(points, [step; 3], own.1),
        Some(LasScale::Auto) => {
            let step = quantize::fine_step(points);
            quantize::with_step(points, own.0.map(|s| s.min(step)), own.1)
        }
    }
}

fn internal(las: Option<&LasSource>) -> bool {
    las.is_some_and(|l| l.frame.waves.is_some())
}

/// A record of the file or a new one.
enum Kept<'a> {
    Old(&'a Vlr),
    New(Vlr),
}

impl Kept<'_> {
    fn get(&self) -> &Vlr {
        match self {
            Kept::Old(v) => v,
            Kept::New(v) => v,
        }
    }
}

type Records<'a> = (Vec<Kept<'a>>, Vec<Kept<'a>>, Option<usize>);

/// The records before and after the points, and which of the latter holds waveforms.
fn records<'a>(
    las: Option<&'a LasSource>,
    described: Vec<u8>,
    packing: Option<&Packing>,
    written: &mut Written,
) -> Result<Records<'a>, WriteFault> {
    let (mut before, mut after, mut waves) = (Vec::new(), Vec::new(), None);
    let mut new = (!described.is_empty())
        .then(|| file::vlr(extra::USER, extra::RECORD, "Extra Bytes Record", described));
    let is_extra = |v: &Vlr| file::is(v, extra::USER, extra::RECORD);
    if let Some(las) = las {
        let frame = &las.frame;
        written.dropped.extend(left_out(frame.is_copc(), frame.stray));
        let keep = |v: &Vlr| file::text(&v.user_id) != "copc";
        let mut described_before = false;
        for v in frame.vlrs.iter().filter(|v| keep(v)) {
            // The first description of added fields is the one that counts.
            if is_extra(v) && !described_before {
                described_before = true;
                match new.take() {
                    Some(n) if n.data != v.data => before.push(Kept::New(n)),
                    Some(_) => before.push(Kept::Old(v)),
                    None => {}
                }
            } else {
                before.push(Kept::Old(v));
            }
        }
        for (i, v) in frame.evlrs.iter().enumerate().filter(|(_, v)| keep(v)) {
            if is_extra(v) && !described_before {
                described_before = true;
                if new.as_ref().is_none_or(|n| n.data != v.data) {
                    continue;
                }
                new = None;
            }
            if frame.waves == Some(i) {
                waves = Some(after.len());
            }
            after.push(Kept::Old(v));
        }
    }
    before.extend(new.map(Kept::New));
    if let Some(packing) = packing {
        let description = laz::LazVlr::DESCRIPTION;
        let data = packing.record()?;
        let (user, id) = (laz::LazVlr::USER_ID, laz::LazVlr::RECORD_ID);
        before.push(Kept::New(file::vlr(user, id, description, data)));
    }
    Ok((before, after, waves))
}

/// LAS 1.4, with no date so that the same cloud always gives the same bytes.
fn new_header() -> Header {
    let mut header = Header {
        version: Version::new(1, 4),
        // Coordinate systems, if any, are given as text: formats from 6 on demand it.
        global_encoding: 1 << 4,
        file_creation_day_of_year: 0,
        file_creation_year: 0,
        guid: [0; 16],
        system_identifier: [0; 32],
        generating_software: [0; 32],
        padding: Vec::new(),
        ..Header::default()
    };
    header.system_identifier[..5].copy_from_slice(b"OTHER");
    let software = concat!("pellucid ", env!("CARGO_PKG_VERSION")).as_bytes();
    let n = software.len().min(32);
    header.generating_software[..n].copy_from_slice(&software[..n]);
    header
}

/// Raises the version to one that has the point format, and sets the size by it.
pub(super) fn set_version(header: &mut Header, least: u8) {
    header.version.minor = header.version.minor.max(least);
    if header.version.minor >= 4 && header.large_file.is_none() {
        header.large_file = Some(LargeFile::default());
    }
    header.header_size = (file::least_header(header.version.minor) + header.padding.len()) as u16;
}

fn set_counts(header: &mut Header, cloud: &PointCloud, las: Option<&LasSource>, format: u8) {
    let returns = match cloud.attribute(RETURN) {
        Some(a) => read::histogram(a.values()),
        None => {
            let mut counts = vec![0; 16];
            counts[1] = cloud.len() as u64;
            counts
        }
    };
    let same = |l: &LasSource| {
        l.count == cloud.len()
            && l.returns == returns
            && l.frame.header.version == header.version
            && record::is_new(l.frame.format) == record::is_new(format)
    };
    if !las.is_some_and(same) {
        put_counts(header, cloud.len() as u64, &returns, format);
    }
}

/// How many points there are, and how many of each return.
pub(super) fn put_counts(header: &mut Header, count: u64, returns: &[u64], format: u8) {
    let legacy = |n: u64| if record::is_new(format) { 0 } else { n as u32 };
    header.number_of_point_records = legacy(count);
    for (n, count) in header.number_of_points_by_return.iter_mut().zip(&returns[1..]) {
        *n = legacy(*count);
    }
    if let Some(large) = &mut header.large_file {
        large.number_of_point_records = count;
        large.number_of_points_by_return.copy_from_slice(&returns[1..16]);
    }
}

/// The header's bounds stay as they are while the points do.
fn set_bounds(header: &mut Header, cloud: &PointCloud, las: Option<&LasSource>) {
    let bounds = cloud.bounds();
    let Some((lo, hi)) = bounds else { return };
    if las.is_some_and(|l| l.count == cloud.len() && l.bounds == bounds) {
        return;
    }
    let (scale, offset) = quantize::of(header);
    let snap = |p: [f64; 3], a: usize| {
        let k = quantize::encode(p[a], scale[a], offset[a]);
        k * scale[a] + offset[a]
    };
    [header.min_x, header.min_y, header.min_z] = [snap(lo, 0), snap(lo, 1), snap(lo, 2)];
    [header.max_x, header.max_y, header.max_z] = [snap(hi, 0), snap(hi, 1), snap(hi, 2)];
}

/// The compressed chunks; each depends on its own points only, so threads make no difference.
fn pack(packing: &Packing, encoder: &Encoder, count: usize) -> std::io::Result<Vec<Vec<u8>>> {
    let size = packing.chunk_size();
    let starts: Vec<usize> = (0..count).step_by(size).collect();
    starts
        .into_par_iter()
        .map_init(Vec::new, |raw, start| {
            encoder.fill(start..(start + size).min(count), raw);
            packing.pack(raw)
        })
        .collect()
}

/// What no written file has: an index of points that moved, and bytes that nothing refers to.
pub(super) fn left_out(copc: bool, stray: usize) -> Vec<Dropped> {
    let index = copc.then(|| Dropped {
        attribute: "COPC index".to_owned(),
        reason: "the program does not write it; the output is a plain file with the points in the \
                 same order"
            .to_owned(),
    });
    let bytes = (stray > 0).then(|| Dropped {
        attribute: format!("{stray} bytes after the points"),
        reason: "nothing in the header refers to them".to_owned(),
    });
    index.into_iter().chain(bytes).collect()
}
