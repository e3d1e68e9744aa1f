//! Columns that several jobs fill at once, each its own rows.

use std::ops::Range;

use pellucid_cloud::{Point, Values};

use super::quantize;
use super::record::{Field, Store};
use crate::scalar::{Number, ScalarType, with_type};

/// The positions and fields of all points.
pub(super) struct Columns {
    pub positions: Vec<Point>,
    pub values: Vec<Values>,
    scale: [f64; 3],
    offset: [f64; 3],
}

/// Some rows of all columns.
pub(super) struct Rows<'a> {
    pub len: usize,
    positions: &'a mut [Point],
    parts: Vec<Part<'a>>,
    scale: [f64; 3],
    offset: [f64; 3],
}

enum Part<'a> {
    U8(&'a mut [u8]),
    I8(&'a mut [i8]),
    U16(&'a mut [u16]),
    I16(&'a mut [i16]),
    U32(&'a mut [u32]),
    I32(&'a mut [i32]),
    U64(&'a mut [u64]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

macro_rules! each_part {
    ($part:expr, $v:ident => $body:expr) => {
        match $part {
            Part::U8($v) => $body,
            Part::I8($v) => $body,
            Part::U16($v) => $body,
            Part::I16($v) => $body,
            Part::U32($v) => $body,
            Part::I32($v) => $body,
            Part::U64($v) => $body,
            Part::I64($v) => $body,
            Part::F32($v) => $body,
            Part::F64($v) => $body,
        }
    };
}

impl Columns {
    pub fn new(fields: &[Field], count: usize, scale: [f64; 3], offset: [f64; 3]) -> Self {
        let zeros = |ty: ScalarType, n: usize| with_type!(ty, T => T::wrap(vec![T::default(); n]));
        Columns {
            positions: vec![[0.0; 3]; count],
            values: fields.iter().map(|f| zeros(f.ty(), count * f.width)).collect(),
            scale,
            offset,
        }
    }

    /// Cuts the columns in pieces of `sizes` rows, which must add up to at most all.
    pub fn cut<'a>(&'a mut self, fields: &[Field], sizes: &[usize]) -> Vec<Rows<'a>> {
        let mut rows: Vec<Rows<'a>> = Vec::with_capacity(sizes.len());
        let mut rest = self.positions.as_mut_slice();
        for &len in sizes {
            let (head, tail) = rest.split_at_mut(len);
            rest = tail;
            let parts = Vec::with_capacity(fields.len());
            let (scale, offset) = (self.scale, self.offset);
            rows.push(Rows { len, positions: head, parts, scale, offset });
        }
        macro_rules! cut {
            ($v:expr, $V:ident, $width:expr) => {{
                let mut rest = $v.as_mut_slice();
                for r in &mut rows {
                    let (head, tail) = rest.split_at_mut(r.len * $width);
                    rest = tail;
                    r.parts.push(Part::$V(head));
                }
            }};
        }
        for (values, field) in self.values.iter_mut().zip(fields) {
            match values {
                Values::U8(v) => cut!(v, U8, field.width),
                Values::I8(v) => cut!(v, I8, field.width),
                Values::U16(v) => cut!(v, U16, field.width),
                Values::I16(v) => cut!(v, I16, field.width),
                Values::U32(v) => cut!(v, U32, field.width),
                Values::I32(v) => cut!(v, I32, field.width),
                Values::U64(v) => cut!(v, U64, field.width),
                Values::I64(v) => cut!(v, I64, field.width),
                Values::F32(v) => cut!(v, F32, field.width),
                Values::F64(v) => cut!(v, F64, field.width),
                // `new` makes numbers only.
                Values::Text(_) | Values::List(_) => {}
            }
        }
        rows
    }
}

impl Rows<'_> {
    /// Decodes records into `rows`; returns whether the positions determine the stored integers.
    pub fn fill(
        &mut self,
        fields: &[Field],
        rows: Range<usize>,
        raw: &[u8],
        length: usize,
    ) -> bool {
        let mut exact = true;
        let (scale, offset) = (self.scale, self.offset);
        for (p, r) in self.positions[rows.clone()].iter_mut().zip(raw.chunks_exact(length)) {
            for axis in 0..3 {
                let k = i32::get(&r[4 * axis..], false);
                p[axis] = quantize::decode(k, scale[axis], offset[axis]);
                exact &= quantize::encode(p[axis], scale[axis], offset[axis]) == f64::from(k);
            }
        }
        for (part, field) in self.parts.iter_mut().zip(fields) {
            match (part, field.store) {
                (Part::U8(v), Store::Bits { shift, width }) => {
                    let mask = (1u8 << width) - 1;
                    for (x, r) in v[rows.clone()].iter_mut().zip(raw.chunks_exact(length)) {
                        *x = (r[field.at] >> shift) & mask;
                    }
                }
                (part, _) => each_part!(part, v => {
                    let v = &mut v[rows.start * field.width..rows.end * field.width];
                    numbers(v, field, raw, length);
                }),
            }
        }
        exact
    }
}

#[inline]
fn numbers<T: Number>(out: &mut [T], field: &Field, raw: &[u8], length: usize) {
    let (at, w, size) = (field.at, field.width, T::TYPE.size());
    if w == 1 {
        for (x, r) in out.iter_mut().zip(raw.chunks_exact(length)) {
            *x = T::get(&r[at..], false);
        }
        return;
    }
    for (row, r) in out.chunks_exact_mut(w).zip(raw.chunks_exact(length)) {
        for (c, x) in row.iter_mut().enumerate() {
            *x = T::get(&r[at + c * size..], false);
        }
    }
}
