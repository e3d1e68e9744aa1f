//! OBJ: lines of a mesh, of which only the coordinates of `v` lines ever change.
//!
//! Faces, texture coordinates, groups and materials stay word for word. Normals (`vn`) belong to
//! corners of faces; where there is one for each vertex and no face says otherwise, they are
//! those of the points.

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
use crate::scalar::{Number, ScalarType, with_numbers};
use crate::template::{self, Line, Template, lines};

/// What an OBJ file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct ObjSource {
    template: Template,
    /// What each row of the template is.
    rows: Vec<Row>,
    vertices: usize,
    /// Whether the normals are those of the points.
    normals: bool,
    /// Kind and number of the colors' components.
    color: Option<(ColorKind, usize)>,
    pub faces: Polygons,
}

/// A line whose numbers may change.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    Vertex(u32),
    Normal(u32),
}

impl ObjSource {
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The most digits of a coordinate.
    pub fn digits(&self) -> Most {
        self.template.digits(3)
    }

    /// What the lines hold that are neither vertices nor faces.
    pub fn other_lines(&self) -> Option<String> {
        let other = |line: &template::Line| {
            let own = |key: &[u8]| key == b"v" || key == b"f" || self.normals && key == b"vn";
            line.words().next().is_some_and(|key| !own(key))
        };
        let count = lines(&self.template.text).filter_map(Result::ok).filter(other).count();
        (count > 0).then(|| format!("{count} lines of texture, normals, groups or materials"))
    }
}

const KEYS: &[&[u8]] = &[
    b"v", b"vt", b"vn", b"vp", b"f", b"l", b"p", b"g", b"o", b"s", b"usemtl", b"mtllib", b"usemap",
    b"maplib", b"mg",
];

/// Whether the first lines are those of the format.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 12)];
    let first = lines(head).next().and_then(Result::ok);
    first.is_some_and(|line| {
        let mut words = line.words();
        let key = words.next().is_some_and(|w| KEYS.contains(&w));
        key && words.next().is_some() && !head.contains(&0)
    })
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let comments = template::comments(bytes)?;
    let mut content = Content { own_normals: true, same_width: true, ..Content::default() };
    for line in lines(bytes) {
        content.add(&line?)?;
    }
    // A cloud without points has comments only; lines without a vertex are something else.
    let vertices = content.points.len();
    if vertices == 0 && lines(bytes).next().is_some() {
        return Err(Fault::NoPoints(memchr::memchr_iter(b'\n', bytes).count() + 1));
    }
    if vertices > limits::POINTS {
        let fault = format!("{vertices} points are more than one cloud can hold");
        return Err(Fault::byte(bytes.len(), fault));
    }
    let faces = content.polygons()?;
    let mut cloud = PointCloud::new(content.points);
    let mut set = |a: Attribute| cloud.set_attribute(a).map_err(|e| Fault::line(1, e.to_string()));
    let mut color = None;
    if let Some(width) = content.width.filter(|w| content.same_width && matches!(w, 3 | 4)) {
        let (kind, values) = ColorKind::of(content.colors, false);
        set(Attribute::vector(names::COLOR, width, values))?;
        color = Some((kind, width));
    }
    let normals = content.own_normals && vertices > 0 && content.normals.len() == 3 * vertices;
    if normals {
        set(Attribute::vector(names::NORMAL, 3, Values::F64(content.normals)))?;
    }
    let template = Template { text: bytes.to_vec(), starts: content.starts };
    let obj = ObjSource { template, rows: content.rows, vertices, normals, color, faces };
    let source = Source {
        encoding: Some(Encoding::Ascii),
        position: Some([ScalarType::F64; 3]),
        comments,
        detail: Detail::Obj(Arc::new(obj)),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// What the lines of a file contain.
#[derive(Default)]
struct Content {
    /// Where the numbers of each line in `rows` start.
    starts: Vec<usize>,
    rows: Vec<Row>,
    points: Vec<Point>,
    normals: Vec<f64>,
    /// Whether the corners of faces have the normals of their vertices, where they have any.
    own_normals: bool,
    colors: Vec<f64>,
    /// How many numbers follow the coordinates of the first vertex.
    width: Option<usize>,
    /// Whether as many follow those of every vertex.
    same_width: bool,
    /// Line and corners of each face; a face may come before its vertices.
    faces: Vec<(usize, Vec<i64>)>,
}

impl Content {
    fn add(&mut self, line: &Line) -> Result<(), Fault> {
        let mut words = template::words(line.text, 0);
        match words.next().map(|w| w.1) {
            Some(b"v") => self.add_vertex(line, words),
            Some(b"vn") => {
                match line.point(1) {
                    Ok(normal) => self.normals.extend(normal),
                    Err(_) => self.own_normals = false,
                }
                self.starts.push(line.at + words.next().map_or(0, |w| w.0));
                self.rows.push(Row::Normal((self.normals.len() / 3).saturating_sub(1) as u32));
                Ok(())
            }
            Some(b"f") => self.add_face(line, words),
            _ => Ok(()),
        }
    }

    fn add_vertex<'a>(
        &mut self,
        line: &Line,
        mut words: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Result<(), Fault> {
        self.points.push(line.point(1)?);
        self.starts.push(line.at + words.next().map_or(0, |w| w.0));
        self.rows.push(Row::Vertex(self.points.len() as u32 - 1));
        let rest: Option<Vec<f64>> = words.skip(2).map(|w| f64::parse(w.1)).collect();
        let rest = rest.ok_or_else(|| line.fault("a vertex has numbers only"))?;
        self.same_width &= *self.width.get_or_insert(rest.len()) == rest.len();
        if self.same_width && rest.len() >= 3 {
            self.colors.extend_from_slice(&rest);
        }
        Ok(())
    }

    fn add_face<'a>(
        &mut self,
        line: &Line,
        words: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Result<(), Fault> {
        let so_far = self.points.len() as i64;
        // From one; negative ones count back from the last vertex so far.
        let corner = |word: &[u8]| {
            let index = faces::index(word.split(|&b| b == b'/').next()?)?;
            Some(if index < 0 { index.saturating_add(so_far) } else { index - 1 })
        };
        let words: Vec<&[u8]> = words.map(|w| w.1).collect();
        self.own_normals &= words.iter().all(|word| has_own_normal(word));
        let corners: Option<Vec<i64>> = words.iter().map(|w| corner(w)).collect();
        let corners = corners.ok_or_else(|| line.fault("a face lists vertex numbers"))?;
        self.faces.push((line.number, corners));
        Ok(())
    }

    /// The faces, now that all vertices are known.
    fn polygons(&self) -> Result<Polygons, Fault> {
        let vertices = self.points.len();
        let mut polygons = Polygons::new();
        for (face, (line, corners)) in self.faces.iter().enumerate() {
            polygons
                .push(corners, vertices)
                .map_err(|i| Fault::line(*line, outside(face, i.saturating_add(1), vertices)))?;
        }
        Ok(polygons)
    }
}

/// Whether a corner such as `7//7` or `7/2/7` has the normal of its vertex; or none at all.
fn has_own_normal(corner: &[u8]) -> bool {
    let mut parts = corner.split(|&b| b == b'/');
    let vertex = parts.next();
    parts.nth(1).is_none_or(|normal| normal.is_empty() || Some(normal) == vertex)
}

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    job.text_only("an OBJ file cannot be binary; choose another format such as .ply")?;
    let cloud = &document.cloud;
    let mut written = Written::default();
    let color = faces::color(cloud, &mut written.changed);
    let color = color.as_ref().map(|(values, width)| (values.as_ref(), *width));
    let normal = normals(cloud);
    let mut held: Vec<&str> = color.iter().map(|_| names::COLOR).collect();
    held.extend(normal.map(|_| names::NORMAL));
    if let Detail::Obj(obj) = &document.source.detail
        && obj.vertices() == cloud.len()
        && obj.color.map(|c| c.1) == color.map(|c| c.1)
        && (obj.normals == normal.is_some() || obj.other_lines().is_some())
    {
        held.retain(|name| *name != names::NORMAL || obj.normals);
        faces::drop_others(cloud, &held, "OBJ with its lines as they are", &mut written.dropped);
        obj.put_back(cloud, normal, color, sink)?;
        return Ok(written);
    }
    faces::drop_others(cloud, &held, "OBJ", &mut written.dropped);
    if let Detail::Obj(obj) = &document.source.detail
        && obj.vertices() != cloud.len()
    {
        let lost = "faces, groups, materials and texture coordinates";
        written
            .dropped
            .push(Dropped { attribute: lost.to_owned(), reason: faces::CHANGED.to_owned() });
    }
    let mut unused = Vec::new();
    let other = !matches!(document.source.detail, Detail::Obj(_));
    let polygons = faces::of(document, if other { &mut written.dropped } else { &mut unused });
    for comment in &document.source.comments {
        let plain: String = comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(sink, "# {plain}")?;
    }
    if cloud.is_empty() && document.source.comments.is_empty() {
        // A file without any bytes would look like one that was lost.
        writeln!(sink, "# no vertices")?;
    }
    write_vertices(cloud, Digits::of(&document.source), normal, color, sink)?;
    if let Some(polygons) = polygons {
        write_faces(&polygons, normal.is_some(), sink)?;
    }
    Ok(written)
}

/// Colors, and how many values a vertex has.
type Colors<'a> = Option<(&'a Values, usize)>;

impl ObjSource {
    /// Writes the lines with the numbers of vertices and normals as they are now.
    fn put_back(
        &self,
        cloud: &PointCloud,
        normal: Option<&Values>,
        color: Colors,
        sink: &mut dyn Write,
    ) -> Result<(), WriteFault> {
        let points = cloud.positions();
        let columns = 3 + self.color.map_or(0, |c| c.1);
        self.template.write(sink, columns, |row, column, old| match (self.rows[row], column) {
            (Row::Vertex(i), 0..3) => Some(points[i as usize][column]),
            (Row::Vertex(i), _) => {
                let ((kind, width), (values, _)) = (self.color?, color?);
                kind.write(values, i as usize * width + column - 3, old)
            }
            (Row::Normal(i), 0..3) if self.normals => normal?.get_f64(3 * i as usize + column),
            (Row::Normal(_), _) => None,
        })?;
        Ok(())
    }
}

fn write_vertices(
    cloud: &PointCloud,
    digits: Digits,
    normal: Option<&Values>,
    color: Colors,
    sink: &mut dyn Write,
) -> Result<(), WriteFault> {
    write_chunks(sink, cloud.len(), |rows, out| {
        for row in rows {
            out.push(b'v');
            for x in cloud.positions()[row] {
                out.push(b' ');
                digits.print(x, out);
            }
            if let Some((values, width)) = color {
                let bytes = matches!(values, Values::U8(_));
                with_numbers!(values, v => for x in &v[row * width..(row + 1) * width] {
                    out.push(b' ');
                    (x.widen() / if bytes { 255.0 } else { 1.0 }).print(out);
                }, {});
            }
            out.push(b'\n');
        }
    })?;
    let Some(normal) = normal else { return Ok(()) };
    write_chunks(sink, cloud.len(), |rows, out| {
        for row in rows {
            out.extend_from_slice(b"vn");
            with_numbers!(normal, v => for x in &v[3 * row..3 * row + 3] {
                out.push(b' ');
                x.print(out);
            }, {});
            out.push(b'\n');
        }
    })?;
    Ok(())
}

/// Faces, whose corners have the normals of their vertices if there are any.
fn write_faces(polygons: &Polygons, normals: bool, sink: &mut dyn Write) -> Result<(), WriteFault> {
    let mut out = Vec::new();
    for corners in polygons.iter() {
        out.push(b'f');
        for &c in corners {
            out.push(b' ');
            (u64::from(c) + 1).print(&mut out);
            if normals {
                out.extend_from_slice(b"//");
                (u64::from(c) + 1).print(&mut out);
            }
        }
        out.push(b'\n');
    }
    sink.write_all(&out)?;
    Ok(())
}

/// The normals of a cloud, if they are numbers.
fn normals(cloud: &PointCloud) -> Option<&Values> {
    let a = cloud.attribute(names::NORMAL).filter(|a| a.width() == 3)?;
    ScalarType::of(a.values()).map(|_| a.values())
}
