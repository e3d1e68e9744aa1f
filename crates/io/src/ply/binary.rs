//! Rows in binary.

use pellucid_cloud::{List, Values};

use super::header::{Element, Kind};
use crate::error::Fault;
use crate::rows::{Records, Rows};
use crate::scalar::{Number, ScalarType, with_numbers, with_type};

/// Reads one element's rows from `at`; returns them and where they end.
pub(crate) fn rows<'a>(
    bytes: &'a [u8],
    at: usize,
    element: &Element,
    big: bool,
) -> Result<(Rows<'a>, usize), Fault> {
    if element.has_lists() {
        let mut reader = Reader { bytes, at, big };
        let columns = reader.columns(element)?;
        return Ok((Rows::Columns(columns), reader.at));
    }
    let mut stride = 0;
    let mut fields = Vec::with_capacity(element.properties.len());
    for p in &element.properties {
        if let Kind::Scalar(ty) = p.kind {
            fields.push((ty, stride));
            stride += ty.size();
        }
    }
    let end = element.count.checked_mul(stride).and_then(|n| n.checked_add(at));
    let Some(records) = end.and_then(|end| bytes.get(at..end)) else {
        let held = bytes.len().saturating_sub(at) / stride.max(1);
        return Err(short(bytes.len(), element, held));
    };
    let end = at + records.len();
    Ok((Rows::Records(Records { bytes: records, stride, rows: element.count, fields, big }), end))
}

/// The fault of a file of `len` bytes that ends before an element does.
pub(super) fn short(len: usize, element: &Element, held: usize) -> Fault {
    let (count, name) = (element.count, element.text());
    Fault::byte(
        len,
        format!(
            "the file ends after {held} of the {count} \"{name}\" records that the header \
             promises; it is truncated or the count is wrong"
        ),
    )
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    big: bool,
}

impl<'a> Reader<'a> {
    fn columns(&mut self, element: &Element) -> Result<Vec<Values>, Fault> {
        let mut columns = super::read::empty_columns(element);
        for row in 0..element.count {
            for (column, property) in columns.iter_mut().zip(&element.properties) {
                match (column, property.kind) {
                    (Values::List(list), Kind::List { count, item }) => {
                        let n = self.count(element, row, count)?;
                        let taken = n.checked_mul(item.size()).and_then(|n| self.take(n));
                        let raw = taken.ok_or_else(|| short(self.bytes.len(), element, row))?;
                        let big = self.big;
                        with_numbers!(&mut list.values, v => extend(v, raw, big), {});
                        list.offsets.push(list.values.len());
                    }
                    (column, kind) => {
                        let raw = self
                            .take(kind.least_bytes())
                            .ok_or_else(|| short(self.bytes.len(), element, row))?;
                        let big = self.big;
                        with_numbers!(column, v => v.push(Number::get(raw, big)), {});
                    }
                }
            }
        }
        Ok(columns)
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let raw = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(raw)
    }

    fn count(&mut self, element: &Element, row: usize, ty: ScalarType) -> Result<usize, Fault> {
        let (at, big) = (self.at, self.big);
        let raw = self.take(ty.size()).ok_or_else(|| short(self.bytes.len(), element, row))?;
        length(raw, ty, big).map_err(|n| no_length(at, n, element, row))
    }
}

/// How many values a list has; the number itself if it is none.
pub(super) fn length(raw: &[u8], ty: ScalarType, big: bool) -> Result<usize, f64> {
    let n = with_type!(ty, T => T::get(raw, big).widen());
    if n >= 0.0 { Ok(n as usize) } else { Err(n) }
}

pub(super) fn no_length(at: usize, n: f64, element: &Element, row: usize) -> Fault {
    Fault::byte(at, format!("a list of {n} values in \"{}\" record {row}", element.text()))
}

fn extend<T: Number>(v: &mut Vec<T>, raw: &[u8], big: bool) {
    v.extend(raw.chunks_exact(T::TYPE.size()).map(|r| T::get(r, big)));
}

/// An empty list column.
pub(crate) fn empty_list(item: ScalarType, rows: usize) -> Values {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    Values::List(Box::new(List { offsets, values: item.column(0) }))
}
