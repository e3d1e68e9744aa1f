//! Which vertex properties a document is written as.

use pellucid_cloud::{Attribute, List, PointCloud, Values};

use super::header::{Kind, Property};
use crate::document::Dropped;
use crate::meaning::{self, From};
use crate::scalar::ScalarType;

/// A vertex property and where its values went.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub property: Property,
    pub from: From,
}

/// The properties for a cloud: those of its file first, in their order, then new ones.
///
/// What cannot be held is added to `dropped`.
pub(crate) fn plan(
    cloud: &PointCloud,
    position: [ScalarType; 3],
    old: &[Slot],
    dropped: &mut Vec<Dropped>,
) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let sized = old.first().is_some_and(|s| s.property.sized);
    if old.is_empty() {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let kind = Kind::Scalar(position[axis]);
            let property = Property { name: name.as_bytes().to_vec(), kind, sized };
            slots.push(Slot { property, from: From::Position(axis) });
        }
    }
    let kinds: Vec<(&Attribute, Option<Kind>)> = cloud
        .attributes()
        .map(|a| {
            let kind = kind_of(a).map_err(|reason| {
                dropped.push(Dropped { attribute: a.name().to_owned(), reason });
            });
            (a, kind.ok())
        })
        .collect();
    let find = |name: &str, component: usize| {
        let (a, kind) = kinds.iter().find(|(a, _)| a.name() == name)?;
        Some((a, (*kind)?)).filter(|_| component < a.width())
    };
    for slot in old {
        match &slot.from {
            From::Position(_) => slots.push(slot.clone()),
            From::Attribute { name, component } => {
                // An attribute that is gone takes its property with it.
                let Some((a, kind)) = find(name, *component) else { continue };
                let mut slot = slot.clone();
                let longest = longest_list(a.values());
                slot.property.kind = keep_count(slot.property.kind, kind, longest);
                slots.push(slot);
            }
        }
    }
    let mut taken: meaning::Names = slots.iter().map(|s| s.property.text()).collect();
    let held = meaning::held(old.iter().map(|s| &s.from));
    for (a, kind) in &kinds {
        let Some(kind) = *kind else { continue };
        let missing = match meaning::missing(a, &held, slots.len()) {
            Ok(missing) => missing,
            Err(reason) => {
                dropped.push(Dropped { attribute: a.name().to_owned(), reason });
                continue;
            }
        };
        for (component, name) in missing {
            let from = From::Attribute { name: a.name().to_owned(), component };
            let name = taken.take(&meaning::one_word(&name, &[]));
            slots.push(Slot { property: Property { name: name.into_bytes(), kind, sized }, from });
        }
    }
    slots
}

/// The file's own type for the counts of a list, if it still holds them all.
fn keep_count(old: Kind, new: Kind, longest: usize) -> Kind {
    match (old, new) {
        (Kind::List { count, .. }, Kind::List { item, .. }) if largest(count) >= longest => {
            Kind::List { count, item }
        }
        _ => new,
    }
}

fn largest(count: ScalarType) -> usize {
    match count {
        ScalarType::I8 => i8::MAX as usize,
        ScalarType::U8 => u8::MAX as usize,
        ScalarType::I16 => i16::MAX as usize,
        ScalarType::U16 => u16::MAX as usize,
        ScalarType::I32 => i32::MAX as usize,
        _ => u32::MAX as usize,
    }
}

fn longest_list(values: &Values) -> usize {
    match values {
        Values::List(list) => list.offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
        _ => 0,
    }
}

/// The kind that holds an attribute's values, or why there is none.
fn kind_of(a: &Attribute) -> Result<Kind, String> {
    match a.values() {
        Values::List(list) => {
            if a.width() != 1 || !is_sound(list) {
                return Err("its lists do not fit its points".to_owned());
            }
            let longest = longest_list(a.values());
            let count = [ScalarType::U8, ScalarType::I32, ScalarType::U32]
                .into_iter()
                .find(|&c| largest(c) >= longest)
                .ok_or_else(|| "a list is too long for PLY".to_owned())?;
            Ok(Kind::List { count, item: type_for(&list.values)? })
        }
        values => Ok(Kind::Scalar(type_for(values)?)),
    }
}

fn is_sound(list: &List) -> bool {
    list.offsets.windows(2).all(|w| w[0] <= w[1])
        && list.offsets.last().is_none_or(|&end| end <= list.values.len())
}

/// The narrowest type of PLY that holds every value exactly.
fn type_for(values: &Values) -> Result<ScalarType, String> {
    let exact = |x: i128| (x as f64) as i128 == x;
    let wide = |all: &mut dyn Iterator<Item = i128>| {
        let (mut lo, mut hi, mut fits) = (0, 0, true);
        for x in all {
            lo = lo.min(x);
            hi = hi.max(x);
            fits &= exact(x);
        }
        if lo >= i128::from(i32::MIN) && hi <= i128::from(i32::MAX) {
            Ok(ScalarType::I32)
        } else if lo >= 0 && hi <= i128::from(u32::MAX) {
            Ok(ScalarType::U32)
        } else if fits {
            Ok(ScalarType::F64)
        } else {
            Err("PLY has no 64-bit integers, and as doubles its values would change".to_owned())
        }
    };
    match values {
        Values::I64(v) => wide(&mut v.iter().map(|&x| i128::from(x))),
        Values::U64(v) => wide(&mut v.iter().map(|&x| i128::from(x))),
        Values::Text(_) => Err("PLY holds numbers only, not text".to_owned()),
        Values::List(_) => Err("PLY has no lists of lists".to_owned()),
        values => ScalarType::of(values).ok_or_else(|| "PLY holds numbers only".to_owned()),
    }
}
