//! PTX: scans as text, each a grid of points with the scanner's pose before it.
//!
//! The pose is applied, so that all scans are in one frame; the attribute `scan` says which scan
//! a point is of where there are several. A row whose coordinates are all zero is a ray that met
//! nothing: it has no position (NaN) and stays as it is. Only the coordinates of points that
//! moved are written again, in the scan's own frame.

use std::io::Write;
use std::sync::Arc;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use crate::digits::Digits;
use crate::document::{Detail, Document, Dropped, Encoding, Source, WriteJob, Written};
use crate::error::{Fault, WriteFault};
use crate::faces::{self, CHANGED};
use crate::limits;
use crate::rows::write_chunks;
use crate::scalar::{Number, ScalarType, with_numbers};
use crate::standard;
use crate::template::{Line, Template, is_same, lines, words};

/// What a PTX file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct PtxSource {
    template: Template,
    scans: Vec<Scan>,
}

#[derive(Debug, Clone)]
struct Scan {
    columns: usize,
    rows: usize,
    /// Rows of the matrix that points, as rows, are multiplied by; the last is the shift.
    matrix: [Point; 4],
    inverse: [Point; 3],
    /// The number of its first point.
    first: usize,
}

impl Scan {
    fn apply(&self, p: Point) -> Point {
        if p == [0.0; 3] {
            return [f64::NAN; 3];
        }
        let m = &self.matrix;
        [0, 1, 2].map(|i| p[0] * m[0][i] + p[1] * m[1][i] + p[2] * m[2][i] + m[3][i])
    }

    fn undo(&self, p: Point) -> Point {
        let d = [0, 1, 2].map(|i| p[i] - self.matrix[3][i]);
        let m = &self.inverse;
        [0, 1, 2].map(|i| d[0] * m[0][i] + d[1] * m[1][i] + d[2] * m[2][i])
    }
}

impl PtxSource {
    /// Where the scanners stood.
    pub fn viewpoints(&self) -> Vec<Point> {
        // The fourth row of the matrix is the scanner's place in the frame of all scans.
        self.scans.iter().map(|s| s.matrix[3]).collect()
    }

    /// How many scans there are.
    pub fn scans(&self) -> usize {
        self.scans.len()
    }

    /// Columns and rows, if there is but one scan.
    pub fn grid(&self) -> Option<(usize, usize)> {
        match self.scans.as_slice() {
            // Points stand column after column.
            [one] => Some((one.rows, one.columns)),
            _ => None,
        }
    }

    pub fn other_elements(&self) -> Vec<(String, usize)> {
        vec![("scan".to_owned(), self.scans.len())]
    }

    /// Writes the text with the coordinates of points that moved, each in the frame of its scan.
    fn put_back(&self, points: &[Point], sink: &mut dyn Write) -> Result<(), WriteFault> {
        let stored = |row: usize| {
            let which = self.scans.partition_point(|s| s.first <= row) - 1;
            let mut words = words(&self.template.text, self.template.starts[row]);
            let old = [(); 3].map(|()| words.next().and_then(|w| f64::parse(w.1)).unwrap_or(0.0));
            (&self.scans[which], old)
        };
        self.template.write(sink, 3, |row, column, _| {
            let (scan, old) = stored(row);
            let (before, now) = (scan.apply(old), points[row]);
            let stays = before.iter().zip(&now).all(|(a, b)| is_same(*a, *b));
            // What met nothing stays nothing.
            let moved = !stays && now.iter().all(|x| x.is_finite());
            moved.then(|| scan.undo(now)[column])
        })?;
        Ok(())
    }
}

/// Whether the first lines are those of the format: two counts, then a position.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 12)];
    let mut lines = lines(head);
    let mut numbers = || {
        let line = lines.next()?.ok()?;
        let values: Option<Vec<f64>> = line.words().map(f64::parse).collect();
        values.map(|v| v.len())
    };
    [1, 1, 3, 3, 3, 3, 4].iter().all(|&n| numbers() == Some(n))
}

fn inverse(m: &[Point; 4]) -> Option<[Point; 3]> {
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det = (0..3).map(|j| m[0][j] * minor(0, j)).sum::<f64>();
    (det != 0.0 && det.is_finite()).then(|| [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / det)))
}

/// What is gathered from scan to scan.
#[derive(Default)]
struct Gathered {
    points: Vec<Point>,
    starts: Vec<usize>,
    scans: Vec<Scan>,
    intensity: Vec<f64>,
    color: Vec<u8>,
    /// A point without an intensity, or without a color, was seen.
    unshaded: bool,
    uncolored: bool,
}

/// The next line, or an error that says what was to come.
fn next<'a>(
    lines: &mut impl Iterator<Item = Result<Line<'a>, Fault>>,
    bytes: &[u8],
    what: &str,
) -> Result<Line<'a>, Fault> {
    lines.next().unwrap_or_else(|| {
        let fault = format!("the file ends before the {what}; is it truncated?");
        Err(Fault::line_of(bytes, bytes.len(), fault))
    })
}

/// The head of the scan whose first point has that number: its size and its pose.
fn head<'a>(
    lines: &mut impl Iterator<Item = Result<Line<'a>, Fault>>,
    bytes: &[u8],
    first: usize,
) -> Result<Scan, Fault> {
    let mut counts = [0usize; 2];
    let mut at = 0;
    for (count, what) in counts.iter_mut().zip(["columns", "rows"]) {
        let line = next(lines, bytes, what)?;
        at = line.number;
        let mut words = line.words();
        let n = words.next().and_then(u32::parse).filter(|_| words.next().is_none());
        let fault = || line.fault(format!("a scan starts with its number of {what}"));
        *count = n.ok_or_else(fault)? as usize;
    }
    let [columns, rows] = counts;
    let fits = columns.checked_mul(rows).is_some_and(|n| {
        // "0 0 0" and a line end.
        n.saturating_add(first).saturating_mul(6) <= bytes.len() && n <= limits::POINTS
    });
    if !fits {
        let fault = format!("{columns} x {rows} points do not fit in the file");
        return Err(Fault::line(at, fault));
    }
    // The matrix repeats the scanner's place and axes.
    for _ in 0..4 {
        next(lines, bytes, "scanner's place and axes")?.point(0)?;
    }
    let mut matrix = [[0.0; 3]; 4];
    for row in &mut matrix {
        let line = next(lines, bytes, "transformation")?;
        *row = line.point(0)?;
        at = line.number;
    }
    let inverse =
        inverse(&matrix).ok_or_else(|| Fault::line(at, "the transformation cannot be undone"))?;
    Ok(Scan { columns, rows, matrix, inverse, first })
}

impl Gathered {
    /// Adds a point of a scan.
    fn add(&mut self, scan: &Scan, line: &Line) -> Result<(), Fault> {
        self.points.push(scan.apply(line.point(0)?));
        self.starts.push(line.at);
        let rest: Vec<&[u8]> = line.words().skip(3).take(5).collect();
        self.unshaded |= !matches!(rest.len(), 1 | 4);
        self.uncolored |= !matches!(rest.len(), 3 | 4);
        if !self.unshaded {
            let x = f64::parse(rest[0]);
            self.intensity.push(x.ok_or_else(|| line.fault("an intensity that is not a number"))?);
        }
        if !self.uncolored {
            for word in &rest[rest.len() - 3..] {
                let x = u8::parse(word);
                self.color.push(x.ok_or_else(|| line.fault("a color that is not 0 to 255"))?);
            }
        }
        Ok(())
    }

    /// The document of all scans.
    fn document(self, bytes: &[u8]) -> Result<Document, Fault> {
        let Gathered { points, starts, scans, intensity, color, unshaded, uncolored } = self;
        let n = points.len();
        let mut cloud = PointCloud::new(points);
        let mut set =
            |a: Attribute| cloud.set_attribute(a).map_err(|e| Fault::line(1, e.to_string()));
        if scans.len() > 1 {
            let ends = scans.iter().skip(1).map(|s| s.first).chain(std::iter::once(n));
            let which = scans.iter().zip(ends).enumerate();
            let which =
                which.flat_map(|(i, (s, end))| std::iter::repeat_n(i as u32, end - s.first));
            set(Attribute::scalar("scan", Values::U32(which.collect())))?;
        }
        if !unshaded && n > 0 {
            set(Attribute::scalar(names::INTENSITY, Values::F64(intensity)))?;
        }
        if !uncolored && n > 0 {
            set(Attribute::vector(names::COLOR, 3, Values::U8(color)))?;
        }
        let template = Template { text: bytes.to_vec(), starts };
        let source = Source {
            encoding: Some(Encoding::Ascii),
            position: Some([ScalarType::F64; 3]),
            detail: Detail::Ptx(Arc::new(PtxSource { template, scans })),
            ..Source::default()
        };
        Ok(Document { cloud, source })
    }
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let mut lines = lines(bytes).peekable();
    let mut gathered = Gathered::default();
    while lines.peek().is_some() {
        let scan = head(&mut lines, bytes, gathered.points.len())?;
        for _ in 0..scan.columns * scan.rows {
            let line = next(&mut lines, bytes, "last point of a scan")?;
            gathered.add(&scan, &line)?;
        }
        gathered.scans.push(scan);
    }
    gathered.document(bytes)
}

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    job.text_only("a PTX file cannot be binary; choose another format such as .e57")?;
    let mut written = Written::default();
    let cloud = &*standard::for_ptx(&document.cloud, &mut written.changed);
    let points = cloud.positions();
    let color = faces::color_bytes(cloud, "PTX", &mut written);
    let color = color.as_ref();
    let intensity = cloud.attribute(names::INTENSITY).filter(|a| a.width() == 1);
    let mut held = vec!["scan"];
    held.extend(color.map(|_| names::COLOR));
    held.extend(intensity.map(|_| names::INTENSITY));
    faces::drop_others(cloud, &held, "PTX", &mut written.dropped);
    if let Detail::Ptx(ptx) = &document.source.detail {
        if ptx.template.starts.len() == cloud.len() {
            ptx.put_back(points, sink)?;
            return Ok(written);
        }
        let reason = CHANGED.to_owned();
        written.dropped.push(Dropped { attribute: "scans with their poses".to_owned(), reason });
    }
    let at = document.source.viewpoints();
    let [x, y, z] = at.first().copied().filter(|_| at.len() == 1).unwrap_or_default();
    writeln!(sink, "{}\n1\n{x} {y} {z}\n1 0 0\n0 1 0\n0 0 1", cloud.len())?;
    writeln!(sink, "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1")?;
    let digits = Digits::of(&document.source);
    write_chunks(sink, cloud.len(), |rows, out| {
        for row in rows {
            let p = points[row];
            let found = p.iter().all(|x| x.is_finite());
            for x in if found { p } else { [0.0; 3] } {
                digits.print(x, out);
                out.push(b' ');
            }
            match intensity.map(Attribute::values) {
                Some(values) => with_numbers!(values, v => v[row].print(out), {}),
                None => out.extend_from_slice(b"0.5"),
            }
            if let Some(bytes) = color {
                for c in &bytes[3 * row..3 * row + 3] {
                    out.push(b' ');
                    c.print(out);
                }
            }
            out.push(b'\n');
        }
    })?;
    Ok(written)
}
