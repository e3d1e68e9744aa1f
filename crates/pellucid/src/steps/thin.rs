//! Which points are kept where there are to be fewer.

use pellucid_cloud::sample::{poisson_disk, poisson_disk_by_rank};
use pellucid_cloud::{DistinctRows, Point, PointCloud, bounds, vec3};

use super::Thin;

/// The rows that are kept, in order; rows that are not finite are not.
pub fn rows(cloud: &PointCloud, rule: &Thin, seed: u64) -> Vec<usize> {
    let points = cloud.positions();
    let finite = cloud.finite_rows();
    let places: Vec<Point> = finite.iter().map(|&row| points[row]).collect();
    let chosen = match (rule.voxel, rule.poisson, rule.random) {
        (Some(side), _, _) => voxels(&places, side),
        (_, Some(radius), _) => {
            let mut chosen = poisson_disk(&places, radius, seed);
            chosen.sort_unstable();
            chosen.into_iter().map(|i| i as usize).collect()
        }
        (_, _, wanted) => random(places.len(), wanted.unwrap_or(1.0), seed),
    };
    chosen.into_iter().map(|i| finite[i]).collect()
}

/// The rows that repeat no earlier one, or are no nearer than `within` to one that is kept.
pub fn distinct(cloud: &PointCloud, within: Option<f64>) -> Vec<usize> {
    let points = cloud.positions();
    let mut repeated = vec![false; points.len()];
    match within {
        None => {
            let copies = DistinctRows::of(points).copies;
            copies.iter().for_each(|&(row, _)| repeated[row as usize] = true);
        }
        Some(radius) => {
            let finite = cloud.finite_rows();
            let places: Vec<Point> = finite.iter().map(|&row| points[row]).collect();
            let ranks: Vec<u64> = (0..places.len() as u64).collect();
            finite.iter().for_each(|&row| repeated[row] = true);
            for i in poisson_disk_by_rank(&places, radius, &ranks) {
                repeated[finite[i as usize]] = false;
            }
        }
    }
    (0..points.len()).filter(|&row| !repeated[row]).collect()
}

/// Of the points in each cube the one nearest to their mean, in order.
fn voxels(points: &[Point], side: f64) -> Vec<usize> {
    let Some((lo, _)) = bounds(points) else { return Vec::new() };
    // Cubes beyond the range of whole doubles are as small as doubles tell apart.
    let cube = |p: &Point| [0, 1, 2].map(|a| ((p[a] - lo[a]) / side).floor() as i64);
    let mut cells: Vec<([i64; 3], usize)> = points.iter().map(cube).zip(0..).collect();
    cells.sort_unstable();
    let mut chosen: Vec<usize> =
        cells.chunk_by(|a, b| a.0 == b.0).map(|c| nearest(points, c)).collect();
    chosen.sort_unstable();
    chosen
}

/// The point of a cube that is nearest to their mean; of several the first.
fn nearest(points: &[Point], cell: &[([i64; 3], usize)]) -> usize {
    let origin = points[cell[0].1];
    let sum = cell.iter().fold([0.0; 3], |s, c| vec3::add(s, vec3::sub(points[c.1], origin)));
    let mean = vec3::add(origin, vec3::scale(sum, 1.0 / cell.len() as f64));
    let mut best = (f64::INFINITY, cell[0].1);
    for &(_, i) in cell {
        let distance2 = vec3::distance2(points[i], mean);
        if distance2 < best.0 {
            best = (distance2, i);
        }
    }
    best.1
}

/// `wanted` rows of `n`, or that share of them if it is below one, in order.
fn random(n: usize, wanted: f64, seed: u64) -> Vec<usize> {
    let count = if wanted < 1.0 { (wanted * n as f64).round() } else { wanted.min(n as f64) };
    let mut order: Vec<(u64, usize)> = (0..n).map(|i| (mixed(seed ^ mixed(i as u64)), i)).collect();
    order.sort_unstable();
    let mut chosen: Vec<usize> = order.into_iter().take(count as usize).map(|o| o.1).collect();
    chosen.sort_unstable();
    chosen
}

/// A number that looks random: the output function of SplitMix64 (Steele, Lea & Flood 2014,
/// doi:10.1145/2660193.2660195).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
