//! Signs of normals where two layers of a surface are close: the two sides of a thin wall.

use rayon::prelude::*;

use crate::neighbors::NeighborTable;
use crate::vec3::{self, Point};

/// Share of the variance of heights that two layers must explain. Cutting one layer of Gaussian
/// noise in two explains 2/π = 0.64, cutting a uniform spread 0.75.
const TWO_LAYERS: f64 = 0.78;
/// Each layer has at least this share of the points.
const SMALLEST: f64 = 0.15;

/// Turns normals away from the other layer, where the neighbours of a point in `table` lie in two
/// layers along its normal.
///
/// The cut between the layers is where it explains most of the variance of the heights (Otsu
/// 1979, doi:10.1109/TSMC.1979.4310076).
pub fn orient_on_sheets(points: &[Point], normals: &mut [Point], table: &NeighborTable) -> usize {
    let sides: Vec<f64> = normals
        .par_iter()
        .enumerate()
        .with_min_len(256)
        .map_init(Vec::new, |heights, (i, &n)| side(points, n, i, table, heights))
        .collect();
    for (n, &side) in normals.iter_mut().zip(&sides) {
        if side < 0.0 {
            *n = n.map(|x| -x);
        }
    }
    sides.iter().filter(|s| **s != 0.0).count()
}

/// 1 above the other layer as seen along `n`, -1 below, 0 where there are not two.
fn side(
    points: &[Point],
    n: Point,
    i: usize,
    table: &NeighborTable,
    heights: &mut Vec<f64>,
) -> f64 {
    heights.clear();
    let row = table.row(i).iter().filter(|&&j| j != u32::MAX);
    heights.extend(row.map(|&j| vec3::dot(n, vec3::sub(points[j as usize], points[i]))));
    heights.sort_unstable_by(f64::total_cmp);
    let count = heights.len() as f64;
    let mean = heights.iter().sum::<f64>() / count;
    let total = heights.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>();
    let (mut best, mut cut) = (0.0, 0.0);
    let mut below = 0.0;
    for k in 1..heights.len() {
        below += heights[k - 1] - mean;
        let low = k as f64;
        if low < SMALLEST * count || low > (1.0 - SMALLEST) * count {
            continue;
        }
        // Between-class sum of squares from the sum of deviations below the cut.
        let between = below * below * (1.0 / low + 1.0 / (count - low));
        if between > best {
            best = between;
            cut = 0.5 * (heights[k - 1] + heights[k]);
        }
    }
    if total <= 0.0 || best < TWO_LAYERS * total {
        0.0
    } else if cut < 0.0 {
        1.0
    } else {
        -1.0
    }
}
