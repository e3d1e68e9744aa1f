//! Noise where the surface lies in two close layers, like the sides of a thin wall.
//!
//! To a neighborhood that is wider than the wall, both sides are one layer with more noise. The
//! shape of the spread tells them apart: two layers a distance `d` apart with noise σ have
//! variance `σ² + d²/4` and an excess kurtosis of `-2 (d/2)⁴ / (σ² + d²/4)²`, from which σ follows,
//! while that of one layer is zero.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{NoiseEstimate, quadric};
use crate::neighbors::{KdTree, Neighbor};
use crate::normals::{Cut, covariance_of, normal_of_covariance};
use crate::spacing::median;
use crate::vec3::Point;

/// Neighborhoods inspected, at most.
const SAMPLES: usize = 1024;
/// Radius of the ball whose normal is taken, in units of the noise as estimated.
const BALL: f64 = 3.5;
/// Radius of the cylinder in it whose heights are inspected: it reaches `0.71` balls up and down,
/// so that next to nothing is cut off.
const CYLINDER: f64 = 0.7 * BALL;
/// Fewest points in a cylinder, and fewest cylinders that say anything.
const FEWEST: usize = 15;
const FEWEST_SAMPLES: usize = 50;
/// A mean excess kurtosis above this is that of one layer, given edges and chance.
const ONE_LAYER: f64 = -0.12;

/// What [`noise_of_layers_at`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Layers {
    /// The noise of each layer by itself.
    pub noise: NoiseEstimate,
    /// Mean excess kurtosis of the heights below what one layer may have: 0 for one layer, -2 for
    /// two without noise.
    pub tails: f64,
}

/// The noise of each layer by itself, around `places`; `estimate` as it is where these show one layer. Places are
/// all points, or those whose neighbors are all there.
pub fn noise_of_layers_at(
    places: &[Point],
    points: &[Point],
    tree: &KdTree,
    estimate: &NoiseEstimate,
) -> Layers {
    let sigma = estimate.sigma;
    let one = Layers { noise: *estimate, tails: 0.0 };
    if sigma <= 0.0 {
        return one;
    }
    let stride = places.len().div_ceil(SAMPLES).max(1);
    let queries: Vec<Point> = places.iter().step_by(stride).copied().collect();
    let locals: Vec<(f64, f64)> = queries
        .par_chunks(32)
        .flat_map_iter(|queries| {
            let mut near: Vec<Neighbor> = Vec::new();
            let local = |near: &mut Vec<Neighbor>, q: Point| {
                tree.radius_into(q, BALL * sigma, near);
                let members = near.iter().map(|n| points[n.index as usize]);
                if near.len() < 2 * FEWEST {
                    return None;
                }
                let (_, covariance) = covariance_of(members.clone())?;
                let normal = normal_of_covariance(covariance);
                let (s, tails) = quadric::spread_and_tails(members, q, normal, CYLINDER * sigma)?;
                (s.freedom + 6 >= FEWEST).then_some((s.variance, tails))
            };
            queries.iter().filter_map(|&q| local(&mut near, q)).collect::<Vec<_>>()
        })
        .collect();
    if locals.len() < FEWEST_SAMPLES {
        return one;
    }
    let tails = locals.iter().map(|l| l.1.clamp(-2.0, 3.0)).sum::<f64>() / locals.len() as f64;
    let tails = tails - ONE_LAYER;
    if tails > 0.0 {
        return one;
    }
    let Some(variance) = median(&mut locals.iter().map(|l| l.0).collect::<Vec<_>>()) else {
        return one;
    };
    let alone = variance * (1.0 - (-0.5 * tails).clamp(0.0, 1.0).sqrt());
    Layers { noise: NoiseEstimate { sigma: alone.sqrt().min(sigma), ..*estimate }, tails }
}

/// Neighbors of a place that are cut in two, and the share of their variance that two layers then explain.
const CUT: usize = 64;
const TWO_LAYERS: f64 = 0.70;
/// Two layers of noise σ, d apart: the share of the variance of heights that the cut between them explains, and the part of
/// it that is σ², for d/σ of 0, 2, 3, 4, 5, 6 and without end. With a = d / 2σ the share is
/// `(a (2Φ(a) - 1) + 2φ(a))² / (1 + a²)` and the part `1 / (1 + a²)`.
const PARTS: [(f64, f64); 7] = [
    (0.637, 1.0),
    (0.681, 0.5),
    (0.747, 0.308),
    (0.814, 0.2),
    (0.867, 0.138),
    (0.900, 0.1),
    (1.0, 0.0),
];

/// The noise of each layer by itself where most places of a cloud are in two layers, so close that even the
/// smallest neighborhoods see both: the median over these places. `None` for other clouds.
pub fn noise_between_layers_at(places: &[Point], points: &[Point], tree: &KdTree) -> Option<f64> {
    let stride = places.len().div_ceil(SAMPLES).max(1);
    let queries: Vec<Point> = places.iter().step_by(stride).copied().collect();
    let cuts: Vec<Option<f64>> = queries
        .par_iter()
        .with_min_len(32)
        .map_init(
            || (Vec::new(), Vec::new()),
            |(near, heights), &q| {
                tree.knn_into(q, CUT, near);
                let row: Vec<u32> = near.iter().map(|n| n.index).collect();
                let cut = Cut::of(points, &row, heights)?;
                (cut.share > TWO_LAYERS).then(|| (cut.variance * part_of_noise(cut.share)).sqrt())
            },
        )
        .collect();
    let mut layered: Vec<f64> = cuts.iter().flatten().copied().collect();
    (2 * layered.len() > cuts.len()).then(|| median(&mut layered)).flatten()
}

/// The part of the variance of heights that is noise, from the share that two layers explain.
fn part_of_noise(share: f64) -> f64 {
    let above = PARTS.iter().position(|p| share <= p.0).unwrap_or(PARTS.len() - 1).max(1);
    let ((s0, p0), (s1, p1)) = (PARTS[above - 1], PARTS[above]);
    p0 + (p1 - p0) * ((share - s0) / (s1 - s0)).clamp(0.0, 1.0)
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
