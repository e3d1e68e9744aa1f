//! From what a scan stores to the frame of the file, and back.

use ::e57::{PointCloud as Scan, Quaternion, RecordDataType, RecordName, RecordValue};
use pellucid_cloud::Point;

use crate::template::is_same;

/// Where a scan's coordinates are among its records, and its pose.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub cartesian: Option<[usize; 3]>,
    /// Range, azimuth, elevation.
    pub spherical: Option<[usize; 3]>,
    cartesian_state: Option<usize>,
    spherical_state: Option<usize>,
    types: Vec<RecordDataType>,
    rotation: [[f64; 3]; 3],
    translation: Point,
    posed: bool,
}

const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Frame {
    /// `None` if the scan has no coordinates.
    pub fn of(scan: &Scan) -> Option<Self> {
        let find = |name: RecordName| scan.prototype.iter().position(|r| r.name == name);
        let three = |x: Option<usize>, y: Option<usize>, z: Option<usize>| Some([x?, y?, z?]);
        let cartesian = three(
            find(RecordName::CartesianX),
            find(RecordName::CartesianY),
            find(RecordName::CartesianZ),
        );
        let spherical = three(
            find(RecordName::SphericalRange),
            find(RecordName::SphericalAzimuth),
            find(RecordName::SphericalElevation),
        );
        cartesian.or(spherical)?;
        let mut frame = Frame {
            cartesian,
            spherical,
            cartesian_state: find(RecordName::CartesianInvalidState),
            spherical_state: find(RecordName::SphericalInvalidState),
            types: scan.prototype.iter().map(|r| r.data_type.clone()).collect(),
            rotation: IDENTITY,
            translation: [0.0; 3],
            posed: false,
        };
        if let Some(t) = &scan.transform {
            frame.rotation = matrix(&t.rotation);
            frame.translation = [t.translation.x, t.translation.y, t.translation.z];
            frame.posed = frame.rotation != IDENTITY || frame.translation != [0.0; 3];
        }
        Some(frame)
    }

    /// Where a stored point is; NaN if it is marked as being nowhere.
    pub fn point(&self, raw: &[RecordValue]) -> Point {
        let get = |i: usize| value(&raw[i], &self.types[i]);
        let bad = |state: Option<usize>| state.is_some_and(|i| get(i) != 0.0);
        let local = match (self.cartesian, self.spherical) {
            (Some(c), _) if !bad(self.cartesian_state) => c.map(get),
            (None, Some(s)) if !bad(self.spherical_state) => {
                let [range, azimuth, elevation] = s.map(get);
                let flat = range * elevation.cos();
                [flat * azimuth.cos(), flat * azimuth.sin(), range * elevation.sin()]
            }
            _ => return [f64::NAN; 3],
        };
        if !self.posed {
            return local;
        }
        let r = &self.rotation;
        [0, 1, 2].map(|i| {
            r[i][0] * local[0] + r[i][1] * local[1] + r[i][2] * local[2] + self.translation[i]
        })
    }

    /// Puts a stored point elsewhere.
    pub fn put(&self, raw: &mut [RecordValue], before: Point, now: Point) {
        let stays = now.iter().zip(&before).all(|(a, b)| is_same(*a, *b));
        // What has no place keeps the values that stand for it.
        if !stays && now.iter().all(|x| x.is_finite()) {
            for (record, x) in self.store(now) {
                raw[record] = x;
            }
        }
    }

    /// The values of the coordinates' records for a point, each with the record's number.
    pub fn store(&self, p: Point) -> Vec<(usize, RecordValue)> {
        let local = if self.posed {
            let d = [0, 1, 2].map(|i| p[i] - self.translation[i]);
            let r = &self.rotation;
            [0, 1, 2].map(|i| r[0][i] * d[0] + r[1][i] * d[1] + r[2][i] * d[2])
        } else {
            p
        };
        let mut out = Vec::with_capacity(6);
        let mut put = |records: [usize; 3], values: Point| {
            for (i, x) in records.into_iter().zip(values) {
                out.push((i, stored(x, &self.types[i])));
            }
        };
        if let Some(records) = self.cartesian {
            put(records, local);
        }
        if let Some(records) = self.spherical {
            let flat = local[0].hypot(local[1]);
            put(records, [flat.hypot(local[2]), local[1].atan2(local[0]), local[2].atan2(flat)]);
        }
        out
    }
}

fn matrix(q: &Quaternion) -> [[f64; 3]; 3] {
    let length = (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return IDENTITY;
    }
    let [w, x, y, z] = [q.w, q.x, q.y, q.z].map(|v| v / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// What a stored value stands for.
pub(crate) fn value(raw: &RecordValue, ty: &RecordDataType) -> f64 {
    match (raw, ty) {
        (RecordValue::Single(x), _) => f64::from(*x),
        (RecordValue::Double(x), _) => *x,
        (RecordValue::Integer(x), _) => *x as f64,
        (RecordValue::ScaledInteger(x), RecordDataType::ScaledInteger { scale, offset, .. }) => {
            *x as f64 * scale + offset
        }
        (RecordValue::ScaledInteger(x), _) => *x as f64,
    }
}

/// The value to store for a number.
pub(crate) fn stored(x: f64, ty: &RecordDataType) -> RecordValue {
    match ty {
        RecordDataType::Single { .. } => RecordValue::Single(x as f32),
        RecordDataType::Double { .. } => RecordValue::Double(x),
        RecordDataType::Integer { .. } => RecordValue::Integer(x.round() as i64),
        RecordDataType::ScaledInteger { scale, offset, .. } => {
            RecordValue::ScaledInteger(((x - offset) / scale).round() as i64)
        }
    }
}
