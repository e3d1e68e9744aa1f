//! LAS and LAZ written some points at a time: each lot is first written as a file of its own, whose
//! records then go to the end of the output.

use std::io::SeekFrom;

use las::raw::header::Evlr;
use las::raw::{Header, Vlr};

use super::chunks::Packing;
use super::file::{self, COMPRESSED, Frame, Points};
use super::packer::{Packer, write_head};
use super::{quantize, record, write};
use crate::batches::{Output, Stopped};
use crate::error::Fault;
use crate::scalar::Number;

/// Byte of a record with the number of the return, in all point formats.
const RETURN: usize = 14;

/// A file in the making.
pub(crate) struct LasAppender {
    packed: bool,
    begun: Option<Begun>,
}

/// What is known once the first points are there.
struct Begun {
    header: Header,
    vlrs: Vec<Vlr>,
    gap: Vec<u8>,
    evlrs: Vec<Vlr>,
    packer: Option<Packer>,
    count: u64,
    returns: [u64; 16],
    /// Lowest and highest stored coordinates.
    low: [i32; 3],
    high: [i32; 3],
}

impl LasAppender {
    pub fn new(packed: bool) -> LasAppender {
        LasAppender { packed, begun: None }
    }

    /// Adds the points of a file that is not compressed.
    pub fn add(&mut self, bytes: &[u8], sink: &mut dyn Output) -> Result<(), Stopped> {
        let file = file::parse(bytes)?;
        let Points::Plain(raw) = file.points else {
            return Err(Fault::byte(file::at::FORMAT, "these points are compressed").into());
        };
        let begun = match &mut self.begun {
            Some(begun) if begun.is_like(&file.frame) => begun,
            Some(_) => {
                let fault = "some points need other fields or steps than those before them; run it \
                             without a limit of memory";
                return Err(Stopped::Unfit(fault.to_owned()));
            }
            none => none.insert(Begun::new(file.frame, self.packed, sink)?),
        };
        begun.add(raw, sink)
    }

    /// Writes what follows the points and completes the header. Without any points nothing is written.
    pub fn finish(self, sink: &mut dyn Output) -> Result<(), Stopped> {
        self.begun.map_or(Ok(()), |begun| begun.finish(sink))
    }
}

impl Begun {
    /// Writes what comes before the points.
    fn new(frame: Frame, packed: bool, sink: &mut dyn Output) -> Result<Begun, Stopped> {
        let Frame { mut header, mut vlrs, gap, evlrs, format, .. } = frame;
        let length = usize::from(header.point_data_record_length);
        let mut packer = None;
        if packed {
            let packing = Packing::new(format, length);
            let packing = packing
                .ok_or_else(|| Stopped::Unfit(format!("LAZ has no point format {format}")))?;
            let (user, id) = (laz::LazVlr::USER_ID, laz::LazVlr::RECORD_ID);
            vlrs.push(file::vlr(user, id, laz::LazVlr::DESCRIPTION, packing.record()?));
            packer = Some(Packer::new(packing));
            header.point_data_record_format = format | COMPRESSED & 0x80;
        }
        let all: Vec<&Vlr> = vlrs.iter().collect();
        header.number_of_variable_length_records = all.len() as u32;
        let start = usize::from(header.header_size) + file::total(&all) + gap.len();
        header.offset_to_point_data = u32::try_from(start)
            .map_err(|_| Stopped::Unfit("the records before the points exceed 4 GB".to_owned()))?;
        write_head(&header, &all, &gap, sink)?;
        if packer.is_some() {
            sink.write_all(&[0; 8])?;
        }
        let (low, high) = ([i32::MAX; 3], [i32::MIN; 3]);
        Ok(Begun { header, vlrs, gap, evlrs, packer, count: 0, returns: [0; 16], low, high })
    }

    fn format(&self) -> u8 {
        self.header.point_data_record_format & !COMPRESSED
    }

    /// Whether records of another file can follow.
    fn is_like(&self, other: &Frame) -> bool {
        let (own, header) = (&self.header, &other.header);
        let mut records = self.vlrs.iter().zip(&other.vlrs);
        let added = usize::from(self.packer.is_some());
        self.format() == other.format
            && own.point_data_record_length == header.point_data_record_length
            && quantize::of(own) == quantize::of(header)
            && self.vlrs.len() == other.vlrs.len() + added
            && records.all(|(a, b)| a.record_id == b.record_id && a.data == b.data)
    }

    fn add(&mut self, raw: &[u8], sink: &mut dyn Output) -> Result<(), Stopped> {
        let length = usize::from(self.header.point_data_record_length);
        let mask = if record::is_new(self.format()) { 15 } else { 7 };
        for record in raw.chunks_exact(length) {
            self.returns[usize::from(record[RETURN] & mask)] += 1;
            for axis in 0..3 {
                let k = i32::get(&record[4 * axis..], false);
                self.low[axis] = self.low[axis].min(k);
                self.high[axis] = self.high[axis].max(k);
            }
        }
        self.count += (raw.len() / length) as u64;
        match &mut self.packer {
            Some(packer) => packer.add(raw, length, sink),
            None => Ok(sink.write_all(raw)?),
        }
    }

    fn finish(mut self, sink: &mut dyn Output) -> Result<(), Stopped> {
        let start = self.header.offset_to_point_data as usize;
        let format = self.format();
        let header = &mut self.header;
        if let Some(packer) = self.packer.take() {
            packer.finish(usize::from(header.point_data_record_length), start, sink)?;
        }
        let end = sink.stream_position()?;
        for evlr in &self.evlrs {
            let failed = |e: las::Error| Stopped::Io(std::io::Error::other(e.to_string()));
            let mut bytes = Vec::new();
            evlr.write_to(&mut bytes).map_err(failed)?;
            sink.write_all(&bytes)?;
        }
        let evlr = Evlr { start_of_first_evlr: end, number_of_evlrs: self.evlrs.len() as u32 };
        let has_evlrs = header.version.minor >= 4 && !self.evlrs.is_empty();
        header.evlr = has_evlrs.then_some(evlr);
        write::put_counts(header, self.count, &self.returns, format);
        if self.count > 0 {
            let (scale, offset) = quantize::of(header);
            let at = |k: [i32; 3], a: usize| quantize::decode(k[a], scale[a], offset[a]);
            let corner = |k: [i32; 3]| [at(k, 0), at(k, 1), at(k, 2)];
            [header.min_x, header.min_y, header.min_z] = corner(self.low);
            [header.max_x, header.max_y, header.max_z] = corner(self.high);
        }
        let vlrs: Vec<&Vlr> = self.vlrs.iter().collect();
        sink.seek(SeekFrom::Start(0))?;
        write_head(header, &vlrs, &self.gap, sink)
    }
}
