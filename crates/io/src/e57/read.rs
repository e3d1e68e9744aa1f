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

/// The columns of a file, which all of its scans share.
pub(super) struct Columns {
    columns: Vec<(String, usize, ScalarType)>,
    /// The type of positions.
    pub position: ScalarType,
    /// Whether points have the number of their scan.
    numbered: bool,
}

impl Columns {
    /// Columns are of one type: doubles where scans differ, or have none.
    pub fn of(scans: &[&Scan]) -> Columns {
        let mut columns: Vec<(String, usize, ScalarType)> = Vec::new();
        for record in scans.iter().flat_map(|s| &s.prototype) {
            let Some((name, component)) = attribute(&record.name) else { continue };
            let ty = type_of(&record.data_type);
            match columns.iter_mut().find(|c| c.0 == name && c.1 == component) {
                Some(known) if known.2 != ty => known.2 = ScalarType::F64,
                Some(_) => {}
                None => columns.push((name, component, ty)),
            }
        }
        for (name, component, ty) in &mut columns {
            let is_it =
                |r: &Record| attribute(&r.name).is_some_and(|(n, c)| n == *name && c == *component);
            if scans.iter().any(|s| s.records > 0 && !s.prototype.iter().any(is_it)) {
                *ty = ScalarType::F64;
            }
        }
        let single = |s: &&Scan| is_single(s);
        let all_single = !scans.is_empty() && scans.iter().all(single);
        let position = if all_single { ScalarType::F32 } else { ScalarType::F64 };
        Columns { columns, position, numbered: scans.len() > 1 }
    }

    /// The column of each record of a scan, unless that is part of a position.
    pub fn places(&self, scan: &Scan) -> Vec<Option<usize>> {
        let place = |record: &Record| {
            let (name, component) = attribute(&record.name)?;
            self.columns.iter().position(|c| c.0 == name && c.1 == component)
        };
        scan.prototype.iter().map(place).collect()
    }
}

/// Whether a scan stores coordinates in single precision as they are.
fn is_single(scan: &Scan) -> bool {
    let single = |i: usize| matches!(scan.prototype[i].data_type, RecordDataType::Single { .. });
    let cartesian = Frame::of(scan).and_then(|frame| frame.cartesian);
    scan.transform.is_none() && cartesian.is_some_and(|c| c.iter().all(|&i| single(i)))
}

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

/// Points on their way into a cloud.
pub(super) struct Gathering {
    positions: Vec<Point>,
    columns: Vec<Gathered>,
    /// The number of each point's scan, if there are several.
    scans: Option<Vec<u32>>,
}

impl Gathering {
    /// Room for so many points.
    pub fn new(columns: &Columns, points: usize) -> Self {
        let gathered = |(name, component, ty): &(String, usize, ScalarType)| Gathered {
            name: name.clone(),
            component: *component,
            values: ty.column(points),
        };
        Gathering {
            positions: Vec::with_capacity(points),
            columns: columns.columns.iter().map(gathered).collect(),
            scans: columns.numbered.then(|| Vec::with_capacity(points)),
        }
    }

    /// Adds the points of a scan.
    fn add(
        &mut self,
        reader: &mut E57Reader<Cursor<&[u8]>>,
        columns: &Columns,
        (number, scan): (usize, &Scan),
    ) -> Result<(), Fault> {
        let at = scan.file_offset;
        let Some(frame) = Frame::of(scan) else {
            return Err(Fault::byte(at as usize, "a scan without coordinates"));
        };
        let places = columns.places(scan);
        for raw in points(reader, scan).map_err(|e| fault(at, &e))? {
            let raw = raw.map_err(|e| fault(at, &e))?;
            if raw.len() != scan.prototype.len() {
                return Err(Fault::byte(at as usize, "a point without all of its values"));
            }
            self.push((number, scan), frame.point(&raw), &raw, &places);
        }
        self.end();
        Ok(())
    }

    /// Adds a point of a scan.
    pub fn push(
        &mut self,
        (number, scan): (usize, &Scan),
        position: Point,
        raw: &[RecordValue],
        places: &[Option<usize>],
    ) {
        self.positions.push(position);
        self.scans.iter_mut().for_each(|scans| scans.push(number as u32));
        for ((place, raw), record) in places.iter().zip(raw).zip(&scan.prototype) {
            if let Some(i) = place {
                self.columns[*i].push(raw, &record.data_type);
            }
        }
    }

    /// Ends the points of a scan, which may be without some of the columns.
    pub fn end(&mut self) {
        let now = self.positions.len();
        self.columns.iter_mut().for_each(|column| column.pad(now));
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

    /// The cloud of all points.
    pub fn cloud(mut self) -> Result<PointCloud, Fault> {
        let mut cloud = PointCloud::new(std::mem::take(&mut self.positions));
        let set = |cloud: &mut PointCloud, a: Attribute| {
            cloud.set_attribute(a).map_err(|e| Fault::byte(0, e.to_string()))
        };
        if let Some(scans) = self.scans.take() {
            set(&mut cloud, Attribute::scalar("scan", Values::U32(scans)))?;
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
    let columns = Columns::of(&scans.iter().collect::<Vec<_>>());
    let mut gathering = Gathering::new(&columns, held.points);
    for scan in scans.iter().enumerate() {
        gathering.add(&mut reader, &columns, scan)?;
    }
    let (cloud, position) = (gathering.cloud()?, columns.position);
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
