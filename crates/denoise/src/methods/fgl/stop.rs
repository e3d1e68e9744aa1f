//! When to stop, without the truth.

use pellucid_cloud::noise::NoiseEstimate;
use pellucid_cloud::{Point, vec3};

use super::params::{FglParameters, StopRule};
use crate::{Iteration, Stop};

/// Follows a run and says when it is enough.
pub struct Stopper {
    rule: StopRule,
    spacing: f64,
    noise: f64,
    target: f64,
    removed: f64,
    energy: f64,
    told: f64,
}

/// What to do with an iteration's result.
pub struct Verdict {
    /// Keep it.
    pub keep: bool,
    /// End the loop.
    pub stop: Option<Stop>,
}

impl Stopper {
    /// Estimates from the observed cloud what is to be removed.
    pub fn new(p: &FglParameters, estimate: &NoiseEstimate) -> Stopper {
        Stopper {
            spacing: estimate.spacing,
            rule: p.stop,
            noise: estimate.sigma,
            target: estimate.sigma * p.stop_factor,
            removed: 0.0,
            energy: f64::INFINITY,
            told: 0.0,
        }
    }

    /// The estimated noise, in local units.
    pub fn noise(&self) -> Option<f64> {
        Some(self.noise)
    }

    /// The mean spacing, in local units.
    pub fn spacing(&self) -> Option<f64> {
        Some(self.spacing)
    }

    /// How far the run has come, as far as can be said before iteration `i`; it never falls.
    pub fn progress(&mut self, i: usize, limit: usize) -> f64 {
        let by_noise = if self.rule == StopRule::Noise { self.removed / self.target } else { 0.0 };
        let by_count = (i - 1) as f64 / limit as f64;
        self.told = by_noise.max(by_count).clamp(self.told, 1.0);
        self.told
    }

    /// Looks at the step from `y` to `next`.
    pub fn judge(
        &mut self,
        record: &mut Iteration,
        observed: &[Point],
        _y: &[Point],
        next: &[Point],
        normals: &[Point],
        unit: f64,
    ) -> Verdict {
        let sum: f64 = (next.iter().zip(observed).zip(normals))
            .map(|((&y, &p), &n)| vec3::dot(vec3::sub(y, p), n).powi(2))
            .sum();
        self.removed = (sum / next.len().max(1) as f64).sqrt();
        let left = self.noise * self.noise - self.removed * self.removed;
        record.noise_left = Some(left.max(0.0).sqrt() * unit);
        let energy = record.energy_after.unwrap_or(f64::INFINITY);
        let stop = match self.rule {
            StopRule::Limit => None,
            StopRule::Noise => (self.removed >= self.target).then_some(Stop::NoiseRemoved),
            StopRule::Objective => (energy >= self.energy).then_some(Stop::ObjectiveRose),
        };
        self.energy = energy;
        Verdict { keep: true, stop }
    }
}
