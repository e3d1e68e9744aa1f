//! Stored normals after the points have moved.

use pellucid::PointCloud;
use pellucid::big::Movement;
use pellucid::cloud::CloudError;
use pellucid::cloud::attribute::names;
use pellucid::steps::normals;

use crate::args::Normals;

/// Why normals are not what they were.
pub fn reason(settled: &str) -> String {
    match settled {
        "updated" => "estimated again from the moved points".to_owned(),
        _ => "by --normals drop".to_owned(),
    }
}

/// Keeps, updates or drops the normals of `moved`; says what was done.
pub fn settle(
    wish: Normals,
    noisy: &PointCloud,
    moved: &mut PointCloud,
    movement: &Movement,
    part: Option<&[bool]>,
) -> Result<&'static str, CloudError> {
    let Some(old) = noisy.normals() else { return Ok("none") };
    match wish {
        Normals::Keep => Ok("kept"),
        Normals::Drop => {
            moved.remove_attribute(names::NORMAL);
            Ok("dropped")
        }
        Normals::Update | Normals::File if movement.max == 0.0 => Ok("kept"),
        Normals::Update | Normals::File => {
            normals::update(moved, &old, part)?;
            Ok("updated")
        }
    }
}
