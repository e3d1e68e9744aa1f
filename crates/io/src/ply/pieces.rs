//! Binary PLY too large for memory: rows of vertices go through as they are, but for their places.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use pellucid_cloud::Point;
use pellucid_cloud::attribute::names;

use super::header::{self, Kind};
use crate::batches::{Batches, Change, Output, Stopped, copy, read_at};
use crate::document::Encoding;
use crate::error::Fault;
use crate::limits;
use crate::meaning;

use crate::scalar::{Number, ScalarType, with_type};

/// Bytes of rows in memory at once.
const BATCH: usize = 8 << 20;

/// Where the vertices are, and the coordinates in a row of them.
pub(crate) struct PlyPieces {
    pub count: usize,
    /// Byte of the first row, and bytes of a row.
    start: usize,
    row: usize,
    axes: [(usize, ScalarType); 3],
    big: bool,
    len: usize,
    pub normals: bool,
}

impl PlyPieces {
    pub fn open(file: &mut File) -> Result<PlyPieces, Stopped> {
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let head = read_at(file, 0, len.min(limits::HEADER_BYTES + 1))?;
        let header = header::parse(&head)?;
        let lines = memchr::memchr_iter(b'\n', &head[..header.body]).count().max(1);
        let fault = |text: &str| Stopped::from(Fault::line(lines, text));
        let big = match header.encoding {
            Encoding::Ascii => {
                return Err(fault(
                    "PLY as text is read as a whole only; convert it to binary first",
                ));
            }
            encoding => encoding == Encoding::BinaryBig,
        };
        let mut start = header.body;
        for element in &header.elements {
            if element.has_lists() {
                return Err(fault(
                    "lists before or in the vertices: this file is read as a whole only",
                ));
            }
            let size = |kind: Kind| kind.least_bytes();
            let row: usize = element.properties.iter().map(|p| size(p.kind)).sum();
            let end = start.saturating_add(row.saturating_mul(element.count));
            if end > len {
                let fault = format!(
                    "the header promises {} \"{}\" records, which end at byte {end}, but the file \
                     ends at {len}; it is truncated or the count is wrong",
                    element.count,
                    element.text()
                );
                return Err(Fault::byte(len, fault).into());
            }
            if element.name != b"vertex" {
                start = end;
                continue;
            }
            if element.count > limits::POINTS {
                return Err(fault("more points than one cloud can hold"));
            }
            let (mut columns, mut places, mut at) = (Vec::new(), Vec::new(), 0);
            for p in &element.properties {
                if let Kind::Scalar(ty) = p.kind {
                    columns.push((p.text(), Some(ty)));
                    places.push((at, ty));
                    at += ty.size();
                }
            }
            let Some(meaning) = meaning::of(&columns) else {
                return Err(fault("the vertices lack the properties x, y and z"));
            };
            let axes = meaning.position.map(|c| places[c]);
            let normals = meaning.groups.iter().any(|g| g.attribute == names::NORMAL);
            let count = element.count;
            return Ok(PlyPieces { count, start, row, axes, big, len, normals });
        }
        Err(fault("the header has no element \"vertex\", so there are no points"))
    }

    /// Writes the file with other positions.
    pub fn rewrite(
        &self,
        file: &mut File,
        sink: &mut dyn Output,
        change: &mut Change<'_>,
    ) -> Result<(), Stopped> {
        copy(file, 0, self.start, sink)?;
        self.moved(file, change, &mut |raw, points, moved| {
            for (c, &(at, ty)) in self.axes.iter().enumerate() {
                with_type!(ty, T => {
                    let rows = raw.chunks_exact_mut(self.row);
                    for ((was, now), row) in points.iter().zip(moved).zip(rows) {
                        if was[c].to_bits() != now[c].to_bits() {
                            T::narrow(now[c]).put(&mut row[at..], self.big);
                        }
                    }
                });
            }
            Ok(sink.write_all(raw)?)
        })?;
        let end = self.start + self.count * self.row;
        copy(file, end, self.len - end, sink)
    }
}

impl Batches for PlyPieces {
    type Batch = [u8];

    fn batches(
        &self,
        file: &mut File,
        take: &mut dyn FnMut(&mut [u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let batch = (BATCH / self.row).max(1);
        let mut raw = Vec::new();
        file.seek(SeekFrom::Start(self.start as u64))?;
        for from in (0..self.count).step_by(batch) {
            raw.resize(batch.min(self.count - from) * self.row, 0);
            file.read_exact(&mut raw)?;
            take(&mut raw)?;
        }
        Ok(())
    }

    fn decode(&self, raw: &[u8], points: &mut Vec<Point>) {
        points.clear();
        points.resize(raw.len() / self.row, [0.0; 3]);
        for (c, &(at, ty)) in self.axes.iter().enumerate() {
            with_type!(ty, T => {
                for (p, row) in points.iter_mut().zip(raw.chunks_exact(self.row)) {
                    p[c] = T::get(&row[at..], self.big).widen();
                }
            });
        }
    }
}
