//! From a file's bytes to a document.

use std::io::Cursor;
use std::sync::Arc;

use ::e57::{E57Reader, PointCloud as Scan, Record, RecordDataType, RecordValue};
use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use super::frame::{Frame, value};
use super::{E57Source, attribute, check, fault, open, points, readahead};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits::Limits;
use crate::rows::weave;
use crate::scalar::{Number, ScalarType, with_numbers};

/// Bytes that values waiting for others may take for each byte of the file.
const AHEAD: usize = 2;

/// A column while it is read: in its own type, or as doubles where scans differ or have none.
struct Gathered {
    name: String,
    component: usize,
    values: Values,
}

impl Gathered {
    fn make_doubles(&mut self) {
        let doubles = with_numbers!(&self.values, v => v.iter().map(|x| x.widen()).collect(), {
            Vec::new()
        });
        self.values = Values::F64(doubles);
    }

    /// Fills with what is missing up to row `n`.
    fn pad(&mut self, n: usize) {
        if self.values.len() == n {
            return;
        }
        if !matches!(self.values, Values::F64(_)) {
            self.make_doubles();
        }
        if let Values::F64(v) = &mut self.values {
            v.resize(n, f64::NAN);
        }
    }

    fn push(&mut self, raw: &RecordValue, ty: &RecordDataType) {
        match (&mut self.values, raw) {
            (Values::U8(v), RecordValue::Integer(x)) => v.push((*x).clamp(0, 255) as u8),
            (Values::U16(v), RecordValue::Integer(x)) => v.push((*x).clamp(0, 65_535) as u16),
            (Values::I64(v), RecordValue::Integer(x)) => v.push(*x),
            (values, raw) => {
                let x = value(raw, ty);
                with_numbers!(values, v => v.push(Number::narrow(x)), {});
            }
        }
    }
}

/// What is gathered from scan to scan.
struct Gathering {
    /// Points of all scans.
    total: usize,
    positions: Vec<Point>,
    columns: Vec<Gathered>,
    /// The type of positions, once it is known.
    position: Option<ScalarType>,
}

impl Gathering {
    fn new(total: usize) -> Self {
        let positions = Vec::with_capacity(total);
        Gathering { total, positions, columns: Vec::new(), position: None }
    }

    /// Adds the points of a scan.
    fn add(&mut self, reader: &mut E57Reader<Cursor<&[u8]>>, scan: &Scan) -> Result<(), Fault> {
        let at = scan.file_offset;
        let Some(frame) = Frame::of(scan) else {
            return Err(Fault::byte(at as usize, "a scan without coordinates"));
        };
        let singles = frame.cartesian.is_some_and(|c| {
            c.iter().all(|&i| matches!(scan.prototype[i].data_type, RecordDataType::Single { .. }))
        }) && scan.transform.is_none();
        let ty = if singles { ScalarType::F32 } else { ScalarType::F64 };
        let same = self.position.is_none_or(|p| p == ty);
        self.position = Some(if same { ty } else { ScalarType::F64 });
        let before = self.positions.len();
        let places: Vec<Option<usize>> =
            scan.prototype.iter().map(|record| self.column(record)).collect();
        for i in places.iter().flatten() {
            self.columns[*i].pad(before);
        }
        for raw in points(reader, scan).map_err(|e| fault(at, &e))? {
            let raw = raw.map_err(|e| fault(at, &e))?;
            if raw.len() != scan.prototype.len() {
                return Err(Fault::byte(at as usize, "a point without all of its values"));
            }
            self.positions.push(frame.point(&raw));
            for ((place, raw), record) in places.iter().zip(&raw).zip(&scan.prototype) {
                if let Some(i) = place {
                    self.columns[*i].push(raw, &record.data_type);
                }
            }
        }
        let now = self.positions.len();
        for column in &mut self.columns {
            column.pad(now);
        }
        Ok(())
    }

    /// The number of the column of a record, unless it is part of a position.
    fn column(&mut self, record: &Record) -> Option<usize> {
        let (name, component) = attribute(&record.name)?;
        let ty = type_of(&record.data_type);
        let columns = &mut self.columns;
        let known = columns.iter().position(|c| c.name == name && c.component == component);
        if let Some(i) = known {
            if ScalarType::of(&columns[i].values) != Some(ty) {
                columns[i].make_doubles();
            }
            return Some(i);
        }
        let ty = if self.positions.is_empty() { ty } else { ScalarType::F64 };
        columns.push(Gathered { name, component, values: ty.column(self.total) });
        Some(columns.len() - 1)
    }

    /// The values of column `i` with those of the other components of its attribute, and how many there are.
    fn woven(&mut self, i: usize) -> (usize, Values) {
        let columns = &mut self.columns;
        let name = columns[i].name.clone();
        let parts: Vec<usize> = (0..3)
            .map_while(|k| columns.iter().position(|c| c.name == name && c.component == k))
            .collect();
        let ty = |i: usize| ScalarType::of(&columns[i].values);
        if parts.iter().any(|&p| ty(p) != ty(parts[0])) {
            parts.iter().for_each(|&p| columns[p].make_doubles());
        }
        let mut taken: Vec<Values> = parts
            .iter()
            .map(|&p| std::mem::replace(&mut columns[p].values, Values::U8(Vec::new())))
            .collect();
        let values = match taken.len() {
            1 => taken.remove(0),
            _ => weave(&taken.iter().collect::<Vec<_>>()),
        };
        (parts.len(), values)
    }

    /// The cloud of all scans.
    fn cloud(mut self, scans: &[Scan]) -> Result<PointCloud, Fault> {
        let mut cloud = PointCloud::new(std::mem::take(&mut self.positions));
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
        for i in 0..self.columns.len() {
            let name = self.columns[i].name.clone();
            if self.columns[i].component > 0 || cloud.attribute(&name).is_some() {
                continue;
            }
            let (width, values) = self.woven(i);
            set(&mut cloud, Attribute::vector(name, width, values))?;
        }
        Ok(cloud)
    }
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let mut reader = open(bytes)?;
    let scans = reader.pointclouds();
    let most = readahead::MOST.saturating_add(AHEAD.saturating_mul(bytes.len()));
    let held = check::scans(&mut Cursor::new(bytes), bytes.len(), &scans, most)?;
    // Positions, every column, and room to convert or weave some.
    let needed = held.points.saturating_mul(24 + held.columns + 48).saturating_add(held.ahead);
    limits.check(bytes.len(), needed).map_err(|fault| Fault::byte(0, fault))?;
    let mut gathering = Gathering::new(held.points);
    for scan in &scans {
        gathering.add(&mut reader, scan)?;
    }
    let position = gathering.position.unwrap_or(ScalarType::F64);
    let cloud = gathering.cloud(&scans)?;
    let images = reader.images().len();
    let source = Source {
        encoding: Some(Encoding::BinaryLittle),
        position: Some([position; 3]),
        detail: Detail::E57(Arc::new(E57Source { bytes: bytes.to_vec(), scans, images })),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// The type that holds every value of a record.
pub(super) fn type_of(ty: &RecordDataType) -> ScalarType {
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
