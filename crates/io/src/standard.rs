//! The standard fields of formats, and what each is in the others.
//!
//! | attribute | LAS | E57 | names in PLY, PCD, text and NumPy |
//! |---|---|---|---|
//! | `intensity` (0 to 1 in PTX) | 16 bits | any number | intensity, scalar_Intensity |
//! | `color` | 16 bits | any number | red, green, blue … |
//! | `time` | GPS time | time stamp | time, gps_time, GpsTime … |
//! | `classification` | class | (extension) | classification, class … |
//! | `return_number` | from 1 | return index, from 0 | return_number, ReturnNumber … |
//! | `number_of_returns` | the same | return count | number_of_returns … |
//! | `row_index`, `column_index` | (extra bytes) | the same | row_index … |

use std::borrow::Cow;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, PointCloud, Values};

use crate::document::Dropped;

/// Which return of its pulse a point is, from one.
pub(crate) const RETURN: &str = "return_number";
/// How many returns the pulse has.
pub(crate) const RETURNS: &str = "number_of_returns";
/// The same in E57: from zero ...
pub(crate) const RETURN_INDEX: &str = "return_index";
/// ... and its number.
pub(crate) const RETURN_COUNT: &str = "return_count";

/// Names that other programs give to the attributes, in lower case and without `scalar_` and `_`.
const ALIASES: &[(&str, &[&str])] = &[
    (names::INTENSITY, &["intensity"]),
    (names::TIME, &["gpstime", "timestamp"]),
    (names::CLASSIFICATION, &["classification"]),
    (RETURN, &["returnnumber"]),
    (RETURNS, &["numberofreturns"]),
    ("row_index", &["rowindex"]),
    ("column_index", &["columnindex"]),
];

/// The attribute that a column of this name is, if it is a standard one by another name.
pub(crate) fn attribute(column: &str) -> Option<&'static str> {
    let lower = column.to_ascii_lowercase();
    let bare = lower.strip_prefix("scalar_").unwrap_or(&lower).replace('_', "");
    ALIASES.iter().find(|(_, aliases)| aliases.contains(&bare.as_str())).map(|(name, _)| *name)
}

/// The cloud with its standard attributes as LAS stores them.
pub(crate) fn for_las<'a>(
    cloud: &'a PointCloud,
    changed: &mut Vec<Dropped>,
) -> Cow<'a, PointCloud> {
    let mut new: Vec<Attribute> = Vec::new();
    for (name, widths) in [(names::INTENSITY, 1..=1), (names::COLOR, 3..=4)] {
        let a = cloud.attribute(name).filter(|a| widths.contains(&a.width()));
        let Some((values, how)) = a.and_then(|a| sixteen_bits(a.values(), name == names::COLOR))
        else {
            continue;
        };
        changed.push(Dropped { attribute: name.to_owned(), reason: how });
        new.push(Attribute::vector(name, a.map_or(1, Attribute::width), values));
    }
    let mut old = Vec::new();
    for (from, to, shift) in [(RETURN_INDEX, RETURN, 1.0), (RETURN_COUNT, RETURNS, 0.0)] {
        if let Some(a) = shifted(cloud, from, to, shift) {
            new.push(a);
            old.push(from);
        }
    }
    with(cloud, new, &old)
}

/// The cloud with its standard attributes as E57 stores them.
pub(crate) fn for_e57(cloud: &PointCloud) -> Cow<'_, PointCloud> {
    let new: Vec<Attribute> = shifted(cloud, RETURN, RETURN_INDEX, -1.0)
        .into_iter()
        .chain(shifted(cloud, RETURNS, RETURN_COUNT, 0.0))
        .collect();
    // The standard has both or none.
    if new.len() == 2 { with(cloud, new, &[RETURN, RETURNS]) } else { Cow::Borrowed(cloud) }
}

/// The cloud with colors of eight bits, if those of sixteen are such, as LAS stores them: readers of
/// E57, PCD and PLY know eight only.
pub(crate) fn with_byte_colors(cloud: &PointCloud) -> Cow<'_, PointCloud> {
    let color = cloud.attribute(names::COLOR);
    let Some((Values::U16(v), width)) = color.map(|a| (a.values(), a.width())) else {
        return Cow::Borrowed(cloud);
    };
    if !v.iter().all(|x| x % 257 == 0) {
        return Cow::Borrowed(cloud);
    }
    let bytes = Values::U8(v.iter().map(|x| (x / 257) as u8).collect());
    with(cloud, vec![Attribute::vector(names::COLOR, width, bytes)], &[])
}

/// The cloud with intensities from 0 to 1, as PTX stores them, if they are whole numbers of 8 or 16 bits.
pub(crate) fn for_ptx<'a>(
    cloud: &'a PointCloud,
    changed: &mut Vec<Dropped>,
) -> Cow<'a, PointCloud> {
    let intensity = cloud.attribute(names::INTENSITY).filter(|a| a.width() == 1);
    let (values, most): (Vec<f32>, u16) = match intensity.map(Attribute::values) {
        Some(Values::U8(v)) => (v.iter().map(|&x| f32::from(x) / 255.0).collect(), 255),
        Some(Values::U16(v)) => (v.iter().map(|&x| f32::from(x) / 65_535.0).collect(), 65_535),
        _ => return Cow::Borrowed(cloud),
    };
    let reason = format!("PTX has it from 0 to 1; 0 to {most} became that");
    changed.push(Dropped { attribute: names::INTENSITY.to_owned(), reason });
    with(cloud, vec![Attribute::scalar(names::INTENSITY, Values::F32(values))], &[])
}

/// The attributes in place of those of the same name, and without those called as in `old`.
fn with<'a>(cloud: &'a PointCloud, new: Vec<Attribute>, old: &[&str]) -> Cow<'a, PointCloud> {
    if new.is_empty() {
        return Cow::Borrowed(cloud);
    }
    let mut cloud = cloud.clone();
    for a in new {
        // They have as many values as those that they come from.
        let _ = cloud.set_attribute(a);
    }
    for name in old {
        cloud.remove_attribute(name);
    }
    Cow::Owned(cloud)
}

/// The attribute `from`, plus `shift` and as bytes, under another name that nothing has yet.
fn shifted(cloud: &PointCloud, from: &str, to: &str, shift: f64) -> Option<Attribute> {
    let a = cloud.attribute(from).filter(|a| a.width() == 1 && cloud.attribute(to).is_none())?;
    let byte = |x: f64| {
        let x = x + shift;
        ((0.0..=255.0).contains(&x) && x.fract() == 0.0).then_some(x as u8)
    };
    let values: Option<Vec<u8>> = a.component(0)?.into_iter().map(byte).collect();
    Some(Attribute::scalar(to, Values::U8(values?)))
}

/// Values as whole numbers of 16 bits, and how they became so; `None` if they are such already, or
/// none can be made of them.
fn sixteen_bits(values: &Values, color: bool) -> Option<(Values, String)> {
    if matches!(values, Values::U8(_) | Values::U16(_)) {
        return None;
    }
    let all: Option<Vec<f64>> = (0..values.len()).map(|i| values.get_f64(i)).collect();
    let all = all?;
    let finite = || all.iter().copied().filter(|x| x.is_finite());
    let (lo, hi) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let whole = all.iter().all(|x| x.fract() == 0.0);
    if lo > hi || whole && lo >= 0.0 && hi <= 65_535.0 && !(color && is_float(values)) {
        return None;
    }
    // From and over which range the values go.
    let (from, range, how) = match (lo, hi) {
        (0.0.., ..=1.0) => (0.0, 1.0, "0 to 1 became 0 to 65535".to_owned()),
        (0.0.., ..=255.0) if color => (0.0, 255.0, "0 to 255 became 0 to 65535".to_owned()),
        (0.0.., ..=65_535.0) => (0.0, 65_535.0, "rounded to whole numbers".to_owned()),
        _ => (lo, hi - lo, format!("{lo} to {hi} became 0 to 65535")),
    };
    let number = |x: &f64| ((x - from) / range * 65_535.0).round() as u16;
    Some((Values::U16(all.iter().map(number).collect()), format!("LAS has 16 bits for it; {how}")))
}

fn is_float(values: &Values) -> bool {
    matches!(values, Values::F32(_) | Values::F64(_))
}
