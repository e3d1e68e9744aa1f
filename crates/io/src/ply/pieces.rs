//! Binary PLY too large for memory: rows of vertices go through as they are, but for their places.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use pellucid_cloud::Point;
use pellucid_cloud::attribute::names;

use super::binary;
use super::header::{self, Element, Header, Kind};
use super::read::{self, Vertices};
use super::write::header_text;
use crate::batches::{Batches, Change, Output, Stopped, copy, read_at};
use crate::document::Encoding;
use crate::error::Fault;
use crate::limits;
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
    /// What the header says of the vertices alone; or the name of another element that has rows.
    alone: Result<Header, String>,
}

impl PlyPieces {
    pub fn open(file: &mut File) -> Result<PlyPieces, Stopped> {
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let head = read_at(file, 0, len.min(limits::HEADER_BYTES + 1))?;
        let header = header::parse(&head)?;
        let lines = read::header_lines(&head, &header);
        let fault = |text: &str| Stopped::from(Fault::line(lines, text));
        let big = match header.encoding {
            Encoding::Ascii => {
                return Err(fault(
                    "PLY as text is read as a whole only; convert it to binary first",
                ));
            }
            encoding => encoding == Encoding::BinaryBig,
        };
        read::check_size(len, &header, lines)?;
        let Vertices { index, columns, meaning } = read::vertices(&header, lines)?;
        let element = &header.elements[index];
        if element.has_lists() {
            return Err(fault("lists in the vertices: this file is read as a whole only"));
        }
        let (mut places, mut row) = (Vec::new(), 0);
        for ty in columns.iter().filter_map(|(_, ty)| *ty) {
            places.push((row, ty));
            row += ty.size();
        }
        let (mut start, mut at) = (0, header.body);
        for (i, element) in header.elements.iter().enumerate() {
            if i == index {
                start = at;
            }
            at = end_of(file, at, len, element, big)?;
        }
        check_rest(file, at)?;
        let other = header.elements.iter().enumerate().find(|(i, e)| *i != index && e.count > 0);
        let alone = match other {
            Some((_, other)) => Err(other.text()),
            None => Ok(Header { elements: vec![element.clone()], ..header.clone() }),
        };
        Ok(PlyPieces {
            alone,
            count: element.count,
            start,
            row,
            axes: meaning.position.map(|c| places[c]),
            big,
            len,
            normals: meaning.groups.iter().any(|g| g.attribute == names::NORMAL),
        })
    }

    /// Hands all points to `take` as small files of their own with at most `most` points each.
    pub fn files(
        &self,
        file: &mut File,
        most: usize,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let alone = self.alone.as_ref().map_err(|name| {
            Stopped::Unfit(format!(
                "a file with \"{name}\" beside its points is read as a whole only; run it without \
                 a limit of memory"
            ))
        })?;
        let mut header = alone.clone();
        self.batches(file, &mut |raw| {
            for raw in raw.chunks(most.max(1) * self.row) {
                header.elements[0].count = raw.len() / self.row;
                take(&[&header_text(&header), raw].concat())?;
            }
            Ok(())
        })
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

/// Where the rows of an element end that start at byte `at`.
fn end_of(
    file: &mut File,
    mut at: usize,
    len: usize,
    element: &Element,
    big: bool,
) -> Result<usize, Stopped> {
    let row: usize = element.properties.iter().map(|p| p.kind.least_bytes()).sum();
    if !element.has_lists() {
        let end = element.count.checked_mul(row).and_then(|n| n.checked_add(at));
        let held = (len - at) / row.max(1);
        let end = end.filter(|end| *end <= len);
        return Ok(end.ok_or_else(|| binary::short(len, element, held))?);
    }
    file.seek(SeekFrom::Start(at as u64))?;
    let mut source = BufReader::with_capacity(1 << 20, file);
    for row in 0..element.count {
        for property in &element.properties {
            let short = || Stopped::from(binary::short(len, element, row));
            let mut size = property.kind.least_bytes();
            if let Kind::List { count, item } = property.kind {
                let mut raw = [0; 8];
                let raw = &mut raw[..size];
                if len - at < size {
                    return Err(short());
                }
                source.read_exact(raw)?;
                let n = binary::length(raw, count, big)
                    .map_err(|n| binary::no_length(at, n, element, row))?;
                at += size;
                size = n.saturating_mul(item.size());
            }
            if len - at < size {
                return Err(short());
            }
            source.seek_relative(size as i64)?;
            at += size;
        }
    }
    Ok(at)
}

/// Refuses a file that goes on after its last record.
fn check_rest(file: &mut File, at: usize) -> Result<(), Stopped> {
    file.seek(SeekFrom::Start(at as u64))?;
    let (mut at, mut bytes) = (at, vec![0; 1 << 16]);
    loop {
        let n = file.read(&mut bytes)?;
        if n == 0 {
            return Ok(());
        }
        if let Some(i) = bytes[..n].iter().position(read::is_data) {
            let len = file.metadata()?.len() as usize;
            return Err(Fault::byte(at + i, read::more_follow(len - at - i)).into());
        }
        at += n;
    }
}
