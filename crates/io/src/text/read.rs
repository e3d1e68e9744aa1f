//! From a file's bytes to a document.

use std::sync::Arc;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};
use rayon::prelude::*;

use super::TextSource;
use super::guess::{self, Shape};
use super::line::{Fields, check_text, comment_mark, lines, plain};
use crate::digits::Most;
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits;
use crate::rows::Rows;
use crate::scalar::{Number, ScalarType, parse_integer};

/// Bytes per unit of parallel work.
const CHUNK: usize = 1 << 20;

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    check_text(&bytes[..bytes.len().min(1 << 16)])?;
    let text = plain(bytes);
    let text = text.as_ref();
    let shape = guess::shape(text)?;
    let chunks = split(text, shape.data)?;
    let parsed: Vec<Result<Vec<Cells>, Fault>> =
        chunks.par_iter().map(|&(from, to)| parse(text, from, to, &shape)).collect();
    let parsed: Vec<Vec<Cells>> = parsed.into_iter().collect::<Result<_, _>>()?;
    let mut columns = join(parsed, shape.names.len());

    let rows = columns.first().map_or(0, Cells::len);
    if let Some(count) = shape.count.filter(|&c| c != rows) {
        let fault = format!(
            "the file says that it has {count} points but holds {rows}; it is truncated or the \
             count is wrong"
        );
        return Err(Fault::line_of(text, text.len(), fault));
    }
    if rows > limits::POINTS {
        let fault = format!("{rows} points are more than one cloud can hold");
        return Err(Fault::line_of(text, text.len(), fault));
    }

    let mut positions: Vec<Point> = vec![[0.0; 3]; rows];
    for (axis, &c) in shape.meaning.position.iter().enumerate() {
        let column = std::mem::replace(&mut columns[c], Cells::Int(Vec::new())).into_floats();
        for (p, x) in positions.iter_mut().zip(column) {
            p[axis] = x;
        }
    }
    let digits = Most::of_numbers(positions.as_flattened());
    let mut cloud = PointCloud::new(positions);
    for group in &shape.meaning.groups {
        let cells = group
            .columns
            .iter()
            .map(|&c| std::mem::replace(&mut columns[c], Cells::Int(Vec::new())))
            .collect();
        let all: Vec<usize> = (0..group.columns.len()).collect();
        let values = Rows::Columns(typed(&group.attribute, cells)).take(&all);
        cloud
            .set_attribute(Attribute::vector(group.attribute.as_str(), all.len(), values))
            .map_err(|e| Fault::line(1, e.to_string()))?;
    }
    let origins = shape.meaning.origins(shape.names.len());
    let normals = cloud.attribute(names::NORMAL).and_then(|a| match a.values() {
        Values::F64(v) => Some(v),
        _ => None,
    });
    let source = Source {
        encoding: Some(Encoding::Ascii),
        position: Some([ScalarType::F64; 3]),
        comments: shape.style.comments.iter().map(|c| bare(c)).collect(),
        detail: Detail::Text(Arc::new(TextSource {
            style: shape.style,
            columns: shape.names.into_iter().zip(origins).collect(),
            digits,
            normal_digits: normals.map(|v| Most::of_numbers(v)),
        })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

fn bare(comment: &str) -> String {
    comment.trim_start_matches(['#', '%', '/']).trim().to_owned()
}

/// Cuts the text after line ends into pieces of about equal size.
fn split(text: &[u8], data: usize) -> Result<Vec<(usize, usize)>, Fault> {
    let mut chunks = Vec::new();
    let mut from = data;
    while from < text.len() {
        let about = (from + CHUNK).min(text.len());
        let to = memchr::memchr(b'\n', &text[about..]).map_or(text.len(), |i| about + i + 1);
        if to - about > limits::LINE_BYTES {
            let fault = format!("a line of more than {} bytes", limits::LINE_BYTES);
            return Err(Fault::line_of(text, about, fault));
        }
        chunks.push((from, to));
        from = to;
    }
    Ok(chunks)
}

/// A column while it is read.
enum Cells {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<String>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Int(v) => v.len(),
            Cells::Float(v) => v.len(),
            Cells::Text(v) => v.len(),
        }
    }

    fn into_floats(self) -> Vec<f64> {
        match self {
            Cells::Int(v) => v.into_iter().map(|x| x as f64).collect(),
            Cells::Float(v) => v,
            Cells::Text(_) => Vec::new(),
        }
    }

    /// Whether the field belongs in this column.
    #[inline]
    fn push(&mut self, field: &[u8]) -> bool {
        match self {
            Cells::Float(v) => match f64::parse(field) {
                Some(x) => v.push(x),
                None => return false,
            },
            Cells::Int(v) => {
                let whole = parse_integer(field).and_then(|x| i64::try_from(x).ok());
                match whole.filter(|&x| x != 0 || field[0] != b'-') {
                    Some(x) => v.push(x),
                    None => {
                        let Some(x) = f64::parse(field) else { return false };
                        let mut floats: Vec<f64> = v.iter().map(|&x| x as f64).collect();
                        floats.push(x);
                        *self = Cells::Float(floats);
                    }
                }
            }
            Cells::Text(v) => v.push(String::from_utf8_lossy(field).into_owned()),
        }
        true
    }
}

fn parse(text: &[u8], from: usize, to: usize, shape: &Shape) -> Result<Vec<Cells>, Fault> {
    let n = shape.names.len();
    let mut columns: Vec<Cells> = (0..n)
        .map(|c| {
            if shape.meaning.position.contains(&c) {
                Cells::Float(Vec::new())
            } else if shape.words[c] {
                Cells::Text(Vec::new())
            } else {
                Cells::Int(Vec::new())
            }
        })
        .collect();
    for (at, raw) in lines(&text[..to], from) {
        let line = raw.trim_ascii();
        if line.is_empty() || comment_mark(line).is_some() {
            continue;
        }
        let mut found = 0;
        for field in Fields::new(line, shape.separator) {
            let pushed = columns.get_mut(found).is_none_or(|column| column.push(field));
            if !pushed {
                let shown = String::from_utf8_lossy(&field[..field.len().min(40)]);
                let fault =
                    format!("\"{shown}\" in column \"{}\" is not a number", shape.names[found]);
                return Err(Fault::line_of(text, at, fault));
            }
            found += 1;
        }
        if found != n {
            let fault = format!("{found} columns where the first point has {n}");
            return Err(Fault::line_of(text, at, fault));
        }
    }
    Ok(columns)
}

/// One column out of the pieces of it; integers only if every piece is.
fn join(pieces: Vec<Vec<Cells>>, n: usize) -> Vec<Cells> {
    let mut columns: Vec<Vec<Cells>> = (0..n).map(|_| Vec::new()).collect();
    for piece in pieces {
        for (column, cells) in columns.iter_mut().zip(piece) {
            column.push(cells);
        }
    }
    columns
        .into_par_iter()
        .map(|mut pieces| {
            if pieces.len() == 1
                && let Some(only) = pieces.pop()
            {
                return only;
            }
            let total = pieces.iter().map(Cells::len).sum();
            if pieces.iter().all(|p| matches!(p, Cells::Int(_))) {
                let mut all = Vec::with_capacity(total);
                pieces.into_iter().for_each(|p| {
                    if let Cells::Int(v) = p {
                        all.extend(v);
                    }
                });
                Cells::Int(all)
            } else if pieces.iter().any(|p| matches!(p, Cells::Text(_))) {
                let mut all = Vec::with_capacity(total);
                pieces.into_iter().for_each(|p| {
                    if let Cells::Text(v) = p {
                        all.extend(v);
                    }
                });
                Cells::Text(all)
            } else {
                let mut all = Vec::with_capacity(total);
                pieces.into_iter().for_each(|p| all.extend(p.into_floats()));
                Cells::Float(all)
            }
        })
        .collect()
}

/// The columns of one attribute in one type that holds every value.
fn typed(attribute: &str, cells: Vec<Cells>) -> Vec<Values> {
    let range = |limit: i64| {
        cells
            .iter()
            .all(|c| matches!(c, Cells::Int(v) if v.iter().all(|x| (0..=limit).contains(x))))
    };
    let color = attribute == names::COLOR;
    let (bytes, words) = (color && range(255), color && range(65535));
    // Normals that happen to be whole numbers are still directions.
    let whole = attribute != names::NORMAL && cells.iter().all(|c| matches!(c, Cells::Int(_)));
    cells
        .into_iter()
        .map(|c| match c {
            Cells::Text(v) => Values::Text(v),
            Cells::Int(v) if bytes => Values::U8(v.into_iter().map(|x| x as u8).collect()),
            Cells::Int(v) if words => Values::U16(v.into_iter().map(|x| x as u16).collect()),
            Cells::Int(v) if whole => Values::I64(v),
            other => Values::F64(other.into_floats()),
        })
        .collect()
}
