//! The little of ZIP that NPZ needs: entries stored or deflated, copied as they are or written again.
//!
//! Own code, so that entries that do not change are copied without being unpacked, and no size
//! is believed before it is checked.

use std::ops::Range;

use crc32fast::hash as crc32;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::error::Fault;
use crate::limits;

/// A file in the archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub name: Vec<u8>,
    pub deflated: bool,
    crc: u32,
    /// Bytes when unpacked.
    pub size: usize,
    /// Where its packed bytes are.
    pub data: Range<usize>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    let b = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes([b[0], b[1]])))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<usize> {
    let low = u32_at(bytes, at)?;
    let high = u32_at(bytes, at.checked_add(4)?)?;
    usize::try_from(u64::from(high) << 32 | u64::from(low)).ok()
}

/// The entries of an archive.
pub(crate) fn entries(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
    let cut = |at: usize| Fault::byte(at, "the archive is cut off or broken here");
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = memchr::memmem::rfind(&bytes[from..], b"PK\x05\x06").map(|i| from + i);
    let end = end.ok_or_else(|| {
        Fault::byte(bytes.len(), "the list of the archive's files is missing; is it truncated?")
    })?;
    let comment = u16_at(bytes, end + 20).ok_or_else(|| cut(end))?;
    if end + 22 + comment > bytes.len() {
        return Err(cut(end));
    }
    let mut count = u16_at(bytes, end + 10).ok_or_else(|| cut(end))?;
    let mut at = u32_at(bytes, end + 16).ok_or_else(|| cut(end))? as usize;
    if let Some(locator) = end.checked_sub(20)
        && bytes[locator..].starts_with(b"PK\x06\x07")
    {
        let wide = u64_at(bytes, locator + 8).ok_or_else(|| cut(locator))?;
        if !bytes.get(wide..).is_some_and(|b| b.starts_with(b"PK\x06\x06")) {
            return Err(cut(locator));
        }
        count = u64_at(bytes, wide + 32).ok_or_else(|| cut(wide))?;
        at = u64_at(bytes, wide + 48).ok_or_else(|| cut(wide))?;
    }
    if count > limits::ELEMENTS {
        let fault = format!("{count} files in the archive, more than {}", limits::ELEMENTS);
        return Err(Fault::byte(end, fault));
    }
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let (entry, next) = entry(bytes, at)?;
        all.push(entry);
        at = next;
    }
    check_apart(&all)?;
    Ok(all)
}

/// Refuses entries that share their bytes, by which a small archive holds a lot.
fn check_apart(entries: &[Entry]) -> Result<(), Fault> {
    let mut places: Vec<&std::ops::Range<usize>> = entries.iter().map(|e| &e.data).collect();
    places.sort_unstable_by_key(|p| (p.start, p.end));
    match places.windows(2).find(|w| w[1].start < w[0].end) {
        Some(w) => {
            Err(Fault::byte(w[1].start, "two files in the archive share their bytes".to_owned()))
        }
        None => Ok(()),
    }
}

fn entry(bytes: &[u8], at: usize) -> Result<(Entry, usize), Fault> {
    let cut = || Fault::byte(at, "the archive is cut off or broken here");
    let short = |offset: usize| u16_at(bytes, at.checked_add(offset)?);
    let word = |offset: usize| u32_at(bytes, at.checked_add(offset)?);
    if !bytes.get(at..).is_some_and(|b| b.starts_with(b"PK\x01\x02")) {
        return Err(cut());
    }
    let field = |x: Option<usize>| x.ok_or_else(cut);
    let flags = field(short(8))?;
    let method = field(short(10))?;
    let crc = word(16).ok_or_else(cut)?;
    let mut packed = word(20).ok_or_else(cut)? as usize;
    let mut size = word(24).ok_or_else(cut)? as usize;
    let (name, extra, comment) = (field(short(28))?, field(short(30))?, field(short(32))?);
    let mut local = word(42).ok_or_else(cut)? as usize;
    let extras = bytes.get(at + 46 + name..at + 46 + name + extra).ok_or_else(cut)?;
    let name = bytes.get(at + 46..at + 46 + name).ok_or_else(cut)?.to_vec();
    let next = at + 46 + name.len() + extra + comment;
    // Sizes that do not fit stand in an extra field, in this order.
    let mut i = 0;
    while let (Some(id), Some(length)) = (u16_at(extras, i), u16_at(extras, i + 2)) {
        if id == 1 {
            let mut k = i + 4;
            for value in [&mut size, &mut packed, &mut local] {
                if *value == u32::MAX as usize {
                    *value = u64_at(extras, k).ok_or_else(cut)?;
                    k += 8;
                }
            }
        }
        i += 4 + length;
    }
    if flags & 1 != 0 {
        return Err(Fault::byte(at, "a file in the archive is encrypted"));
    }
    if !matches!(method, 0 | 8) {
        let fault =
            format!("a file in the archive is packed by method {method}, which is not read");
        return Err(Fault::byte(at, fault));
    }
    let head = bytes.get(local..).filter(|b| b.starts_with(b"PK\x03\x04")).ok_or_else(cut)?;
    let skip = 30 + field(u16_at(head, 26))? + field(u16_at(head, 28))?;
    let start = local + skip;
    let end = start.checked_add(packed).filter(|&e| e <= bytes.len()).ok_or_else(cut)?;
    // Deflate makes at most 1032 bytes of one.
    let most = if method == 0 { packed } else { packed.saturating_mul(1032) };
    if start > end || size > most || (method == 0 && size != packed) {
        let fault = format!("{packed} packed bytes cannot make {size}");
        return Err(Fault::byte(at, fault));
    }
    Ok((Entry { name, deflated: method == 8, crc, size, data: start..end }, next))
}

/// The first bytes of an entry, up to `most`.
pub(crate) fn start(bytes: &[u8], entry: &Entry, most: usize) -> Vec<u8> {
    let packed = &bytes[entry.data.clone()];
    if !entry.deflated {
        return packed[..packed.len().min(most)].to_vec();
    }
    match decompress_to_vec_with_limit(packed, most) {
        Ok(all) => all,
        Err(e) if e.status == TINFLStatus::HasMoreOutput => e.output,
        Err(_) => Vec::new(),
    }
}

/// An entry unpacked and checked.
pub(crate) fn unpack(bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, Fault> {
    let packed = &bytes[entry.data.clone()];
    let at = entry.data.start;
    let plain = if entry.deflated {
        decompress_to_vec_with_limit(packed, entry.size)
            .map_err(|_| Fault::byte(at, "the packed data is broken or longer than it says"))?
    } else {
        packed.to_vec()
    };
    if plain.len() != entry.size {
        let fault = format!("{} bytes unpacked where {} are promised", plain.len(), entry.size);
        return Err(Fault::byte(at, fault));
    }
    if crc32(&plain) != entry.crc {
        return Err(Fault::byte(at, "the checksum is wrong: the data was damaged"));
    }
    Ok(plain)
}

/// An archive being written.
#[derive(Default)]
pub(crate) struct Archive {
    out: Vec<u8>,
    list: Vec<u8>,
    count: u16,
}

impl Archive {
    pub fn add(&mut self, name: &[u8], plain: &[u8], deflate: bool) -> Result<(), String> {
        let crc = crc32(plain);
        if deflate {
            self.push(name, &compress_to_vec(plain, 6), plain.len(), crc, true)
        } else {
            self.push(name, plain, plain.len(), crc, false)
        }
    }

    /// An entry of another archive as it is.
    pub fn copy(&mut self, bytes: &[u8], entry: &Entry) -> Result<(), String> {
        let packed = &bytes[entry.data.clone()];
        self.push(&entry.name, packed, entry.size, entry.crc, entry.deflated)
    }

    fn push(
        &mut self,
        name: &[u8],
        packed: &[u8],
        size: usize,
        crc: u32,
        deflated: bool,
    ) -> Result<(), String> {
        let small = |n: usize| {
            u32::try_from(n).ok().filter(|&n| n != u32::MAX).ok_or_else(|| {
                "an archive of more than 4 GiB is not written; choose another format such as .npy"
                    .to_owned()
            })
        };
        let local = small(self.out.len())?;
        let length = u16::try_from(name.len()).map_err(|_| "a name is too long".to_owned())?;
        let mut common: Vec<u8> = Vec::new();
        // Version 2.0, names in UTF-8; the first day that ZIP knows.
        common.extend_from_slice(&[20, 0, 0, 8, if deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0]);
        common.extend_from_slice(&crc.to_le_bytes());
        common.extend_from_slice(&small(packed.len())?.to_le_bytes());
        common.extend_from_slice(&small(size)?.to_le_bytes());
        common.extend_from_slice(&length.to_le_bytes());
        common.extend_from_slice(&[0, 0]);
        self.out.extend_from_slice(b"PK\x03\x04");
        self.out.extend_from_slice(&common);
        self.out.extend_from_slice(name);
        self.out.extend_from_slice(packed);
        self.list.extend_from_slice(b"PK\x01\x02\x14\0");
        self.list.extend_from_slice(&common);
        self.list.extend_from_slice(&[0; 10]);
        self.list.extend_from_slice(&local.to_le_bytes());
        self.list.extend_from_slice(name);
        self.count = self.count.checked_add(1).ok_or("too many files for an archive")?;
        Ok(())
    }

    pub fn finish(mut self) -> Result<Vec<u8>, String> {
        let large = |_| "an archive of more than 4 GiB is not written".to_owned();
        let at = u32::try_from(self.out.len()).map_err(large)?;
        let size = u32::try_from(self.list.len()).map_err(large)?;
        self.out.extend_from_slice(&self.list);
        self.out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        self.out.extend_from_slice(&self.count.to_le_bytes());
        self.out.extend_from_slice(&self.count.to_le_bytes());
        self.out.extend_from_slice(&size.to_le_bytes());
        self.out.extend_from_slice(&at.to_le_bytes());
        self.out.extend_from_slice(&[0, 0]);
        Ok(self.out)
    }
}
