//! The bytes around the points: header, variable length records before and after.
//!
//! Everything the header says is checked against the length of the file before it is believed.

use las::raw::vlr::RecordLength;
use las::raw::{Header, Vlr};

use super::{quantize, record};
use crate::error::Fault;
use crate::limits;

/// Where the header's fields are.
pub(super) mod at {
    pub const VERSION: usize = 24;
    pub const HEADER_SIZE: usize = 94;
    pub const POINTS: usize = 96;
    pub const VLRS: usize = 100;
    pub const FORMAT: usize = 104;
    pub const LENGTH: usize = 105;
    pub const COUNT: usize = 107;
    pub const SCALE: usize = 131;
    pub const OFFSET: usize = 155;
    pub const WAVES: usize = 227;
    pub const EVLRS: usize = 235;
    pub const LARGE_COUNT: usize = 247;
}

/// Set in the point format of compressed files.
pub(super) const COMPRESSED: u8 = 0xc0;
const VLR_BYTES: usize = 54;
pub(super) const EVLR_BYTES: usize = 60;

/// Everything but the points.
#[derive(Debug)]
pub(super) struct Frame {
    pub header: Header,
    /// Point format without the mark of compression.
    pub format: u8,
    pub vlrs: Vec<Vlr>,
    /// Between the last record and the first point; LAS 1.0 has a signature there.
    pub gap: Vec<u8>,
    /// In LAS 1.3, only the packets of waveforms.
    pub evlrs: Vec<Vlr>,
    /// Which of them holds the waveforms.
    pub waves: Option<usize>,
    /// Bytes after the points that nothing refers to.
    pub stray: usize,
}

/// A file taken apart.
pub(super) struct File<'a> {
    pub frame: Frame,
    pub count: usize,
    pub points: Points<'a>,
    /// Where each record's content starts in the file, VLRs first.
    pub starts: Vec<usize>,
}

/// Where the points are.
pub(super) enum Points<'a> {
    Plain(&'a [u8]),
    /// The laszip record's content and where it is.
    Packed {
        laszip: Vec<u8>,
        at: usize,
    },
}

/// Text up to the first zero.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

pub(super) fn is(vlr: &Vlr, user: &str, record: u16) -> bool {
    vlr.record_id == record && text(&vlr.user_id) == user
}

/// The header's size without additions, by minor version.
pub(super) fn least_header(minor: u8) -> usize {
    match minor {
        0..=2 => 227,
        3 => 235,
        _ => 375,
    }
}

/// Takes a file apart.
pub(super) fn parse(bytes: &[u8]) -> Result<File<'_>, Fault> {
    let header = header(bytes)?;
    let format = header.point_data_record_format & !COMPRESSED;
    let packed = header.point_data_record_format & COMPRESSED != 0;
    let start = header.offset_to_point_data as usize;
    let (mut vlrs, mut starts, end) = vlrs(bytes, &header)?;
    let gap = bytes[end..start].to_vec();
    let count = count(&header)?;
    let length = usize::from(header.point_data_record_length);

    let (points, points_end) = if packed {
        let Some(i) = vlrs.iter().position(|v| is(v, laz::LazVlr::USER_ID, 22204)) else {
            let fault = "the points are compressed, but the record that says how (laszip encoded \
                         22204) is missing";
            return Err(Fault::byte(at::FORMAT, fault));
        };
        let at = starts.remove(i);
        (Points::Packed { laszip: vlrs.remove(i).data, at }, start)
    } else {
        let end = start.saturating_add(count.saturating_mul(length));
        let Some(points) = bytes.get(start..end) else {
            let held = (bytes.len() - start) / length;
            let place = if header.large_file.is_some_and(|l| l.number_of_point_records > 0) {
                at::LARGE_COUNT
            } else {
                at::COUNT
            };
            let fault = format!(
                "the header promises {count} points of {length} bytes, but the file ends after \
                 {held} of them; it is truncated or the count is wrong"
            );
            return Err(Fault::byte(place, fault));
        };
        (Points::Plain(points), end)
    };

    let Tail { evlrs, starts: after, waves, stray } = evlrs(bytes, &header, points_end)?;
    // Where compressed points end is known only to the chunk table.
    let stray = if packed { 0 } else { stray };
    starts.extend(after);
    let frame = Frame { header, format, vlrs, gap, evlrs, waves, stray };
    Ok(File { frame, count, points, starts })
}

pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut raw = [0; N];
    raw.copy_from_slice(&bytes[at..at + N]);
    raw
}

pub(super) fn header(bytes: &[u8]) -> Result<Header, Fault> {
    if !super::sniff(bytes) {
        return Err(Fault::byte(0, "this is no LAS file: it does not start with \"LASF\""));
    }
    let short = |size: usize| {
        let fault =
            format!("the file ends in its header, which takes {size} bytes; it is truncated");
        Fault::byte(bytes.len(), fault)
    };
    if bytes.len() < least_header(0) {
        return Err(short(least_header(0)));
    }
    let [major, minor] = number(bytes, at::VERSION);
    if major != 1 || minor > 4 {
        let fault = format!("LAS version {major}.{minor} is not known; 1.0 to 1.4 are");
        return Err(Fault::byte(at::VERSION, fault));
    }
    let least = least_header(minor);
    let size = usize::from(u16::from_le_bytes(number(bytes, at::HEADER_SIZE)));
    if size < least {
        let fault = format!("the header says it has {size} bytes; LAS 1.{minor} needs {least}");
        return Err(Fault::byte(at::HEADER_SIZE, fault));
    }
    if bytes.len() < size {
        return Err(short(size));
    }
    let header = Header::read_from(bytes).map_err(|e| Fault::byte(0, e.to_string()))?;

    let start = header.offset_to_point_data as usize;
    if start < size || start > bytes.len() {
        let fault = format!(
            "the points are said to start at byte {start}, but the header ends at {size} and the \
             file at {}",
            bytes.len()
        );
        return Err(Fault::byte(at::POINTS, fault));
    }
    let format = header.point_data_record_format & !COMPRESSED;
    let Some(base) = record::base_length(format) else {
        let fault = format!("point format {format} is not known; 0 to 10 are");
        return Err(Fault::byte(at::FORMAT, fault));
    };
    let length = usize::from(header.point_data_record_length);
    if length < base {
        let fault = format!("point records of {length} bytes; format {format} needs {base}");
        return Err(Fault::byte(at::LENGTH, fault));
    }
    check_transform(&header)?;
    Ok(header)
}

/// Refuses scales and offsets under which coordinates are no numbers.
fn check_transform(header: &Header) -> Result<(), Fault> {
    let (scale, offset) = quantize::of(header);
    for axis in 0..3 {
        let (s, o) = (scale[axis], offset[axis]);
        let name = ["x", "y", "z"][axis];
        if !s.is_finite() || s == 0.0 {
            // Without points it does not matter.
            if s == 0.0 && count(header)? == 0 {
                continue;
            }
            let fault = format!("the scale of {name} is {s}; it must be finite and not zero");
            return Err(Fault::byte(at::SCALE + 8 * axis, fault));
        }
        let ends = [i32::MIN, i32::MAX].map(|k| quantize::decode(k, s, o));
        if !o.is_finite() || !ends.iter().all(|x| x.is_finite()) {
            let fault =
                format!("with the offset {o} and the scale {s}, {name} is out of all range");
            return Err(Fault::byte(at::OFFSET + 8 * axis, fault));
        }
    }
    Ok(())
}

/// How many points there are. Like most readers, the 64-bit count comes first.
pub(super) fn count(header: &Header) -> Result<usize, Fault> {
    let large = header.large_file.map_or(0, |l| l.number_of_point_records);
    let (count, place) = match large {
        0 => (u64::from(header.number_of_point_records), at::COUNT),
        n => (n, at::LARGE_COUNT),
    };
    usize::try_from(count).ok().filter(|n| *n <= limits::POINTS).ok_or_else(|| {
        Fault::byte(place, format!("{count} points are more than one cloud can hold"))
    })
}

/// Records, where the content of each starts, and where the last ends.
pub(super) type Records = (Vec<Vlr>, Vec<usize>, usize);

/// What follows the points.
struct Tail {
    evlrs: Vec<Vlr>,
    starts: Vec<usize>,
    waves: Option<usize>,
    stray: usize,
}

pub(super) fn vlrs(bytes: &[u8], header: &Header) -> Result<Records, Fault> {
    let end = header.offset_to_point_data as usize;
    let start = usize::from(header.header_size);
    let n = header.number_of_variable_length_records as usize;
    if n > (end - start) / VLR_BYTES {
        let fault = format!(
            "{n} variable length records take at least {} bytes, but {} are between the header \
             and the points",
            n.saturating_mul(VLR_BYTES),
            end - start
        );
        return Err(Fault::byte(at::VLRS, fault));
    }
    records(&bytes[..end], start, n, false)
}

fn evlrs(bytes: &[u8], header: &Header, points_end: usize) -> Result<Tail, Fault> {
    let internal = header.global_encoding & 2 != 0;
    let waves = header.start_of_waveform_data_packet_record.filter(|_| internal);
    let (start, n, place) = match (header.evlr, waves) {
        (Some(e), _) if e.number_of_evlrs > 0 => {
            (e.start_of_first_evlr, e.number_of_evlrs as usize, at::EVLRS)
        }
        (_, Some(start)) => (start, 1, at::WAVES),
        _ => {
            let stray = bytes.len() - points_end;
            return Ok(Tail { evlrs: Vec::new(), starts: Vec::new(), waves: None, stray });
        }
    };
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    if start < points_end || start > bytes.len() {
        let fault = format!(
            "records are said to start at byte {start}, but the points end at {points_end} and \
             the file at {}",
            bytes.len()
        );
        return Err(Fault::byte(place, fault));
    }
    if n > (bytes.len() - start) / EVLR_BYTES {
        let fault = format!(
            "{n} extended records take at least {} bytes, but {} follow byte {start}",
            n.saturating_mul(EVLR_BYTES),
            bytes.len() - start
        );
        return Err(Fault::byte(place, fault));
    }
    let (evlrs, starts, end) = records(bytes, start, n, true)?;
    let which = waves.and_then(|w| {
        let data = usize::try_from(w).ok()?.checked_add(EVLR_BYTES)?;
        starts.iter().position(|s| *s == data)
    });
    let stray = start - points_end + bytes.len() - end;
    Ok(Tail { evlrs, starts, waves: which, stray })
}

/// `n` records from `at`.
fn records(bytes: &[u8], at: usize, n: usize, extended: bool) -> Result<Records, Fault> {
    let head = if extended { EVLR_BYTES } else { VLR_BYTES };
    let (mut all, mut starts, mut at) = (Vec::with_capacity(n), Vec::with_capacity(n), at);
    for k in 0..n {
        let length = match bytes.get(at..at + head) {
            Some(b) if extended => u64::from_le_bytes(number(b, 20)),
            Some(b) => u64::from(u16::from_le_bytes(number(b, 20))),
            None => 0,
        };
        let end = usize::try_from(length).ok().and_then(|l| (at + head).checked_add(l));
        let Some(record) = end.and_then(|end| bytes.get(at..end)) else {
            let fault = format!(
                "variable length record {} of {n} has {length} bytes, which reach past byte {}, \
                 where it must end",
                k + 1,
                bytes.len()
            );
            return Err(Fault::byte(at, fault));
        };
        let vlr = Vlr::read_from(record, extended);
        all.push(vlr.map_err(|e| Fault::byte(at, e.to_string()))?);
        starts.push(at + head);
        at += record.len();
    }
    Ok((all, starts, at))
}

/// A record; its length must fit (65535 bytes unless `extended`).
pub(super) fn vlr(user: &str, id: u16, description: &str, data: Vec<u8>) -> Vlr {
    let mut vlr = Vlr { record_id: id, ..Vlr::default() };
    let put = |to: &mut [u8], from: &str| {
        let n = from.len().min(to.len());
        to[..n].copy_from_slice(&from.as_bytes()[..n]);
    };
    put(&mut vlr.user_id, user);
    put(&mut vlr.description, description);
    vlr.record_length_after_header = RecordLength::Vlr(data.len().min(0xffff) as u16);
    vlr.data = data;
    vlr
}

/// Bytes of records in the file.
pub(super) fn total(vlrs: &[&Vlr]) -> usize {
    let head = |v: &Vlr| match v.record_length_after_header {
        RecordLength::Vlr(_) => VLR_BYTES,
        RecordLength::Evlr(_) => EVLR_BYTES,
    };
    vlrs.iter().map(|v| head(v) + v.data.len()).sum()
}
