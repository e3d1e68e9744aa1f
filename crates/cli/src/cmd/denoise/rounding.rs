//! Movements that the output cannot store, since its coordinates have too coarse a step.

use pellucid::PointCloud;
use pellucid::big::Movement;
use pellucid::cloud::Point;
use pellucid::io::{Document, Format, LasScale};
use pellucid::numbers::three_digits;

/// From this share of the points that moved on, it is said.
const SHARE: f64 = 0.01;

/// What to say if LAS stores many points where they were although they moved.
pub fn warning(
    noisy: &PointCloud,
    document: &Document,
    movement: &Movement,
    output: Option<Format>,
    wanted: Option<LasScale>,
) -> Option<String> {
    if !matches!(output, Some(Format::Las | Format::Laz)) {
        return None;
    }
    let (own, offset) = document.source.las_grid()?;
    let step = match wanted {
        None => own,
        Some(LasScale::Step(step)) => [step; 3],
        Some(LasScale::Auto) => return None,
    };
    let cell = |p: &Point| [0, 1, 2].map(|a| ((p[a] - offset[a]) / step[a]).round());
    let pairs = noisy.positions().iter().zip(document.cloud.positions());
    let undone = pairs.filter(|(a, b)| a != b && cell(a) == cell(b)).count();
    let share = undone as f64 / movement.moved.max(1) as f64;
    if undone == 0 || share < SHARE {
        return None;
    }
    let coarsest = step.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "{:.0} % of the {} points that moved are stored where they were: the file has coordinates \
         in steps of {coarsest}, and the mean displacement is {}; for a finer step give \
         --las-scale auto, or a step such as --las-scale {}",
        100.0 * share,
        movement.moved,
        three_digits(movement.mean),
        coarsest / 100.0
    ))
}
