//! Records of a scan made wide enough for where its points are now.

use ::e57::{PointCloud as Scan, Record, RecordDataType, RecordName, RecordValue};
use pellucid_cloud::Point;

use super::bits;
use super::frame::Frame;

/// The records of a scan, made wider for points that left the range of their integers.
pub(super) struct Widened {
    records: Vec<Record>,
    depends: bool,
}

impl Widened {
    pub fn of(scan: &Scan, frame: &Frame) -> Widened {
        let mut records = scan.prototype.clone();
        // The library writes states in the standard's ranges only, which some files narrow.
        for record in &mut records {
            let max = match record.name {
                RecordName::CartesianInvalidState | RecordName::SphericalInvalidState => 2,
                RecordName::IsColorInvalid
                | RecordName::IsIntensityInvalid
                | RecordName::IsTimeStampInvalid => 1,
                _ => continue,
            };
            if let RecordDataType::Integer { .. } = record.data_type {
                record.data_type = RecordDataType::Integer { min: 0, max };
            }
        }
        let whole = |r: &Record| {
            !matches!(r.data_type, RecordDataType::Single { .. } | RecordDataType::Double { .. })
        };
        let coordinates = [frame.cartesian, frame.spherical];
        let depends = coordinates.iter().flatten().flatten().any(|&i| whole(&records[i]));
        Widened { records, depends }
    }

    /// Whether it depends on where the points are, so that all of them must be added.
    pub fn depends(&self) -> bool {
        self.depends
    }

    /// Makes room for a point, unless it is nowhere.
    pub fn add(&mut self, frame: &Frame, p: Point) {
        if !p.iter().all(|x| x.is_finite()) {
            return;
        }
        for (i, x) in frame.store(p) {
            let (RecordValue::Integer(x) | RecordValue::ScaledInteger(x)) = x else { continue };
            if let RecordDataType::Integer { min, max }
            | RecordDataType::ScaledInteger { min, max, .. } = &mut self.records[i].data_type
            {
                *min = x.min(*min);
                *max = x.max(*max);
            }
        }
    }

    pub fn records(mut self) -> Vec<Record> {
        // The library cannot write points that take no bits: the first record gets one.
        if !self.records.iter().any(|r| bits(r) > 0)
            && let Some(
                RecordDataType::Integer { min, max }
                | RecordDataType::ScaledInteger { min, max, .. },
            ) = self.records.first_mut().map(|r| &mut r.data_type)
        {
            match max.checked_add(1) {
                Some(more) => *max = more,
                None => *min -= 1,
            }
        }
        self.records
    }
}
