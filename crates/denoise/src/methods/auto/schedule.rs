//! What a round does, by the noise that is left, and when it is enough.

use serde::{Deserialize, Serialize};

use super::tuning::Tuning;
use crate::Stop;

/// On a surface, disks of radius r leave about 0.7 centers per r² (measured).
const DISKS: f64 = 0.7 * std::f64::consts::PI;

/// Rounds after which walls are looked for: by then light tails of the noise itself are gone, while
/// two sides of a wall stand out the more.
pub const WALLS_AFTER: usize = 3;

/// What a round does. Lengths are in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Points of a patch.
    pub size: usize,
    /// Patches a point.
    pub share: f64,
    /// Limit on the trace of the metric.
    pub trace_limit: f64,
    /// Strength of the pull.
    pub gamma: f64,
    /// How much heights count when counterparts are found.
    pub height: f64,
    /// Spacings that a difference of one between normals counts as.
    pub per_normal: f64,
    /// Added to the metric's entries of normals.
    pub normal_floor: f64,
    /// Sweeps of the solver.
    pub sweeps: usize,
    /// Share of the variance of heights that two layers must explain for points to be on one side of a wall, and the
    /// same where noise fills the neighborhood.
    pub layers: [f64; 2],
    /// Radius of a neighborhood that noise fills, in units of the noise at the start.
    pub filled: f64,
}

impl Settings {
    /// For points with `left` spacings of noise of `sigma` at the start.
    pub fn for_noise(t: &Tuning, left: f64, sigma: f64) -> Settings {
        let over = (left * left - t.small_up_to).max(0.0);
        let size = (t.patch + t.patch_growth * over).min(t.largest_patch).round();
        let sharp = t.clearness(sigma) * (t.little - left).max(0.0);
        let few = size > t.patch && sigma > t.more_sweeps_up_to;
        Settings {
            size: size as usize,
            share: t.cover / size,
            trace_limit: t.trace * t.patch / size,
            gamma: t.pull + t.pull_growth * over.min(2.0),
            height: t.height,
            per_normal: t.per_normal + t.per_clear_normal * sharp,
            normal_floor: t.normal_floor * sharp,
            sweeps: if few { t.few_sweeps } else { t.sweeps },
            layers: [t.two_layers, t.two_layers_filled],
            filled: t.fills * left / sigma.max(f64::MIN_POSITIVE),
        }
    }

    /// Share of the variance of heights that two layers must explain in a neighborhood of that radius: one that noise
    /// fills looks like two layers, too.
    pub fn two_layers(&self, noise: f64, radius: f64) -> f64 {
        self.layers[usize::from(radius < self.filled * noise)]
    }

    /// How many points a disk around a center should hold.
    pub fn points_of_disk(&self) -> usize {
        (DISKS / self.share).round() as usize
    }
}

/// Follows the rounds.
#[derive(Debug, Clone)]
pub struct Follow<'a> {
    tuning: &'a Tuning,
    sigma: f64,
    thinness: f64,
    strength: f64,
    first: Option<f64>,
    removed: f64,
}

impl<'a> Follow<'a> {
    /// For `sigma` spacings of noise.
    pub fn new(tuning: &'a Tuning, sigma: f64, strength: f64) -> Self {
        Follow { tuning, sigma, thinness: 0.0, strength, first: None, removed: 0.0 }
    }

    /// What the next round does.
    pub fn settings(&self) -> Settings {
        Settings::for_noise(self.tuning, self.left(), self.sigma)
    }

    /// How thin walls are for the noise: 0 not, 1 very.
    pub fn thinness(&self) -> f64 {
        self.thinness
    }

    /// From now on, walls have that thinness.
    pub fn walls(&mut self, thinness: f64) {
        self.thinness = thinness;
    }

    /// Part of the noise that may be removed, from a place or from all of them.
    pub fn limit(&self) -> f64 {
        self.strength * self.tuning.most_removed(self.thinness)
    }

    /// The noise that is left, in spacings.
    pub fn left(&self) -> f64 {
        (self.sigma * self.sigma - self.removed * self.removed).max(0.0).sqrt()
    }

    /// How much of the noise is gone.
    pub fn done(&self) -> f64 {
        (self.removed / (self.limit() * self.sigma).max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// Looks at a round that moved points by `moved` spacings on average, after which they are
    /// `removed` spacings (root mean square, along their normals) from where they were measured.
    pub fn judge(&mut self, moved: f64, removed: f64) -> Option<Stop> {
        self.removed = removed;
        let first = *self.first.get_or_insert(moved);
        let part = removed / self.sigma.max(f64::MIN_POSITIVE);
        let t = self.tuning;
        let rest = t.rest + t.rest_of_little * (t.little - self.sigma).max(0.0);
        let rest = rest.min(1.0) / self.strength;
        if part >= self.limit() {
            Some(Stop::NoiseRemoved)
        } else {
            (moved < rest * first).then_some(Stop::Converged)
        }
    }
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
