//! Coordinates that were recorded in steps, as the depths of a camera are.
//!
//! All points of a terrace share the error of its level, so small neighborhoods look perfectly flat, and an average
//! over them removes nothing. Only neighborhoods over several terraces show the error.

use std::ops::Range;

use super::scan;
use crate::neighbors::KdTree;
use crate::stats::median;
use crate::vec3::Point;

/// Points that share a level of a coordinate, on average, if it was recorded in steps.
const POINTS_PER_LEVEL: usize = 50;
/// Radius, in steps, of the neighborhoods that show whether steps are errors.
const RADIUS: f64 = 2.0;
/// Spread about a smooth surface, in steps, if they are: rounding spreads by 0.29 steps along the coordinate, and a camera
/// that hits the next level now and then by a little more. On a regular grid, whose coordinates have steps without any
/// error, it is zero; between parallel faces, each on a level of its own, it is half a step and more.
const SPREAD: Range<f64> = 0.15..0.45;

/// The width of the steps in which one of the coordinates was recorded, where these steps are errors: a typical one, of
/// the coordinate with the widest, if it is in the range of `widths`. `None` for other clouds.
///
/// ```
/// use pellucid_cloud::KdTree;
/// use pellucid_cloud::noise::error_steps;
///
/// // A slope, with heights as they are and rounded to whole numbers.
/// let slope = |round: fn(f64) -> f64| -> Vec<_> {
///     (0..10_000).map(|i| (i % 100, i / 100)).map(|(x, y)| (f64::from(x), f64::from(y)))
///         .map(|(x, y)| [0.1 * x + 0.013 * y, 0.1 * y, round(0.37 * (0.1 * x + 0.013 * y))]).collect()
/// };
/// let (exact, rounded) = (slope(|z| z), slope(f64::round));
/// assert_eq!(error_steps(&exact, &exact, &KdTree::new(&exact), 0.1..10.0), None);
/// assert_eq!(error_steps(&rounded, &rounded, &KdTree::new(&rounded), 0.1..10.0), Some(1.0));
/// ```
pub fn error_steps(
    places: &[Point],
    points: &[Point],
    tree: &KdTree,
    widths: Range<f64>,
) -> Option<f64> {
    let steps = (0..3).filter_map(|axis| steps_of(points, axis));
    let step = steps.filter(|s| widths.contains(s)).reduce(f64::max)?;
    let spread = median(&mut scan::spreads(places, points, tree, RADIUS * step))?;
    SPREAD.contains(&(spread / step)).then_some(step)
}

/// The median, over the points, of the distance between their level of a coordinate and the next.
fn steps_of(points: &[Point], axis: usize) -> Option<f64> {
    let mut values: Vec<f64> = points.iter().map(|p| p[axis]).collect();
    values.sort_unstable_by(f64::total_cmp);
    let levels = values.chunk_by(|a, b| a == b);
    let (mut steps, mut before) = (Vec::with_capacity(values.len()), None);
    let mut count = 0;
    for level in levels {
        count += 1;
        if count * POINTS_PER_LEVEL > values.len() {
            return None;
        }
        if let Some(before) = before.replace(level[0]) {
            steps.resize(steps.len() + level.len(), level[0] - before);
        }
    }
    median(&mut steps)
}
