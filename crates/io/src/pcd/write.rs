//! From a document to a file.

use std::borrow::Cow;
use std::io::Write;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, PointCloud, Values};

use super::header::{Data, Field, letter};
use super::{Origin, PcdSource, lzf};
use crate::column::Column;
use crate::document::{Detail, Document, Dropped, Encoding, WriteJob, Written};
use crate::error::WriteFault;
use crate::meaning::{self, From};
use crate::rows::write_chunks;
use crate::scalar::{Number, ScalarType};
use crate::standard;

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    let source = &document.source;
    let (pcd, cloud) = match &source.detail {
        Detail::Pcd(pcd) => (Some(pcd.as_ref()), Cow::Borrowed(&document.cloud)),
        _ => (None, standard::with_byte_colors(&document.cloud)),
    };
    let cloud = &*cloud;
    let data = data_form(job.encoding, pcd, source.encoding)?;
    let mut written = Written::default();
    let position = source.position.unwrap_or([ScalarType::F64; 3]);
    let old: &[(Field, Origin)] = pcd.map_or(&[], |p| &p.slots);
    let slots = plan(cloud, position, old, &mut written.dropped);
    if let Some((width, height)) = pcd.and_then(PcdSource::grid)
        && width * height != cloud.len()
    {
        written.dropped.push(Dropped {
            attribute: format!("the grid of {width} x {height} points"),
            reason: "the number of points changed".to_owned(),
        });
    }
    sink.write_all(&header(pcd, &source.comments, cloud.len(), &slots, data))?;
    let cells: Vec<Cell> = slots.iter().flat_map(|s| cells(s, cloud)).collect();
    let stride: usize = cells.iter().map(|c| c.ty.size()).sum();
    match data {
        Data::Ascii => write_chunks(sink, cloud.len(), |rows, out| {
            for row in rows {
                for cell in &cells {
                    cell.print(row, out);
                    out.push(b' ');
                }
                if let Some(last) = out.last_mut() {
                    *last = b'\n';
                }
            }
        })?,
        Data::Binary => write_chunks(sink, cloud.len(), |rows, out| {
            out.resize(rows.len() * stride, 0);
            let mut start = 0;
            for cell in &cells {
                for (row, record) in rows.clone().zip(out.chunks_exact_mut(stride)) {
                    cell.put(row, &mut record[start..]);
                }
                start += cell.ty.size();
            }
        })?,
        Data::Compressed => write_compressed(&slots, cloud, stride, sink)?,
    }
    Ok(written)
}

/// The form of the data: as asked for, else that of the file that the cloud came from.
fn data_form(
    asked: Option<Encoding>,
    pcd: Option<&PcdSource>,
    source: Option<Encoding>,
) -> Result<Data, WriteFault> {
    Ok(match (asked, pcd) {
        (Some(Encoding::BinaryBig), _) => {
            let fault = "PCD has no big-endian form; ask for binary or ascii";
            return Err(WriteFault::Unfit(fault.to_owned()));
        }
        (Some(Encoding::Ascii), _) => Data::Ascii,
        (Some(Encoding::BinaryLittle), Some(pcd)) if pcd.data == Data::Compressed => pcd.data,
        (Some(Encoding::BinaryLittle), _) => Data::Binary,
        (None, Some(pcd)) => pcd.data,
        (None, None) if source == Some(Encoding::Ascii) => Data::Ascii,
        (None, None) => Data::Binary,
    })
}

fn write_compressed(
    slots: &[(Field, Origin)],
    cloud: &PointCloud,
    stride: usize,
    sink: &mut dyn Write,
) -> Result<(), WriteFault> {
    let too_large = || {
        let fault = "the points are too many for compressed PCD (4 GiB); ask for binary";
        WriteFault::Unfit(fault.to_owned())
    };
    let size = stride.checked_mul(cloud.len()).ok_or_else(too_large)?;
    let size32 = u32::try_from(size).map_err(|_| too_large())?;
    let packed = lzf::compress(&field_after_field(slots, cloud, size));
    let packed32 = u32::try_from(packed.len()).map_err(|_| too_large())?;
    sink.write_all(&packed32.to_le_bytes())?;
    sink.write_all(&size32.to_le_bytes())?;
    sink.write_all(&packed)?;
    Ok(())
}

fn field_after_field(slots: &[(Field, Origin)], cloud: &PointCloud, size: usize) -> Vec<u8> {
    let mut plain = vec![0; size];
    let mut rest = plain.as_mut_slice();
    for slot in slots {
        let (part, after) = rest.split_at_mut(slot.0.size() * cloud.len());
        rest = after;
        for (k, cell) in cells(slot, cloud).iter().enumerate() {
            for (row, record) in part.chunks_exact_mut(slot.0.size()).enumerate() {
                cell.put(row, &mut record[k * cell.ty.size()..]);
            }
        }
    }
    plain
}

/// The fields: those of the file first, in their order, then new ones.
fn plan(
    cloud: &PointCloud,
    position: [ScalarType; 3],
    old: &[(Field, Origin)],
    dropped: &mut Vec<Dropped>,
) -> Vec<(Field, Origin)> {
    let mut slots: Vec<(Field, Origin)> = Vec::new();
    if old.is_empty() {
        slots.extend((0..3).map(|axis| {
            let name = ["x", "y", "z"][axis].to_owned();
            let field = Field { name, ty: position[axis], count: 1 };
            (field, Origin::One(From::Position(axis)))
        }));
    }
    let packable = is_packable(cloud);
    for (field, origin) in old {
        let kept = old_field(field, origin, cloud, packable);
        slots.extend(kept.map(|field| (field, origin.clone())));
    }
    let mut taken: meaning::Names = slots.iter().map(|s| s.0.name.clone()).collect();
    for a in cloud.attributes() {
        let mut drop = |reason| dropped.push(Dropped { attribute: a.name().to_owned(), reason });
        let Some(ty) = ScalarType::of(a.values()) else {
            drop("PCD holds numbers only, and as many for every point".to_owned());
            continue;
        };
        let is_color = a.name() == names::COLOR;
        if slots.iter().any(|s| holds(&s.1, a)) {
            continue;
        }
        if let Err(reason) = meaning::room(slots.len(), 1) {
            drop(reason);
            continue;
        }
        let mut add = |name: &str, ty: ScalarType, count: usize, origin: Origin| {
            if slots.iter().any(|s| s.1 == origin) {
                return;
            }
            let name = taken.take(&meaning::one_word(name, &[]));
            slots.push((Field { name, ty, count }, origin));
        };
        if is_color && packable {
            // What other programs write: three bytes in a float, four in an integer.
            let (name, ty) =
                if a.width() == 4 { ("rgba", ScalarType::U32) } else { ("rgb", ScalarType::F32) };
            add(name, ty, 1, Origin::Packed);
        } else if [names::NORMAL, names::COLOR].contains(&a.name()) || a.width() == 1 {
            // Readers take normals for single precision whatever the file says; Open3D 0.20 crashes.
            let normal = a.name() == names::NORMAL && is_float(ty);
            let ty = if normal { ScalarType::F32 } else { ty };
            for (component, name) in column_names(a.name(), a.width()).iter().enumerate() {
                let from = From::Attribute { name: a.name().to_owned(), component };
                add(name, ty, 1, Origin::One(from));
            }
        } else {
            add(a.name(), ty, a.width(), Origin::Whole(a.name().to_owned()));
        }
    }
    slots
}

/// Whether a field of that origin has the whole attribute.
fn holds(origin: &Origin, a: &Attribute) -> bool {
    match origin {
        Origin::Packed => a.name() == names::COLOR,
        Origin::Whole(name) => name == a.name(),
        Origin::One(From::Attribute { name, .. }) => name == a.name() && a.width() == 1,
        Origin::One(_) => false,
    }
}

fn column_names(attribute: &str, width: usize) -> Vec<String> {
    match (attribute, width) {
        (names::NORMAL, 3) => ["normal_x", "normal_y", "normal_z"].map(str::to_owned).to_vec(),
        (name, width) => meaning::column_names(name, width),
    }
}

/// A field of the file with the type that its values have now; `None` if they are gone.
fn old_field(field: &Field, origin: &Origin, cloud: &PointCloud, packable: bool) -> Option<Field> {
    match origin {
        Origin::One(From::Position(_)) => Some(field.clone()),
        Origin::One(From::Attribute { name, component }) => {
            let a = cloud.attribute(name).filter(|a| *component < a.width())?;
            let ty = ScalarType::of(a.values())?;
            let own = name == names::NORMAL && is_float(field.ty);
            Some(Field { ty: if own { field.ty } else { ty }, ..field.clone() })
        }
        Origin::Whole(name) => {
            let a = cloud.attribute(name)?;
            let ty = ScalarType::of(a.values())?;
            Some(Field { ty, count: a.width(), name: field.name.clone() })
        }
        Origin::Packed => packable.then(|| field.clone()),
    }
}

fn is_float(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F32 | ScalarType::F64)
}

fn is_packable(cloud: &PointCloud) -> bool {
    cloud
        .attribute(names::COLOR)
        .is_some_and(|a| matches!(a.values(), Values::U8(_)) && matches!(a.width(), 3 | 4))
}

fn header(
    pcd: Option<&PcdSource>,
    comments: &[String],
    points: usize,
    slots: &[(Field, Origin)],
    data: Data,
) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut line = |text: &[u8]| {
        out.extend_from_slice(text);
        out.push(b'\n');
    };
    let same = pcd.filter(|p| {
        p.width * p.height == points
            && p.slots.len() == slots.len()
            && p.slots.iter().zip(slots).all(|(a, b)| a.0 == b.0)
    });
    if let Some(pcd) = same {
        pcd.lines.iter().for_each(|l| line(l));
    } else {
        line(b"# .PCD v0.7 - Point Cloud Data file format");
        for comment in comments {
            let plain: String =
                comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            line(format!("# {plain}").as_bytes());
        }
        line(b"VERSION 0.7");
        let row = |key: &str, of: &dyn Fn(&Field) -> String| {
            slots.iter().fold(key.to_owned(), |text, s| text + " " + &of(&s.0))
        };
        line(row("FIELDS", &|f| f.name.clone()).as_bytes());
        line(row("SIZE", &|f| f.ty.size().to_string()).as_bytes());
        line(row("TYPE", &|f| letter(f.ty).to_string()).as_bytes());
        line(row("COUNT", &|f| f.count.to_string()).as_bytes());
        let (width, height) = match pcd {
            Some(p) if p.width * p.height == points => (p.width, p.height),
            _ => (points, 1),
        };
        line(format!("WIDTH {width}\nHEIGHT {height}").as_bytes());
        let viewpoint = pcd
            .and_then(|p| p.lines.iter().find(|l| l.trim_ascii_start().starts_with(b"VIEWPOINT")));
        line(viewpoint.map_or(b"VIEWPOINT 0 0 0 1 0 0 0", |v| v));
        line(format!("POINTS {points}").as_bytes());
    }
    line(format!("DATA {}", data.name()).as_bytes());
    out
}

/// One value of every record.
struct Cell<'a> {
    ty: ScalarType,
    values: CellValues<'a>,
}

enum CellValues<'a> {
    Column(Column<'a>),
    Packed { bytes: &'a [u8], width: usize },
}

fn cells<'a>((field, origin): &(Field, Origin), cloud: &'a PointCloud) -> Vec<Cell<'a>> {
    let ty = field.ty;
    let column =
        |from: &From| Column::of(from, cloud).map(|c| Cell { ty, values: CellValues::Column(c) });
    match origin {
        Origin::One(from) => column(from).into_iter().collect(),
        Origin::Whole(name) => {
            let values = cloud.attribute(name).into_iter().flat_map(Column::each);
            values.map(|c| Cell { ty, values: CellValues::Column(c) }).collect()
        }
        Origin::Packed => match cloud.attribute(names::COLOR).map(|a| (a.values(), a.width())) {
            Some((Values::U8(bytes), width)) => {
                vec![Cell { ty, values: CellValues::Packed { bytes, width } }]
            }
            _ => Vec::new(),
        },
    }
}

impl Cell<'_> {
    fn put(&self, row: usize, out: &mut [u8]) {
        match &self.values {
            CellValues::Column(column) => column.put(row, self.ty, out, false),
            // The bits are the same in each of the three types.
            CellValues::Packed { bytes, width } => pack(bytes, *width, row).put(out, false),
        }
    }

    fn print(&self, row: usize, out: &mut Vec<u8>) {
        match &self.values {
            CellValues::Column(column) => column.print(row, self.ty, out),
            CellValues::Packed { bytes, width } => {
                let bits = pack(bytes, *width, row);
                match self.ty {
                    ScalarType::F32 => f32::from_bits(bits).print(out),
                    ScalarType::I32 => (bits as i32).print(out),
                    _ => bits.print(out),
                }
            }
        }
    }
}

fn pack(bytes: &[u8], width: usize, row: usize) -> u32 {
    let c = &bytes[row * width..(row + 1) * width];
    let alpha = if width == 4 { c[3] } else { 0 };
    u32::from_be_bytes([alpha, c[0], c[1], c[2]])
}
