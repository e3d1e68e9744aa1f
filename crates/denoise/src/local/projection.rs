//! Locally optimal projection: what `lop`, `wlop` and `awlop` share.
//!
//! A set X is drawn to the local medians of a fixed set P, and its points push each other apart.
//! Weights fall as `θ(r) = exp(-(r / a)²)` with `a` a quarter of the papers' support radius `h`.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, Neighbor};
use rayon::prelude::*;

/// Weights below `exp(-CUT2)` count as zero; at the papers' full radius it would be `exp(-16)`.
const CUT2: f64 = 4.0;
/// Most points that one neighbourhood takes in, so that a heap of points costs no more than this
/// many each.
const MOST: usize = 512;
/// Points per parallel task; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 256;

/// The support radius `h` for noise of `sigma` spacings: wide enough to see past the noise, but
/// not so wide that whole parts are drawn together where the noise estimate is high.
pub(crate) fn automatic_radius(sigma: f64) -> f64 {
    4.0 * (1.4 + sigma).min(3.0)
}

/// The papers' `θ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theta {
    scale2: f64,
    reach: f64,
}

impl Theta {
    /// For a support radius `h`.
    pub fn new(h: f64) -> Theta {
        let a = 0.25 * h;
        Theta { scale2: 1.0 / (a * a), reach: a * CUT2.sqrt() }
    }

    /// The weight at a squared distance.
    #[inline]
    pub fn weight(&self, r2: f64) -> f64 {
        (-r2 * self.scale2).exp()
    }

    /// The points with a weight, in an order that depends on nothing but the points.
    #[inline]
    pub fn near(&self, tree: &KdTree, q: Point, found: &mut Vec<Neighbor>) {
        found.clear();
        tree.within(q, self.reach, |n| {
            found.push(n);
            found.len() <= MOST
        });
        if found.len() > MOST {
            tree.knn_into(q, MOST, found);
        }
    }

    /// `1 + Σ θ` over the other points: the papers' local densities v and w.
    pub fn densities(&self, points: &[Point], tree: &KdTree) -> Vec<f64> {
        let mut out = vec![0.0; points.len()];
        let chunks = out.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK));
        chunks.for_each_init(Vec::new, |found, (out, queries)| {
            for (v, &q) in out.iter_mut().zip(queries) {
                self.near(tree, q, found);
                // The point itself is among those found and is the one.
                *v = found.iter().map(|n| self.weight(n.distance2)).sum::<f64>().max(1.0);
            }
        });
        out
    }
}

/// How points of X push each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Push {
    /// `η = 1 / (3 r³)` (Lipman et al. 2007): the nearest count almost alone.
    Steep,
    /// `η = -r` (Huang et al. 2009): all near ones count, so densities even out.
    Even,
}

impl Push {
    /// `β` over `θ`: `|η'| / r`.
    #[inline]
    fn weight(self, r2: f64) -> f64 {
        match self {
            Push::Steep => 1.0 / (r2 * r2 * r2.sqrt()),
            Push::Even => 1.0 / r2.sqrt(),
        }
    }

    /// The mean way from the neighbours in X to `x`, weighted by β and their densities.
    #[inline]
    pub fn away(
        self,
        theta: &Theta,
        x: Point,
        others: &[Point],
        density: Option<&[f64]>,
        found: &[Neighbor],
    ) -> Point {
        let (mut sum, mut total) = ([0.0; 3], 0.0);
        for n in found.iter().filter(|n| n.distance2 > 0.0) {
            let j = n.index as usize;
            let beta = self.weight(n.distance2) * theta.weight(n.distance2);
            let beta = density.map_or(beta, |w| beta * w[j]);
            sum = vec3::add(sum, vec3::scale(vec3::sub(x, others[j]), beta));
            total += beta;
        }
        // The sums may overflow for points that all but coincide.
        if total > 0.0 && total.is_finite() { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
    }
}

/// The weighted median step of `x` towards P: `Σ p α / Σ α - x`, with `α = θ / r`.
///
/// Without `median` the `1 / r` is left out, as in the papers' first step. With it, `r` is kept
/// from vanishing by `a`: points of X that come upon a point of P would else stick to its noise.
#[inline]
pub(crate) fn towards(
    theta: &Theta,
    x: Point,
    data: &[Point],
    density: Option<&[f64]>,
    median: bool,
    found: &[Neighbor],
) -> Point {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for n in found {
        let j = n.index as usize;
        let mut alpha = theta.weight(n.distance2);
        if median {
            alpha /= (n.distance2 * theta.scale2 + 1.0).sqrt();
        }
        if let Some(v) = density {
            alpha /= v[j];
        }
        sum = vec3::add(sum, vec3::scale(vec3::sub(data[j], x), alpha));
        total += alpha;
    }
    if total > 0.0 { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
}
