//! STL: triangles that repeat their corners. Corners in exactly one place are one point, so that
//! they move together and the surface stays closed.

mod read;
mod write;

use crate::faces::Polygons;
use crate::template::Template;

pub(crate) use read::read;
pub(crate) use write::write;

/// Bytes before the first facet, and of a facet, in binary.
const HEADER: usize = 84;
const FACET: usize = 50;

/// What an STL file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct StlSource {
    /// How many points the corners make.
    pub vertices: usize,
    /// The point of each corner, three a facet.
    corners: Vec<u32>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// The whole file up to its last facet.
    Binary(Vec<u8>),
    /// Four rows a facet: the normal and the corners.
    Ascii(Template),
}

impl StlSource {
    pub fn facets(&self) -> usize {
        self.corners.len() / 3
    }

    pub fn polygons(&self) -> Polygons {
        let offsets = (0..=self.facets()).map(|i| 3 * i).collect();
        Polygons { offsets, corners: self.corners.clone() }
    }
}

/// Whether it is a text of facets, or has the length that its count of facets makes.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    is_binary(bytes) || is_ascii(bytes)
}

fn is_binary(bytes: &[u8]) -> bool {
    facets(bytes).is_some_and(|n| n.checked_mul(FACET) == Some(bytes.len() - HEADER))
}

fn is_ascii(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 12)];
    let second = || {
        let mut lines = head.split(|&b| b == b'\n').skip(1).map(<[u8]>::trim_ascii_start);
        lines.find(|l| !l.is_empty()).map(<[u8]>::to_ascii_lowercase)
    };
    !head.contains(&0)
        && head.trim_ascii_start().to_ascii_lowercase().starts_with(b"solid")
        && second().is_some_and(|l| l.starts_with(b"facet") || l.starts_with(b"endsolid"))
}

/// The number of facets that a binary file promises.
fn facets(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..84)?;
    Some(u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize)
}
