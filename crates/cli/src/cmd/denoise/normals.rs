//! Stored normals after the points have moved.

use pellucid::PointCloud;
use pellucid::cloud::attribute::names;
use pellucid::cloud::normals::{estimate_normals_k, orient_like};
use pellucid::cloud::{CloudError, vec3};

use crate::args::Normals;
use crate::report::Displacement;

/// Neighbours of a point that its new normal is estimated from, itself included.
const NEIGHBORS: usize = 16;

/// Keeps, updates or drops the normals of `moved`; says what was done.
pub fn settle(
    wish: Normals,
    noisy: &PointCloud,
    moved: &mut PointCloud,
    displacement: &Displacement,
) -> Result<&'static str, CloudError> {
    let Some(old) = noisy.normals() else { return Ok("none") };
    match wish {
        Normals::Keep => Ok("kept"),
        Normals::Drop => {
            moved.remove_attribute(names::NORMAL);
            Ok("dropped")
        }
        Normals::Update | Normals::File if displacement.max == 0.0 => Ok("kept"),
        Normals::Update | Normals::File => {
            let mut new = estimate_normals_k(moved.positions(), NEIGHBORS);
            orient_like(&mut new, &old);
            for (n, o) in new.iter_mut().zip(&old) {
                // Rows that are not finite, and places without a plane, keep what they had.
                if !vec3::is_finite(*n) || vec3::dot(*n, *n) == 0.0 {
                    *n = *o;
                }
            }
            moved.set_normals(&new)?;
            Ok("updated")
        }
    }
}
