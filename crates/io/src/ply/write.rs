//! From a document to a file.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use pellucid_cloud::{List, Point, PointCloud, Values};

use super::PlySource;
use super::header::{Element, Header, Kind, Note, Property, name_of};
use super::layout::{self, Slot};
use crate::column::{print_as, put_as};
use crate::document::{Detail, Document, Dropped, Encoding, WriteJob, Written};
use crate::error::WriteFault;
use crate::faces;
use crate::meaning::From;
use crate::rows::write_chunks;
use crate::scalar::{Number, ScalarType, with_numbers, with_type};
use crate::standard;

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    let source = &document.source;
    let (ply, cloud) = match &source.detail {
        Detail::Ply(ply) => (Some(ply.as_ref()), Cow::Borrowed(&document.cloud)),
        _ => (None, standard::with_byte_colors(&document.cloud)),
    };
    let cloud = &*cloud;
    let mut written = Written::default();
    let old: &[Slot] = ply.map_or(&[], |p| &p.slots);
    let position = source.position.unwrap_or([ScalarType::F64; 3]);
    let slots = layout::plan(cloud, position.map(storable), old, &mut written.dropped);
    let vertex = Element {
        name: b"vertex".to_vec(),
        count: cloud.len(),
        properties: slots.iter().map(|s| s.property.clone()).collect(),
    };

    let points: Vec<Column> = slots.iter().filter_map(|s| Column::of_slot(s, cloud)).collect();
    // The faces of a mesh in another format.
    let faces = match ply {
        None => faces::of(document, &mut written.dropped).map(face_element),
        Some(_) => None,
    };
    let tables: Vec<(Element, Vec<Column>)> = match ply {
        None => {
            let faces = faces.iter().map(|(face, corners)| {
                let columns = face.properties.iter().map(|p| Column::of_values(p, corners));
                (face.clone(), columns.collect())
            });
            std::iter::once((vertex, points)).chain(faces).collect()
        }
        Some(ply) => around(ply, vertex, points, &mut written.dropped),
    };
    let (elements, columns): (Vec<Element>, Vec<Vec<Column>>) = tables.into_iter().unzip();
    let notes = match ply {
        Some(ply) => ply.header.notes.clone(),
        None => source.comments.iter().map(|c| note(c)).collect(),
    };
    let encoding = job.encoding.or(source.encoding).unwrap_or(Encoding::BinaryLittle);
    let header = Header { encoding, elements, notes, body: 0 };
    sink.write_all(&header_text(&header))?;
    for (element, columns) in header.elements.iter().zip(&columns) {
        write_rows(sink, columns, element.count, encoding)?;
    }
    Ok(written)
}

/// The elements of the file that the cloud came from, with the points as they are now.
fn around<'a>(
    ply: &'a PlySource,
    vertex: Element,
    points: Vec<Column<'a>>,
    dropped: &mut Vec<Dropped>,
) -> Vec<(Element, Vec<Column<'a>>)> {
    let unchanged = ply.header.elements[ply.vertex].count == vertex.count;
    let mut vertices = Some((vertex, points));
    let mut tables = Vec::new();
    for (i, element) in ply.header.elements.iter().enumerate() {
        if i == ply.vertex {
            tables.extend(vertices.take());
        } else if unchanged {
            let values = element.properties.iter().zip(&ply.others[i]);
            let columns = values.map(|(p, v)| Column::of_values(p, v)).collect();
            tables.push((element.clone(), columns));
        } else {
            dropped.push(Dropped {
                attribute: element.text(),
                reason: "the number of points changed, so its indices no longer hold".to_owned(),
            });
        }
    }
    tables
}

fn face_element(polygons: faces::Polygons) -> (Element, Values) {
    let largest = polygons.iter().map(<[u32]>::len).max().unwrap_or(0);
    let count = if largest <= 255 { ScalarType::U8 } else { ScalarType::I32 };
    let kind = Kind::List { count, item: ScalarType::I32 };
    let property = Property { name: b"vertex_indices".to_vec(), kind, sized: false };
    let element =
        Element { name: b"face".to_vec(), count: polygons.len(), properties: vec![property] };
    (element, polygons.to_values())
}

/// PLY has no 64-bit integers.
fn storable(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::I64 | ScalarType::U64 => ScalarType::F64,
        ty => ty,
    }
}

fn note(comment: &str) -> Note {
    let text: String = comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Note { line: format!("comment {text}").into_bytes(), after: (0, 0) }
}

pub(super) fn header_text(header: &Header) -> Vec<u8> {
    let mut out = b"ply\nformat ".to_vec();
    out.extend_from_slice(match header.encoding {
        Encoding::Ascii => b"ascii".as_slice(),
        Encoding::BinaryLittle => b"binary_little_endian",
        Encoding::BinaryBig => b"binary_big_endian",
    });
    out.extend_from_slice(b" 1.0\n");
    let mut notes = header.notes.iter().peekable();
    let mut notes_until = |out: &mut Vec<u8>, place: (usize, usize)| {
        while let Some(note) = notes.next_if(|n| n.after <= place) {
            out.extend_from_slice(&note.line);
            out.push(b'\n');
        }
    };
    for (e, element) in header.elements.iter().enumerate() {
        notes_until(&mut out, (e, usize::MAX));
        out.extend_from_slice(b"element ");
        out.extend_from_slice(&element.name);
        out.extend_from_slice(format!(" {}\n", element.count).as_bytes());
        for (p, property) in element.properties.iter().enumerate() {
            notes_until(&mut out, (e + 1, p));
            let name = |ty| name_of(ty, property.sized);
            let types = match property.kind {
                Kind::Scalar(ty) => format!("property {} ", name(ty)),
                Kind::List { count, item } => {
                    format!("property list {} {} ", name(count), name(item))
                }
            };
            out.extend_from_slice(types.as_bytes());
            out.extend_from_slice(&property.name);
            out.push(b'\n');
        }
    }
    notes_until(&mut out, (usize::MAX, usize::MAX));
    out.extend_from_slice(b"end_header\n");
    out
}

/// A property's values.
struct Column<'a> {
    kind: Kind,
    data: Data<'a>,
}

enum Data<'a> {
    Position { points: &'a [Point], axis: usize },
    Numbers { values: &'a Values, width: usize, component: usize },
    List(&'a List),
}

impl<'a> Column<'a> {
    fn of_slot(slot: &Slot, cloud: &'a PointCloud) -> Option<Self> {
        let data = match &slot.from {
            From::Position(axis) => Data::Position { points: cloud.positions(), axis: *axis },
            From::Attribute { name, component } => {
                let a = cloud.attribute(name)?;
                match a.values() {
                    Values::List(list) => Data::List(list),
                    values => Data::Numbers { values, width: a.width(), component: *component },
                }
            }
        };
        Some(Column { kind: slot.property.kind, data })
    }

    fn of_values(property: &Property, values: &'a Values) -> Self {
        let data = match values {
            Values::List(list) => Data::List(list),
            values => Data::Numbers { values, width: 1, component: 0 },
        };
        Column { kind: property.kind, data }
    }

    /// Puts the values of `rows` at `at` of each record.
    fn fill(&self, rows: Range<usize>, out: &mut [u8], stride: usize, at: usize, big: bool) {
        let Kind::Scalar(ty) = self.kind else { return };
        let records = out.chunks_exact_mut(stride).map(|r| &mut r[at..]);
        match &self.data {
            Data::Position { points, axis } => with_type!(ty, T => {
                for (p, r) in points[rows].iter().zip(records) {
                    T::narrow(p[*axis]).put(r, big);
                }
            }),
            Data::Numbers { values, width, component } => with_numbers!(values, v => {
                let v = v[rows.start * width..rows.end * width].iter().skip(*component);
                for (&x, r) in v.step_by(*width).zip(records) {
                    put_as(x, ty, r, big);
                }
            }, {}),
            Data::List(_) => {}
        }
    }

    /// Appends the value of one row.
    fn append(&self, row: usize, encoding: Encoding, out: &mut Vec<u8>) {
        match (&self.data, self.kind) {
            (Data::Position { points, axis }, Kind::Scalar(ty)) => {
                append(points[row][*axis], ty, encoding, out);
            }
            (Data::Numbers { values, width, component }, Kind::Scalar(ty)) => {
                with_numbers!(values, v => {
                    append(v[row * width + component], ty, encoding, out);
                }, {});
            }
            (Data::List(list), Kind::List { count, item }) => {
                let members = list.offsets[row]..list.offsets[row + 1];
                append(members.len() as u64, count, encoding, out);
                with_numbers!(&list.values, v => for &x in &v[members] {
                    append(x, item, encoding, out);
                }, {});
            }
            _ => {}
        }
    }
}

#[inline]
fn append<S: Number>(x: S, ty: ScalarType, encoding: Encoding, out: &mut Vec<u8>) {
    if encoding == Encoding::Ascii {
        print_as(x, ty, out);
        out.push(b' ');
    } else {
        let at = out.len();
        out.resize(at + ty.size(), 0);
        put_as(x, ty, &mut out[at..], encoding == Encoding::BinaryBig);
    }
}

fn write_rows(
    sink: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    encoding: Encoding,
) -> io::Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let mut stride = 0;
    let mut starts = Vec::with_capacity(columns.len());
    for column in columns {
        starts.push(stride);
        stride += column.kind.least_bytes();
    }
    let lists = columns.iter().any(|c| matches!(c.kind, Kind::List { .. }));
    write_chunks(sink, rows, |rows, out| {
        if encoding != Encoding::Ascii && !lists {
            out.resize(rows.len() * stride, 0);
            for (column, &at) in columns.iter().zip(&starts) {
                column.fill(rows.clone(), out, stride, at, encoding == Encoding::BinaryBig);
            }
            return;
        }
        for row in rows {
            for column in columns {
                column.append(row, encoding, out);
            }
            if encoding == Encoding::Ascii
                && let Some(last) = out.last_mut()
            {
                *last = b'\n';
            }
        }
    })
}
