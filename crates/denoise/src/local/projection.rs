//! Locally optimal projection: what `lop`, `wlop` and `awlop` share.
//!
//! A set X is drawn to the local medians of a fixed set P, and its points push each other apart.
//! Weights fall as `θ(r) = exp(-(r / a)²)` with `a` a quarter of the papers' support radius `h`.

use featgraph::exp::exp;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree};
use rayon::prelude::*;

/// Weights below `exp(-CUT2)` count as zero; at the papers' full radius it would be `exp(-16)`.
const CUT2: f64 = 4.0;
/// Most points that one neighborhood takes in, so that a heap of points costs no more than this
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
        exp(-r2 * self.scale2)
    }

    /// Finds the points with a weight around `q`.
    #[inline]
    pub fn near(&self, q: Point, around: &mut Around) {
        around.ball_of(q, self.reach, MOST);
    }

    /// `1 + Σ θ` over the other points: the papers' local densities v and w.
    pub fn densities(&self, points: &[Point], tree: &KdTree) -> Vec<f64> {
        let mut out = vec![0.0; points.len()];
        let chunks = out.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK));
        chunks.for_each(|(out, queries)| {
            // One for each chunk: what it finds comes in an order that depends on its past.
            let mut around = tree.around(points);
            for (v, &q) in out.iter_mut().zip(queries) {
                self.near(q, &mut around);
                // The point itself is among those found and is the one.
                *v = around.distances2().iter().map(|&d2| self.weight(d2)).sum::<f64>().max(1.0);
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

    /// The mean displacement to a point from the others of X around it, weighted by β and their densities.
    #[inline]
    pub fn away(self, theta: &Theta, density: Option<&[f64]>, around: &Around) -> Point {
        let (mut sum, mut total) = ([0.0; 3], 0.0);
        for ((d, &d2), &j) in around.points().zip(around.distances2()).zip(around.indices()) {
            if d2 <= 0.0 {
                continue;
            }
            let beta = self.weight(d2) * theta.weight(d2);
            let beta = density.map_or(beta, |w| beta * w[j as usize]);
            sum = vec3::sub(sum, vec3::scale(d, beta));
            total += beta;
        }
        // The sums may overflow for points that all but coincide.
        if total > 0.0 && total.is_finite() { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
    }
}

/// The weighted median step of `x` towards the points of P around it: `Σ p α / Σ α - x`, with `α = θ / r`.
///
/// Without `median` the `1 / r` is left out, as in the papers' first step. With it, `r` is kept
/// from vanishing by `a`: points of X that come upon a point of P would else stick to its noise.
#[inline]
pub(crate) fn towards(
    theta: &Theta,
    density: Option<&[f64]>,
    median: bool,
    around: &Around,
) -> Point {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for ((d, &d2), &j) in around.points().zip(around.distances2()).zip(around.indices()) {
        let mut alpha = theta.weight(d2);
        if median {
            alpha /= (d2 * theta.scale2 + 1.0).sqrt();
        }
        if let Some(v) = density {
            alpha /= v[j as usize];
        }
        sum = vec3::add(sum, vec3::scale(d, alpha));
        total += alpha;
    }
    if total > 0.0 { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
}
