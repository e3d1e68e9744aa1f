//! The graph and the strength of the authors' program (Zeng et al. 2020, version
//! of April 2019). Its lengths are in units of the file, those of the models that it was written for.

use featgraph::exp::exp;
use pellucid_cloud::synth::paper_sigma;
use pellucid_cloud::{KdTree, Point, sample};
use rayon::prelude::*;

use super::Glr;
use crate::frame::{LocalFrame, Unit};
use crate::patch::{Origin, Patches, TangentLinks, Uncovered};

/// ε of the first two iterations and of the others.
const WIDTHS: [f64; 3] = [0.07, 0.04, 0.03];
/// Patches whose mean squared height difference is larger are not linked.
const TRUNCATED: f64 = 0.5;
/// A counterpart farther than this in the plane gives way to the plane through three points.
const NEAR: f64 = 1.0;
/// Weight of the data in iteration i: `25 (exp(i / b) - 1)`.
const FIDELITY: f64 = 25.0;
/// The natural logarithm of three.
const LN_3: f64 = 1.098_612_288_668_109_8;
/// Noise levels above this have the strength of this one.
const HIGHEST_LEVEL: f64 = 0.1;

/// Patches that stay the same in all iterations, and what follows from the noise.
pub struct Published {
    patches: Patches,
    /// b of the weight of the data.
    slowness: f64,
    /// A unit of the file, in local units.
    unit: f64,
}

impl Published {
    /// Patches around farthest points, relative to the means of their measured points.
    pub fn new(frame: &LocalFrame, p: &Glr, size: usize, sigma: f64) -> Published {
        let start = frame.points();
        let count = (p.patch_share * start.len() as f64).ceil() as usize;
        let centers = sample::farthest_points(start, count.clamp(1, start.len()), frame.first());
        let nearest = KdTree::new(start).knn_table(size);
        let (size, rule) = (size.min(nearest.k()), Uncovered::Leave);
        let patches = Patches::build(start, &nearest, &centers, size, Origin::Mean, rule);
        let unit = frame.length(1.0, Unit::File);
        // The paper's levels are noise over the root of the extent, both in units of the file.
        let level = sigma / (paper_sigma(&frame.points_by_row(), 1.0) * unit.sqrt());
        Published { patches, slowness: slowness(level), unit }
    }

    /// The patches.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Counterparts of points that are at `y` now.
    pub fn links(&self, frame: &LocalFrame, y: &[Point], neighbors: usize) -> TangentLinks {
        TangentLinks::published(frame.points(), y, &self.patches, neighbors, NEAR * self.unit)
    }

    /// Weights of iteration `i`: `exp(-d² / 2ε²)`, none above the truncation, divided by the roots
    /// of the degrees of both nodes, so that sparse places count as much as dense ones.
    pub fn weights(&self, i: usize, links: &TangentLinks, width: f64) -> Vec<f64> {
        let epsilon = self.unit * width * WIDTHS[(i - 1).min(WIDTHS.len() - 1)];
        let rate = (0.5 / (epsilon * epsilon)).min(f64::MAX);
        let truncated = TRUNCATED * self.unit * self.unit;
        let (graph, size) = (&links.graph, self.patches.size());
        let mut weights = vec![0.0; graph.capacity()];
        weights.par_chunks_mut(size).enumerate().for_each(|(link, weights)| {
            let d2 = links.distance2[link];
            for (a, weight) in weights.iter_mut().enumerate() {
                if d2 <= truncated && !graph.is_repeated(link * size + a) {
                    *weight = exp(-rate * d2);
                }
            }
        });
        let mut degree = vec![0.0; self.patches.points_of_nodes().len()];
        let ends = |edge: usize| graph.edge(&self.patches, edge).map(|(i, j)| (i.node, j.node));
        for (edge, &w) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            if let Some((i, j)) = ends(edge) {
                degree[i] += w;
                degree[j] += w;
            }
        }
        weights.par_iter_mut().enumerate().filter(|(_, w)| **w > 0.0).for_each(|(edge, w)| {
            if let Some((i, j)) = ends(edge) {
                *w /= (degree[i] * degree[j]).sqrt().max(f64::MIN_POSITIVE);
            }
        });
        weights
    }

    /// Strength of the regularizer in iteration `i`.
    pub fn gamma(&self, i: usize) -> f64 {
        1.0 / (FIDELITY * (exp(i as f64 / self.slowness) - 1.0))
    }
}

/// b for a noise level. The program has 4, 7 and 12 for the levels 0.02, 0.03 and 0.04 and says that
/// others need tuning: these are on the curve through the first and the last.
fn slowness(level: f64) -> f64 {
    4.0 * exp(LN_3 * (level.min(HIGHEST_LEVEL) / 0.02 - 1.0))
}

#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;
