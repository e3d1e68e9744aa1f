//! When to stop, without the truth.
//!
//! While there is noise, an iteration moves points by much more than it does on the surface
//! itself, where what remains is a shuffling along the surface by a fixed part of the spacing.
//! So the movement per iteration, in spacings of the present cloud, tells when the noise is gone.

use pellucid_cloud::noise::NoiseEstimate;
use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::{Point, vec3};

use super::params::{Fgl, StopRule};
use crate::{Iteration, Stop};

/// Movement, in spacings, below which an iteration changes nothing that anyone could see.
const AT_REST: f64 = 1e-3;

/// Follows a run and says when it is enough.
pub struct Stopper {
    rule: StopRule,
    movement: f64,
    share: f64,
    estimate: NoiseEstimate,
    /// Rms movement off the measured places, along the normals.
    removed: f64,
    energy: f64,
    /// The progress that was last reported.
    reported: f64,
}

impl Stopper {
    /// A stopper for a cloud of that noise, in local units.
    pub fn new(p: &Fgl, estimate: NoiseEstimate) -> Stopper {
        Stopper {
            rule: p.stop,
            movement: p.stop_movement,
            share: p.stop_noise,
            estimate,
            removed: 0.0,
            energy: f64::INFINITY,
            reported: 0.0,
        }
    }

    /// A stopper by the rule `movement`: for points that move by less than `movement` spacings, or
    /// that have moved by `share` of the noise.
    pub fn by_movement(movement: f64, share: f64, estimate: NoiseEstimate) -> Stopper {
        let rule = StopRule::Movement;
        let energy = f64::INFINITY;
        Stopper { rule, movement, share, estimate, removed: 0.0, energy, reported: 0.0 }
    }

    /// How far the run has come, as far as can be said before iteration `i`; it never falls.
    pub fn progress(&mut self, i: usize, limit: usize) -> f64 {
        let by_noise =
            if self.estimate.sigma > 0.0 { self.removed / self.estimate.sigma } else { 0.0 };
        let by_count = (i - 1) as f64 / limit as f64;
        // The last part of the noise goes slowly.
        self.reported = (0.8 * by_noise).min(0.9).max(by_count).clamp(self.reported, 1.0);
        self.reported
    }

    /// Judges the step to `next`; `spacing` and `normals` are those of the cloud before it.
    pub fn judge(
        &mut self,
        record: &mut Iteration,
        observed: &[Point],
        next: &[Point],
        normals: &[Point],
        spacing: f64,
        unit: f64,
    ) -> Option<Stop> {
        self.removed = root_mean_square(
            (next.iter().zip(observed).zip(normals))
                .map(|((&y, &p), &n)| vec3::dot(vec3::sub(y, p), n)),
        );
        let sigma = self.estimate.sigma;
        let left = sigma * sigma - self.removed * self.removed;
        record.noise_left = Some(left.max(0.0).sqrt() * unit);

        let moved = record.mean_displacement / (spacing * unit);
        let (still, at_rest) = (moved < self.movement, moved < AT_REST);
        let by_movement = if still {
            Some(Stop::Converged)
        } else {
            (sigma > 0.0 && self.removed >= self.share * sigma).then_some(Stop::NoiseRemoved)
        };
        record.would_stop = by_movement.is_some();
        let energy = record.energy_observed.unwrap_or(f64::INFINITY);
        let rose = energy >= self.energy;
        self.energy = energy;
        match self.rule {
            StopRule::Limit => None,
            StopRule::Movement => by_movement,
            StopRule::Objective if at_rest => Some(Stop::Converged),
            StopRule::Objective => rose.then_some(Stop::ObjectiveRose),
        }
    }
}
