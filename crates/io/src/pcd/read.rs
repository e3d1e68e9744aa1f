//! From a file's bytes to a document.

use std::sync::Arc;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, PointCloud, Values};

use super::header::{self, Data, Field, Header};
use super::{Origin, PcdSource, lzf};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits::{self, Limits};
use crate::meaning;
use crate::rows::{Records, Rows};
use crate::scalar::{Number, ScalarType, with_numbers};

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let header = header::parse(bytes)?;
    let end = header.lines.len() + 1;
    // A field of several values is an attribute of its own.
    let column = |f: &Field| (f.name.clone(), (f.count == 1).then_some(f.ty));
    let columns: Vec<(String, Option<ScalarType>)> = header.fields.iter().map(column).collect();
    if let Some(axis) = meaning::twice(columns.iter().map(|c| c.0.as_bytes())) {
        return Err(Fault::line(end, format!("there are two fields \"{axis}\"")));
    }
    let Some(meaning) = meaning::of(&columns) else {
        return Err(Fault::line(end, "the fields x, y and z are missing"));
    };
    check_size(bytes, &header)?;
    let mut body = match header.data {
        Data::Ascii => Body::Columns(Rows::Columns(ascii(bytes, &header)?)),
        Data::Binary => binary(bytes, &header)?,
        Data::Compressed => Body::Columns(Rows::Columns(compressed(bytes, &header, limits)?)),
    };

    let mut cloud = PointCloud::new(body.positions(meaning.position));
    // A packed color becomes `color` unless something else is called that.
    let named = meaning.groups.iter().any(|g| g.attribute == names::COLOR);
    let mut origins: Vec<Origin> =
        meaning.origins(columns.len()).into_iter().map(Origin::One).collect();
    for group in meaning.groups {
        let field = &header.fields[group.columns[0]];
        let values = body.take(&group.columns);
        if !named && is_packed(field) && cloud.attribute(names::COLOR).is_none() {
            let color = unpack(&values, field.name.eq_ignore_ascii_case("rgba"));
            set(&mut cloud, color, end)?;
            origins[group.columns[0]] = Origin::Packed;
            continue;
        }
        let width = if group.columns.len() > 1 { group.columns.len() } else { field.count };
        if field.count > 1 {
            origins[group.columns[0]] = Origin::Whole(group.attribute.clone());
        }
        set(&mut cloud, Attribute::vector(group.attribute, width, values), end)?;
    }
    let position = meaning.position.map(|c| header.fields[c].ty);
    let encoding = match header.data {
        Data::Ascii => Encoding::Ascii,
        Data::Binary | Data::Compressed => Encoding::BinaryLittle,
    };
    let source = Source {
        encoding: Some(encoding),
        position: Some(position),
        comments: comments(&header),
        detail: Detail::Pcd(Arc::new(PcdSource {
            width: header.width,
            height: header.height,
            viewpoint: header.viewpoint,
            data: header.data,
            lines: header.lines,
            slots: header.fields.into_iter().zip(origins).collect(),
        })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// The comments, without the format's own first line.
fn comments(header: &Header) -> Vec<String> {
    let comments = header.lines.iter().filter_map(|l| l.trim_ascii_start().strip_prefix(b"#"));
    comments
        .map(|c| String::from_utf8_lossy(c).trim().to_owned())
        .filter(|c| !c.is_empty() && !c.starts_with(".PCD"))
        .collect()
}

fn set(cloud: &mut PointCloud, attribute: Attribute, line: usize) -> Result<(), Fault> {
    cloud.set_attribute(attribute).map_err(|e| Fault::line(line, e.to_string()))
}

fn is_packed(field: &Field) -> bool {
    let named = ["rgb", "rgba"].iter().any(|n| field.name.eq_ignore_ascii_case(n));
    let typed = matches!(field.ty, ScalarType::F32 | ScalarType::U32 | ScalarType::I32);
    named && typed && field.count == 1
}

/// Colors out of packed ones: alpha, red, green and blue from the highest byte to the lowest.
fn unpack(values: &Values, alpha: bool) -> Attribute {
    let bits: Vec<u32> = match values {
        Values::F32(v) => v.iter().map(|x| x.to_bits()).collect(),
        Values::U32(v) => v.clone(),
        Values::I32(v) => v.iter().map(|&x| x as u32).collect(),
        _ => Vec::new(),
    };
    let alpha = alpha || bits.iter().any(|b| b >> 24 != 0);
    let width = if alpha { 4 } else { 3 };
    let bytes = |b: &u32| [(b >> 16) as u8, (b >> 8) as u8, *b as u8, (b >> 24) as u8];
    let flat = bits.iter().flat_map(|b| bytes(b).into_iter().take(width)).collect();
    Attribute::vector(names::COLOR, width, Values::U8(flat))
}

/// Refuses, before anything is allocated, a header that promises more than the file can hold.
fn check_size(bytes: &[u8], header: &Header) -> Result<(), Fault> {
    let held = bytes.len() - header.body;
    let record: usize = header.fields.iter().map(Field::size).sum();
    let (least, held) = match header.data {
        // A digit and a separator a value; the last value needs no separator.
        Data::Ascii => (2 * header.fields.iter().map(|f| f.count).sum::<usize>(), held + 1),
        Data::Binary => (record, held),
        Data::Compressed => (record, held.saturating_mul(lzf::LARGEST_RATIO)),
    };
    if least.saturating_mul(header.points) > held {
        let n = header.points;
        let fault = format!(
            "the header promises {n} points, which do not fit in the {} bytes that follow it; \
             the file is truncated or the count is wrong",
            bytes.len() - header.body
        );
        return Err(Fault::byte(bytes.len(), fault));
    }
    Ok(())
}

/// The points, each field's values together or still in records.
enum Body<'a> {
    /// One column a field.
    Columns(Rows<'a>),
    /// Records, with the number of the first value of each field and after the last.
    Records(Rows<'a>, Vec<usize>),
}

impl Body<'_> {
    fn take(&mut self, fields: &[usize]) -> Values {
        match self {
            Body::Columns(rows) => rows.take(fields),
            Body::Records(rows, first) => {
                let flat: Vec<usize> =
                    fields.iter().flat_map(|&f| first[f]..first[f + 1]).collect();
                rows.take(&flat)
            }
        }
    }

    fn positions(&mut self, fields: [usize; 3]) -> Vec<pellucid_cloud::Point> {
        match self {
            Body::Columns(rows) => rows.positions(fields),
            Body::Records(rows, first) => rows.positions(fields.map(|f| first[f])),
        }
    }
}

fn binary<'a>(bytes: &'a [u8], header: &Header) -> Result<Body<'a>, Fault> {
    let mut fields = Vec::new();
    let mut first = vec![0];
    let mut stride = 0;
    for f in &header.fields {
        for _ in 0..f.count {
            fields.push((f.ty, stride));
            stride += f.ty.size();
        }
        first.push(fields.len());
    }
    let end = header.body + stride * header.points;
    check_rest(bytes, end)?;
    let records = &bytes[header.body..end];
    let rows = Records { bytes: records, stride, rows: header.points, fields, big: false };
    Ok(Body::Records(Rows::Records(rows), first))
}

/// Data left behind would be lost silently; padding is no data.
fn check_rest(bytes: &[u8], end: usize) -> Result<(), Fault> {
    match bytes[end..].iter().position(|b| !b.is_ascii_whitespace() && *b != 0) {
        None => Ok(()),
        Some(i) => {
            let fault = format!(
                "{} bytes follow the last point that the header promises; a count in the header \
                 is wrong",
                bytes.len() - end - i
            );
            Err(Fault::byte(end + i, fault))
        }
    }
}

fn compressed(bytes: &[u8], header: &Header, limits: &Limits) -> Result<Vec<Values>, Fault> {
    let at = header.body;
    let Some(sizes) = bytes.get(at..at + 8) else {
        let fault = "the file ends before the sizes of the compressed data";
        return Err(Fault::byte(bytes.len(), fault));
    };
    let packed = u32::get(sizes, false) as usize;
    let size = u32::get(&sizes[4..], false) as usize;
    let record: usize = header.fields.iter().map(Field::size).sum();
    if size != record * header.points {
        let fault = format!(
            "the compressed data says that it holds {size} bytes, but {} points of {record} \
             bytes make {}",
            header.points,
            record * header.points
        );
        return Err(Fault::byte(at + 4, fault));
    }
    // The plain bytes, the columns of them, what is gathered from columns, and the positions.
    let needed = size.saturating_mul(3).saturating_add(header.points.saturating_mul(32));
    limits.check(bytes.len(), needed).map_err(|fault| Fault::byte(at + 4, fault))?;
    let Some(input) = bytes.get(at + 8..at + 8 + packed) else {
        let fault = format!(
            "the compressed data should have {packed} bytes but {} follow; the file is truncated",
            bytes.len() - at - 8
        );
        return Err(Fault::byte(bytes.len(), fault));
    };
    check_rest(bytes, at + 8 + packed)?;
    let plain = lzf::decompress(input, size)
        .map_err(|(i, fault)| Fault::byte(at + 8 + i, fault.to_owned()))?;
    let mut start = 0;
    let columns = header.fields.iter().map(|f| {
        let part = &plain[start..start + f.size() * header.points];
        start += part.len();
        let fields = (0..f.count).map(|k| (f.ty, k * f.ty.size())).collect();
        let records =
            Records { bytes: part, stride: f.size(), rows: header.points, fields, big: false };
        let all: Vec<usize> = (0..f.count).collect();
        Rows::Records(records).take(&all)
    });
    Ok(columns.collect())
}

fn ascii(bytes: &[u8], header: &Header) -> Result<Vec<Values>, Fault> {
    let mut columns: Vec<Values> =
        header.fields.iter().map(|f| f.ty.column(f.count * header.points)).collect();
    let values: usize = header.fields.iter().map(|f| f.count).sum();
    let mut rows = 0;
    for (i, line) in bytes[header.body..].split(|&b| b == b'\n').enumerate() {
        let number = header.lines.len() + 2 + i;
        if line.len() > limits::LINE_BYTES {
            return Err(Fault::line(number, format!("a line of {} bytes", line.len())));
        }
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).peekable();
        if words.peek().is_none() {
            continue;
        }
        if rows == header.points {
            let fault = format!("more than the {rows} points that the header promises");
            return Err(Fault::line(number, fault));
        }
        rows += 1;
        let mut found = 0;
        for (column, field) in columns.iter_mut().zip(&header.fields) {
            for _ in 0..field.count {
                let Some(word) = words.next() else {
                    let fault = format!("{found} values where the fields make {values}");
                    return Err(Fault::line(number, fault));
                };
                found += 1;
                let pushed = with_numbers!(&mut *column, v => match Number::parse(word) {
                    Some(x) => { v.push(x); true }
                    None => false,
                }, false);
                if !pushed {
                    let shown = String::from_utf8_lossy(&word[..word.len().min(40)]);
                    let (ty, name) = (field.ty.name(), &field.name);
                    let fault = format!("\"{shown}\" is no {ty} for \"{name}\"");
                    return Err(Fault::line(number, fault));
                }
            }
        }
        if words.next().is_some() {
            let fault = format!("more values than the {values} that the fields make");
            return Err(Fault::line(number, fault));
        }
    }
    if rows < header.points {
        let fault = format!(
            "the file ends after {rows} of the {} points that the header promises; it is \
             truncated or the count is wrong",
            header.points
        );
        return Err(Fault::line_of(bytes, bytes.len(), fault));
    }
    Ok(columns)
}
