//! Points in files of the work folder: as they are read, by tile, and as they come out of a tile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pellucid_cloud::{Point, vec3};

use super::{BigError, private};

/// Bytes of a point, and of a point with its number.
const POINT: usize = 24;
const NUMBERED: usize = 28;
/// Points read at once.
const BATCH: usize = 1 << 17;

fn put(p: Point, out: &mut Vec<u8>) {
    p.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
}

fn get(bytes: &[u8]) -> Point {
    std::array::from_fn(|c| {
        let mut raw = [0; 8];
        raw.copy_from_slice(&bytes[8 * c..8 * c + 8]);
        f64::from_le_bytes(raw)
    })
}

fn get_numbered(bytes: &[u8]) -> (u32, Point) {
    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    (number, get(&bytes[4..]))
}

/// Runs `fill` on a file beside `path`, which takes that name once it is on the disk.
pub(super) fn whole<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, BigError>,
) -> Result<T, BigError> {
    let failed = |e| BigError::file(path, e);
    let part = path.with_extension("part");
    let mut out = BufWriter::with_capacity(1 << 20, private::create(&part).map_err(failed)?);
    let result = fill(&mut out)?;
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(&part, path).map_err(failed)?;
    Ok(result)
}

/// Tells whether numbers are the same as before, and in the same order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Checksum(pub u64);

impl Checksum {
    pub fn new() -> Checksum {
        Checksum(1)
    }

    pub fn add(&mut self, words: impl IntoIterator<Item = u64>) {
        for word in words {
            // Each step can be undone, so that no single change is lost.
            self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    pub fn add_points(&mut self, points: &[Point]) {
        self.add(points.as_flattened().iter().map(|x| x.to_bits()));
    }
}

/// Appends positions.
pub(super) fn write_positions(
    path: &Path,
    out: &mut dyn Write,
    points: &[Point],
) -> Result<(), BigError> {
    let mut bytes = Vec::with_capacity(points.len() * POINT);
    points.iter().for_each(|&p| put(p, &mut bytes));
    out.write_all(&bytes).map_err(|e| BigError::file(path, e))
}

/// Takes points, and the number of the first of them.
pub(super) type Take<'a> = dyn FnMut(u32, &[Point]) -> Result<(), BigError> + 'a;

/// Hands the finite positions of a file to `take`, some at a time, with the number of the first.
pub(super) fn read_positions(path: &Path, take: &mut Take) -> Result<(), BigError> {
    let failed = |e| BigError::file(path, e);
    let mut file = private::open(path).map_err(failed)?;
    let rows = file.metadata().map_err(failed)?.len() as usize / POINT;
    let (mut bytes, mut points, mut number) = (Vec::new(), Vec::new(), 0u32);
    for from in (0..rows).step_by(BATCH) {
        bytes.resize(BATCH.min(rows - from) * POINT, 0);
        file.read_exact(&mut bytes).map_err(failed)?;
        points.clear();
        points.extend(bytes.chunks_exact(POINT).map(get).filter(|p| vec3::is_finite(*p)));
        take(number, &points)?;
        number += points.len() as u32;
    }
    Ok(())
}

/// Points on their way to many files, of which few are open at a time.
pub(super) struct Spill {
    files: Vec<(PathBuf, Vec<u8>)>,
    most: usize,
}

impl Spill {
    /// New files; together their buffers take about as many bytes as said.
    pub fn new(paths: Vec<PathBuf>, bytes: usize) -> Result<Spill, BigError> {
        for path in &paths {
            private::create(path).map_err(|e| BigError::file(path, e))?;
        }
        let most = (bytes / paths.len().max(1)).clamp(4 << 10, 1 << 20);
        Ok(Spill { files: paths.into_iter().map(|p| (p, Vec::new())).collect(), most })
    }

    pub fn add(&mut self, file: usize, number: u32, p: Point) -> Result<(), BigError> {
        let (path, buffer) = &mut self.files[file];
        buffer.extend_from_slice(&number.to_le_bytes());
        put(p, buffer);
        if buffer.len() + NUMBERED > self.most {
            flush(path, buffer)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), BigError> {
        self.files.iter_mut().try_for_each(|(path, buffer)| flush(path, buffer))
    }
}

fn flush(path: &Path, buffer: &mut Vec<u8>) -> Result<(), BigError> {
    private::append(path)
        .and_then(|mut file| file.write_all(buffer))
        .map_err(|e| BigError::file(path, e))?;
    buffer.clear();
    Ok(())
}

/// Adds the points of a file, and their numbers, to those at hand.
pub(super) fn read_numbered(
    path: &Path,
    points: &mut Vec<Point>,
    numbers: &mut Vec<u32>,
) -> Result<(), BigError> {
    let failed = |e| BigError::file(path, e);
    let file = private::open(path).map_err(failed)?;
    let rows = file.metadata().map_err(failed)?.len() as usize / NUMBERED;
    let mut file = BufReader::with_capacity(1 << 20, file);
    points.reserve_exact(rows);
    numbers.reserve_exact(rows);
    let mut record = [0; NUMBERED];
    for _ in 0..rows {
        file.read_exact(&mut record).map_err(failed)?;
        let (number, point) = get_numbered(&record);
        numbers.push(number);
        points.push(point);
    }
    Ok(())
}

/// Writes points with their numbers: whole or not at all.
pub(super) fn write_numbered(
    path: &Path,
    numbers: &[u32],
    points: &[Point],
) -> Result<(), BigError> {
    whole(path, |out| {
        let mut bytes = Vec::with_capacity(NUMBERED);
        for (number, &p) in numbers.iter().zip(points) {
            bytes.clear();
            bytes.extend_from_slice(&number.to_le_bytes());
            put(p, &mut bytes);
            out.write_all(&bytes).map_err(|e| BigError::file(path, e))?;
        }
        Ok(())
    })
}

/// Files of points, each in the order of numbers, read as one.
pub(super) struct Merge {
    files: Vec<Source>,
    next: BinaryHeap<Reverse<(u32, usize)>>,
    most: usize,
}

struct Source {
    path: PathBuf,
    at: u64,
    bytes: Vec<u8>,
    used: usize,
}

impl Source {
    /// The number of the next point, if there is one.
    fn peek(&mut self, most: usize) -> Result<Option<u32>, BigError> {
        if self.used == self.bytes.len() {
            let mut fill = || -> std::io::Result<()> {
                let mut file = private::open(&self.path)?;
                file.seek(SeekFrom::Start(self.at))?;
                self.bytes.clear();
                file.take(most as u64).read_to_end(&mut self.bytes)?;
                Ok(())
            };
            fill().map_err(|e| BigError::file(&self.path, e))?;
            self.at += self.bytes.len() as u64;
            self.used = 0;
        }
        let rest = &self.bytes[self.used..];
        Ok((rest.len() >= NUMBERED).then(|| get_numbered(rest).0))
    }
}

impl Merge {
    /// Files whose buffers together take about as many bytes as said.
    pub fn new(paths: Vec<PathBuf>, bytes: usize) -> Result<Merge, BigError> {
        let most = (bytes / paths.len().max(1)).clamp(4 << 10, 1 << 20) / NUMBERED * NUMBERED;
        let source = |path| Source { path, at: 0, bytes: Vec::new(), used: 0 };
        let mut merge =
            Merge { files: paths.into_iter().map(source).collect(), next: BinaryHeap::new(), most };
        for i in 0..merge.files.len() {
            merge.push(i)?;
        }
        Ok(merge)
    }

    fn push(&mut self, file: usize) -> Result<(), BigError> {
        if let Some(number) = self.files[file].peek(self.most)? {
            self.next.push(Reverse((number, file)));
        }
        Ok(())
    }

    /// The point of the lowest number that has not been taken yet.
    pub fn take(&mut self) -> Result<Option<(u32, Point)>, BigError> {
        let Some(Reverse((_, file))) = self.next.pop() else { return Ok(None) };
        let source = &mut self.files[file];
        let found = get_numbered(&source.bytes[source.used..]);
        source.used += NUMBERED;
        self.push(file)?;
        Ok(Some(found))
    }
}
