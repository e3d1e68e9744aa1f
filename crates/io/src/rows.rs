//! Records of a file as columns, decoded once and straight into the shape the cloud wants.

use std::io::{self, Write};
use std::ops::Range;

use pellucid_cloud::{Point, Values};
use rayon::prelude::*;

use crate::scalar::{Number, ScalarType, with_numbers, with_type};

/// Rows per unit of parallel work; fixed, so that results do not depend on the machine.
pub(crate) const CHUNK: usize = 1 << 14;

/// Fixed-size records in binary.
pub(crate) struct Records<'a> {
    pub bytes: &'a [u8],
    pub stride: usize,
    pub rows: usize,
    /// Type of each field and where it starts in the record.
    pub fields: Vec<(ScalarType, usize)>,
    pub big: bool,
}

impl Records<'_> {
    /// The fields `which`, all of one type, interleaved point after point.
    fn take(&self, which: &[usize]) -> Values {
        let at: Vec<usize> = which.iter().map(|&f| self.fields[f].1).collect();
        with_type!(self.fields[which[0]].0, T => T::wrap(self.decode::<T>(&at)))
    }

    fn decode<T: Number>(&self, at: &[usize]) -> Vec<T> {
        let w = at.len();
        let mut out = vec![T::default(); self.rows * w];
        out.par_chunks_mut(CHUNK * w).zip(self.bytes.par_chunks(CHUNK * self.stride)).for_each(
            |(out, records)| {
                for (row, r) in out.chunks_exact_mut(w).zip(records.chunks_exact(self.stride)) {
                    for (x, &a) in row.iter_mut().zip(at) {
                        *x = T::get(&r[a..], self.big);
                    }
                }
            },
        );
        out
    }

    fn positions(&self, which: [usize; 3]) -> Vec<Point> {
        let [x, y, z] = which.map(|f| self.fields[f]);
        let mut out = vec![[0.0; 3]; self.rows];
        out.par_chunks_mut(CHUNK).zip(self.bytes.par_chunks(CHUNK * self.stride)).for_each(
            |(out, records)| {
                let rows = || records.chunks_exact(self.stride);
                if x.0 == y.0 && y.0 == z.0 {
                    with_type!(x.0, T => for (p, r) in out.iter_mut().zip(rows()) {
                        *p = [x.1, y.1, z.1].map(|a| T::get(&r[a..], self.big).widen());
                    });
                } else {
                    for (axis, (ty, a)) in [x, y, z].into_iter().enumerate() {
                        with_type!(ty, T => for (p, r) in out.iter_mut().zip(rows()) {
                            p[axis] = T::get(&r[a..], self.big).widen();
                        });
                    }
                }
            },
        );
        out
    }
}

/// The rows of one kind of record.
pub(crate) enum Rows<'a> {
    /// Still in the file's bytes.
    Records(Records<'a>),
    /// Decoded one by one, since they hold lists or are text.
    Columns(Vec<Values>),
}

impl Rows<'_> {
    /// The columns `which`, all of one type if several, interleaved; each can be taken once.
    pub fn take(&mut self, which: &[usize]) -> Values {
        match self {
            Rows::Records(records) => records.take(which),
            Rows::Columns(columns) => match which {
                [one] => std::mem::replace(&mut columns[*one], Values::U8(Vec::new())),
                _ => {
                    let woven = weave(&which.iter().map(|&c| &columns[c]).collect::<Vec<_>>());
                    which.iter().for_each(|&c| columns[c] = Values::U8(Vec::new()));
                    woven
                }
            },
        }
    }

    /// Three columns of numbers as positions.
    pub fn positions(&mut self, which: [usize; 3]) -> Vec<Point> {
        match self {
            Rows::Records(records) => records.positions(which),
            Rows::Columns(columns) => {
                let mut out = vec![[0.0; 3]; columns[which[0]].len()];
                for (axis, &c) in which.iter().enumerate() {
                    let column = std::mem::replace(&mut columns[c], Values::U8(Vec::new()));
                    with_numbers!(&column, v => for (p, x) in out.iter_mut().zip(v) {
                        p[axis] = x.widen();
                    }, {});
                }
                out
            }
        }
    }

    /// All columns, each on its own.
    pub fn into_columns(mut self) -> Vec<Values> {
        match self {
            Rows::Columns(columns) => columns,
            Rows::Records(ref r) => {
                let n = r.fields.len();
                (0..n).map(|c| self.take(&[c])).collect()
            }
        }
    }
}

/// Columns of one type side by side.
pub(crate) fn weave(parts: &[&Values]) -> Values {
    fn run<T: Number>(parts: &[&Values]) -> Values {
        let mut out = vec![T::default(); parts[0].len() * parts.len()];
        for (c, part) in parts.iter().enumerate() {
            let Some(v) = T::peek(part) else { continue };
            for (x, &y) in out.iter_mut().skip(c).step_by(parts.len()).zip(v) {
                *x = y;
            }
        }
        T::wrap(out)
    }
    match parts.first().and_then(|p| ScalarType::of(p)) {
        Some(ty) => with_type!(ty, T => run::<T>(parts)),
        None => Values::U8(Vec::new()),
    }
}

/// Writes rows that `fill` turns into bytes, a few chunks at a time side by side.
pub(crate) fn write_chunks(
    sink: &mut dyn Write,
    rows: usize,
    fill: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    const CHUNKS_AT_ONCE: usize = 16;
    let mut buffers = vec![Vec::new(); CHUNKS_AT_ONCE];
    let mut start = 0;
    while start < rows {
        let starts = (start..rows).step_by(CHUNK).take(CHUNKS_AT_ONCE);
        let used = starts.len();
        buffers[..used].par_iter_mut().enumerate().for_each(|(i, buffer)| {
            let from = start + i * CHUNK;
            buffer.clear();
            fill(from..(from + CHUNK).min(rows), buffer);
        });
        for buffer in &buffers[..used] {
            sink.write_all(buffer)?;
        }
        start += used * CHUNK;
    }
    Ok(())
}
