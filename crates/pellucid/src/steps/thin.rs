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
        (Some(side), _, _) => {
            bounds(&places).map_or(Vec::new(), |(low, _)| voxels(&places, low, side))
        }
        (_, Some(radius), _) => {
            let mut chosen = poisson_disk(&places, radius, seed);
            chosen.sort_unstable();
            chosen.into_iter().map(|i| i as usize).collect()
        }
        (_, _, wanted) => {
            let mut chosen = Vec::new();
            random(places.len(), wanted.unwrap_or(1.0), seed, |i| chosen.push(i));
            chosen
        }
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

/// Of the points in each cube the one nearest to their mean, in order; `lo` is a corner of a cube.
pub(crate) fn voxels(points: &[Point], lo: Point, side: f64) -> Vec<usize> {
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

/// Takes `wanted` rows of `n`, or that share of them if it is below one, in order: those that have
/// the lowest random numbers.
pub(crate) fn random(n: usize, wanted: f64, seed: u64, mut take: impl FnMut(usize)) {
    let count = if wanted < 1.0 { (wanted * n as f64).round() } else { wanted.min(n as f64) };
    let rank = |i: usize| (mixed(seed ^ mixed(i as u64)), i);
    let last = nth_lowest(n, count as usize, rank);
    (0..n).filter(|&i| last.is_some_and(|last| rank(i) <= last)).for_each(&mut take);
}

/// The `count`-th lowest of `n` ranks, without holding all of them.
fn nth_lowest(
    n: usize,
    count: usize,
    rank: impl Fn(usize) -> (u64, usize),
) -> Option<(u64, usize)> {
    const BITS: u32 = 16;
    let bucket = |r: (u64, usize)| (r.0 >> (64 - BITS)) as usize;
    let mut counts = vec![0; 1 << BITS];
    (0..n).for_each(|i| counts[bucket(rank(i))] += 1);
    let mut before = 0;
    let of_last = counts.iter().position(|&c| {
        before += c;
        before >= count
    })?;
    let mut near: Vec<(u64, usize)> = (0..n).map(rank).filter(|&r| bucket(r) == of_last).collect();
    near.sort_unstable();
    let below = before - near.len();
    near.get(count.checked_sub(below + 1)?).copied()
}

/// A number that looks random: the output function of SplitMix64 (Steele, Lea & Flood 2014,
/// doi:10.1145/2660193.2660195).
pub(crate) fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
