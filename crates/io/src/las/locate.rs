//! Where compressed points and the records behind them are, in a file that is not in memory.

use std::fs::File;

use las::raw::Header;

use super::chunks::{Packing, Span};
use super::extra;
use super::file::{self, EVLR_BYTES, at, number};
use super::pieces::HEAD_BYTES;
use crate::batches::{Stopped, read_at};
use crate::error::Fault;
use crate::limits;

/// A record behind the points.
pub(super) struct Record {
    pub at: usize,
    pub size: usize,
    /// Part of an index that moved points make useless.
    pub copc: bool,
    /// Describes extra bytes.
    pub extra: bool,
}

/// What follows the points.
pub(super) struct Tail {
    pub records: Vec<Record>,
    /// Which of them has the waveforms.
    pub waves: Option<usize>,
    /// Bytes that nothing refers to.
    pub stray: usize,
}

/// Where compressed points are.
pub(super) fn find_spans(
    file: &mut File,
    packing: &Packing,
    start: usize,
    count: usize,
    len: usize,
) -> Result<Vec<Span>, Stopped> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if packing.is_single() {
        return Ok(vec![Span { points: count, at: start, size: len - start }]);
    }
    let short = || Fault::byte(len, "the file ends where its points should start");
    if start + 8 > len {
        return Err(short().into());
    }
    let offset = |raw: Vec<u8>| i64::from_le_bytes(number(&raw, 0));
    let mut table = offset(read_at(file, start, 8)?);
    if table == -1 {
        // A writer that could not go back leaves the offset at the end of the file.
        table = offset(read_at(file, len - 8, 8)?);
    }
    let inside = usize::try_from(table).ok().filter(|t| (start + 8..len).contains(t));
    let Some(table) = inside else {
        let fault = format!(
            "the chunk table is said to be at byte {table} of {len}; the file is truncated or was \
             not finished"
        );
        return Err(Fault::byte(start, fault).into());
    };
    // An entry takes a few bytes, and a chunk at least one point.
    let most = (1 << 20) + count.saturating_mul(16);
    let tail = read_at(file, table, (len - table).min(most).min(HEAD_BYTES))?;
    Ok(packing.spans(&tail, table, start, count)?)
}

/// The records behind the points.
pub(super) fn find_tail(
    file: &mut File,
    header: &Header,
    points_end: usize,
    len: usize,
) -> Result<Tail, Stopped> {
    let waves =
        header.start_of_waveform_data_packet_record.filter(|_| header.global_encoding & 2 != 0);
    let (first, n, place) = match (header.evlr, waves) {
        (Some(e), _) if e.number_of_evlrs > 0 => {
            (e.start_of_first_evlr, e.number_of_evlrs as usize, at::EVLRS)
        }
        (_, Some(start)) => (start, 1, at::WAVES),
        _ => return Ok(Tail { records: Vec::new(), waves: None, stray: len - points_end }),
    };
    let first = usize::try_from(first).unwrap_or(usize::MAX);
    let mut at = first;
    let (mut records, mut which) = (Vec::new(), None);
    if n > limits::COLUMNS.max(len / EVLR_BYTES) || at < points_end {
        let fault = format!("{n} records are said to start at byte {at}, where they cannot be");
        return Err(Fault::byte(place, fault).into());
    }
    for k in 0..n {
        let past = |at: usize| {
            let fault = format!("record {} of {n} behind the points reaches past the end", k + 1);
            Stopped::from(Fault::byte(at, fault))
        };
        if at.checked_add(EVLR_BYTES).is_none_or(|end| end > len) {
            return Err(past(at.min(len)));
        }
        let head = read_at(file, at, EVLR_BYTES)?;
        let size = usize::try_from(u64::from_le_bytes(number(&head, 20))).unwrap_or(usize::MAX);
        let size = size.saturating_add(EVLR_BYTES);
        if at.checked_add(size).is_none_or(|end| end > len) {
            return Err(past(at));
        }
        if waves == Some(at as u64) {
            which = Some(k);
        }
        let (user, id) = (file::text(&head[2..18]), u16::from_le_bytes(number(&head, 18)));
        let extra = user == extra::USER && id == extra::RECORD;
        records.push(Record { at, size, copc: user == "copc", extra });
        at += size;
    }
    Ok(Tail { records, waves: which, stray: first - points_end + len - at })
}
