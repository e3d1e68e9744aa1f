//! What a round does, by the noise that is left, and when it is enough.

use serde::{Deserialize, Serialize};

use crate::Stop;

/// Points of a patch where there is little noise, and how many more for each squared spacing of
/// noise above [`SMALL_UP_TO`].
const SMALLEST: f64 = 9.0;
const GROWTH: f64 = 8.0;
const SMALL_UP_TO: f64 = 1.2;
/// Most points of a patch.
const LARGEST: f64 = 32.0;
/// Patches that a point is in.
const COVER: f64 = 2.7;
/// Limit on the trace of the metric for patches of [`SMALLEST`] points: how narrow weights are.
/// Larger patches have wider ones.
const TRACE: f64 = 3.0;
/// Strength of the pull, and how it grows with the noise like patches do.
const GAMMA: f64 = 0.2;
const GAMMA_GROWTH: f64 = 0.1;
/// How much heights count when counterparts are found.
const HEIGHT: f64 = 0.5;
/// Spacings that a difference of one between normals counts as.
const PER_NORMAL: f64 = 3.0;
/// Noise at the start, in spacings, up to which normals are clear, and above which they are not.
const CLEAR: [f64; 2] = [0.7, 1.1];
/// With clear normals, for each spacing of noise below [`LITTLE`]: how many more spacings a difference
/// of one counts as, and what is added to the metric's entries of normals. Learning takes them away,
/// since the signal is where points are; across an edge they are what holds the sides apart.
const PER_CLEAR_NORMAL: f64 = 8.0;
const NORMAL_FLOOR: f64 = 16.0;
/// Sweeps of the solver; where there is more noise at the start than [`MORE_SWEEPS_UP_TO`] and patches
/// are larger, or the cloud is large; and as many as leave nothing to do.
const SWEEPS: usize = 6;
const FEW_SWEEPS: usize = 4;
const MORE_SWEEPS_UP_TO: f64 = 1.4;
/// On a surface, disks of radius r leave about 0.7 centres per r² (measured).
const DISKS: f64 = 0.7 * std::f64::consts::PI;

/// Part of the first round's movement below which points are at rest, for 0.9 of the noise removed;
/// how much it grows with that part of the noise; with each spacing of noise below [`LITTLE`],
/// since a round that moves points by little has less to lose; and falls with each above [`MUCH`].
const REST: f64 = 0.52;
const REST_GROWTH: f64 = 1.0;
const REST_OF_LITTLE: f64 = 0.48;
const LITTLE: f64 = 0.9;
const REST_OF_MUCH: f64 = 0.15;
const MUCH: f64 = 1.1;
/// Part of the noise that points may move along their normals; more than all of it, since the
/// estimate may be low.
const WHOLE: f64 = 1.05;
/// The same where the noise is as wide as walls are thick: from here on walls collapse.
const THIN: f64 = 0.53;

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
}

impl Settings {
    /// For points with `left` spacings of noise of `sigma` at the start.
    pub fn for_noise(left: f64, sigma: f64) -> Settings {
        let over = (left * left - SMALL_UP_TO).max(0.0);
        let size = (SMALLEST + GROWTH * over).min(LARGEST).round();
        let sharp = clearness(sigma) * (LITTLE - left).max(0.0);
        Settings {
            size: size as usize,
            share: COVER / size,
            trace_limit: TRACE * SMALLEST / size,
            gamma: GAMMA + GAMMA_GROWTH * over.min(2.0),
            height: HEIGHT,
            per_normal: PER_NORMAL + PER_CLEAR_NORMAL * sharp,
            normal_floor: NORMAL_FLOOR * sharp,
            sweeps: if size > SMALLEST && sigma > MORE_SWEEPS_UP_TO { FEW_SWEEPS } else { SWEEPS },
        }
    }

    /// How many points a disk around a centre should hold.
    pub fn points_of_disk(&self) -> usize {
        (DISKS / self.share).round() as usize
    }
}

/// How clear normals are for `sigma` spacings of noise at the start: 0 not, 1 very.
pub fn clearness(sigma: f64) -> f64 {
    ((CLEAR[1] - sigma) / (CLEAR[1] - CLEAR[0])).clamp(0.0, 1.0)
}

/// Follows the rounds.
#[derive(Debug, Clone)]
pub struct Follow {
    sigma: f64,
    thinness: f64,
    strength: f64,
    first: Option<f64>,
    removed: f64,
}

impl Follow {
    /// For `sigma` spacings of noise.
    pub fn new(sigma: f64, strength: f64) -> Follow {
        Follow { sigma, thinness: 0.0, strength, first: None, removed: 0.0 }
    }

    /// What the next round does.
    pub fn settings(&self) -> Settings {
        Settings::for_noise(self.left(), self.sigma)
    }

    /// How thin walls are for the noise: 0 not, 1 very.
    pub fn thinness(&self) -> f64 {
        self.thinness
    }

    /// From now on, walls have that thinness.
    pub fn walls(&mut self, thinness: f64) {
        self.thinness = thinness;
    }

    /// Part of the noise that may be removed.
    fn limit(&self) -> f64 {
        self.strength * (WHOLE + (THIN - WHOLE) * self.thinness)
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
        let by_noise = REST_OF_LITTLE * (LITTLE - self.sigma).max(0.0)
            - REST_OF_MUCH * (self.sigma - MUCH).max(0.0);
        let rest = REST + REST_GROWTH * (part - 0.9) + by_noise;
        let rest = rest.clamp(0.0, 1.0) / self.strength;
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
