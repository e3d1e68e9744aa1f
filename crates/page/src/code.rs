//! Numbers as text: whole numbers of two bytes, their differences, squeezed, in base 64.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The low and then the high bytes of the differences between neighboring rows, component by
/// component. Rows that lie together in the file mostly lie together in space, so that high bytes
/// repeat.
pub fn differences(rows: &[u16], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * rows.len());
    for c in 0..width {
        let column = || rows.iter().skip(c).step_by(width);
        let before = || std::iter::once(&0).chain(column());
        let steps = || column().zip(before()).map(|(b, a)| b.wrapping_sub(*a));
        out.extend(steps().map(|d| d as u8));
        out.extend(steps().map(|d| (d >> 8) as u8));
    }
    out
}

/// The same of the differences to other rows.
pub fn differences_to(rows: &[u16], others: &[u16], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * rows.len());
    for c in 0..width {
        let pairs = || rows.iter().zip(others).skip(c).step_by(width);
        let steps = || pairs().map(|(b, a)| b.wrapping_sub(*a));
        out.extend(steps().map(|d| d as u8));
        out.extend(steps().map(|d| (d >> 8) as u8));
    }
    out
}

/// Bytes component by component.
pub fn planes(rows: &[u8], width: usize) -> Vec<u8> {
    (0..width).flat_map(|c| rows.iter().skip(c).step_by(width).copied()).collect()
}

/// Raw DEFLATE (RFC 1951) in base 64.
pub fn text(bytes: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(5));
    // Writing to memory cannot fail; were it to, the page would say that a block is damaged.
    let _ = encoder.write_all(bytes);
    STANDARD.encode(encoder.finish().unwrap_or_default())
}
