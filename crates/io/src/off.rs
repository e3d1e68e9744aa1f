//! OFF and its relatives with colors and normals (COFF, NOFF, CNOFF), as text.
//!
//! Only the numbers of the vertices ever change; faces and comments stay word for word.

use std::io::Write;
use std::sync::Arc;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use crate::digits::{Digits, Most};
use crate::document::{Detail, Document, Dropped, Encoding, Source, WriteJob, Written};
use crate::error::{Fault, WriteFault};
use crate::faces::{self, ColorKind, Polygons, outside};
use crate::limits;
use crate::rows::write_chunks;
use crate::scalar::{Number, ScalarType, parse_integer, with_numbers};
use crate::template::{self, Line, Template, lines};

/// What an OFF file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct OffSource {
    template: Template,
    normals: bool,
    color: Option<(ColorKind, usize)>,
    pub faces: Polygons,
}

impl OffSource {
    pub fn vertices(&self) -> usize {
        self.template.starts.len()
    }

    /// The most digits of a coordinate.
    pub fn digits(&self) -> Most {
        self.template.digits(3)
    }
}

/// The mark of the first word, taken apart: what follows it, whether there are normals, colors.
fn mark(first: &[u8]) -> Option<(&[u8], bool, bool)> {
    let at = memchr::memmem::find(first, b"OFF")?;
    let (mut normals, mut colors) = (false, false);
    let mut rest = first[..at].strip_prefix(b"ST").unwrap_or(&first[..at]);
    while let Some((&letter, after)) = rest.split_first() {
        match letter {
            b'C' if !colors && !normals => colors = true,
            b'N' if !normals => normals = true,
            _ => return None,
        }
        rest = after;
    }
    Some((&first[at + 3..], normals, colors))
}

/// Whether the first line is the format's.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 12)];
    lines(head).next().and_then(Result::ok).is_some_and(|line| {
        mark(line.text).is_some_and(|(rest, ..)| {
            rest.is_empty() || rest[0].is_ascii_whitespace() || rest[0].is_ascii_digit()
        })
    })
}

/// The lines of a file, where each one that is read must be there.
struct Lines<'a, I> {
    bytes: &'a [u8],
    lines: I,
}

impl<'a, I: Iterator<Item = Result<Line<'a>, Fault>>> Lines<'a, I> {
    fn next(&mut self, what: &str) -> Result<Line<'a>, Fault> {
        self.lines.next().unwrap_or_else(|| {
            let fault = format!("the file ends before the {what}; is it truncated?");
            Err(Fault::line_of(self.bytes, self.bytes.len(), fault))
        })
    }
}

/// What the first lines say.
struct Head<'a> {
    /// The line of the counts.
    at: Line<'a>,
    vertices: usize,
    polygons: usize,
    normals: bool,
    colors: bool,
}

impl<'a> Head<'a> {
    fn read(
        lines: &mut Lines<'a, impl Iterator<Item = Result<Line<'a>, Fault>>>,
    ) -> Result<Head<'a>, Fault> {
        let first = lines.next("header")?;
        let (rest, normals, colors) = mark(first.text)
            .filter(|(rest, ..)| !rest.trim_ascii().starts_with(b"BINARY"))
            .ok_or_else(|| first.fault("the first line must be \"OFF\" (in ascii)"))?;
        // Some files have the counts right behind the mark.
        let (counts, at) = if rest.trim_ascii().is_empty() {
            let line = lines.next("counts")?;
            (line.text, line)
        } else {
            (rest, first)
        };
        let counts: Vec<u32> = template::words(counts, 0).map_while(|w| u32::parse(w.1)).collect();
        let &[vertices, polygons, ..] = counts.as_slice() else {
            return Err(at.fault("the counts of vertices and faces are missing"));
        };
        let (vertices, polygons) = (vertices as usize, polygons as usize);
        // "0 0 0" and "3" with their line ends.
        if 6 * vertices + 2 * polygons > lines.bytes.len() + 1 || vertices > limits::POINTS {
            let fault = format!("{vertices} vertices and {polygons} faces do not fit in the file");
            return Err(at.fault(fault));
        }
        Ok(Head { at, vertices, polygons, normals, colors })
    }
}

/// What the lines of vertices contain.
struct Vertices {
    points: Vec<Point>,
    starts: Vec<usize>,
    normal: Vec<f64>,
    color: Vec<f64>,
    /// How many numbers of a color the first vertex has.
    width: Option<usize>,
    /// Whether every vertex has as many.
    same_width: bool,
    /// Whether all numbers of colors are whole.
    whole: bool,
}

impl Vertices {
    fn new(count: usize) -> Vertices {
        Vertices {
            points: Vec::with_capacity(count),
            starts: Vec::with_capacity(count),
            normal: Vec::new(),
            color: Vec::new(),
            width: None,
            same_width: true,
            whole: true,
        }
    }

    fn add(&mut self, line: &Line, head: &Head) -> Result<(), Fault> {
        self.points.push(line.point(0)?);
        self.starts.push(line.at);
        if !head.normals && !head.colors {
            return Ok(());
        }
        let rest: Option<Vec<f64>> = line.words().skip(3).map(f64::parse).collect();
        let rest = rest.ok_or_else(|| line.fault("a vertex has numbers only"))?;
        let (n, c) = rest.split_at(if head.normals { 3.min(rest.len()) } else { 0 });
        if head.normals && n.len() < 3 {
            return Err(line.fault("a vertex of a file with normals needs six numbers"));
        }
        self.normal.extend_from_slice(n);
        self.same_width &= *self.width.get_or_insert(c.len()) == c.len();
        let tail = line.words().skip(3 + n.len());
        self.whole &= tail.into_iter().all(|w| parse_integer(w).is_some());
        if self.same_width {
            self.color.extend_from_slice(c);
        }
        Ok(())
    }
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let mut lines = Lines { bytes, lines: lines(bytes) };
    let head = Head::read(&mut lines)?;
    let mut vertices = Vertices::new(head.vertices);
    for _ in 0..head.vertices {
        vertices.add(&lines.next("last vertex")?, &head)?;
    }
    let mut faces = Polygons::new();
    for face in 0..head.polygons {
        add_face(&mut faces, face, &lines.next("last face")?, head.vertices)?;
    }

    let mut cloud = PointCloud::new(vertices.points);
    let mut set = |a: Attribute| cloud.set_attribute(a).map_err(|e| head.at.fault(e.to_string()));
    if head.normals {
        set(Attribute::vector(names::NORMAL, 3, Values::F64(vertices.normal)))?;
    }
    let mut color = None;
    let same_width = head.colors && vertices.same_width;
    if let Some(width) = vertices.width.filter(|w| same_width && matches!(w, 3 | 4)) {
        let (kind, values) = ColorKind::of(vertices.color, vertices.whole);
        set(Attribute::vector(names::COLOR, width, values))?;
        color = Some((kind, width));
    }
    let template = Template { text: bytes.to_vec(), starts: vertices.starts };
    let source = Source {
        encoding: Some(Encoding::Ascii),
        position: Some([ScalarType::F64; 3]),
        comments: Vec::new(),
        detail: Detail::Off(Arc::new(OffSource { template, normals: head.normals, color, faces })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// Adds the face of a line: its number of corners, and their vertices.
fn add_face(faces: &mut Polygons, face: usize, line: &Line, vertices: usize) -> Result<(), Fault> {
    let mut numbers = line.words().map(faces::index);
    let n = numbers.next().flatten().and_then(|n| usize::try_from(n).ok());
    let n = n.ok_or_else(|| line.fault("a face starts with its number of corners"))?;
    let corners: Vec<i64> = numbers.map_while(|x| x).take(n).collect();
    if corners.len() != n {
        return Err(line.fault(format!("a face of {n} corners lists {}", corners.len())));
    }
    faces.push(&corners, vertices).map_err(|i| line.fault(outside(face, i, vertices)))
}

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    job.text_only("OFF is written as text only; choose another format such as .ply")?;
    let cloud = &document.cloud;
    let mut written = Written::default();
    let color = faces::color(cloud, &mut written.changed);
    let color = color.as_ref().map(|(values, width)| (values.as_ref(), *width));
    let normals = cloud.normals();
    let mut held = Vec::new();
    if color.is_some() {
        held.push(names::COLOR);
    }
    if normals.is_some() {
        held.push(names::NORMAL);
    }
    faces::drop_others(cloud, &held, "OFF", &mut written.dropped);
    let normals = normals.as_deref();
    let off = match &document.source.detail {
        Detail::Off(off) => Some(off.as_ref()),
        _ => None,
    };
    if let Some(off) = off
        && off.vertices() == cloud.len()
        && off.color.map(|c| c.1) == color.map(|c| c.1)
        && off.normals == normals.is_some()
    {
        off.put_back(cloud, normals, color, sink)?;
        return Ok(written);
    }
    if off.is_some_and(|off| off.vertices() != cloud.len() && off.faces.len() > 0) {
        let reason = faces::CHANGED.to_owned();
        written.dropped.push(Dropped { attribute: "face".to_owned(), reason });
    }
    let mut unused = Vec::new();
    let polygons =
        faces::of(document, if off.is_none() { &mut written.dropped } else { &mut unused });
    let polygons = polygons.unwrap_or_else(Polygons::new);
    let mark = match (color.is_some(), normals.is_some()) {
        (false, false) => "OFF",
        (true, false) => "COFF",
        (false, true) => "NOFF",
        (true, true) => "CNOFF",
    };
    writeln!(sink, "{mark}\n{} {} 0", cloud.len(), polygons.len())?;
    write_vertices(cloud, Digits::of(&document.source), normals, color, sink)?;
    write_faces(&polygons, sink)?;
    Ok(written)
}

/// Colors, and how many values a vertex has.
type Colors<'a> = Option<(&'a Values, usize)>;

impl OffSource {
    /// Writes the text with the numbers of the vertices as they are now.
    fn put_back(
        &self,
        cloud: &PointCloud,
        normals: Option<&[Point]>,
        color: Colors,
        sink: &mut dyn Write,
    ) -> Result<(), WriteFault> {
        let points = cloud.positions();
        let before = if self.normals { 6 } else { 3 };
        let columns = before + self.color.map_or(0, |c| c.1);
        self.template.write(sink, columns, |row, column, old| {
            match (column, self.color, color) {
                (0..3, _, _) => Some(points[row][column]),
                (c, _, _) if c < before => normals.map(|n| n[row][c - 3]),
                (c, Some((kind, width)), Some((values, _))) => {
                    kind.write(values, row * width + c - before, old)
                }
                _ => None,
            }
        })?;
        Ok(())
    }
}

fn write_vertices(
    cloud: &PointCloud,
    digits: Digits,
    normals: Option<&[Point]>,
    color: Colors,
    sink: &mut dyn Write,
) -> Result<(), WriteFault> {
    write_chunks(sink, cloud.len(), |rows, out| {
        for row in rows {
            let normal = normals.iter().flat_map(|n| n[row]);
            for x in cloud.positions()[row] {
                digits.print(x, out);
                out.push(b' ');
            }
            for x in normal {
                x.print(out);
                out.push(b' ');
            }
            if let Some((values, width)) = color {
                let floats = !matches!(values, Values::U8(_));
                with_numbers!(values, v => for x in &v[row * width..(row + 1) * width] {
                    let start = out.len();
                    x.print(out);
                    // Without a point it would be a byte.
                    if floats && out[start..].iter().all(|b| b.is_ascii_digit() || *b == b'-') {
                        out.extend_from_slice(b".0");
                    }
                    out.push(b' ');
                }, {});
            }
            if let Some(last) = out.last_mut() {
                *last = b'\n';
            }
        }
    })?;
    Ok(())
}

fn write_faces(polygons: &Polygons, sink: &mut dyn Write) -> Result<(), WriteFault> {
    let mut out = Vec::new();
    for corners in polygons.iter() {
        corners.len().to_string().bytes().for_each(|b| out.push(b));
        for &c in corners {
            out.push(b' ');
            c.print(&mut out);
        }
        out.push(b'\n');
    }
    sink.write_all(&out)?;
    Ok(())
}
