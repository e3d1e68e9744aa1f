//! What the cloud says.

use pellucid_cloud::noise::{Layers, NoiseEstimate, estimate_noise_at, noise_of_layers_at};
use pellucid_cloud::{KdTree, Point};
use serde::{Deserialize, Serialize};

use super::regions::{self, Noises, Uneven};
use super::round::Cloud;
use super::weigh::{FEATURES, POSITION_SCALE};
use super::{Decision, Plan};
use crate::{Report, Stop};

/// Noise below this many spacings is left alone: no patch can tell it from the surface.
pub const NEGLIGIBLE: f64 = 0.125;
/// Tails (see [`Layers`]) between which walls turn from thick to thin.
const TAILS: [f64; 2] = [-0.03, -0.25];

/// What was found in a cloud, in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Found {
    layers: Layers,
    uneven: Option<Uneven>,
}

/// Looks at the cloud, or at the part of it that is learned from.
pub fn look(cloud: &Cloud, without: Option<Decision>) -> Found {
    let uneven = regions::look(cloud, &KdTree::new(cloud.observed));
    let layers = layers(&cloud.with(uneven.as_ref().map(|u| &u.1)), without);
    Found { layers, uneven: uneven.map(|u| u.0) }
}

/// The noise of the points that are looked at.
pub fn noise(cloud: &Cloud, without: Option<Decision>) -> f64 {
    layers(cloud, without).noise.sigma
}

fn layers(cloud: &Cloud, without: Option<Decision>) -> Layers {
    let (points, places) = in_rows(cloud, cloud.observed);
    let tree = KdTree::new(&points);
    let noise = estimate_noise_at(&places, &points, &tree);
    match without {
        Some(Decision::Layers) => Layers { noise, tails: 0.0 },
        _ => noise_of_layers_at(&places, &points, &tree, &noise),
    }
}

/// How thin walls are for the noise at the start, as seen now at `y`: 0 not, 1 very.
pub fn thinness(cloud: &Cloud, y: &[Point], sigma: f64) -> f64 {
    let (points, places) = in_rows(cloud, y);
    let tree = KdTree::new(&points);
    let first = NoiseEstimate { sigma, ..estimate_noise_at(&places, &points, &tree) };
    let tails = noise_of_layers_at(&places, &points, &tree, &first).tails;
    ((TAILS[0] - tails) / (TAILS[0] - TAILS[1])).clamp(0.0, 1.0)
}

/// The noise of points at `y`, in spacings at the start.
pub fn noise_left(cloud: &Cloud, y: &[Point]) -> f64 {
    let (points, places) = in_rows(cloud, y);
    estimate_noise_at(&places, &points, &KdTree::new(&points)).sigma
}

/// Points, and those of them to look at, in the order of the cloud's rows, so that what is seen in
/// a sample does not depend on how the cloud is turned.
fn in_rows(cloud: &Cloud, y: &[Point]) -> (Vec<Point>, Vec<Point>) {
    let mut order: Vec<u32> = (0..y.len() as u32).collect();
    order.sort_unstable_by_key(|&i| cloud.numbers[i as usize]);
    let at = |i: &u32| y[*i as usize];
    let inner = |i: &&u32| cloud.is_inner(**i as usize) && cloud.is_loud(**i as usize);
    (order.iter().map(at).collect(), order.iter().filter(inner).map(at).collect())
}

impl Found {
    /// Noise in spacings; of the noisiest points if it differs.
    pub fn sigma(&self) -> f64 {
        self.layers.noise.sigma
    }

    /// Whether noise differs from place to place; [`sigma`](Self::sigma) is that of the noisiest.
    pub fn is_uneven(&self) -> bool {
        self.uneven.is_some()
    }

    /// The noise of each point, if it differs.
    pub fn noises(&self, cloud: &Cloud) -> Option<Noises> {
        self.uneven.as_ref().map(|u| Noises::of(cloud, u))
    }

    /// Whether there is too little noise to do anything.
    pub fn is_clean(&self) -> bool {
        self.sigma() < NEGLIGIBLE
    }

    /// The findings as sentences.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = vec![match &self.uneven {
            None => format!("noise of {:.2} spacings", self.sigma()),
            Some(u) => format!(
                "noise differs from place to place: {:.2} spacings where it is low, {:.2} where it is high",
                u.quiet,
                self.sigma()
            ),
        }];
        if self.is_clean() {
            words.push("too little noise to tell from the surface".into());
        }
        words
    }
}

/// What was learned and why it ended, in words.
pub fn ending(plan: &Plan, strength: f64, report: &Report) -> Vec<String> {
    let why = match plan.stop {
        Stop::Converged => "points hardly moved any more",
        Stop::NoiseRemoved if plan.thinness > 0.0 => {
            "walls are about as thin as the noise, and would have collapsed"
        }
        Stop::NoiseRemoved if strength < 1.0 => "as much of the noise was gone as asked for",
        Stop::NoiseRemoved => "points had moved by as much as the noise",
        Stop::IterationLimit => "it does no more than that",
        _ => "it was asked to",
    };
    let mut words = vec![format!("stopped after {} rounds because {why}", plan.recipes.len())];
    if let Some(first) = plan.recipes.first() {
        words.push(format!("patches of {} points at first", first.settings.size));
    }
    if let Some(length) = normal_in_spacings(report) {
        words.push(if length < 0.05 {
            "learned: how far points are apart matters, how normals differ does not".into()
        } else {
            format!(
                "two normals that differ by 1 count as much as points {length:.1} spacings apart"
            )
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
