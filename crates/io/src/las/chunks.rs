//! Compressed points: the table of chunks, and chunks to records; `pack` has the opposite direction.

mod pack;

use std::io::{Cursor, Read, Seek};

use laz::laszip::{ChunkTable, ChunkTableEntry};
use laz::record::{
    LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
};
use laz::{LazItem, LazItemRecordBuilder, LazItemType, LazVlr, LazVlrBuilder};

use super::point14::Point14;
use super::record;
use super::times::GpsTime;
use crate::caught::caught;
use crate::error::Fault;

/// A run of compressed points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub points: usize,
    /// Where it starts in the file.
    pub at: usize,
    pub bytes: &'a [u8],
}

/// Where a run of compressed points is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub points: usize,
    pub at: usize,
    pub size: usize,
}

/// How the points are compressed.
pub(super) struct Packing {
    vlr: LazVlr,
    length: usize,
    layered: bool,
    /// All points are one chunk, and there is no table.
    single: bool,
}

impl Packing {
    /// From the content of the laszip record at byte `at`.
    pub fn parse(laszip: &[u8], at: usize, format: u8, length: usize) -> Result<Self, Fault> {
        let fault = |e: &dyn std::fmt::Display| {
            Fault::byte(at, format!("the laszip record cannot be used: {e}"))
        };
        let vlr = LazVlr::read_from(laszip).map_err(|e| fault(&e))?;
        let kind = laszip.first().copied().unwrap_or(0);
        let layered = match kind {
            1 | 2 => false,
            3 => true,
            k => return Err(fault(&format_args!("compressor {k} is not known; 1 to 3 are"))),
        };
        // The items must be those of the point format: the library trusts them.
        let expected = expected_items(format, length).ok_or_else(|| fault(&"wrong lengths"))?;
        let same = |a: &LazItem, b: &LazItem| {
            let versions = if layered { 3..=4 } else { 1..=2 };
            a.item_type() == b.item_type()
                && a.size() == b.size()
                && versions.contains(&a.version())
        };
        let items = vlr.items();
        if items.len() != expected.len() || !items.iter().zip(&expected).all(|(a, b)| same(a, b)) {
            return Err(fault(&format_args!(
                "its items do not make point format {format} with {length} bytes a point"
            )));
        }
        Ok(Packing { vlr, length, layered, single: kind == 1 })
    }

    /// The usual packing of a point format.
    pub fn new(format: u8, length: usize) -> Option<Self> {
        let items = expected_items(format, length)?;
        let vlr = LazVlrBuilder::new(items).build();
        Some(Packing { vlr, length, layered: record::is_new(format), single: false })
    }

    /// Points per chunk when writing.
    pub fn chunk_size(&self) -> usize {
        self.vlr.chunk_size() as usize
    }

    /// Content of the laszip record.
    pub fn record(&self) -> std::io::Result<Vec<u8>> {
        let mut out = Vec::new();
        self.vlr.write_to(&mut out)?;
        Ok(out)
    }

    /// Finds the chunks of `count` points, which start at byte `start`.
    pub fn chunks<'a>(
        &self,
        bytes: &'a [u8],
        start: usize,
        count: usize,
    ) -> Result<Vec<Chunk<'a>>, Fault> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.single {
            return Ok(vec![Chunk { points: count, at: start, bytes: &bytes[start..] }]);
        }
        let table_at = table_offset(bytes, start)?;
        let spans = self.spans(&bytes[table_at..], table_at, start, count)?;
        let cut =
            |s: Span| Chunk { points: s.points, at: s.at, bytes: &bytes[s.at..s.at + s.size] };
        let chunks: Vec<Chunk> = spans.into_iter().map(cut).collect();
        for chunk in &chunks {
            self.check_layers(chunk)?;
        }
        Ok(chunks)
    }

    /// All points are one run of bytes without a table.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Where the chunks of `count` points from byte `start` on are, by the file from the table on.
    pub fn spans(
        &self,
        tail: &[u8],
        table_at: usize,
        start: usize,
        count: usize,
    ) -> Result<Vec<Span>, Fault> {
        let first = start + ChunkTable::OFFSET_SIZE;
        let entries = self.table(tail, table_at, count)?;
        let (mut at, mut left, mut chunks) = (first, count, Vec::with_capacity(entries.len()));
        let fixed = !self.vlr.uses_variable_size_chunks();
        for (i, e) in entries.iter().enumerate() {
            // The last chunk of a fixed size is cut short.
            let points = e.point_count.min(if fixed { left as u64 } else { u64::MAX });
            let size = usize::try_from(e.byte_count).unwrap_or(usize::MAX);
            let end = at.checked_add(size).filter(|end| *end <= table_at);
            let points = usize::try_from(points).ok().filter(|p| *p <= left);
            let (Some(end), Some(points)) = (end, points) else {
                let fault = format!(
                    "chunk {i} of the chunk table has {} bytes and {} points, more than there are",
                    e.byte_count, e.point_count
                );
                return Err(Fault::byte(table_at, fault));
            };
            if points > 0 {
                chunks.push(Span { points, at, size });
            }
            at = end;
            left -= points;
        }
        if left > 0 {
            let fault = format!(
                "the chunk table holds {} points, but the header promises {count}",
                count - left
            );
            return Err(Fault::byte(table_at, fault));
        }
        Ok(chunks)
    }

    /// About as many bytes as the state of a decoder takes: a model of 256 symbols for every
    /// extra byte, in layers for each of four scanner channels.
    pub fn decoder_bytes(&self) -> usize {
        const MODEL: usize = 2700;
        const STANDARD: usize = 1 << 20;
        let extra: usize = self
            .vlr
            .items()
            .iter()
            .map(|i| match i.item_type() {
                LazItemType::Byte(n) => usize::from(n),
                LazItemType::Byte14(n) => 4 * usize::from(n),
                _ => 0,
            })
            .sum();
        STANDARD + MODEL * extra
    }

    /// The chunk table, its length checked before room is made for it.
    fn table(
        &self,
        tail: &[u8],
        table_at: usize,
        count: usize,
    ) -> Result<Vec<ChunkTableEntry>, Fault> {
        let head = tail.get(..8).ok_or_else(|| {
            Fault::byte(table_at, "the chunk table is cut off; the file is truncated")
        })?;
        let n = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let variable = self.vlr.uses_variable_size_chunks();
        // Some writers close the file with an empty chunk.
        let most = 1 + if variable { count } else { count.div_ceil(self.chunk_size().max(1)) };
        // Any other takes at least its first point.
        if n > most || n.saturating_sub(1).saturating_mul(self.length) > table_at {
            let fault =
                format!("the chunk table has {n} chunks, more than {count} points can fill");
            return Err(Fault::byte(table_at + 4, fault));
        }
        let mut cursor = Cursor::new(tail);
        // Last resort: what the library would panic on was checked, as far as it is known.
        let mut entries = match caught(|| ChunkTable::read(&mut cursor, variable)) {
            Some(Ok(table)) => table.as_ref().to_vec(),
            Some(Err(e)) => {
                return Err(Fault::byte(table_at, format!("the chunk table is cut off: {e}")));
            }
            None => return Err(Fault::byte(table_at, "the chunk table is damaged")),
        };
        if !variable {
            for e in &mut entries {
                e.point_count = u64::from(self.vlr.chunk_size());
            }
        }
        Ok(entries)
    }

    /// Refuses layers that are longer than their chunk: the library makes room before it looks.
    pub fn check_layers(&self, chunk: &Chunk) -> Result<(), Fault> {
        let cut = |what: &str| {
            let fault = format!("the chunk of {} points here is damaged: {what}", chunk.points);
            Fault::byte(chunk.at, fault)
        };
        if chunk.bytes.len() < self.length {
            return Err(cut("it ends in its first point"));
        }
        if !self.layered {
            return Ok(());
        }
        let layers: usize = self.vlr.items().iter().map(layers).sum();
        let sizes = self.length + 4..self.length + 4 + 4 * layers;
        let Some(head) = chunk.bytes.get(..sizes.end) else {
            return Err(cut("it ends in its table of layers"));
        };
        let number = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize;
        let said = number(&head[self.length..]);
        if said != chunk.points {
            return Err(cut(&format!("it says it holds {said}")));
        }
        let total = head[sizes].chunks_exact(4).map(number).sum::<usize>();
        if total > chunk.bytes.len() - head.len() {
            return Err(cut(&format!("its layers of {total} bytes reach past its end")));
        }
        Ok(())
    }

    /// Decodes a chunk, `block` points at a time, and hands each block to `take`.
    pub fn unpack(
        &self,
        chunk: &Chunk,
        block: usize,
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Fault> {
        let mut take = |done: usize, raw: &mut [u8]| {
            take(done, raw);
            true
        };
        self.unpack_from(Cursor::new(chunk.bytes), chunk.points, chunk.at, block, &mut take)
    }

    /// The same for `points` that start at byte `at` of the file and now at `source`, until `take`
    /// has had enough.
    pub fn unpack_from<R: Read + Seek>(
        &self,
        source: R,
        points: usize,
        at: usize,
        block: usize,
        take: &mut dyn FnMut(usize, &mut [u8]) -> bool,
    ) -> Result<(), Fault> {
        let damaged = |done: usize, why: &str| {
            let fault = format!(
                "the compressed chunk of {points} points here is damaged after {done} of them: {why}"
            );
            Fault::byte(at, fault)
        };
        let mut done = 0;
        let mut decoder = attempt(|| self.decoder(source)).map_err(|why| damaged(done, &why))?;
        let mut raw = vec![0; block.min(points) * self.length];
        while done < points {
            let n = block.min(points - done);
            let raw = &mut raw[..n * self.length];
            let decoded = attempt(|| {
                decoder.decompress_many(raw).map_err(|e| match e.kind() {
                    std::io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
                    _ => e.to_string(),
                })
            });
            decoded.map_err(|why| damaged(done, &why))?;
            if !take(done, raw) {
                break;
            }
            done += n;
        }
        Ok(())
    }

    /// The decoder of the library, but for GPS times.
    fn decoder<'a, R: Read + Seek + 'a>(
        &self,
        source: R,
    ) -> Result<Box<dyn RecordDecompressor<R> + 'a>, String> {
        let message = |e: laz::LasZipError| e.to_string();
        let items = self.vlr.items();
        if self.layered {
            let mut decoder = LayeredPointRecordDecompressor::new(source);
            for item in items {
                match item.item_type() {
                    LazItemType::Point14 => {
                        decoder.add_field_decompressor(Point14::new(item.version()))
                    }
                    _ => decoder.set_fields_from(&vec![*item]).map_err(message)?,
                }
            }
            return Ok(Box::new(decoder));
        }
        let mut decoder = SequentialPointRecordDecompressor::new(source);
        for item in items {
            match (item.item_type(), item.version()) {
                (LazItemType::GpsTime, 2) => decoder.add_field_decompressor(GpsTime::default()),
                _ => decoder.set_fields_from(&vec![*item]).map_err(message)?,
            }
        }
        Ok(Box::new(decoder))
    }
}

/// Last resort: the library checks with assertions what arithmetic coding can produce from damaged
/// bytes, and a file must not end the program.
fn attempt<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    caught(run).unwrap_or_else(|| Err("it holds values that no writer makes".to_owned()))
}

fn expected_items(format: u8, length: usize) -> Option<Vec<LazItem>> {
    let extra = length.checked_sub(record::base_length(format)?)?;
    LazItemRecordBuilder::default_for_point_format_id(format, u16::try_from(extra).ok()?).ok()
}

/// In how many layers an item is stored.
fn layers(item: &LazItem) -> usize {
    match item.item_type() {
        LazItemType::Point14 => 9,
        LazItemType::RGBNIR14 => 2,
        LazItemType::Byte14(n) => usize::from(n),
        _ => 1,
    }
}

/// Where the table of chunks is.
fn table_offset(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let number = |at: usize| {
        let b = bytes.get(at..at + 8)?;
        let mut raw = [0; 8];
        raw.copy_from_slice(b);
        Some(i64::from_le_bytes(raw))
    };
    let first = start + ChunkTable::OFFSET_SIZE;
    let inside = |o: &i64| usize::try_from(*o).is_ok_and(|o| o >= first && o < bytes.len());
    let Some(offset) = number(start) else {
        return Err(Fault::byte(bytes.len(), "the file ends where its points should start"));
    };
    // A writer that could not go back leaves the offset at the end of the file.
    let offset = if offset == -1 { number(bytes.len() - 8).unwrap_or(-1) } else { offset };
    if !inside(&offset) {
        let fault = format!(
            "the chunk table is said to be at byte {offset} of {}; the file is truncated or was \
             not finished",
            bytes.len()
        );
        return Err(Fault::byte(start, fault));
    }
    Ok(offset as usize)
}
