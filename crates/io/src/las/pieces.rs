//! LAS and LAZ too large for memory: records go through as they are, but for their coordinates.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom, Write};

use las::raw::header::Evlr;
use las::raw::{Header, Vlr};
use pellucid_cloud::Point;
use rayon::prelude::*;

use super::chunks::{Chunk, Packing, Span};
use super::file::{self, COMPRESSED, at, number};
use super::locate::{Record, Tail, find_spans, find_tail};
use super::packer::{Packer, write_head};
use super::read::added_fields;
use super::{extra, quantize, record, write};
use crate::batches::{Batches, Change, Output, Stopped, copy, read_at};
use crate::document::Dropped;
use crate::error::{Fault, WriteFault};
use crate::limits::{self, Limits};
use crate::scalar::Number;

/// Records in memory at once, about, and bytes of them.
const BATCH: usize = 400_000;
const BATCH_BYTES: usize = 32 << 20;
/// Chunks of more batches are decoded piece by piece.
const LARGE_CHUNK: usize = 3;
/// Most bytes of records before the points that are held in memory.
pub(super) const HEAD_BYTES: usize = 1 << 28;
/// Most bytes of records behind the points that go along with every piece.
const TAIL_BYTES: usize = 16 << 20;

/// A file taken apart, without its points.
pub(crate) struct LasPieces {
    header: Header,
    format: u8,
    pub count: usize,
    vlrs: Vec<Vlr>,
    gap: Vec<u8>,
    start: usize,
    packing: Option<Packing>,
    spans: Vec<Span>,
    tail: Tail,
    copc: bool,
}

impl LasPieces {
    pub fn open(file: &mut File) -> Result<LasPieces, Stopped> {
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let first = read_at(file, 0, len.min(1 << 16))?;
        let start = match first.get(at::POINTS..at::POINTS + 4) {
            Some(_) => u32::from_le_bytes(number(&first, at::POINTS)) as usize,
            None => len,
        };
        let head = if start > HEAD_BYTES || start > len { first } else { read_at(file, 0, start)? };
        let header = file::header(&head)?;
        let format = header.point_data_record_format & !COMPRESSED;
        let (mut vlrs, mut starts, end) = file::vlrs(&head, &header)?;
        let gap = head[end..start].to_vec();
        let count = file::count(&header)?;
        let length = usize::from(header.point_data_record_length);
        let mut packing = None;
        let mut spans = Vec::new();
        let mut points_end = start;
        if header.point_data_record_format & COMPRESSED != 0 {
            let laszip = |v: &Vlr| file::is(v, laz::LazVlr::USER_ID, laz::LazVlr::RECORD_ID);
            let Some(i) = vlrs.iter().position(laszip) else {
                let fault = "the points are compressed, but the record that says how is missing";
                return Err(Fault::byte(at::FORMAT, fault).into());
            };
            let p = Packing::parse(&vlrs.remove(i).data, starts.remove(i), format, length)?;
            Limits::default()
                .check(len, p.decoder_bytes())
                .map_err(|fault| Fault::byte(at::LENGTH, fault))?;
            spans = find_spans(file, &p, start, count, len)?;
            packing = Some(p);
        } else {
            points_end = start.saturating_add(count.saturating_mul(length));
            if points_end > len {
                let held = (len - start) / length;
                let fault = format!(
                    "the header promises {count} points of {length} bytes, but the file ends after \
                     {held} of them; it is truncated or the count is wrong"
                );
                return Err(Fault::byte(at::COUNT, fault).into());
            }
        }
        let mut tail = find_tail(file, &header, points_end, len)?;
        if packing.is_some() {
            // Where compressed points end is known only to the chunk table.
            tail.stray = 0;
        }
        check_extra(file, &header, vlrs.iter().zip(&starts), &tail.records)?;
        let copc = vlrs.iter().any(|v| file::text(&v.user_id) == "copc");
        vlrs.retain(|v| file::text(&v.user_id) != "copc");
        Ok(LasPieces { header, format, count, vlrs, gap, start, packing, spans, tail, copc })
    }

    /// Whether it has an index that moved points make useless.
    pub fn is_copc(&self) -> bool {
        self.copc || self.tail.records.iter().any(|r| r.copc)
    }

    /// What [`rewrite`](Self::rewrite) leaves out.
    pub fn left_out(&self) -> Vec<Dropped> {
        write::left_out(self.is_copc(), self.tail.stray)
    }

    fn length(&self) -> usize {
        usize::from(self.header.point_data_record_length)
    }

    /// Hands all points to `take` as small files of their own, uncompressed and with at most `most`
    /// points each.
    pub fn files(
        &self,
        file: &mut File,
        most: usize,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let mut tail = Vec::new();
        let kept: Vec<&Record> = self.tail.records.iter().filter(|r| !r.copc).collect();
        if self.tail.waves.is_some() || kept.iter().map(|r| r.size).sum::<usize>() > TAIL_BYTES {
            let fault = "waveforms and long records behind the points are read as a whole only; \
                         run it without a limit of memory";
            return Err(Stopped::Unfit(fault.to_owned()));
        }
        for record in &kept {
            tail.extend(read_at(file, record.at, record.size)?);
        }
        let mut header = self.header.clone();
        let vlrs: Vec<&Vlr> = self.vlrs.iter().collect();
        write::set_version(&mut header, record::first_version(self.format));
        header.point_data_record_format = self.format;
        header.number_of_variable_length_records = vlrs.len() as u32;
        let start = usize::from(header.header_size) + file::total(&vlrs) + self.gap.len();
        header.offset_to_point_data = u32::try_from(start)
            .map_err(|_| Stopped::Unfit("the records before the points exceed 4 GB".to_owned()))?;
        self.batches(file, &mut |raw| {
            for raw in raw.chunks(most.max(1) * self.length()) {
                let count = (raw.len() / self.length()) as u64;
                write::put_counts(&mut header, count, &[0; 16], self.format);
                let start_of_first_evlr = (start + raw.len()) as u64;
                let evlr = Evlr { start_of_first_evlr, number_of_evlrs: kept.len() as u32 };
                let has_evlrs = header.version.minor >= 4 && !kept.is_empty();
                header.evlr = has_evlrs.then_some(evlr);
                let mut bytes = Cursor::new(Vec::with_capacity(start + raw.len() + tail.len()));
                write_head(&header, &vlrs, &self.gap, &mut bytes)?;
                bytes.write_all(raw)?;
                bytes.write_all(&tail)?;
                take(bytes.get_ref())?;
            }
            Ok(())
        })
    }

    /// Writes the file with other positions.
    pub fn rewrite(
        &self,
        file: &mut File,
        packed: bool,
        sink: &mut dyn Output,
        change: &mut Change<'_>,
    ) -> Result<(), Stopped> {
        let mut header = self.header.clone();
        let length = self.length();
        let packing = match packed {
            true => Some(Packing::new(self.format, length).ok_or_else(|| {
                Stopped::Unfit(format!("LAZ has no point format {}", self.format))
            })?),
            false => None,
        };
        let mut vlrs: Vec<&Vlr> = self.vlrs.iter().collect();
        let laszip = packing.as_ref().map(Packing::record).transpose()?.map(|data| {
            let (user, id) = (laz::LazVlr::USER_ID, laz::LazVlr::RECORD_ID);
            file::vlr(user, id, laz::LazVlr::DESCRIPTION, data)
        });
        vlrs.extend(&laszip);
        write::set_version(&mut header, record::first_version(self.format));
        header.point_data_record_format = self.format | if packed { COMPRESSED & 0x80 } else { 0 };
        header.number_of_variable_length_records = vlrs.len() as u32;
        let start = usize::from(header.header_size) + file::total(&vlrs) + self.gap.len();
        header.offset_to_point_data = u32::try_from(start)
            .map_err(|_| Stopped::Unfit("the records before the points exceed 4 GB".to_owned()))?;

        write_head(&header, &vlrs, &self.gap, sink)?;
        let bounds = self.write_points(file, packing, start, sink, change)?;
        let end = sink.stream_position()?;
        let kept: Vec<&Record> = self.tail.records.iter().filter(|r| !r.copc).collect();
        for record in &kept {
            copy(file, record.at, record.size, sink)?;
        }
        let place = |n: usize| end + kept[..n].iter().map(|r| r.size as u64).sum::<u64>();
        if let Some(w) = self.tail.waves {
            let before = self.tail.records[..w].iter().filter(|r| !r.copc).count();
            header.start_of_waveform_data_packet_record = Some(place(before));
        }
        let evlr = Evlr { start_of_first_evlr: end, number_of_evlrs: kept.len() as u32 };
        header.evlr = (header.version.minor >= 4 && !kept.is_empty()).then_some(evlr);
        if let Some((lo, hi)) = bounds {
            [header.min_x, header.min_y, header.min_z] = lo;
            [header.max_x, header.max_y, header.max_z] = hi;
        }
        sink.seek(SeekFrom::Start(0))?;
        write_head(&header, &vlrs, &self.gap, sink)?;
        Ok(())
    }

    /// Writes the points; gives the new bounds if they are other than before.
    fn write_points(
        &self,
        file: &mut File,
        packing: Option<Packing>,
        start: usize,
        sink: &mut dyn Output,
        change: &mut Change<'_>,
    ) -> Result<Option<(Point, Point)>, Stopped> {
        let (scale, offset) = quantize::of(&self.header);
        let length = self.length();
        let mut packer = packing.map(Packer::new);
        if packer.is_some() {
            sink.write_all(&[0; 8])?;
        }
        let mut from = 0;
        let (mut before, mut after) = (Bounds::default(), Bounds::default());
        self.moved(file, change, &mut |raw, points, moved| {
            quantize::check(moved, from, scale, offset).map_err(|fault| match fault {
                WriteFault::Io(e) => Stopped::Io(e),
                WriteFault::Unfit(fault) => Stopped::Unfit(fault),
            })?;
            for ((r, was), now) in raw.chunks_exact_mut(length).zip(points).zip(moved) {
                before.add(*was);
                after.add(*now);
                for axis in 0..3 {
                    if was[axis].to_bits() != now[axis].to_bits() {
                        let k = quantize::encode(now[axis], scale[axis], offset[axis]) as i32;
                        k.put(&mut r[4 * axis..], false);
                    }
                }
            }
            from += moved.len();
            match &mut packer {
                None => sink.write_all(raw)?,
                Some(packer) => packer.add(raw, length, sink)?,
            }
            Ok(())
        })?;
        if let Some(packer) = packer {
            packer.finish(length, start, sink)?;
        }
        let snap = |p: Point| {
            std::array::from_fn(|a| {
                quantize::encode(p[a], scale[a], offset[a]) * scale[a] + offset[a]
            })
        };
        let changed = self.count > 0 && before != after;
        Ok(changed.then(|| (snap(after.low), snap(after.high))))
    }
}

impl Batches for LasPieces {
    type Batch = [u8];

    fn batches(
        &self,
        file: &mut File,
        take: &mut dyn FnMut(&mut [u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let length = self.length();
        let batch = BATCH.min(BATCH_BYTES / length).max(1);
        let Some(packing) = &self.packing else {
            let mut raw = Vec::new();
            file.seek(SeekFrom::Start(self.start as u64))?;
            for from in (0..self.count).step_by(batch) {
                raw.resize(batch.min(self.count - from) * length, 0);
                file.read_exact(&mut raw)?;
                take(&mut raw)?;
            }
            return Ok(());
        };
        let mut spans = &self.spans[..];
        while let Some(first) = spans.first() {
            if first.points > LARGE_CHUNK * batch {
                file.seek(SeekFrom::Start(first.at as u64))?;
                let source = BufReader::with_capacity(1 << 20, file.try_clone()?);
                let mut result = Ok(());
                packing.unpack_from(source, first.points, first.at, batch, &mut |_, raw| {
                    result = take(raw);
                    result.is_ok()
                })?;
                result?;
                spans = &spans[1..];
                continue;
            }
            let (mut points, mut n) = (0, 0);
            while n < spans.len() && (n == 0 || points + spans[n].points <= batch) {
                points += spans[n].points;
                n += 1;
            }
            let packed: Vec<(Span, Vec<u8>)> = spans[..n]
                .iter()
                .map(|s| Ok((*s, read_at(file, s.at, s.size)?)))
                .collect::<Result<_, Stopped>>()?;
            let unpack = |(span, bytes): &(Span, Vec<u8>)| {
                let chunk = Chunk { points: span.points, at: span.at, bytes };
                if !packing.is_single() {
                    packing.check_layers(&chunk)?;
                }
                let mut raw = Vec::with_capacity(span.points * length);
                packing.unpack(&chunk, 65_536, &mut |_, part| raw.extend_from_slice(part))?;
                Ok(raw)
            };
            let unpacked: Vec<Result<Vec<u8>, Fault>> = packed.par_iter().map(unpack).collect();
            for raw in unpacked {
                take(&mut raw?)?;
            }
            spans = &spans[n..];
        }
        Ok(())
    }

    fn decode(&self, raw: &[u8], points: &mut Vec<Point>) {
        let (scale, offset) = quantize::of(&self.header);
        points.clear();
        points.extend(raw.chunks_exact(self.length()).map(|r| {
            let k = |axis: usize| i32::get(&r[4 * axis..], false);
            std::array::from_fn(|axis| quantize::decode(k(axis), scale[axis], offset[axis]))
        }));
    }
}

/// Refuses descriptions of extra bytes that do not describe the points.
fn check_extra<'a>(
    file: &mut File,
    header: &Header,
    mut vlrs: impl Iterator<Item = (&'a Vlr, &'a usize)>,
    tail: &[Record],
) -> Result<(), Stopped> {
    if let Some((v, start)) = vlrs.find(|(v, _)| file::is(v, extra::USER, extra::RECORD)) {
        added_fields(header, Some((&v.data, *start)))?;
    } else if let Some(r) = tail.iter().find(|r| r.extra) {
        let start = r.at + file::EVLR_BYTES;
        // One more than may be.
        let size = (r.size - file::EVLR_BYTES).min(extra::BYTES * (limits::COLUMNS + 1));
        added_fields(header, Some((&read_at(file, start, size)?, start)))?;
    }
    Ok(())
}

#[derive(PartialEq)]
struct Bounds {
    low: Point,
    high: Point,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    fn add(&mut self, p: Point) {
        for c in 0..3 {
            self.low[c] = self.low[c].min(p[c]);
            self.high[c] = self.high[c].max(p[c]);
        }
    }
}
