//! What the cloud says.

use pellucid_cloud::noise::{Layers, NoiseEstimate, estimate_noise_in, noise_of_layers};
use pellucid_cloud::{KdTree, Point};
use serde::{Deserialize, Serialize};

use super::Plan;
use super::weigh::{FEATURES, POSITION_SCALE};
use crate::frame::LocalFrame;
use crate::{Report, Stop};

/// Noise below this many spacings is left alone: no patch can tell it from the surface.
const NEGLIGIBLE: f64 = 0.125;
/// Tails (see [`Layers`]) between which walls turn from thick to thin.
const TAILS: [f64; 2] = [-0.03, -0.25];

/// What was found in a cloud, in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Found {
    layers: Layers,
}

/// Looks at the cloud, or at the part of it that is learned from.
pub fn look(frame: &LocalFrame, part: &[u32]) -> Found {
    let points: Vec<_> = part.iter().map(|&i| frame.points()[i as usize]).collect();
    let numbers: Vec<_> = part.iter().map(|&i| frame.ordinals()[i as usize]).collect();
    let points = by_number(&points, &numbers);
    let tree = KdTree::new(&points);
    Found { layers: noise_of_layers(&points, &tree, &estimate_noise_in(&points, &tree)) }
}

/// How thin walls are for the noise at the start, as seen now: 0 not, 1 very.
pub fn thinness(y: &[Point], numbers: &[u32], sigma: f64) -> f64 {
    let points = by_number(y, numbers);
    let tree = KdTree::new(&points);
    let first = NoiseEstimate { sigma, ..estimate_noise_in(&points, &tree) };
    let tails = noise_of_layers(&points, &tree, &first).tails;
    ((TAILS[0] - tails) / (TAILS[0] - TAILS[1])).clamp(0.0, 1.0)
}

/// The noise of points as they are now, in spacings at the start.
pub fn noise_left(y: &[Point], numbers: &[u32]) -> f64 {
    let points = by_number(y, numbers);
    estimate_noise_in(&points, &KdTree::new(&points)).sigma
}

/// Points in the order of the cloud's rows, so that what is seen in a sample of them does not
/// depend on how the cloud is turned.
fn by_number(points: &[Point], numbers: &[u32]) -> Vec<Point> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|&i| numbers[i as usize]);
    order.iter().map(|&i| points[i as usize]).collect()
}

impl Found {
    /// Noise in spacings.
    pub fn sigma(&self) -> f64 {
        self.layers.noise.sigma
    }

    /// Whether there is too little noise to do anything.
    pub fn is_clean(&self) -> bool {
        self.sigma() < NEGLIGIBLE
    }

    /// The findings as sentences.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = vec![format!("noise of {:.2} spacings", self.sigma())];
        if self.is_clean() {
            words.push("too little noise to tell from the surface".into());
        }
        words
    }
}

/// What was learned and why it ended, in words.
pub fn ending(plan: &Plan, report: &Report) -> Vec<String> {
    let why = match plan.stop {
        Stop::Converged => "points hardly moved any more",
        Stop::NoiseRemoved => "points had moved by as much as the noise",
        Stop::IterationLimit => "it does no more than that",
        _ => "it was asked to",
    };
    let mut words = vec![format!("stopped after {} rounds because {why}", plan.recipes.len())];
    if plan.finish.amount < 1.0 && plan.stop == Stop::NoiseRemoved {
        words.push("walls about as thin as the noise: it stopped before they collapse".into());
    }
    if let Some(first) = plan.recipes.first() {
        words.push(format!("patches of {} points at first", first.settings.size));
    }
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
