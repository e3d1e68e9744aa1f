//! How far some records of a scan run ahead of the others in the file.
//!
//! The library decodes a packet whole and keeps what belongs to points that are not complete yet,
//! 16 bytes for a value that may take one bit. Writers keep the records of a packet in step; a
//! file made to exhaust memory does not.

use std::io::{Read, Seek, SeekFrom};

use ::e57::PointCloud as Scan;

use super::bits;
use crate::error::Fault;

/// Bytes for a waiting value: itself in a queue that has just grown, next to the one it was in.
const VALUE: usize = 48;
/// Bytes that waiting values may take in any file, enough for a packet of single bits.
pub(super) const MOST: usize = 32 << 20;

/// The most memory that waiting values of a scan take; an error if it is more than `most`.
pub(super) fn check(
    source: &mut (impl Read + Seek),
    scan: &Scan,
    most: usize,
) -> Result<usize, Fault> {
    let sizes: Vec<u64> = scan.prototype.iter().map(|r| u64::from(bits(r))).collect();
    let start = scan.file_offset as usize;
    let waiting = walk(source, start, &sizes, scan.records).saturating_mul(VALUE);
    if waiting <= most {
        return Ok(waiting);
    }
    let fault = format!(
        "some records of a scan are stored so far before the others that {waiting} bytes of \
         memory would be needed, and the limit is {most}; the file is damaged or made to exhaust \
         memory"
    );
    Err(Fault::byte(start, fault))
}

/// The file without its checksums.
struct Pages<'a, R> {
    source: &'a mut R,
    page: usize,
    /// Not counting checksums.
    at: usize,
    loaded: Option<usize>,
    bytes: Vec<u8>,
}

impl<R: Read + Seek> Pages<'_, R> {
    fn seek(&mut self, physical: usize) {
        self.at = physical - physical / self.page * 4;
    }

    fn load(&mut self, page: usize) -> Option<()> {
        if self.loaded != Some(page) {
            self.loaded = None;
            self.bytes.clear();
            self.source.seek(SeekFrom::Start(page.checked_mul(self.page)? as u64)).ok()?;
            self.source.by_ref().take(self.page as u64).read_to_end(&mut self.bytes).ok()?;
            self.loaded = Some(page);
        }
        Some(())
    }

    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut out = [0; N];
        for b in &mut out {
            self.load(self.at / (self.page - 4))?;
            *b = *self.bytes.get(self.at % (self.page - 4))?;
            self.at += 1;
        }
        Some(out)
    }

    fn skip(&mut self, n: usize) -> Option<()> {
        self.at = self.at.checked_add(n)?;
        Some(())
    }
}

/// The most values that wait at one time. Where the packets are not sound it ends; reading says
/// what is wrong.
fn walk(source: &mut (impl Read + Seek), start: usize, sizes: &[u64], records: u64) -> usize {
    let mut most = 0;
    let mut head = [0; 48];
    if source.rewind().and_then(|()| source.read_exact(&mut head)).is_err() {
        return 0;
    }
    let page = head[40..].iter().rev().fold(0, |n, &x| n << 8 | usize::from(x));
    if !(5..=1 << 20).contains(&page) {
        return 0;
    }
    let mut pages = Pages { source, page, at: 0, loaded: None, bytes: Vec::new() };
    pages.seek(start);
    let data = pages.skip(16).and_then(|()| pages.next::<8>()).map(u64::from_le_bytes);
    let Some(data) = data.and_then(|d| usize::try_from(d).ok()) else { return 0 };
    pages.seek(data);
    let mut stored = vec![0u64; sizes.len()];
    let mut complete = 0;
    while complete < records {
        let Some(values) = packet(&mut pages, sizes, &mut stored) else { break };
        if values.is_empty() {
            continue;
        }
        let now = values.iter().copied().min().unwrap_or(complete);
        // Constants take no bits; the library makes them for every complete point of the packet.
        let constants = (sizes.len() - values.len()) as u64;
        let made = constants.saturating_mul(now - complete);
        let waiting = values.iter().map(|v| v - complete).sum::<u64>();
        most = most.max(waiting.saturating_add(made));
        complete = now;
    }
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// How many values of each record are stored up to the end of the next packet; empty if it holds
/// no values.
fn packet(
    pages: &mut Pages<'_, impl Read + Seek>,
    sizes: &[u64],
    stored: &mut [u64],
) -> Option<Vec<u64>> {
    let long = |b: [u8; 2]| usize::from(u16::from_le_bytes(b)) + 1;
    let [kind, _] = pages.next()?;
    let length = long(pages.next()?);
    let mut values = Vec::new();
    match kind {
        // As the library skips them: the length once more after the head.
        0 => pages.skip(12 + length)?,
        2 => pages.skip(length)?,
        1 => {
            let streams = usize::from(u16::from_le_bytes(pages.next()?));
            if streams != sizes.len() {
                return None;
            }
            let mut total = 0;
            for bits in stored.iter_mut() {
                let n = u16::from_le_bytes(pages.next()?);
                *bits += 8 * u64::from(n);
                total += usize::from(n);
            }
            pages.skip(total)?;
            values.extend(stored.iter().zip(sizes).filter_map(|(s, n)| s.checked_div(*n)));
        }
        _ => return None,
    }
    pages.skip(pages.at.wrapping_neg() % 4)?;
    Some(values)
}
