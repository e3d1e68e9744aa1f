//! Noise that differs from place to place: an estimate for each region of a cloud.

use rayon::prelude::*;

use super::scan;
use crate::neighbors::KdTree;
use crate::sample;
use crate::vec3::Point;

/// Radius of a region in spacings, and how far it counts in regions.
const REGION: f64 = 24.0;
const COUNTS: f64 = 1.5;
/// Neighborhoods inspected in each, at most, and fewest that an estimate needs.
const SAMPLES: usize = 48;
const FEWEST: usize = 12;
/// Regions a task, and points.
const REGIONS: usize = 4;
const POINTS: usize = 1024;

/// The noise of a cloud, region by region.
///
/// Only what is near counts: a piece of a cloud gets the same map as the whole, but for
/// [`reach`](Self::reach) along its border.
///
/// ```
/// use pellucid_cloud::KdTree;
/// use pellucid_cloud::noise::NoiseMap;
///
/// // A sheet that is noisy on one side.
/// let rough = |i: u32| if i % 100 < 50 { 0.0 } else { f64::from(i * 7919 % 101) / 101.0 };
/// let sheet: Vec<_> = (0..10_000)
///     .map(|i| [f64::from(i % 100), f64::from(i / 100), rough(i)])
///     .collect();
/// let ranks: Vec<u64> = (0..10_000_u64).map(|i| i * 7919 % 10_007).collect();
/// let map = NoiseMap::new(&sheet, &KdTree::new(&sheet), &ranks, 1.0);
/// let noise = map.of_points(&[[5.0, 50.0, 0.0], [95.0, 50.0, 0.0]]);
/// assert!(noise[0].unwrap() < 0.01 && noise[1].unwrap() > 0.2);
/// ```
#[derive(Debug)]
pub struct NoiseMap {
    tree: KdTree,
    regions: Vec<Region>,
    radius: f64,
}

#[derive(Debug, Clone, Copy)]
struct Region {
    place: Point,
    sigma: f64,
    points: usize,
}

impl NoiseMap {
    /// Estimates the regions around some of the points, those of low rank first. Ranks are numbers
    /// of points that have nothing to do with where these are.
    pub fn new(points: &[Point], tree: &KdTree, ranks: &[u64], spacing: f64) -> NoiseMap {
        let radius = REGION * spacing;
        let seeds = sample::poisson_disk_by_rank_in(tree, points, radius, ranks);
        let look = |&seed: &u32| {
            let place = points[seed as usize];
            let mut near = Vec::new();
            tree.radius_into(place, radius, &mut near);
            let count = near.len();
            near.sort_unstable_by_key(|n| (ranks[n.index as usize], n.index));
            near.truncate(SAMPLES);
            let queries: Vec<Point> = near.iter().map(|n| points[n.index as usize]).collect();
            let (step, _) = scan::choose(&scan::scan_near(&queries, points, tree, radius))?;
            let region = Region { place, sigma: step.sigma, points: count };
            (step.samples >= FEWEST).then_some(region)
        };
        let regions: Vec<Option<Region>> =
            seeds.par_iter().with_min_len(REGIONS).map(look).collect();
        let regions: Vec<Region> = regions.into_iter().flatten().collect();
        let places: Vec<Point> = regions.iter().map(|r| r.place).collect();
        NoiseMap { tree: KdTree::new(&places), regions, radius }
    }

    /// How far from a point the map depends on others, in spacings.
    pub const fn reach() -> f64 {
        // A region that counts, its points, and their neighborhoods.
        REGION * (COUNTS + 2.0)
    }

    /// The noise that this part of the points, by region, has at most; `None` without regions.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let mut sigmas: Vec<(f64, usize)> =
            self.regions.iter().map(|r| (r.sigma, r.points)).collect();
        sigmas.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let all: usize = sigmas.iter().map(|s| s.1).sum();
        let mut below = 0;
        let reached = |s: &&(f64, usize)| {
            below += s.1;
            below as f64 >= part * all as f64
        };
        sigmas.iter().find(reached).or(sigmas.last()).map(|s| s.0)
    }

    /// The noise around each of these points: the geometric mean of the regions near it, nearer
    /// ones before others; `None` where there is none.
    pub fn of_points(&self, points: &[Point]) -> Vec<Option<f64>> {
        let reach = COUNTS * self.radius;
        // The log of a surface without any noise is not finite.
        let least = 1e-6 * self.radius;
        let at = |near: &mut Vec<_>, p: Point| {
            self.tree.radius_into(p, reach, near);
            let (mut sum, mut weights) = (0.0, 0.0);
            for n in near.iter() {
                let w = (1.0 - n.distance2 / (reach * reach)).max(0.0).powi(2);
                // Not the standard library's: these have the same bits on every platform.
                sum += w * libm::log(self.regions[n.index as usize].sigma.max(least));
                weights += w;
            }
            (weights > 0.0).then(|| libm::exp(sum / weights))
        };
        let some = |points: &[Point]| {
            let mut near = Vec::new();
            points.iter().map(|&p| at(&mut near, p)).collect::<Vec<_>>()
        };
        points.par_chunks(POINTS).flat_map_iter(some).collect()
    }
}

#[cfg(test)]
#[path = "regions_tests.rs"]
mod tests;
