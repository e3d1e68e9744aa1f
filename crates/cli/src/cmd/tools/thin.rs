//! `pellucid thin`: fewer points, each with its attributes.

use pellucid::cloud::sample::poisson_disk;
use pellucid::cloud::{Point, bounds, vec3};

use super::keep_rows;
use crate::args::Thin;
use crate::failure::Failure;

pub fn run(args: &Thin) -> Result<(), Failure> {
    let how = match (args.voxel, args.poisson) {
        (Some(side), _) => format!("one in each cube of {side}"),
        (_, Some(radius)) => format!("at least {radius} apart"),
        _ => "chosen at random".to_owned(),
    };
    keep_rows(&args.files, &how, |document| {
        let points = document.cloud.positions();
        let finite = document.cloud.finite_rows();
        let places: Vec<Point> = finite.iter().map(|&row| points[row]).collect();
        let chosen = match (args.voxel, args.poisson, args.random) {
            (Some(side), _, _) => voxels(&places, side),
            (_, Some(radius), _) => {
                let mut chosen = poisson_disk(&places, radius, args.seed);
                chosen.sort_unstable();
                chosen.into_iter().map(|i| i as usize).collect()
            }
            (_, _, wanted) => random(places.len(), wanted.unwrap_or(1.0), args.seed),
        };
        Ok(chosen.into_iter().map(|i| finite[i]).collect())
    })
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
