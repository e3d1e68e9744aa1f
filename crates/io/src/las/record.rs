//! The fields of a point record, by point format.

use pellucid_cloud::attribute::names;

use crate::scalar::ScalarType;
pub(super) use crate::standard::{RETURN, RETURNS};

/// Name of the bytes that nothing describes.
pub(super) const EXTRA_BYTES: &str = "extra_bytes";

/// Where and how a point record stores something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    Number(ScalarType),
    /// Some bits of a byte.
    Bits {
        shift: u32,
        width: u32,
    },
}

/// A field: `width` values, `step` bytes each, from byte `at` of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub at: usize,
    pub width: usize,
    pub store: Store,
}

impl Field {
    pub fn new(name: impl Into<String>, at: usize, width: usize, ty: ScalarType) -> Self {
        Field { name: name.into(), at, width, store: Store::Number(ty) }
    }

    /// The type of its values in memory.
    pub fn ty(&self) -> ScalarType {
        match self.store {
            Store::Number(ty) => ty,
            Store::Bits { .. } => ScalarType::U8,
        }
    }
}

/// Whether the format is one of those of LAS 1.4 (from 6 on).
pub(super) fn is_new(format: u8) -> bool {
    format >= 6
}

fn time(format: u8) -> bool {
    !matches!(format, 0 | 2)
}

fn color(format: u8) -> bool {
    matches!(format, 2 | 3 | 5 | 7 | 8 | 10)
}

fn nir(format: u8) -> bool {
    matches!(format, 8 | 10)
}

fn waves(format: u8) -> bool {
    matches!(format, 4 | 5 | 9 | 10)
}

/// Bytes of a record without additions.
pub(super) fn base_length(format: u8) -> Option<usize> {
    [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67].get(usize::from(format)).copied()
}

/// The format like `format` that also holds times, colors or near infrared.
pub(super) fn with(format: u8, time_: bool, color_: bool, nir_: bool) -> u8 {
    let (t, c, n) = (time(format) || time_, color(format) || color_, nir(format) || nir_);
    match (is_new(format), waves(format)) {
        (false, false) => u8::from(t) + 2 * u8::from(c),
        (false, true) => 4 + u8::from(c),
        (true, false) => 6 + if n { 2 } else { u8::from(c) },
        (true, true) => 9 + u8::from(c || n),
    }
}

/// The first minor version of LAS that has the format.
pub(super) fn first_version(format: u8) -> u8 {
    match format {
        0 | 1 => 0,
        2 | 3 => 2,
        4 | 5 => 3,
        _ => 4,
    }
}

/// A field of some bits of one byte.
fn bits(name: &str, at: usize, shift: u32, width: u32) -> Field {
    Field { name: name.to_owned(), at, width: 1, store: Store::Bits { shift, width } }
}

/// The fields that point formats from 6 on share, but for the position.
fn new_fields() -> Vec<Field> {
    use ScalarType::*;
    vec![
        Field::new(names::INTENSITY, 12, 1, U16),
        bits(RETURN, 14, 0, 4),
        bits(RETURNS, 14, 4, 4),
        bits("synthetic", 15, 0, 1),
        bits("key_point", 15, 1, 1),
        bits("withheld", 15, 2, 1),
        bits("overlap", 15, 3, 1),
        bits("scanner_channel", 15, 4, 2),
        bits("scan_direction", 15, 6, 1),
        bits("edge_of_flight_line", 15, 7, 1),
        Field::new(names::CLASSIFICATION, 16, 1, U8),
        Field::new("user_data", 17, 1, U8),
        Field::new(SCAN_ANGLE, 18, 1, I16),
        Field::new("point_source_id", 20, 1, U16),
    ]
}

/// The fields that point formats up to 5 share, but for the position.
fn old_fields() -> Vec<Field> {
    use ScalarType::*;
    vec![
        Field::new(names::INTENSITY, 12, 1, U16),
        bits(RETURN, 14, 0, 3),
        bits(RETURNS, 14, 3, 3),
        bits("scan_direction", 14, 6, 1),
        bits("edge_of_flight_line", 14, 7, 1),
        bits(names::CLASSIFICATION, 15, 0, 5),
        bits("synthetic", 15, 5, 1),
        bits("key_point", 15, 6, 1),
        bits("withheld", 15, 7, 1),
        Field::new(SCAN_ANGLE, 16, 1, I8),
        Field::new("user_data", 17, 1, U8),
        Field::new("point_source_id", 18, 1, U16),
    ]
}

/// The fields of a format but for the position, in the order of the record.
pub(super) fn fields(format: u8) -> Vec<Field> {
    use ScalarType::*;
    let (mut fields, mut at) = if is_new(format) { (new_fields(), 22) } else { (old_fields(), 20) };
    let mut next = |name: &str, width, ty: ScalarType| {
        fields.push(Field::new(name, at, width, ty));
        at += width * ty.size();
    };
    if time(format) {
        next(names::TIME, 1, F64);
    }
    if color(format) {
        next(names::COLOR, 3, U16);
    }
    if nir(format) {
        next(NIR, 1, U16);
    }
    if waves(format) {
        next("wave_descriptor", 1, U8);
        next("wave_offset", 1, U64);
        next("wave_size", 1, U32);
        next("wave_return", 1, F32);
        next("wave_direction", 3, F32);
    }
    fields
}

/// In degrees (before format 6) or in 0.006 degrees.
pub(super) const SCAN_ANGLE: &str = "scan_angle";
/// Near infrared.
pub(super) const NIR: &str = "nir";

/// What a field holds if there is nothing to say.
pub(super) fn default_of(name: &str) -> u8 {
    // A pulse has a return, counted from one.
    u8::from(name == RETURN || name == RETURNS)
}
