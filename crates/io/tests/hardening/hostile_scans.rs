//! Scanner files made to hurt: LAS, LAZ and E57.

use super::super::crc::mend_e57;
use super::{Hostile, hostile};

fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out[at..at + with.len()].copy_from_slice(with);
    out
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// The file with a record before its points.
fn with_record(las: &[u8], user: &[u8], id: u16, data: &[u8]) -> Vec<u8> {
    let mut record = vec![0; 2];
    record.extend(user);
    record.resize(18, 0);
    record.extend(id.to_le_bytes());
    record.extend((data.len() as u16).to_le_bytes());
    record.resize(54, 0);
    record.extend(data);
    let mut out = las.to_vec();
    let size = usize::from(u16::from_le_bytes([las[94], las[95]]));
    out.splice(size..size, record.iter().copied());
    let start = (number(las, 96) + record.len()) as u32;
    let records = number(las, 100) as u32 + 1;
    out[96..100].copy_from_slice(&start.to_le_bytes());
    out[100..104].copy_from_slice(&records.to_le_bytes());
    out
}

pub fn las(good: &[u8]) -> Vec<Hostile> {
    let bad = |at: usize, with: &[u8]| patched(good, at, with);
    let nan = f64::NAN.to_le_bytes();
    let mut extra = vec![0; 192];
    // Eight bytes that the points do not have.
    (extra[2], extra[4]) = (10, b'e');
    vec![
        hostile("cut-header.las", &good[..100], &["byte 100", "truncated"]),
        hostile("absurd-count.las", bad(247, &[0xff, 0xff, 0xff, 0xfe]), &["byte 247", "promises"]),
        hostile("overflowing-count.las", bad(247, &[0xff; 8]), &["byte 247", "more than one"]),
        hostile("no-record-length.las", bad(105, &[0; 2]), &["byte 105", "records of 0 bytes"]),
        hostile("absurd-record-length.las", bad(105, &[0xff; 2]), &["byte", "promises"]),
        hostile("absurd-records.las", bad(100, &[0xff; 4]), &["byte 100", "4294967295 variable"]),
        hostile(
            "long-record.las",
            patched(&with_record(good, b"someone", 1, &[0; 8]), 375 + 20, &[0xff; 2]),
            &["byte 375", "65535 bytes"],
        ),
        hostile("nan-scale.las", bad(131, &nan), &["byte 131", "scale of x is NaN"]),
        hostile("no-scale.las", bad(139, &[0; 8]), &["byte 139", "scale of y is 0"]),
        hostile(
            "offset-overflow.las",
            patched(&bad(131, &1e300f64.to_le_bytes()), 155, &1e308f64.to_le_bytes()),
            &["byte 155", "out of all range"],
        ),
        hostile(
            "extra-bytes-overflow.las",
            with_record(good, b"LASF_Spec", 4, &extra),
            &["byte", "end at byte"],
        ),
        hostile(
            "records-after-the-end.las",
            patched(&bad(235, &[0xff; 8]), 243, &[1, 0, 0, 0]),
            &["byte 235", "records are said to start"],
        ),
        hostile("points-before-the-start.las", bad(96, &[0; 4]), &["byte 96", "start at byte 0"]),
        hostile("future.las", bad(24, &[7, 0]), &["byte 24", "version 7.0"]),
        hostile("endian-lie.las", bad(94, &[1, 0x77]), &["byte", "truncated"]),
    ]
}

/// The last bytes of the layer of heights become a layer of flags that no encoder makes: the library
/// looks behind the end of a table.
fn out_of_range(good: &[u8], chunk: usize) -> Vec<u8> {
    const BYTES: usize = 16;
    let sizes = chunk + 30 + 4;
    let [xy, z, classes] = [0, 4, 8].map(|at| number(good, sizes + at));
    let mut out = patched(good, sizes + 4, &(z as u32 - BYTES as u32).to_le_bytes());
    out[sizes + 12] = BYTES as u8;
    patched(&out, sizes + 36 + xy + z - BYTES + classes, &[0xff; BYTES])
}

/// Of the layers only that of x and y, by which every field changes, and that of GPS times, which switch
/// between sequences without end: bytes that stand for the last symbol of any model.
fn endless_times(good: &[u8], chunk: usize) -> Vec<u8> {
    const BYTES: usize = 32;
    let sizes = chunk + 30 + 4;
    let mut out = patched(good, sizes, &[0; 36]);
    (out[sizes], out[sizes + 32]) = (BYTES as u8, BYTES as u8);
    let mut layer = [0xff; BYTES];
    layer[3] = 0xfe;
    patched(&out, sizes + 36, &[layer, layer].concat())
}

pub fn laz(good: &[u8]) -> Vec<Hostile> {
    let bad = |at: usize, with: &[u8]| patched(good, at, with);
    let start = number(good, 96);
    let table = number(good, start);
    // Points of nearly 64 kB: the state of their decoder would take half a gigabyte.
    let mut wide = bad(105, &65_535u16.to_le_bytes());
    let items = start - 2 - 6;
    if let Some(at) = wide[375..start].windows(2).position(|w| w == 22204u16.to_le_bytes()) {
        let content = 375 + at + 36;
        let count = usize::from(wide[content + 32]);
        debug_assert!(count > 0 && items > content);
        // One more item: bytes in layers.
        let size = 65_535 - usize::from(u16::from_le_bytes([good[105], good[106]]));
        let item = [[14, 0], (size as u16).to_le_bytes(), [3, 0]].concat();
        wide.splice(start..start, item);
        wide[content + 32] += 1;
        let length = content - 34;
        let old = u16::from_le_bytes([wide[length], wide[length + 1]]);
        wide[length..length + 2].copy_from_slice(&(old + 6).to_le_bytes());
        wide[96..100].copy_from_slice(&(start as u32 + 6).to_le_bytes());
    }
    wide.resize(400_000, 0);
    vec![
        hostile("cut-chunk-table.laz", &good[..table + 4], &["byte", "chunk table"]),
        hostile("no-chunk-table.laz", &good[..table], &["byte", "chunk table"]),
        hostile("lost-chunk-table.laz", bad(start, &[0xff; 7]), &["byte", "chunk table"]),
        hostile("absurd-chunks.laz", bad(table + 4, &[0xff; 4]), &["byte", "4294967295 chunks"]),
        hostile("absurd-count.laz", bad(247, &[0, 0, 0, 0xf0]), &["byte", "memory"]),
        hostile("damaged-chunk.laz", bad(start + 8 + 30, &[0xff; 4]), &["byte", "damaged"]),
        hostile("out-of-range.laz", out_of_range(good, start + 8), &["byte", "damaged"]),
        hostile("endless-times.laz", endless_times(good, start + 8), &["byte", "without end"]),
        hostile("wide-decoder.laz", wide, &["byte", "memory"]),
        hostile("not-compressed.laz", bad(375 + 18, &[0; 2]), &["byte 104", "22204"]),
    ]
}

/// The file with another description, its pages and their checksums computed again.
pub fn with_xml(e57: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    const PAGE: usize = 1024;
    let mut plain: Vec<u8> = e57.chunks(PAGE).flat_map(|p| &p[..PAGE - 4]).copied().collect();
    let wide = |at: usize| number(e57, at);
    let at = wide(24) - wide(24) / PAGE * 4;
    let xml = String::from_utf8_lossy(&plain[at..at + wide(32)]).into_owned();
    let xml = change(&xml);
    plain.truncate(at);
    plain.extend(xml.as_bytes());
    let mut out = Vec::new();
    for page in plain.chunks(PAGE - 4) {
        out.extend(page);
        out.resize(out.len().next_multiple_of(PAGE), 0);
    }
    let size = out.len() as u64;
    out[16..24].copy_from_slice(&size.to_le_bytes());
    out[32..40].copy_from_slice(&(xml.len() as u64).to_le_bytes());
    mend_e57(&mut out);
    out
}

pub fn e57(good: &[u8]) -> Vec<Hostile> {
    let mended = |at: usize, with: &[u8]| {
        let mut out = patched(good, at, with);
        mend_e57(&mut out);
        out
    };
    let count = |xml: &str| {
        let at = xml.find("recordCount=\"").map_or(0, |i| i + 13);
        let end = xml[at..].find('"').map_or(at, |i| at + i);
        format!("{}4000000000{}", &xml[..at], &xml[end..])
    };
    let nested = |_: &str| "<e57Root>".to_owned() + &"<a>".repeat(100_000);
    // A minute each, were they parsed.
    let inside = |xml: &str, what: String| {
        let at = xml.find("<data3D").unwrap_or(0);
        format!("{}{what}{}", &xml[..at], &xml[at..])
    };
    let namespaces = |xml: &str| {
        let open: String = (0..6000).map(|i| format!("<a xmlns:n{i}=\"u{i}\">")).collect();
        inside(xml, open + &"</a>".repeat(6000))
    };
    let attributes = |xml: &str| {
        let each: String = (0..60_000).map(|i| format!(" a{i}=\"\"")).collect();
        inside(xml, format!("<a{each}/>"))
    };
    let laughs = |xml: &str| {
        let start = xml.find("<e57Root").unwrap_or(0);
        format!("<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]>{}", &xml[start..])
    };
    vec![
        hostile("checksum.e57", patched(good, 200, &[0x55; 8]), &["byte", "checksum"]),
        hostile("cut.e57", &good[..good.len() - 500], &["byte", "truncated"]),
        hostile("no-pages.e57", mended(40, &[0; 8]), &["byte", "age size"]),
        hostile("absurd-description.e57", mended(32, &[0, 0, 0, 2]), &["byte 32", "XML"]),
        hostile("absurd-count.e57", with_xml(good, count), &["byte", "promises 4000000000 points"]),
        hostile("nested.e57", with_xml(good, nested), &["byte", "XML"]),
        hostile("namespaces.e57", with_xml(good, namespaces), &["byte", "within each other"]),
        hostile("attributes.e57", with_xml(good, attributes), &["byte", "attributes of one"]),
        hostile("entities.e57", with_xml(good, laughs), &["byte", "XML"]),
    ]
}
