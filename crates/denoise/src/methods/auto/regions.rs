//! Clouds whose noise differs from place to place. Rounds start with the noisiest points; others
//! join when what is left of the noise is like theirs, so that all are done at the same time, and
//! points without noise never move.

use pellucid_cloud::KdTree;
use pellucid_cloud::noise::NoiseMap;
use serde::{Deserialize, Serialize};

use super::choose::NEGLIGIBLE;
use super::round::Cloud;
use crate::graph::scramble;

/// Parts of the points, by their noise, that are compared.
const PARTS: [f64; 2] = [0.15, 0.85];
/// Noise that differs by less than this is the same: curved and thin parts look noisier than
/// they are, by up to 2.6 times on the benchmark models.
const UNEVEN: f64 = 3.0;
/// Without any noise, thin and curved parts look like 0.4 spacings of it.
const FLOOR: f64 = 0.2;
/// Points with more than this part of the most noise are the noisy ones.
const LOUD: f64 = 0.7;
/// Fewest points worth a stage.
const WORTH: usize = 200;
/// Points join when what is left of the noise is less than this many times theirs.
const JOIN: f64 = 1.2;

/// How noise differs, in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Uneven {
    /// Noise of the quiet parts.
    pub quiet: f64,
    /// Noise of the loud ones.
    pub loud: f64,
}

/// A range of noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The least.
    pub from: f64,
    /// What all is less than.
    pub below: f64,
}

impl Band {
    /// Any noise.
    pub const ALL: Band = Band { from: 0.0, below: f64::MAX };

    /// Whether this noise is in it.
    pub fn has(&self, sigma: f64) -> bool {
        (self.from..self.below).contains(&sigma)
    }
}

/// The noise of each point, in spacings.
pub struct Noises {
    sigmas: Vec<f64>,
    loud: f64,
}

/// Whether noise differs, and the noise of each point if so.
pub fn look(cloud: &Cloud, tree: &KdTree) -> Option<(Uneven, Noises)> {
    let map = map(cloud, tree);
    let [quiet, loud] = PARTS.map(|part| map.quantile(part).unwrap_or(0.0));
    let uneven = Uneven { quiet, loud };
    (loud > UNEVEN * quiet.max(FLOOR)).then(|| (uneven, Noises::new(cloud, &map, &uneven)))
}

fn map(cloud: &Cloud, tree: &KdTree) -> NoiseMap {
    let ranks: Vec<u64> = cloud.numbers.iter().map(|&n| scramble(u64::from(n))).collect();
    NoiseMap::new(cloud.observed, tree, &ranks, 1.0)
}

impl Noises {
    /// The noise of the points of a cloud that is known to be uneven.
    pub fn of(cloud: &Cloud, uneven: &Uneven) -> Noises {
        Noises::new(cloud, &map(cloud, &KdTree::new(cloud.observed)), uneven)
    }

    fn new(cloud: &Cloud, map: &NoiseMap, uneven: &Uneven) -> Noises {
        let sigmas = map.of_points(cloud.observed);
        // Too few points around it to say anything, as among outliers.
        let sigmas = sigmas.into_iter().map(|s| s.unwrap_or(uneven.loud)).collect();
        Noises { sigmas, loud: uneven.loud }
    }

    /// The noise of a point.
    pub fn of_point(&self, i: usize) -> f64 {
        self.sigmas[i]
    }

    /// The noise that a point can be off by: none where there is next to none.
    pub fn movable(&self, i: usize) -> f64 {
        if self.sigmas[i] < NEGLIGIBLE { 0.0 } else { self.sigmas[i].max(0.5) }
    }

    /// The noisiest points.
    pub fn loudest(&self) -> Band {
        Band { from: LOUD * self.loud, below: f64::MAX }
    }

    /// The noisiest of those with less than `below`, if there are enough to speak of.
    pub fn below(&self, below: f64) -> Option<Band> {
        let mut noises: Vec<f64> =
            self.sigmas.iter().copied().filter(|s| (NEGLIGIBLE..below).contains(s)).collect();
        if noises.len() < WORTH.max(self.sigmas.len() / 50) {
            return None;
        }
        let at = (PARTS[1] * noises.len() as f64) as usize;
        let loud = *noises.select_nth_unstable_by(at, f64::total_cmp).1;
        Some(Band { from: LOUD * loud, below })
    }
}

/// The noise from which points move when `left` spacings are left of the most.
pub fn least(left: f64) -> f64 {
    (left / JOIN).max(NEGLIGIBLE)
}
