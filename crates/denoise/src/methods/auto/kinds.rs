//! What is no surface: foliage and other volumes.
//!
//! Noise on a surface and foliage look alike before denoising, and one neighborhood says little:
//! sheets closer than their noise look like a volume too. Denoising tells them apart region by region:
//! points of a noisy surface end up on thin sheets, those of a volume do not.

use pellucid_cloud::noise::thickness;
use pellucid_cloud::{KdTree, Point, sample};
use rayon::prelude::*;

use super::tuning::Tuning;
use crate::graph::scramble;

/// Radius of a region, in spacings.
pub const REGION: f64 = 24.0;
/// Neighborhoods looked at in each, at most.
const SAMPLES: usize = 48;
/// Points of a neighborhood before and after denoising.
const NEIGHBORS: [usize; 2] = [48, 24];
/// Thickness below which a region is a surface, whatever becomes of it.
const FLAT: f64 = 0.1;
/// Regions that touch are nearer than this many radii.
const BESIDE: f64 = 2.0;
/// Regions a task.
const REGIONS: usize = 4;

/// Which points are in volumes: in regions that are not so thick before that they could be a
/// surface under noise thicker than its spacing, and hardly thinner after.
pub fn volumes(
    observed: &[Point],
    denoised: &[Point],
    numbers: &[u32],
    tuning: &Tuning,
) -> Vec<bool> {
    if observed.len() <= NEIGHBORS[0] {
        return vec![false; observed.len()];
    }
    let trees = [KdTree::new(observed), KdTree::new(denoised)];
    let clouds = [observed, denoised];
    let ranks: Vec<u64> = numbers.iter().map(|&n| scramble(u64::from(n))).collect();
    let seeds = sample::poisson_disk_by_rank_in(&trees[0], observed, REGION, &ranks);
    let look = |&seed: &u32| {
        let mut near = Vec::new();
        trees[0].radius_into(observed[seed as usize], REGION, &mut near);
        near.sort_unstable_by_key(|n| (ranks[n.index as usize], n.index));
        near.truncate(SAMPLES);
        let members: Vec<u32> = near.iter().map(|n| n.index).collect();
        let mean = |k: usize| {
            let sum: f64 =
                members.iter().map(|&i| around(clouds[k], &trees[k], i, NEIGHBORS[k])).sum();
            sum / members.len() as f64
        };
        let before = mean(0);
        let kept = mean(1) / before.max(f64::MIN_POSITIVE);
        let sure = (FLAT..tuning.filled).contains(&before) && kept > tuning.still_thick;
        (sure, before > FLAT && kept > tuning.maybe_thick)
    };
    let looks: Vec<(bool, bool)> = seeds.par_iter().with_min_len(REGIONS).map(look).collect();
    let places: Vec<Point> = seeds.iter().map(|&s| observed[s as usize]).collect();
    let sure: Vec<Point> = (0..looks.len()).filter(|&r| looks[r].0).map(|r| places[r]).collect();
    if sure.is_empty() {
        return vec![false; observed.len()];
    }
    // Where it cannot be decided, the kind is that of what is beside.
    let beside = KdTree::new(&sure).nearest_of(&places);
    let is_beside = |r: usize| beside[r].distance2 <= (BESIDE * REGION).powi(2);
    let regions: Vec<bool> =
        (0..looks.len()).map(|r| looks[r].0 || looks[r].1 && is_beside(r)).collect();
    let nearest = KdTree::new(&places).nearest_of(observed);
    nearest.iter().map(|n| regions[n.index as usize]).collect()
}

/// How thick the cloud is around a point.
fn around(points: &[Point], tree: &KdTree, i: u32, neighbors: usize) -> f64 {
    let mut near = Vec::new();
    tree.knn_into(points[i as usize], neighbors, &mut near);
    thickness(near.iter().map(|n| points[n.index as usize])).unwrap_or(0.0)
}

/// The finding in words, if there is one.
pub fn in_words(count: usize) -> Option<String> {
    let are = if count == 1 { "point is" } else { "points are" };
    (count > 0).then(|| format!("{count} {are} not part of a surface and kept their positions"))
}
