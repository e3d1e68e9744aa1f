//! Arrays as clouds: a row is a point.

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, PointCloud, Values};

use super::header::{self, Field, Header, code};
use crate::column::Column;
use crate::document::Dropped;
use crate::error::Fault;
use crate::limits;
use crate::meaning::{self, From};
use crate::rows::{Records, Rows};
use crate::scalar::ScalarType;

/// Where the values of a field went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    One(From),
    Whole(String),
}

/// An array of points, and how it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub header: Header,
    /// Its header byte by byte.
    head: Vec<u8>,
    rows: usize,
    /// Bytes from one row to the next.
    stride: usize,
    pub slots: Vec<(Field, Origin)>,
}

/// The name under which an array or field becomes an attribute.
pub(crate) fn attribute_name(name: &str) -> &str {
    match name {
        "normals" => names::NORMAL,
        "colors" | "colours" | "colour" => names::COLOR,
        "intensities" => names::INTENSITY,
        name => name,
    }
}

const POSITIONS: &[&str] = &["xyz", "position", "positions", "points", "point", "pos"];

/// Rows of the array and its columns, if it can be one of points.
fn columns(header: &Header) -> Result<(usize, usize, Vec<Field>), String> {
    if header.structured {
        let rows = header.items().unwrap_or(usize::MAX);
        let mut fields = Vec::new();
        for f in &header.fields {
            if f.width >= 3 && POSITIONS.contains(&f.name.to_ascii_lowercase().as_str()) {
                meaning::room(fields.len(), f.width).map_err(|e| format!("\"{}\": {e}", f.name))?;
                let names = ["x", "y", "z"].map(str::to_owned).into_iter();
                let rest = (4..=f.width).map(|c| format!("{}_{c}", f.name));
                fields.extend(names.chain(rest).enumerate().map(|(k, name)| Field {
                    name,
                    width: 1,
                    offset: f.offset + k * f.ty.size(),
                    ..f.clone()
                }));
            } else {
                fields.push(Field { name: attribute_name(&f.name).to_owned(), ..f.clone() });
            }
        }
        return Ok((rows, header.item, fields));
    }
    let [before @ .., width] = header.shape.as_slice() else {
        return Err("a single number is no cloud".to_owned());
    };
    if before.is_empty() || *width < 3 || *width > limits::COLUMNS {
        let shape = &header.shape;
        return Err(format!("shape {shape:?} is not that of points: N x 3, or more columns"));
    }
    let rows = before.iter().try_fold(1usize, |n, &k| n.checked_mul(k)).unwrap_or(usize::MAX);
    if header.fortran && before.len() > 1 {
        return Err("an array in Fortran order with more than two dimensions".to_owned());
    }
    let size = header.item;
    let (stride, step) =
        if header.fortran { (size, rows.saturating_mul(size)) } else { (size * width, size) };
    let names = ["x", "y", "z"].map(str::to_owned).into_iter();
    let names = names.chain((4..=*width).map(|c| format!("column_{c}")));
    let fields = names.enumerate().map(|(c, name)| Field {
        name,
        offset: c.saturating_mul(step),
        ..header.fields[0].clone()
    });
    Ok((rows, stride, fields.collect()))
}

/// Whether an array can be one of points.
pub(crate) fn holds_points(header: &Header) -> bool {
    columns(header).is_ok_and(|(_, _, fields)| of_fields(&fields).is_some())
}

fn of_fields(fields: &[Field]) -> Option<meaning::Meaning> {
    let columns: Vec<(String, Option<ScalarType>)> =
        fields.iter().map(|f| (f.name.clone(), (f.width == 1).then_some(f.ty))).collect();
    meaning::of(&columns)
}

/// Refuses, before anything is allocated, a header that promises more than there is.
fn check_size(bytes: &[u8], header: &Header) -> Result<usize, Fault> {
    let held = bytes.len() - header.body;
    match header.size() {
        Some(size) if size <= held => {
            let end = header.body + size;
            match bytes[end..].iter().position(|b| !b.is_ascii_whitespace() && *b != 0) {
                None => Ok(end),
                Some(i) => {
                    let left = bytes.len() - end - i;
                    Err(Fault::byte(end + i, format!("{left} bytes follow the array")))
                }
            }
        }
        _ => {
            let fault = format!(
                "an array of shape {:?} does not fit in the {held} bytes that follow the header; \
                 the file is truncated or the shape is wrong",
                header.shape
            );
            Err(Fault::byte(bytes.len(), fault))
        }
    }
}

/// A field's values.
fn column(bytes: &[u8], rows: usize, stride: usize, f: &Field) -> Values {
    // In Fortran order a column starts behind the others, and the rest need not be whole rows.
    let (skip, offset) = if f.offset >= stride { (f.offset, 0) } else { (0, f.offset) };
    let fields = (0..f.width).map(|k| (f.ty, offset + k * f.ty.size())).collect();
    let all: Vec<usize> = (0..f.width).collect();
    let end = skip + rows * stride;
    let records =
        Records { bytes: &bytes[skip..end], stride: stride.max(1), rows, fields, big: f.big };
    Rows::Records(records).take(&all)
}

/// Reads an array of points.
pub(crate) fn decode(bytes: &[u8]) -> Result<(PointCloud, Layout), Fault> {
    let header = header::parse(bytes)?;
    let at = header.body;
    let (rows, stride, fields) = columns(&header).map_err(|fault| Fault::byte(at, fault))?;
    let end = check_size(bytes, &header)?;
    if rows > limits::POINTS {
        let fault = format!("{rows} points are more than one cloud can hold");
        return Err(Fault::byte(at, fault));
    }
    if let Some(axis) = meaning::twice(fields.iter().map(|f| f.name.as_bytes())) {
        return Err(Fault::byte(at, format!("there are two fields \"{axis}\"")));
    }
    let Some(meaning) = of_fields(&fields) else {
        return Err(Fault::byte(at, "the fields x, y and z are missing"));
    };
    let data = &bytes[at..end];
    let all = fields.iter().map(|f| column(data, rows, stride, f)).collect();
    let mut all = Rows::Columns(all);
    let mut cloud = PointCloud::new(all.positions(meaning.position));
    let origins = meaning.origins(fields.len());
    let mut slots: Vec<(Field, Origin)> =
        fields.into_iter().zip(origins.into_iter().map(Origin::One)).collect();
    for group in meaning.groups {
        let first = group.columns[0];
        let width =
            if group.columns.len() > 1 { group.columns.len() } else { slots[first].0.width };
        if slots[first].0.width > 1 {
            slots[first].1 = Origin::Whole(group.attribute.clone());
        }
        let values = all.take(&group.columns);
        cloud
            .set_attribute(Attribute::vector(group.attribute, width, values))
            .map_err(|e| Fault::byte(at, e.to_string()))?;
    }
    let head = bytes[..at].to_vec();
    Ok((cloud, Layout { header, head, rows, stride, slots }))
}

/// Reads an array of `rows` rows as the values of an attribute, with their number in a row;
/// `None` if it is no such array.
pub(crate) fn decode_attribute(bytes: &[u8], rows: usize) -> Option<(Values, usize)> {
    let header = header::parse(bytes).ok()?;
    let (_, width) = attribute_shape(&header).filter(|s| s.0 == rows)?;
    let end = check_size(bytes, &header).ok()?;
    let field = Field { width, ..header.fields[0].clone() };
    Some((column(&bytes[header.body..end], rows, header.item * width, &field), width))
}

/// Rows and values a row, of an array that can be an attribute.
pub(crate) fn attribute_shape(header: &Header) -> Option<(usize, usize)> {
    let (rows, width) = match header.shape.as_slice() {
        [n] => (*n, 1),
        [n, k] if (1..=64).contains(k) && !header.fortran => (*n, *k),
        _ => return None,
    };
    (!header.structured && rows > 0).then_some((rows, width))
}

/// An attribute as an array; `big` for the highest byte first.
pub(crate) fn encode_attribute(a: &Attribute) -> Option<Vec<u8>> {
    let ty = ScalarType::of(a.values())?;
    let rows = a.values().len() / a.width();
    let shape = if a.width() == 1 { vec![rows] } else { vec![rows, a.width()] };
    let mut out = header::print(&format!("'{}'", code(ty)), false, &shape);
    let start = out.len();
    out.resize(start + a.values().len() * ty.size(), 0);
    let flat = Column::Numbers { values: a.values(), width: 1, component: 0 };
    for (i, place) in out[start..].chunks_exact_mut(ty.size()).enumerate() {
        flat.put(i, ty, place, false);
    }
    Some(out)
}

impl Layout {
    /// Whether the cloud has each of the array's fields in the same type.
    pub fn fits(&self, cloud: &PointCloud) -> bool {
        self.slots.iter().all(|(f, origin)| match origin {
            Origin::One(From::Position(_)) => true,
            Origin::One(From::Attribute { name, component }) => {
                cloud.attribute(name).is_some_and(|a| {
                    *component < a.width() && ScalarType::of(a.values()) == Some(f.ty)
                })
            }
            Origin::Whole(name) => cloud
                .attribute(name)
                .is_some_and(|a| a.width() == f.width && ScalarType::of(a.values()) == Some(f.ty)),
        })
    }

    /// Whether an attribute is one of the array's fields.
    pub fn has(&self, attribute: &str) -> bool {
        self.slots.iter().any(|(_, origin)| match origin {
            Origin::One(From::Attribute { name, .. }) | Origin::Whole(name) => name == attribute,
            Origin::One(From::Position(_)) => false,
        })
    }

    /// The layout for a cloud: plain if there is nothing but positions, else with named fields.
    /// What there is no room for is added to `dropped`.
    pub fn plan(
        cloud: &PointCloud,
        position: [ScalarType; 3],
        plain: bool,
        dropped: &mut Vec<Dropped>,
    ) -> Self {
        let mut slots = Vec::new();
        let mut offset = 0;
        let mut add = |name: String, ty: ScalarType, width: usize, origin: Origin| {
            slots.push((Field { name, ty, big: false, width, offset }, origin));
            offset += ty.size() * width;
        };
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            add(name.to_owned(), position[axis], 1, Origin::One(From::Position(axis)));
        }
        let mut taken: meaning::Names = ["x", "y", "z"].map(str::to_owned).into_iter().collect();
        for (i, a) in cloud.attributes().filter(|_| !plain).enumerate() {
            let Some(ty) = ScalarType::of(a.values()) else { continue };
            if let Err(reason) = meaning::room(3 + i, 1) {
                dropped.push(Dropped { attribute: a.name().to_owned(), reason });
                continue;
            }
            // What an apostrophe or a backslash would end.
            let name: String = a
                .name()
                .chars()
                .map(|c| if c.is_control() || "'\\".contains(c) { '_' } else { c })
                .collect();
            let name = taken.take(if name.is_empty() { "_" } else { &name });
            let whole = a.width() > 1;
            let from = From::Attribute { name: a.name().to_owned(), component: 0 };
            let origin = if whole { Origin::Whole(a.name().to_owned()) } else { Origin::One(from) };
            add(name, ty, a.width(), origin);
        }
        let same = position.iter().all(|&ty| ty == position[0]);
        let structured = slots.len() > 3 || !same;
        let descr = if structured {
            let field = |(f, _): &(Field, Origin)| match f.width {
                1 => format!("('{}', '{}')", f.name, code(f.ty)),
                w => format!("('{}', '{}', ({w},))", f.name, code(f.ty)),
            };
            format!("[{}]", slots.iter().map(field).collect::<Vec<_>>().join(", "))
        } else {
            format!("'{}'", code(position[0]))
        };
        let rows = cloud.len();
        let shape = if structured { vec![rows] } else { vec![rows, 3] };
        let head = header::print(&descr, false, &shape);
        let header =
            Header { descr, structured, fortran: false, shape, fields: vec![], item: 0, body: 0 };
        Layout { header, head, rows, stride: offset, slots }
    }

    /// The array for a cloud that fits.
    pub fn encode(&self, cloud: &PointCloud) -> Vec<u8> {
        let rows = cloud.len();
        let mut out = if rows == self.rows {
            self.head.clone()
        } else {
            let last = self.header.shape.last().copied().unwrap_or(3);
            let shape = if self.header.structured { vec![rows] } else { vec![rows, last] };
            header::print(&self.header.descr, self.header.fortran, &shape)
        };
        let start = out.len();
        let columns =
            if self.header.fortran && !self.header.structured { self.slots.len() } else { 1 };
        out.resize(start + rows * self.stride * columns, 0);
        let data = &mut out[start..];
        for (c, (f, origin)) in self.slots.iter().enumerate() {
            // Columns one after the other, or side by side in a row.
            let first = if columns > 1 { c * rows * self.stride } else { f.offset };
            let cells: Vec<Column> = match origin {
                Origin::One(from) => Column::of(from, cloud).into_iter().collect(),
                Origin::Whole(name) => {
                    cloud.attribute(name).into_iter().flat_map(Column::each).collect()
                }
            };
            for (k, column) in cells.iter().enumerate() {
                let first = first + k * f.ty.size();
                for row in 0..rows {
                    column.put(row, f.ty, &mut data[first + row * self.stride..], f.big);
                }
            }
        }
        out
    }
}
