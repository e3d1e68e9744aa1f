//! From a file's bytes to a document.

use std::sync::Arc;

use pellucid_cloud::{Attribute, PointCloud, Values};

use super::header::{self, Element, Header, Kind};
use super::layout::Slot;
use super::{PlySource, ascii, binary};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits;
use crate::meaning;
use crate::rows::Rows;
use crate::scalar::ScalarType;

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let (header, mut rows) = read_raw(bytes)?;
    let end = header_lines(bytes, &header);
    let Vertices { index: vertex, columns, meaning } = vertices(&header, end)?;
    let element = &header.elements[vertex];

    let mut cloud = PointCloud::new(rows[vertex].positions(meaning.position));
    let origins = meaning.origins(columns.len());
    for group in meaning.groups {
        let values = rows[vertex].take(&group.columns);
        cloud
            .set_attribute(Attribute::vector(group.attribute, group.columns.len(), values))
            .map_err(|e| Fault::line(end, e.to_string()))?;
    }
    let slots = origins
        .into_iter()
        .zip(&element.properties)
        .map(|(from, property)| Slot { property: property.clone(), from })
        .collect();

    let mut others = Vec::with_capacity(rows.len());
    for (i, rows) in rows.into_iter().enumerate() {
        others.push(if i == vertex { Vec::new() } else { rows.into_columns() });
    }
    let source = Source {
        encoding: Some(header.encoding),
        position: Some(meaning.position.map(|c| columns[c].1.unwrap_or(ScalarType::F64))),
        comments: comments(&header),
        detail: Detail::Ply(Arc::new(PlySource { header, vertex, slots, others })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// Which element has the points, and what its properties are.
pub(super) struct Vertices {
    pub index: usize,
    /// Names and types of properties; lists have no type.
    pub columns: Vec<(String, Option<ScalarType>)>,
    pub meaning: meaning::Meaning,
}

/// Finds the points in a header, which ends in line `end`.
pub(super) fn vertices(header: &Header, end: usize) -> Result<Vertices, Fault> {
    let mut vertices = header.elements.iter().enumerate().filter(|(_, e)| e.name == b"vertex");
    let Some((index, element)) = vertices.next() else {
        return Err(Fault::line(
            end,
            "the header has no element \"vertex\", so there are no points",
        ));
    };
    if vertices.next().is_some() {
        return Err(Fault::line(end, "the header has two elements \"vertex\"; there must be one"));
    }
    if element.count > limits::POINTS {
        let fault = format!("{} points are more than one cloud can hold", element.count);
        return Err(Fault::line(end, fault));
    }
    if let Some(axis) = meaning::twice(element.properties.iter().map(|p| p.name.as_slice())) {
        return Err(Fault::line(end, format!("the vertices have two properties \"{axis}\"")));
    }
    let columns: Vec<(String, Option<ScalarType>)> = element
        .properties
        .iter()
        .map(|p| match p.kind {
            Kind::Scalar(ty) => (p.text(), Some(ty)),
            Kind::List { .. } => (p.text(), None),
        })
        .collect();
    let Some(meaning) = meaning::of(&columns) else {
        return Err(Fault::line(end, "the vertices lack the properties x, y and z"));
    };
    Ok(Vertices { index, columns, meaning })
}

/// Reads the header and every element's rows.
pub(crate) fn read_raw(bytes: &[u8]) -> Result<(Header, Vec<Rows<'_>>), Fault> {
    let header = header::parse(bytes)?;
    check_size(bytes.len(), &header, header_lines(bytes, &header))?;
    let mut at = header.body;
    let mut rows = Vec::with_capacity(header.elements.len());
    for element in &header.elements {
        let (r, end) = match header.encoding {
            Encoding::Ascii => {
                let (columns, end) = ascii::columns(bytes, at, element)?;
                (Rows::Columns(columns), end)
            }
            Encoding::BinaryLittle => binary::rows(bytes, at, element, false)?,
            Encoding::BinaryBig => binary::rows(bytes, at, element, true)?,
        };
        rows.push(r);
        at = end;
    }
    // Silently leaving data behind would lose it; padding is no data.
    if let Some(i) = bytes[at..].iter().position(is_data) {
        let at = at + i;
        let fault = more_follow(bytes.len() - at);
        return Err(match header.encoding {
            Encoding::Ascii => Fault::line_of(bytes, at, fault),
            _ => Fault::byte(at, fault),
        });
    }
    Ok((header, rows))
}

/// Whether a byte after the last record is more than padding.
pub(super) fn is_data(byte: &u8) -> bool {
    !byte.is_ascii_whitespace() && *byte != 0
}

/// What to say of bytes after the last record.
pub(super) fn more_follow(bytes: usize) -> String {
    format!(
        "{bytes} bytes follow the last record that the header promises; a count in the header is \
         wrong"
    )
}

/// Refuses, before anything is allocated, a header that promises more than a file of `len` bytes can
/// hold. It ends in line `end`.
pub(super) fn check_size(len: usize, header: &Header, end: usize) -> Result<(), Fault> {
    let held = len - header.body;
    let mut least = 0usize;
    for element in &header.elements {
        if element.properties.is_empty() && element.count > 0 {
            let fault =
                format!("{} \"{}\" records without properties", element.count, element.text());
            return Err(Fault::line(end, fault));
        }
        let row = match header.encoding {
            // A digit and a separator a value.
            Encoding::Ascii => 2 * element.properties.len(),
            _ => element.properties.iter().map(|p| p.kind.least_bytes()).sum(),
        };
        least = least.saturating_add(element.count.saturating_mul(row));
        // The last value of a text needs no separator.
        if least > held + usize::from(header.encoding == Encoding::Ascii) {
            let (count, name) = (element.count, element.text());
            return Err(Fault::byte(
                len,
                format!(
                    "the header promises {count} \"{name}\" records, which take at least {least} \
                     bytes, but {held} follow it; the file is truncated or the count is wrong"
                ),
            ));
        }
    }
    Ok(())
}

/// Columns for an element's rows; those of scalars with room for all, since the file is long
/// enough for them.
pub(super) fn empty_columns(element: &Element) -> Vec<Values> {
    let column = |kind: Kind| match kind {
        Kind::Scalar(ty) => ty.column(element.count),
        Kind::List { item, .. } => binary::empty_list(item, element.count),
    };
    element.properties.iter().map(|p| column(p.kind)).collect()
}

pub(super) fn header_lines(bytes: &[u8], header: &Header) -> usize {
    let head = &bytes[..header.body];
    memchr::memchr_iter(b'\n', head).count().max(1)
}

fn comments(header: &Header) -> Vec<String> {
    header
        .notes
        .iter()
        .filter_map(|n| n.line.trim_ascii_start().strip_prefix(b"comment"))
        .map(|text| String::from_utf8_lossy(text).trim().to_owned())
        .collect()
}
