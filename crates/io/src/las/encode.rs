//! From columns to point records.

use std::ops::Range;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, Values};

use super::quantize;
use super::record::{self, Field, Store};
use crate::scalar::{Number, ScalarType, with_numbers, with_type};

/// How values are put in a record.
#[derive(Debug, Clone, Copy)]
pub(super) enum Put {
    Number(ScalarType),
    Bits {
        shift: u32,
    },
    /// 8-bit colors over the whole range of 16 bits.
    Spread,
    /// Steps of a scale from an offset.
    Scaled(ScalarType, [(f64, f64); 3]),
    /// The same bits in every record.
    Constant(u8),
}

/// Components of an attribute and where they go.
pub(super) struct Column<'a> {
    values: Option<(&'a Values, usize)>,
    first: usize,
    width: usize,
    at: usize,
    pub put: Put,
}

impl<'a> Column<'a> {
    /// The components of `a` from `first` on, as many as the field has.
    pub fn of(a: &'a Attribute, first: usize, field: &Field) -> Self {
        let bytes = matches!(a.values(), Values::U8(_));
        let put = match field.store {
            Store::Number(_) if field.name == names::COLOR && field.width == 3 && bytes => {
                Put::Spread
            }
            Store::Number(ty) => Put::Number(ty),
            Store::Bits { shift, .. } => Put::Bits { shift },
        };
        let values = Some((a.values(), a.width()));
        Column { values, first, width: field.width, at: field.at, put }
    }

    /// A field that nothing is known of; `None` if it is zero.
    pub fn blank(field: &Field) -> Option<Self> {
        let bits = record::default_of(&field.name);
        let Store::Bits { shift, .. } = field.store else { return None };
        let put = Put::Constant(bits << shift);
        (bits != 0).then_some(Column { values: None, first: 0, width: 1, at: field.at, put })
    }

    /// Puts `rows` into records of `length` bytes, all zero before the first column.
    fn fill(&self, rows: Range<usize>, out: &mut [u8], length: usize) {
        let records = out.chunks_exact_mut(length).map(|r| &mut r[self.at..]);
        let Some((values, stride)) = self.values else {
            if let Put::Constant(bits) = self.put {
                records.for_each(|r| r[0] |= bits);
            }
            return;
        };
        with_numbers!(values, v => {
            let v = v[rows.start * stride..rows.end * stride].chunks_exact(stride);
            let v = v.map(|row| &row[self.first..self.first + self.width]);
            match self.put {
                Put::Bits { shift } => {
                    v.zip(records).for_each(|(x, r)| r[0] |= u8::narrow(x[0].widen()) << shift);
                }
                Put::Spread => v.zip(records).for_each(|(row, r)| {
                    for (x, r) in row.iter().zip(r.chunks_exact_mut(2)) {
                        u16::narrow(x.widen() * 257.0).put(r, false);
                    }
                }),
                Put::Scaled(ty, t) => with_type!(ty, T => v.zip(records).for_each(|(row, r)| {
                    for (i, x) in row.iter().enumerate() {
                        let (scale, offset) = t[i % 3];
                        let k = quantize::encode(x.widen(), scale, offset);
                        T::narrow(k).put(&mut r[i * size_of::<T>()..], false);
                    }
                })),
                Put::Number(ty) => with_type!(ty, T => v.zip(records).for_each(|(row, r)| {
                    for (x, r) in row.iter().zip(r.chunks_exact_mut(size_of::<T>())) {
                        put_as::<_, T>(*x, r);
                    }
                })),
                Put::Constant(_) => {}
            }
        }, {});
    }
}

#[inline]
fn put_as<S: Number, T: Number>(x: S, out: &mut [u8]) {
    if S::TYPE == T::TYPE {
        x.put(out, false);
    } else {
        T::narrow(x.widen()).put(out, false);
    }
}

/// Everything that records are made of.
pub(super) struct Encoder<'a> {
    pub points: &'a [Point],
    pub scale: [f64; 3],
    pub offset: [f64; 3],
    /// Coordinates of points that did not move, where positions do not determine them.
    pub stored: Option<&'a [[i32; 3]]>,
    pub columns: Vec<Column<'a>>,
    pub length: usize,
}

impl Encoder<'_> {
    /// The records of `rows`.
    pub fn fill(&self, rows: Range<usize>, out: &mut Vec<u8>) {
        out.clear();
        out.resize(rows.len() * self.length, 0);
        for (i, r) in rows.clone().zip(out.chunks_exact_mut(self.length)) {
            for axis in 0..3 {
                let (x, s, o) = (self.points[i][axis], self.scale[axis], self.offset[axis]);
                let stored = self.stored.map(|k| k[i][axis]);
                let same = stored.filter(|k| quantize::decode(*k, s, o).to_bits() == x.to_bits());
                // Checked to fit before.
                let k = same.unwrap_or_else(|| quantize::encode(x, s, o) as i32);
                k.put(&mut r[4 * axis..], false);
            }
        }
        for column in &self.columns {
            column.fill(rows.clone(), out, self.length);
        }
    }
}
