//! The noise of a cloud, and of each of its points where it differs from place to place.

use pellucid_cloud::noise::{
    NoiseEstimate, NoiseMap, error_steps, estimate_noise_at, noise_between_layers_at,
    noise_of_layers_at,
};
use pellucid_cloud::{KdTree, Point};
use serde::{Deserialize, Serialize};

use crate::graph::scramble;

/// Shares of the points, by their noise, that are compared.
const SHARES: [f64; 2] = [0.15, 0.85];
/// Noise that differs by less than this is the same: curved and thin parts look noisier than
/// they are, by up to 2.6 times on generated shapes; and without any noise like 0.2 spacings of it.
const UNEVEN: f64 = 3.0;
const FLOOR: f64 = 0.2;
/// Points with more than this share of the most noise are the noisy ones.
const LOUD: f64 = 0.7;
/// Tails of the heights between which features turn from thick to thin for the noise.
const TAILS: [f64; 2] = [-0.03, -0.25];

/// Widths of the steps in which coordinates were recorded that count as noise: any neighborhood sees narrower ones, and
/// wider ones leave nothing of a surface.
const STEPS: [f64; 2] = [1.0, 10.0];

/// Radius, in units of the noise, within which nearly all points of a sheet are; places counted in.
const WIDE: f64 = 3.0;
const PLACES: usize = 1024;

/// The noise of a cloud, in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The noise; of the noisiest places where it differs.
    pub noise: f64,
    /// The noise of the quietest and of the noisiest places, where it differs.
    pub uneven: Option<[f64; 2]>,
    /// Width of the steps in which a coordinate was recorded, where that is the noise.
    pub steps: Option<f64>,
    /// Whether there were enough points on surfaces to say so.
    pub reliable: bool,
}

/// Points in the order of the cloud's rows, so that an estimate from a sample of them does not
/// depend on how the cloud is turned.
pub struct Sample<'a> {
    /// All points.
    pub points: &'a [Point],
    /// Numbers of the points in the whole cloud.
    pub numbers: &'a [u32],
    /// Points that have all of their neighbors, where some do not.
    pub inner: Option<&'a [bool]>,
}

impl Sample<'_> {
    /// All points in the order of the rows, and those of them that have all of their neighbors and
    /// are `wanted`.
    fn in_rows(&self, wanted: impl Fn(usize) -> bool) -> (Vec<Point>, Vec<Point>) {
        let mut order: Vec<u32> = (0..self.points.len() as u32).collect();
        order.sort_unstable_by_key(|&i| self.numbers[i as usize]);
        let at = |i: &u32| self.points[*i as usize];
        let is_place = |i: &&u32| {
            let i = **i as usize;
            self.inner.is_none_or(|inner| inner[i]) && wanted(i)
        };
        (order.iter().map(at).collect(), order.iter().filter(is_place).map(at).collect())
    }

    fn map(&self) -> NoiseMap {
        let ranks: Vec<u64> = self.numbers.iter().map(|&n| scramble(u64::from(n))).collect();
        NoiseMap::new(self.points, &KdTree::new(self.points), &ranks, 1.0)
    }
}

impl Estimate {
    /// Estimates the noise from a sample, and that of each of its points.
    pub fn new(sample: &Sample) -> (Estimate, Vec<f64>) {
        let map = sample.map();
        let [quiet, loud] = SHARES.map(|share| map.quantile(share).unwrap_or(0.0));
        let uneven = (loud > UNEVEN * quiet.max(FLOOR)).then_some([quiet, loud]);
        let of_points = uneven.map(|u| of_points(&map, sample.points, u[1]));
        let is_loud = |i: usize| match (&of_points, uneven) {
            (Some(noise), Some([_, loud])) => noise[i] >= LOUD * loud,
            _ => true,
        };
        let (points, places) = sample.in_rows(is_loud);
        let tree = KdTree::new(&points);
        let one = estimate_noise_at(&places, &points, &tree);
        let noise = noise_of_layers_at(&places, &points, &tree, &one).noise.sigma;
        let between = noise_between_layers_at(&places, &points, &tree);
        let noise = between.map_or(noise, |s| s.min(noise));
        // Points of a terrace share their error, so it counts as a whole step, for which levels are so coarse that
        // patches lie across terraces.
        if let Some(step) = error_steps(&places, &points, &tree, noise.max(STEPS[0])..STEPS[1]) {
            let steps = Estimate { noise: step, uneven: None, steps: Some(step), reliable: true };
            return (steps, vec![step; points.len()]);
        }
        let all = of_points.unwrap_or_else(|| vec![noise; points.len()]);
        (Estimate { noise, uneven, steps: None, reliable: one.reliable }, all)
    }

    /// The noise of each point of a cloud of which this is known.
    pub fn of_points(&self, sample: &Sample) -> Vec<f64> {
        match self.uneven {
            Some([_, loud]) => of_points(&sample.map(), sample.points, loud),
            None => vec![self.noise; sample.points.len()],
        }
    }

    /// How far from a point its noise depends on others, in spacings.
    pub fn reach(&self) -> f64 {
        if self.uneven.is_some() { NoiseMap::reach() } else { 0.0 }
    }

    /// The estimate in words.
    pub fn in_words(&self) -> String {
        match self.uneven {
            None if self.steps.is_some() => format!(
                "coordinates were recorded in steps of {:.2} spacings, which count as noise",
                self.noise
            ),
            None => format!("noise of {:.2} spacings", self.noise),
            Some([quiet, _]) => format!(
                "the noise differs from place to place: {quiet:.2} spacings where it is low, {:.2} where it is high",
                self.noise
            ),
        }
    }
}

/// Where too few points are around to say anything, as among outliers, the noise is the highest.
fn of_points(map: &NoiseMap, points: &[Point], loud: f64) -> Vec<f64> {
    map.of_points(points).into_iter().map(|s| s.unwrap_or(loud)).collect()
}

/// How thin features are for that noise at the start, seen in the points as they are now: 0 not,
/// 1 very.
pub fn thinness(sample: &Sample, noise: f64) -> f64 {
    let (points, places) = sample.in_rows(|_| true);
    let tree = KdTree::new(&points);
    let first = NoiseEstimate { sigma: noise, ..estimate_noise_at(&places, &points, &tree) };
    let tails = noise_of_layers_at(&places, &points, &tree, &first).tails;
    ((TAILS[0] - tails) / (TAILS[0] - TAILS[1])).clamp(0.0, 1.0)
}

/// The noise of a sample as it is now.
pub fn noise_left(sample: &Sample) -> f64 {
    let (points, places) = sample.in_rows(|_| true);
    estimate_noise_at(&places, &points, &KdTree::new(&points)).sigma
}

/// The side of the square that a point has on the surface, in spacings, from how many points are
/// within a few times the noise. Unlike the distance to the nearest it does not grow with the noise.
pub fn side(sample: &Sample, noise: f64) -> f64 {
    let (points, places) = sample.in_rows(|_| true);
    let tree = KdTree::new(&points);
    let radius = WIDE * noise;
    let stride = places.len().div_ceil(PLACES).max(1);
    let mut counts: Vec<usize> = places
        .iter()
        .step_by(stride)
        .map(|&p| {
            let mut count = 0;
            tree.within(p, radius, |_| {
                count += 1;
                true
            });
            count
        })
        .collect();
    let middle = counts.len() / 2;
    match counts.is_empty() {
        true => 1.0,
        false => {
            let count = *counts.select_nth_unstable(middle).1;
            radius * (std::f64::consts::PI / count as f64).sqrt()
        }
    }
}
