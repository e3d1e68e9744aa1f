//! What is no surface: foliage and other volumes.
//!
//! Noise on a surface and foliage look alike before denoising, and one neighborhood says little:
//! sheets closer than their noise look like a volume too. Denoising tells them apart: points of a
//! noisy surface end up on thin sheets, those of a volume do not. Regions decide whether a cloud has
//! volumes, and if so, each point is what the points around it are.

use pellucid_cloud::eigen3::symmetric_eigen;
use pellucid_cloud::noise::thickness;
use pellucid_cloud::{KdTree, Point, normals, sample, stats};
use rayon::prelude::*;

use super::tuning::Tuning;
use crate::graph::scramble;

/// Radius of a region, in spacings.
const REGION: f64 = 24.0;
/// Fewest points of a region that says anything: neighborhoods in it must not reach far beyond it.
const FEWEST: usize = 2 * FOR_DIRECTIONS;
/// Fewest regions that say so in a cloud with volumes: one alone may be a thin and much curved part of a surface.
const AT_LEAST: usize = 2;
/// How far from a point its kind depends on others, in spacings.
pub const REACH: f64 = 32.0;
/// Neighborhoods inspected in each region, at most.
const SAMPLES: usize = 48;
/// Points of a neighborhood before and after denoising.
const NEIGHBORS: [usize; 2] = [48, 24];
/// Thickness over width below which there is a surface, whatever becomes of it.
const FLAT: f64 = 0.1;
/// Points that a normal after denoising is fitted to, and over which the directions of normals are compared.
const FOR_NORMAL: usize = 12;
const FOR_DIRECTIONS: usize = 96;
/// Regions and points a task.
const REGIONS: usize = 4;
const POINTS: usize = 256;

/// A cloud before and after denoising.
pub struct Kinds<'a> {
    clouds: [&'a [Point]; 2],
    trees: [KdTree; 2],
    tuning: &'a Tuning,
}

impl<'a> Kinds<'a> {
    /// Points as they were measured and as they were denoised; `None` for too few of them.
    pub fn new(observed: &'a [Point], denoised: &'a [Point], tuning: &'a Tuning) -> Option<Self> {
        let clouds = [observed, denoised];
        (observed.len() > NEIGHBORS[0]).then(|| Kinds {
            clouds,
            trees: clouds.map(KdTree::new),
            tuning,
        })
    }

    /// Whether there are volumes: regions that are not so thick before that they could be a surface
    /// under noise thicker than its spacing, and hardly thinner after, with normals into all directions
    /// (thin walls and limbs stay thick, too, but have few directions). Regions are drawn by the `numbers` of the
    /// points.
    pub fn has_volumes(&self, numbers: &[u32]) -> bool {
        let ranks: Vec<u64> = numbers.iter().map(|&n| scramble(u64::from(n))).collect();
        let (tree, observed) = (&self.trees[0], self.clouds[0]);
        let seeds = sample::poisson_disk_by_rank_in(tree, observed, REGION, &ranks);
        let is_volume = |&&seed: &&u32| {
            let mut near = Vec::new();
            tree.radius_into(observed[seed as usize], REGION, &mut near);
            if near.len() < FEWEST {
                return false;
            }
            near.sort_unstable_by_key(|n| (ranks[n.index as usize], n.index));
            near.truncate(SAMPLES);
            let members: Vec<u32> = near.iter().map(|n| n.index).collect();
            let mean = |k: usize| {
                members.iter().map(|&i| self.thickness(k, i)).sum::<f64>() / members.len() as f64
            };
            let before = mean(0);
            (FLAT..self.tuning.filled).contains(&before)
                && mean(1) > self.tuning.still_thick * before
                && self.scatter(&members) > self.tuning.all_directions
        };
        seeds.par_iter().with_min_len(REGIONS).filter(is_volume).count() >= AT_LEAST
    }

    /// Which points are in volumes, in a cloud that has some: around them the cloud is thick and
    /// hardly became thinner. Ground under a tree stays ground.
    pub fn volumes(&self) -> Vec<bool> {
        let points = (0..self.clouds[0].len() as u32).into_par_iter().with_min_len(POINTS);
        let both: Vec<[f64; 2]> = points.map(|i| [0, 1].map(|k| self.thickness(k, i))).collect();
        let around = |(): &mut (), _: usize, row: &[u32], _: &[f64]| {
            let sum = |k: usize| row.iter().map(|&j| both[j as usize][k]).sum::<f64>();
            let (before, after) = (sum(0), sum(1));
            before > FLAT * row.len() as f64 && after > self.tuning.maybe_thick * before
        };
        self.trees[0].map_neighbors(NEIGHBORS[0], || (), around)
    }

    /// How much normals around these points look into all three directions: the smallest eigenvalue of the
    /// mean of `n n'`, median over the points. 0 on a plane, between two close sheets, along an edge or a rod; 1/3
    /// if all directions are alike.
    fn scatter(&self, members: &[u32]) -> f64 {
        let (points, tree) = (self.clouds[1], &self.trees[1]);
        let (mut near, mut around, mut row) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_point = |i: &u32| {
            tree.knn_into(points[*i as usize], FOR_DIRECTIONS, &mut near);
            let mut sum = [0.0; 6];
            for neighbor in &near {
                tree.knn_into(points[neighbor.index as usize], FOR_NORMAL, &mut around);
                row.clear();
                row.extend(around.iter().map(|n| n.index));
                let [x, y, z] = normals::normal_of(points, &row);
                let outer = [x * x, x * y, x * z, y * y, y * z, z * z];
                sum.iter_mut().zip(outer).for_each(|(s, o)| *s += o);
            }
            symmetric_eigen(sum).values[0] / near.len() as f64
        };
        stats::median(&mut members.iter().map(&mut of_point).collect::<Vec<_>>()).unwrap_or(0.0)
    }

    /// How thick the cloud before (0) or after (1) denoising is around a point.
    fn thickness(&self, k: usize, i: u32) -> f64 {
        let mut near = Vec::new();
        self.trees[k].knn_into(self.clouds[k][i as usize], NEIGHBORS[k], &mut near);
        thickness(near.iter().map(|n| self.clouds[k][n.index as usize])).unwrap_or(0.0)
    }
}

/// The findings in words.
pub fn in_words(in_volumes: usize, on_lines: usize) -> Vec<String> {
    let words = |count: usize, what: &str| {
        let (are, kept) = match count {
            1 => ("point is", "its position"),
            _ => ("points are", "their positions"),
        };
        (count > 0).then(|| format!("{count} {are} {what} and kept {kept}"))
    };
    let of_volumes = words(in_volumes, "not part of a surface");
    of_volumes.into_iter().chain(words(on_lines, "on lines such as wires or rails")).collect()
}
