//! How outliers are marked in a cloud.

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::Format;

/// The attribute that labels go to where the format has no flag for them.
pub const LABEL: &str = "outlier";
/// The flag of LAS for points that are not to be used.
pub const WITHHELD: &str = "withheld";

/// The attribute that marks outliers in files of this format.
pub fn attribute(format: Option<Format>) -> &'static str {
    if matches!(format, Some(Format::Las | Format::Laz)) { WITHHELD } else { LABEL }
}

/// Marks outliers in a cloud that will be written in this format; points that were withheld before
/// stay so. Says how they are marked.
pub fn mark(
    cloud: &mut PointCloud,
    flags: &[bool],
    format: Option<Format>,
) -> Result<&'static str, String> {
    if let Some(format) = format.filter(|f| !f.holds_attributes()) {
        let fault = "cannot store labels; write another format such as .ply, or remove outliers";
        return Err(format!("{} {fault}", format.name()));
    }
    let name = attribute(format);
    let is_las = name == WITHHELD;
    let before = cloud.attribute(WITHHELD).filter(|a| a.width() == 1).map(|a| a.values().clone());
    let was = |row: usize| before.as_ref().and_then(|v| v.get_f64(row)).is_some_and(|x| x == 1.0);
    let flag = |row: usize| u8::from(flags[row] || is_las && was(row));
    let values = Values::U8((0..cloud.len()).map(flag).collect());
    cloud.set_attribute(Attribute::scalar(name, values)).map_err(|e| e.to_string())?;
    Ok(match is_las {
        true => "marked as withheld",
        false => "marked in the attribute \"outlier\"",
    })
}
