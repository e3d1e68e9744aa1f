//! From a file's bytes to a document.

use std::collections::HashMap;
use std::sync::Arc;

use pellucid_cloud::{Point, PointCloud};

use super::{Body, FACET, HEADER, StlSource, facets, is_ascii, is_binary};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::scalar::{Number, ScalarType};
use crate::template::{Template, lines, words};

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    // The header of a binary file may start with "solid" too; its length tells.
    if !is_binary(bytes) && is_ascii(bytes) { ascii(bytes) } else { binary(bytes) }
}

/// Points at the places of corners.
#[derive(Default)]
struct Points {
    points: Vec<Point>,
    known: HashMap<[u64; 3], u32>,
    corners: Vec<u32>,
}

impl Points {
    fn corner(&mut self, p: Point) {
        // Zero is one place, whatever its sign.
        let key = p.map(|x| (if x == 0.0 { 0.0f64 } else { x }).to_bits());
        let next = self.points.len() as u32;
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.points.push(p);
        }
        self.corners.push(index);
    }

    fn document(self, body: Body, ty: ScalarType, encoding: Encoding) -> Document {
        let vertices = self.points.len();
        let source = Source {
            encoding: Some(encoding),
            position: Some([ty; 3]),
            detail: Detail::Stl(Arc::new(StlSource { vertices, corners: self.corners, body })),
            ..Source::default()
        };
        Document { cloud: PointCloud::new(self.points), source }
    }
}

fn binary(bytes: &[u8]) -> Result<Document, Fault> {
    let Some(count) = facets(bytes) else {
        let fault = "neither \"solid\" nor the 84 bytes that a binary STL file starts with";
        return Err(Fault::byte(bytes.len(), fault));
    };
    let held = bytes.len() - HEADER;
    let size = count.saturating_mul(FACET);
    if size > held {
        let fault = format!(
            "the file promises {count} facets, which take {size} bytes, but {held} follow; it is \
             truncated or the count is wrong"
        );
        return Err(Fault::byte(80, fault));
    }
    // Three corners each may be three points.
    if count > u32::MAX as usize / 3 - 1 {
        return Err(Fault::byte(80, format!("{count} facets are more than one cloud can hold")));
    }
    let end = HEADER + size;
    if let Some(i) = bytes[end..].iter().position(|b| !b.is_ascii_whitespace() && *b != 0) {
        let fault = format!(
            "{} bytes follow the last facet; the count of facets is wrong",
            bytes.len() - end - i
        );
        return Err(Fault::byte(end + i, fault));
    }
    let mut points = Points::default();
    for facet in bytes[HEADER..end].chunks_exact(FACET) {
        for corner in facet[12..48].chunks_exact(12) {
            points.corner([0, 4, 8].map(|a| f32::get(&corner[a..], false).widen()));
        }
    }
    let body = Body::Binary(bytes[..end].to_vec());
    Ok(points.document(body, ScalarType::F32, Encoding::BinaryLittle))
}

fn ascii(bytes: &[u8]) -> Result<Document, Fault> {
    let mut points = Points::default();
    let mut starts = Vec::new();
    // Corners so far in the facet that is open.
    let mut open: Option<usize> = None;
    let mut last = 1;
    for line in lines(bytes) {
        let line = line?;
        last = line.number;
        let mut at = words(line.text, 0);
        let Some((_, key)) = at.next() else { continue };
        match key.to_ascii_lowercase().as_slice() {
            b"facet" => {
                let normal = at.next().is_some_and(|w| w.1.eq_ignore_ascii_case(b"normal"));
                let first = at.next().filter(|_| normal && open.is_none());
                let Some((first, _)) = first else {
                    return Err(line.fault("\"facet normal\" with three numbers must open a facet"));
                };
                line.point(2).map_err(|_| line.fault("a normal needs three numbers"))?;
                starts.push(line.at + first);
                open = Some(0);
            }
            b"vertex" => {
                let corners = open.as_mut().filter(|c| **c < 3);
                let Some(corners) = corners else {
                    return Err(line.fault("a facet has three vertices"));
                };
                *corners += 1;
                points.corner(line.point(1)?);
                starts.push(line.at + at.next().map_or(0, |w| w.0));
            }
            b"endfacet" => {
                if open.take() != Some(3) {
                    return Err(line.fault("a facet has three vertices"));
                }
            }
            b"solid" | b"endsolid" | b"outer" | b"endloop" => {}
            key => {
                let shown = String::from_utf8_lossy(&key[..key.len().min(40)]).into_owned();
                return Err(line.fault(format!("\"{shown}\" does not belong in an STL file")));
            }
        }
    }
    if open.is_some() {
        return Err(Fault::line(last, "the file ends inside a facet; is it truncated?"));
    }
    let template = Template { text: bytes.to_vec(), starts };
    Ok(points.document(Body::Ascii(template), ScalarType::F64, Encoding::Ascii))
}
