//! What the cloud says.

use pellucid_cloud::KdTree;
use pellucid_cloud::noise::{Layers, estimate_noise_in, noise_of_layers};
use serde::{Deserialize, Serialize};

use super::weigh::{FEATURES, POSITION_SCALE};
use crate::frame::LocalFrame;
use crate::{Report, Stop};

/// Noise below this many spacings is left alone: no patch can tell it from the surface.
const NEGLIGIBLE: f64 = 0.125;
/// Tails (see [`Layers`]) between which walls turn from thick to thin.
const TAILS: [f64; 2] = [-0.1, -0.2];

/// What was found in a cloud, in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Found {
    layers: Layers,
}

/// Looks at the cloud, or at the part of it that is learned from.
pub fn look(frame: &LocalFrame, part: &[u32]) -> Found {
    // In the order of the cloud's rows, so that it does not depend on how the cloud is turned.
    let mut by_row = part.to_vec();
    by_row.sort_unstable_by_key(|&i| frame.rows()[i as usize]);
    let points: Vec<_> = by_row.iter().map(|&i| frame.points()[i as usize]).collect();
    let tree = KdTree::new(&points);
    Found { layers: noise_of_layers(&points, &tree, &estimate_noise_in(&points, &tree)) }
}

impl Found {
    /// Noise in spacings.
    pub fn sigma(&self) -> f64 {
        self.layers.noise.sigma
    }

    /// How thin walls are for the noise: 0 not, 1 very.
    pub fn thinness(&self) -> f64 {
        ((TAILS[0] - self.layers.tails) / (TAILS[0] - TAILS[1])).clamp(0.0, 1.0)
    }

    /// Whether there is too little noise to do anything.
    pub fn is_clean(&self) -> bool {
        self.sigma() < NEGLIGIBLE
    }

    /// The findings as sentences.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = vec![format!("noise of {:.2} spacings", self.sigma())];
        if self.thinness() > 0.0 {
            words.push("walls about as thin as the noise: it stops before they collapse".into());
        }
        if self.is_clean() {
            words.push("too little noise to tell from the surface".into());
        }
        words
    }
}

/// What was learned and why it ended, in words.
pub fn ending(rounds: usize, stop: Stop, report: &Report) -> Vec<String> {
    let why = match stop {
        Stop::Converged => "points hardly moved any more",
        Stop::NoiseRemoved => "points had moved by as much as the noise",
        Stop::IterationLimit => "it does no more than that",
        _ => "it was asked to",
    };
    let mut words = vec![format!("stopped after {rounds} rounds because {why}")];
    if let Some(length) = normal_in_spacings(report) {
        words.push(if length < 0.05 {
            "learned: how far points are apart matters, how normals differ does not".into()
        } else {
            format!("learned: two normals that differ by 1 count as much as points {length:.1} spacings apart")
        });
    }
    words
}

/// The distance in spacings that weighs as much as a difference of one between normals.
fn normal_in_spacings(report: &Report) -> Option<f64> {
    let m = report.metric.as_ref()?;
    let trace = |range: std::ops::Range<usize>| -> f64 { range.map(|i| m[i][i]).sum() };
    let (position, normal) = (trace(0..FEATURES / 2), trace(FEATURES / 2..FEATURES));
    (position > 0.0).then(|| (normal / position).sqrt() / POSITION_SCALE)
}
