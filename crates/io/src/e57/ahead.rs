//! How far some records of a scan run ahead of the others in the file.
//!
//! The library decodes a packet whole and keeps what belongs to points that are not complete yet,
//! 16 bytes for a value that may take one bit. Writers keep the records of a packet in step; a
//! file made to exhaust memory does not.

use ::e57::PointCloud as Scan;

use super::bits;
use crate::error::Fault;

/// Bytes for a waiting value: itself in a queue that has just grown, next to the one it was in.
const VALUE: usize = 48;
/// Bytes that waiting values may take in any file, enough for a packet of single bits …
const MOST: usize = 32 << 20;
/// … and for each byte of it.
const FACTOR: usize = 2;

/// The most memory that waiting values of a scan take; an error if it is out of proportion.
pub(super) fn check(bytes: &[u8], scan: &Scan) -> Result<usize, Fault> {
    let sizes: Vec<u64> = scan.prototype.iter().map(|r| u64::from(bits(r))).collect();
    let start = scan.file_offset as usize;
    let waiting = walk(bytes, start, &sizes, scan.records).saturating_mul(VALUE);
    let most = MOST.saturating_add(FACTOR.saturating_mul(bytes.len()));
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
struct Pages<'a> {
    bytes: &'a [u8],
    page: usize,
    /// Not counting checksums.
    at: usize,
}

impl Pages<'_> {
    fn seek(&mut self, physical: usize) {
        self.at = physical - physical / self.page * 4;
    }

    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut out = [0; N];
        for b in &mut out {
            let page = self.at / (self.page - 4);
            *b = *self.bytes.get(self.at.checked_add(page.checked_mul(4)?)?)?;
            self.at += 1;
        }
        Some(out)
    }

    fn skip(&mut self, n: usize) -> Option<()> {
        self.at = self.at.checked_add(n)?;
        (self.at <= self.bytes.len()).then_some(())
    }
}

/// The most values that wait at one time. Where the packets are not sound it ends; reading says
/// what is wrong.
fn walk(bytes: &[u8], start: usize, sizes: &[u64], records: u64) -> usize {
    let mut most = 0;
    let page = bytes.get(40..48).map(|b| b.iter().rev().fold(0, |n, &x| n << 8 | usize::from(x)));
    let Some(page) = page.filter(|p| (5..=1 << 20).contains(p)) else { return 0 };
    let mut pages = Pages { bytes, page, at: 0 };
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
fn packet(pages: &mut Pages, sizes: &[u64], stored: &mut [u64]) -> Option<Vec<u64>> {
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
