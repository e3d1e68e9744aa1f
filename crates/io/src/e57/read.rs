//! From a file's bytes to a document.

use std::collections::HashSet;
use std::sync::Arc;

use ::e57::{PointCloud as Scan, RecordDataType, RecordValue};
use pellucid_cloud::{Attribute, PointCloud, Values};

use super::frame::{Frame, value};
use super::{E57Source, attribute, bits, fault, open, points};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits::{self, Limits};
use crate::scalar::ScalarType;

/// A column while it is read, as doubles; missing where its scan has none.
struct Gathered {
    name: String,
    component: usize,
    values: Vec<f64>,
    /// The type in every scan so far.
    ty: Option<ScalarType>,
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let mut reader = open(bytes)?;
    let scans = reader.pointclouds();
    let total = check_size(bytes, &scans, limits)?;
    let mut positions = Vec::with_capacity(total);
    let mut columns: Vec<Gathered> = Vec::new();
    let mut position: Option<ScalarType> = None;
    for scan in &scans {
        let at = scan.file_offset;
        let Some(frame) = Frame::of(scan) else {
            return Err(Fault::byte(at as usize, "a scan without coordinates"));
        };
        let singles = frame.cartesian.is_some_and(|c| {
            c.iter().all(|&i| matches!(scan.prototype[i].data_type, RecordDataType::Single { .. }))
        }) && scan.transform.is_none();
        let ty = if singles { ScalarType::F32 } else { ScalarType::F64 };
        position = Some(if position.is_none_or(|p| p == ty) { ty } else { ScalarType::F64 });
        let before = positions.len();
        // The column of each record.
        let mut places: Vec<Option<usize>> = Vec::new();
        for record in &scan.prototype {
            let place = attribute(&record.name).map(|(name, component)| {
                let ty = type_of(&record.data_type);
                let known = columns.iter().position(|c| c.name == name && c.component == component);
                if let Some(i) = known {
                    if columns[i].ty != Some(ty) || columns[i].values.len() != before {
                        columns[i].ty = None;
                    }
                    return i;
                }
                let ty = (before == 0).then_some(ty);
                columns.push(Gathered { name, component, values: Vec::with_capacity(total), ty });
                columns.len() - 1
            });
            places.push(place);
        }
        for i in places.iter().flatten() {
            columns[*i].values.resize(before, f64::NAN);
        }
        let mut push = |raw: &[RecordValue]| {
            positions.push(frame.point(raw));
            for ((place, raw), record) in places.iter().zip(raw).zip(&scan.prototype) {
                if let Some(i) = place {
                    columns[*i].values.push(value(raw, &record.data_type));
                }
            }
        };
        for raw in points(&mut reader, scan).map_err(|e| fault(at, &e))? {
            let raw = raw.map_err(|e| fault(at, &e))?;
            if raw.len() != scan.prototype.len() {
                return Err(Fault::byte(at as usize, "a point without all of its values"));
            }
            push(&raw);
        }
        let now = positions.len();
        for column in &mut columns {
            if column.values.len() != now {
                column.values.resize(now, f64::NAN);
                column.ty = None;
            }
        }
    }
    let n = positions.len();
    let mut cloud = PointCloud::new(positions);
    let set = |cloud: &mut PointCloud, a: Attribute| {
        cloud.set_attribute(a).map_err(|e| Fault::byte(0, e.to_string()))
    };
    if scans.len() > 1 {
        let which = scans
            .iter()
            .enumerate()
            .flat_map(|(i, s)| std::iter::repeat_n(i as u32, s.records as usize));
        set(&mut cloud, Attribute::scalar("scan", Values::U32(which.collect())))?;
    }
    for i in 0..columns.len() {
        let (name, component) = (columns[i].name.clone(), columns[i].component);
        if component > 0 || cloud.attribute(&name).is_some() {
            continue;
        }
        let parts: Vec<&Gathered> = (0..3)
            .map_while(|k| columns.iter().find(|c| c.name == name && c.component == k))
            .collect();
        let ty = parts[0].ty.filter(|_| parts.iter().all(|p| p.ty == parts[0].ty));
        let flat: Vec<f64> =
            (0..n).flat_map(|row| parts.iter().map(move |p| p.values[row])).collect();
        set(&mut cloud, Attribute::vector(name, parts.len(), typed(flat, ty)))?;
    }
    let images = reader.images().len();
    let position = position.unwrap_or(ScalarType::F64);
    let source = Source {
        encoding: Some(Encoding::BinaryLittle),
        position: Some([position; 3]),
        detail: Detail::E57(Arc::new(E57Source { bytes: bytes.to_vec(), scans, images })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// Refuses, before anything is allocated, scans that promise more than the file can hold.
fn check_size(bytes: &[u8], scans: &[Scan], limits: &Limits) -> Result<usize, Fault> {
    if scans.len() > limits::ELEMENTS {
        return Err(Fault::byte(
            0,
            format!("{} scans, more than {}", scans.len(), limits::ELEMENTS),
        ));
    }
    let mut total = 0u64;
    let mut names: HashSet<(String, usize)> = HashSet::new();
    for scan in scans {
        let at = scan.file_offset as usize;
        check_records(scan)?;
        names.extend(scan.prototype.iter().filter_map(|r| attribute(&r.name)));
        if scan.prototype.len() > limits::COLUMNS {
            return Err(Fault::byte(at, format!("more than {} records", limits::COLUMNS)));
        }
        let each: u64 = scan.prototype.iter().map(|r| u64::from(bits(r))).sum();
        // Constants take no room; a scan of nothing else is none.
        let most = (8 * bytes.len() as u64).checked_div(each).unwrap_or(1 << 16);
        if scan.records > most {
            let fault = format!(
                "a scan promises {} points of {each} bits, which do not fit in the file; it is \
                 truncated or the count is wrong",
                scan.records
            );
            return Err(Fault::byte(at, fault));
        }
        total = total.saturating_add(scan.records);
    }
    let total = match usize::try_from(total) {
        Ok(n) if n <= limits::POINTS => n,
        _ => {
            return Err(Fault::byte(0, format!("{total} points are more than one cloud can hold")));
        }
    };
    // Positions, every record as a double, and room to gather and convert a column.
    let needed = total.saturating_mul(24 + 8 * names.len() + 64);
    limits.check(bytes.len(), needed).map_err(|fault| Fault::byte(0, fault))?;
    Ok(total)
}

/// Refuses records that the library would trip over, or that would overwrite each other.
fn check_records(scan: &Scan) -> Result<(), Fault> {
    let at = scan.file_offset as usize;
    for (i, record) in scan.prototype.iter().enumerate() {
        let name = &record.name;
        if scan.prototype[..i].iter().any(|r| r.name == *name) {
            return Err(Fault::byte(at, format!("a scan has two records {name:?}")));
        }
        let (RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max }) =
            record.data_type
        else {
            continue;
        };
        if max < min {
            let fault = format!("the record {name:?} goes from {min} to {max}");
            return Err(Fault::byte(at, fault));
        }
    }
    Ok(())
}

/// The type that holds every value of a record.
fn type_of(ty: &RecordDataType) -> ScalarType {
    match *ty {
        RecordDataType::Single { .. } => ScalarType::F32,
        RecordDataType::Double { .. } | RecordDataType::ScaledInteger { .. } => ScalarType::F64,
        RecordDataType::Integer { min, max } => match (min, max) {
            (0.., ..=255) => ScalarType::U8,
            (0.., ..=65_535) => ScalarType::U16,
            (-2_147_483_648.., ..=2_147_483_647) => ScalarType::I32,
            _ => ScalarType::I64,
        },
    }
}

fn typed(values: Vec<f64>, ty: Option<ScalarType>) -> Values {
    match ty {
        Some(ScalarType::F32) => Values::F32(values.into_iter().map(|x| x as f32).collect()),
        Some(ScalarType::U8) => Values::U8(values.into_iter().map(|x| x as u8).collect()),
        Some(ScalarType::U16) => Values::U16(values.into_iter().map(|x| x as u16).collect()),
        Some(ScalarType::I32) => Values::I32(values.into_iter().map(|x| x as i32).collect()),
        Some(ScalarType::I64) => Values::I64(values.into_iter().map(|x| x as i64).collect()),
        _ => Values::F64(values),
    }
}
