//! A file for points that came from another format.

use std::borrow::Cow;
use std::io::Cursor;

use ::e57::{E57Writer, RawValues, Record, RecordDataType, RecordName, RecordValue};
use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use super::added;
use super::frame::stored;
use super::write::Refused;
use crate::document::{Detail, Document, Dropped};
use crate::scalar::ScalarType;
use crate::standard::{self, RETURN_COUNT, RETURN_INDEX};

/// The attributes that say whether a point's coordinates are valid, with the same numbers for
/// spherical ones, which are Cartesian here.
const INVALID: [&str; 2] = ["cartesian_invalid", "spherical_invalid"];

/// One scan in the frame of the file.
pub(super) fn create(
    document: &Document,
    out: &mut Cursor<Vec<u8>>,
    dropped: &mut Vec<Dropped>,
) -> Result<(), Refused> {
    let colored = match &document.source.detail {
        Detail::E57(_) => Cow::Borrowed(&document.cloud),
        _ => standard::with_byte_colors(&document.cloud),
    };
    let cloud = &*standard::for_e57(&colored);
    let about = About::of(cloud, document.source.position);
    let layout = Layout::of(cloud, &about, dropped);
    let mut guid = Guid::default();
    guid.add(cloud.positions());
    let guid = guid.text();
    let mut writer = E57Writer::new(out, &guid)?;
    if !layout.added.is_empty() {
        writer.register_extension(added::extension())?;
    }
    let mut w = writer.add_pointcloud(&guid, layout.prototype.clone())?;
    for row in 0..cloud.len() {
        w.add_point(layout.values(cloud, row))?;
    }
    w.finalize()?;
    writer.finalize()?;
    Ok(())
}

/// The records of a point, and where their values come from.
pub(super) struct Layout<'a> {
    /// Coordinates, then the validity if there is one, then attributes, then those of our extension.
    pub prototype: Vec<Record>,
    /// The type of the coordinates.
    float: RecordDataType,
    /// Whether there is a record of validity.
    has_state: bool,
    /// The attribute that has the validity of each point.
    states: Option<&'a Attribute>,
    /// Attribute and component of each standard record.
    sources: Vec<(&'a Attribute, usize)>,
    pub added: Vec<added::Added<'a>>,
}

impl<'a> Layout<'a> {
    pub fn of(cloud: &'a PointCloud, about: &About, dropped: &mut Vec<Dropped>) -> Layout<'a> {
        let float = match about.single {
            true => RecordDataType::Single { min: None, max: None },
            false => RecordDataType::Double { min: None, max: None },
        };
        let axes = [RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ];
        let mut prototype: Vec<Record> =
            axes.into_iter().map(|name| Record { name, data_type: float.clone() }).collect();
        let state = INVALID.iter().zip(about.states).find(|(_, is_state)| *is_state);
        let states = state.and_then(|(name, _)| cloud.attribute(name));
        let is_states = |a: &Attribute| states.is_some_and(|s| s.name() == a.name());
        let has_state = about.nowhere || states.is_some();
        if has_state {
            let data_type = RecordDataType::Integer { min: 0, max: 2 };
            prototype.push(Record { name: RecordName::CartesianInvalidState, data_type });
        }
        let returns = is_whole(cloud, RETURN_INDEX) && is_whole(cloud, RETURN_COUNT);
        let mut sources: Vec<(&Attribute, usize)> = Vec::new();
        let mut others: Vec<&Attribute> = Vec::new();
        for a in cloud.attributes().filter(|a| !is_states(a)) {
            let Some((names, data_type)) = standard_records(a, returns) else {
                others.push(a);
                continue;
            };
            if a.name() == names::COLOR && a.width() == 4 {
                let reason = "E57 stores red, green and blue only".to_owned();
                dropped.push(Dropped { attribute: "alpha".to_owned(), reason });
            }
            for (component, name) in names.iter().enumerate() {
                prototype.push(Record { name: name.clone(), data_type: data_type.clone() });
                sources.push((a, component));
            }
        }
        let added = added::plan(others.into_iter(), prototype.len(), dropped);
        prototype.extend(added.iter().map(|n| n.record.clone()));
        Layout { prototype, float, has_state, states, sources, added }
    }

    /// The values of a point.
    pub fn values(&self, cloud: &PointCloud, row: usize) -> RawValues {
        let p = cloud.positions()[row];
        let found = p.iter().all(|x| x.is_finite());
        let p = if found { p } else { [0.0; 3] };
        let mut raw: RawValues = p.iter().map(|&x| stored(x, &self.float)).collect();
        if self.has_state {
            let state = self.states.and_then(|a| a.values().get_f64(row)).unwrap_or(0.0) as i64;
            raw.push(RecordValue::Integer(if found { state } else { 2 }));
        }
        let records = &self.prototype[raw.len()..];
        for ((a, component), record) in self.sources.iter().zip(records) {
            let x = a.values().get_f64(row * a.width() + component).unwrap_or(0.0);
            raw.push(stored(x, &record.data_type));
        }
        raw.extend(self.added.iter().map(|n| n.value(row)));
        raw
    }
}

/// Whether the cloud has an attribute of that name with whole numbers.
fn is_whole(cloud: &PointCloud, name: &str) -> bool {
    let ty = cloud.attribute(name).and_then(|a| record_type(a.values()));
    matches!(ty, Some(RecordDataType::Integer { .. }))
}

/// The standard's records for an attribute, and their type; `None` if it has none.
fn standard_records(
    a: &Attribute,
    returns: bool,
) -> Option<(&'static [RecordName], RecordDataType)> {
    use RecordName::{
        ColorBlue, ColorGreen, ColorRed, ColumnIndex, Intensity, ReturnCount, ReturnIndex,
        RowIndex, TimeStamp,
    };
    let (records, whole): (&[RecordName], bool) = match (a.name(), a.width()) {
        (names::INTENSITY, 1) => (&[Intensity], false),
        (names::COLOR, 3 | 4) => (&[ColorRed, ColorGreen, ColorBlue], false),
        (names::TIME, 1) => (&[TimeStamp], false),
        (RETURN_INDEX, 1) if returns => (&[ReturnIndex], true),
        (RETURN_COUNT, 1) if returns => (&[ReturnCount], true),
        ("row_index", 1) => (&[RowIndex], true),
        ("column_index", 1) => (&[ColumnIndex], true),
        _ => return None,
    };
    let ty = record_type(a.values())?;
    (!whole || matches!(ty, RecordDataType::Integer { .. })).then_some((records, ty))
}

/// Whether an attribute holds what the standard says of a point's validity.
fn is_state(a: &Attribute) -> bool {
    let valid = |x: f64| [0.0, 1.0, 2.0].contains(&x);
    a.width() == 1 && a.component(0).is_some_and(|all| all.into_iter().all(valid))
}

/// The record that holds an attribute's values exactly.
pub(super) fn record_type(values: &Values) -> Option<RecordDataType> {
    let range = |min: i64, max: i64| Some(RecordDataType::Integer { min, max });
    match values {
        Values::U8(_) => range(0, 255),
        Values::I8(_) => range(-128, 127),
        Values::U16(_) => range(0, 65_535),
        Values::I16(_) => range(-32_768, 32_767),
        Values::U32(_) => range(0, i64::from(u32::MAX)),
        Values::I32(_) => range(i64::from(i32::MIN), i64::from(i32::MAX)),
        // As far as doubles, through which they pass, hold them.
        Values::I64(v) if v.iter().all(|x| x.unsigned_abs() <= 1 << 53) => {
            range(-(1 << 53), 1 << 53)
        }
        Values::U64(v) if v.iter().all(|&x| x <= 1 << 53) => range(0, 1 << 53),
        Values::F32(_) => Some(RecordDataType::Single { min: None, max: None }),
        Values::F64(_) => Some(RecordDataType::Double { min: None, max: None }),
        _ => None,
    }
}

/// What decides on records and must be known of all points.
#[derive(Clone, Copy)]
pub(super) struct About {
    /// Whether coordinates are of single precision.
    single: bool,
    /// Whether a point is not finite.
    nowhere: bool,
    /// Which of the attributes [`INVALID`] hold what the standard says of validity.
    states: [bool; 2],
}

impl About {
    pub fn of(cloud: &PointCloud, position: Option<[ScalarType; 3]>) -> About {
        About {
            single: position == Some([ScalarType::F32; 3]),
            nowhere: cloud.positions().iter().any(|p| p.iter().any(|x| !x.is_finite())),
            states: INVALID.map(|name| cloud.attribute(name).is_some_and(is_state)),
        }
    }

    /// The same of both together.
    pub fn and(self, other: About) -> About {
        About {
            single: self.single && other.single,
            nowhere: self.nowhere || other.nowhere,
            states: [0, 1].map(|i| self.states[i] && other.states[i]),
        }
    }
}

/// A name for the file made out of its points, so that the same points give the same file.
pub(super) struct Guid(u64);

impl Default for Guid {
    fn default() -> Self {
        Guid(0xcbf2_9ce4_8422_2325)
    }
}

impl Guid {
    pub fn add(&mut self, points: &[Point]) {
        for x in points.iter().flatten() {
            self.0 = (self.0 ^ x.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn text(&self) -> String {
        let hash = self.0;
        let low = hash.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!(
            "{{{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}}}",
            hash >> 32,
            hash >> 16 & 0xffff,
            hash & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    }
}
