//! Stored normals after the points have moved.

use pellucid::PointCloud;
use pellucid::big::Movement;
use pellucid::cloud::attribute::names;
use pellucid::cloud::normals::{estimate_normals_k, orient_like};
use pellucid::cloud::{CloudError, vec3};

use crate::args::Normals;

/// Neighbours of a point that its new normal is estimated from, itself included.
const NEIGHBORS: usize = 16;

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
            let mut new = estimate_normals_k(moved.positions(), NEIGHBORS);
            orient_like(&mut new, &old);
            let stays = |row: usize| part.is_some_and(|p| !p[row]);
            for (row, (n, o)) in new.iter_mut().zip(&old).enumerate() {
                // Points outside the selection, rows that are not finite, and places without a plane
                // keep what they had.
                if stays(row) || !vec3::is_finite(*n) || vec3::dot(*n, *n) == 0.0 {
                    *n = *o;
                }
            }
            moved.set_normals(&new)?;
            Ok("updated")
        }
    }
}
