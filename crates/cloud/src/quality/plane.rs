//! Cloud against the tangent planes of the truth.

use super::QualityError;
use super::points::{finite_result, mean};
use crate::KdTree;
use crate::vec3::{self, Point};

/// Mean distance from each point of `result` to the tangent plane of the nearest point of
/// `truth` (not squared). Sliding along the surface costs nothing.
///
/// Points of `truth` without a usable normal (zero or not finite) take no part; the length and
/// the sign of a normal do not matter.
///
/// ```
/// use pellucid_cloud::quality::point_to_plane;
///
/// let flat = point_to_plane(&[[0.3, 0.1, -0.5]], &[[0.0; 3]], &[[0.0, 0.0, 1.0]])?;
/// assert_eq!(flat, 0.5);
/// # Ok::<(), pellucid_cloud::quality::QualityError>(())
/// ```
pub fn point_to_plane(
    result: &[Point],
    truth: &[Point],
    normals: &[Point],
) -> Result<f64, QualityError> {
    if truth.len() != normals.len() {
        return Err(QualityError::Normals { normals: normals.len(), points: truth.len() });
    }
    let result = finite_result(result)?;
    if !truth.iter().any(|&p| vec3::is_finite(p)) {
        return Err(QualityError::EmptyTruth { rows: truth.len() });
    }
    let (planes, directions): (Vec<Point>, Vec<Point>) = truth
        .iter()
        .zip(normals)
        .filter(|(p, _)| vec3::is_finite(**p))
        .filter_map(|(&p, &n)| Some((p, vec3::normalized(n)?)))
        .unzip();
    if planes.is_empty() {
        return Err(QualityError::NoUsableNormal { points: truth.len() });
    }
    let nearest = KdTree::new(&planes).nearest_of(&result);
    Ok(mean(result.iter().zip(&nearest).map(|(&p, near)| {
        let j = near.index as usize;
        vec3::dot(vec3::sub(p, planes[j]), directions[j]).abs()
    })))
}
