//! Signs of normals where two layers of a surface are close: the two sides of a thin wall.

use rayon::prelude::*;

use super::estimate::normal_of;
use crate::neighbors::NeighborTable;
use crate::vec3::{self, Point};

/// Share of the variance of heights that two layers must explain. Cutting one layer of Gaussian
/// noise in two explains 2/π = 0.64, cutting a ball that points fill 0.70, cutting a uniform spread 0.75.
const TWO_LAYERS: f64 = 0.78;
/// Each layer has at least this share of the points.
const SMALLEST: f64 = 0.15;
/// Bins of the histogram of heights.
const BINS: usize = 32;

/// Turns normals away from the other layer, where the neighbors of a point in `table` lie in two
/// layers along its normal.
///
/// The cut between the layers is where it explains most of the variance of the heights (Otsu
/// 1979, doi:10.1109/TSMC.1979.4310076).
pub fn orient_on_sheets(points: &[Point], normals: &mut [Point], table: &NeighborTable) -> usize {
    let sides: Vec<f64> = normals
        .par_iter()
        .enumerate()
        .with_min_len(256)
        .map_init(Vec::new, |heights, (i, &n)| side(points, n, i, table.row(i), heights))
        .collect();
    for (n, &side) in normals.iter_mut().zip(&sides) {
        if side < 0.0 {
            *n = n.map(|x| -x);
        }
    }
    sides.iter().filter(|s| **s != 0.0).count()
}

/// The normal of point `i` from its neighbors in `row`, and the share of the variance of their heights that the best cut
/// into two layers explains (2/π for one layer of Gaussian noise). The normal looks away from
/// the other layer; where there is none, its sign says nothing.
///
/// All from one neighborhood, so that a piece of a cloud gets what the whole would; `heights` is
/// scratch.
///
/// ```
/// use pellucid_cloud::normals::sided_normal;
///
/// // Two sheets, half a unit apart, seen from a point of the lower one.
/// let wall: Vec<_> =
///     (0..50).map(|i| [f64::from(i % 5), f64::from(i / 5 % 5), 0.5 * f64::from(i / 25)]).collect();
/// let row: Vec<u32> = (0..50).collect();
/// let (normal, share) = sided_normal(&wall, 12, &row, &mut Vec::new());
/// assert!(share > 0.99 && normal[2] < -0.99);
/// ```
pub fn sided_normal(
    points: &[Point],
    i: usize,
    row: &[u32],
    heights: &mut Vec<f64>,
) -> (Point, f64) {
    let n = normal_of(points, row);
    let cut = split(points, n, i, row, heights);
    (if cut.at < 0.0 { n } else { n.map(|x| -x) }, cut.share)
}

/// The heights of neighbors over their plane, cut in two where that explains most of their variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// The variance of the heights.
    pub variance: f64,
    /// The share of it that is between the two layers.
    pub share: f64,
    /// Where the cut is, over the first neighbor.
    at: f64,
}

impl Cut {
    /// Cuts the heights of the points in `row`; `heights` is scratch.
    pub(crate) fn of(points: &[Point], row: &[u32], heights: &mut Vec<f64>) -> Option<Cut> {
        let first = *row.first()? as usize;
        Some(split(points, normal_of(points, row), first, row, heights))
    }
}

/// 1 above the other layer as seen along `n`, -1 below, 0 where there are not two.
fn side(points: &[Point], n: Point, i: usize, row: &[u32], heights: &mut Vec<f64>) -> f64 {
    match split(points, n, i, row, heights) {
        Cut { share, .. } if share < TWO_LAYERS => 0.0,
        Cut { at, .. } if at < 0.0 => 1.0,
        _ => -1.0,
    }
}

/// The best cut of the heights over point `i`.
fn split(points: &[Point], n: Point, i: usize, row: &[u32], heights: &mut Vec<f64>) -> Cut {
    heights.clear();
    let row = row.iter().filter(|&&j| j != u32::MAX);
    heights.extend(row.map(|&j| vec3::dot(n, vec3::sub(points[j as usize], points[i]))));
    let count = heights.len() as f64;
    let mean = heights.iter().sum::<f64>() / count;
    let (mut low, mut high, mut total) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for &h in &*heights {
        low = low.min(h);
        high = high.max(h);
        total += (h - mean) * (h - mean);
    }
    if high <= low {
        return Cut { variance: 0.0, share: 0.0, at: 0.0 };
    }
    // Cuts between the bins of a histogram: as good as cuts between all heights, and no sorting.
    let per_height = BINS as f64 / (high - low);
    let mut bins = [(0.0, 0.0); BINS];
    for &h in &*heights {
        let bin = &mut bins[(((h - low) * per_height) as usize).min(BINS - 1)];
        bin.0 += 1.0;
        bin.1 += h - mean;
    }
    let (mut best, mut at) = (0.0, 0.0);
    let (mut under, mut below) = (0.0, 0.0);
    for (b, bin) in bins.iter().enumerate() {
        under += bin.0;
        below += bin.1;
        if under < SMALLEST * count || under > (1.0 - SMALLEST) * count {
            continue;
        }
        // Between-class sum of squares from the sum of deviations below the cut.
        let between = below * below * (1.0 / under + 1.0 / (count - under));
        if between > best {
            best = between;
            at = low + (b + 1) as f64 / per_height;
        }
    }
    let share = if total > 0.0 { best / total } else { 0.0 };
    Cut { variance: total / count, share, at }
}
