//! Which field of a point record each attribute goes to.

use std::collections::HashSet;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, PointCloud, Values};

use super::encode::{Column, Put};
use super::extra::{self, Descriptor};
use super::record::{self, Field, NIR, SCAN_ANGLE, Store};
use super::{LasSource, Slot, quantize};
use crate::document::{Dropped, Written};
use crate::meaning;
use crate::scalar::{Number, ScalarType, with_numbers, with_type};

/// How a cloud is laid out in records.
pub(super) struct RecordLayout<'a> {
    pub format: u8,
    pub length: usize,
    pub columns: Vec<Column<'a>>,
    pub descriptors: Vec<Descriptor>,
}

/// The longest name of an added field.
const NAME_BYTES: usize = 32;
/// As many as one record holds.
const DESCRIPTORS: usize = 0xffff / extra::BYTES;

/// Places every attribute; `written` gets what cannot be stored, or only by another name.
pub(super) fn plan<'a>(
    cloud: &'a PointCloud,
    las: Option<&LasSource>,
    written: &mut Written,
) -> RecordLayout<'a> {
    let kept: Vec<&Slot> =
        las.map_or(&[][..], |l| &l.slots).iter().filter(|s| holds(s, cloud)).collect();
    let slotted: HashSet<&str> = kept.iter().map(|s| s.attribute.as_str()).collect();
    let free = |name: &str| cloud.attribute(name).filter(|_| !slotted.contains(name));

    // The format grows if there is more to hold than it has fields for.
    let old = las.map_or(6, |l| l.frame.format);
    let wants = |name: &str, ty, width| {
        free(name).is_some_and(|a| a.width() >= width && fits(a, &Field::new(name, 0, width, ty)))
    };
    let color = wants(names::COLOR, ScalarType::U16, 3);
    let nir = record::is_new(old) && wants(NIR, ScalarType::U16, 1);
    let format = record::with(old, wants(names::TIME, ScalarType::F64, 1), color, nir);
    let mut columns = Vec::new();
    let mut placed: HashSet<&str> = slotted.clone();
    for field in record::fields(format) {
        match free(&field.name).filter(|a| fits(a, &field)) {
            Some(a) => {
                placed.insert(a.name());
                columns.push(Column::of(a, 0, &field));
            }
            None => columns.extend(Column::blank(&field)),
        }
    }

    let mut writer = Layout {
        at: record::base_length(format).unwrap_or(0),
        columns,
        descriptors: Vec::new(),
        taken: reserved(),
    };
    let spare: usize = kept.iter().filter(|s| s.descriptor.is_none()).map(|s| s.width).sum();
    for slot in kept.iter().filter(|s| s.descriptor.is_some()) {
        writer.keep(slot, cloud);
    }
    for a in cloud.attributes() {
        let alpha = a.name() == names::COLOR && a.width() == 4 && placed.contains(a.name());
        if !placed.contains(a.name()) {
            writer.add(a, 0, spare, written);
        } else if alpha && !slotted.contains(a.name()) {
            writer.add(a, 3, spare, written);
        }
    }
    // Bytes without a description come last.
    for slot in kept.iter().filter(|s| s.descriptor.is_none()) {
        writer.keep(slot, cloud);
    }
    let Layout { at, columns, descriptors, .. } = writer;
    RecordLayout { format, length: at, columns, descriptors }
}

/// Names of fields that every reader knows: other programs refuse added fields called so.
fn reserved() -> meaning::Names {
    let ours = (0..=10).flat_map(record::fields).map(|field| field.name);
    let theirs = [
        "X",
        "Y",
        "Z",
        "x",
        "y",
        "z",
        "red",
        "green",
        "blue",
        "gps_time",
        "raw_classification",
        "bit_fields",
        "flag_byte",
        "classification_flags",
        "scan_direction_flag",
        "scan_angle_rank",
        "wavepacket_index",
        "wavepacket_offset",
        "wavepacket_size",
        "return_point_wave_location",
        "x_t",
        "y_t",
        "z_t",
    ];
    ours.chain(theirs.map(str::to_owned)).collect()
}

struct Layout<'a> {
    at: usize,
    columns: Vec<Column<'a>>,
    descriptors: Vec<Descriptor>,
    taken: meaning::Names,
}

impl<'a> Layout<'a> {
    /// A field of the file, as it was.
    fn keep(&mut self, slot: &Slot, cloud: &'a PointCloud) {
        let Some(a) = cloud.attribute(&slot.attribute) else { return };
        let field = Field::new(slot.attribute.clone(), self.at, slot.width, slot.ty);
        let mut column = Column::of(a, slot.first, &field);
        if let Some(d) = &slot.descriptor {
            if let Some(transform) = d.transform().filter(|_| slot.scaled) {
                column.put = Put::Scaled(slot.ty, transform);
            }
            self.taken.insert(d.name());
            self.descriptors.push(d.clone());
        }
        self.columns.push(column);
        self.at += slot.width * slot.ty.size();
    }

    /// Components of an attribute from `first` on as new fields.
    fn add(&mut self, a: &'a Attribute, first: usize, spare: usize, written: &mut Written) {
        let entry = |reason: String| Dropped { attribute: a.name().to_owned(), reason };
        let mut drop = |reason: String| written.dropped.push(entry(reason));
        let Some(ty) = ScalarType::of(a.values()) else {
            return drop("LAS holds numbers only, no text and no lists".to_owned());
        };
        let n = a.width() - first;
        if self.descriptors.len() + n > DESCRIPTORS {
            return drop(format!("LAS describes at most {DESCRIPTORS} added fields"));
        }
        if self.at + n * ty.size() + spare > usize::from(u16::MAX) {
            return drop("the records of LAS have at most 65535 bytes a point".to_owned());
        }
        let names = meaning::column_names(a.name(), a.width());
        for (component, name) in names.iter().enumerate().skip(first) {
            let short = shorten(name, NAME_BYTES);
            let mut unique = self.taken.free(&short);
            if unique.len() > NAME_BYTES {
                unique = self.taken.free(&shorten(name, NAME_BYTES - 5));
            }
            if unique != *name {
                let reason =
                    format!("its name is too long or taken; it is written as \"{unique}\"");
                written.changed.push(entry(reason));
            }
            let field = Field::new(unique.clone(), self.at, 1, ty);
            self.columns.push(Column::of(a, component, &field));
            self.descriptors.push(Descriptor::new(&unique, ty));
            self.taken.insert(unique);
            self.at += ty.size();
        }
    }
}

fn shorten(name: &str, bytes: usize) -> String {
    let mut end = name.len().min(bytes);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}

/// Whether a field of the file still holds its attribute.
fn holds(slot: &Slot, cloud: &PointCloud) -> bool {
    let Some(a) = cloud.attribute(&slot.attribute) else { return false };
    if a.width() < slot.first + slot.width {
        return false;
    }
    let transform = slot.descriptor.as_ref().and_then(Descriptor::transform);
    match (a.values(), transform.filter(|_| slot.scaled)) {
        (Values::F64(v), Some(t)) => {
            let (lo, hi) = range(slot.ty);
            v.iter().enumerate().all(|(i, x)| {
                let (scale, offset) = t[i % a.width() % 3];
                let k = quantize::encode(*x, scale, offset);
                k >= lo && k <= hi
            })
        }
        (_, Some(_)) => false,
        (values, None) => ScalarType::of(values) == Some(slot.ty),
    }
}

/// Smallest and largest value of an integer type, as doubles.
fn range(ty: ScalarType) -> (f64, f64) {
    with_type!(ty, T => (T::narrow(f64::NEG_INFINITY).widen(), T::narrow(f64::INFINITY).widen()))
}

/// Whether a field can hold an attribute without changing a value.
fn fits(a: &Attribute, field: &Field) -> bool {
    let Some(ty) = ScalarType::of(a.values()) else { return false };
    let color = field.name == names::COLOR;
    if a.width() != field.width && !(color && a.width() == 4) {
        return false;
    }
    let whole = |lo: f64, hi: f64| {
        with_numbers!(a.values(), v => v.iter().all(|x| {
            let x = x.widen();
            x >= lo && x <= hi && x.fract() == 0.0
        }), false)
    };
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match field.store {
        Store::Bits { width, .. } => whole(0.0, f64::from((1u32 << width) - 1)),
        Store::Number(to) if to == ty => true,
        // Degrees in the old formats, fractions of them in the new.
        _ if field.name == SCAN_ANGLE => false,
        Store::Number(ScalarType::F32) => false,
        Store::Number(ScalarType::F64) => ty == ScalarType::F32 || whole(-EXACT, EXACT),
        Store::Number(to) => {
            let (lo, hi) = range(to);
            whole(lo.max(-EXACT), hi.min(EXACT))
        }
    }
}
