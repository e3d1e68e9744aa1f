//! How far points moved, and how sure it is where they are now.

use pellucid_cloud::{KdTree, Point, PointCloud, vec3};

use crate::Denoised;
use crate::local::{Moments, QuadricFit};

/// Neighbors that a quadric is fitted to, without the point itself.
const NEIGHBORS: usize = 24;
/// Coefficients of a quadric.
const COEFFICIENTS: f64 = 6.0;
/// Measurements that the height of a denoised point is about the mean of: weights that fall with
/// distance leave about half of the neighbors.
const MEASUREMENTS: f64 = 0.5 * NEIGHBORS as f64;
/// A point this many times farther from the fit than its neighbors stands by itself.
const STANDS_OUT: f64 = 3.0;

impl Denoised {
    /// How far each point of `noisy` moved, in file units; NaN for rows that are not finite.
    pub fn displacement(&self, noisy: &PointCloud) -> Vec<f64> {
        let pairs = noisy.positions().iter().zip(self.cloud.positions());
        pairs.map(|(&a, &b)| vec3::norm(vec3::sub(b, a))).collect()
    }

    /// The [`uncertainty`] of each point, by where it was in `noisy`.
    pub fn uncertainty(&self, noisy: &PointCloud) -> Vec<f64> {
        uncertainty(noisy.positions(), self.cloud.positions())
    }
}

/// About how far each denoised point is from the surface (one standard deviation, across the
/// surface, in file units), judged without the truth; NaN where a position is not finite and where
/// fewer than eight other points are there to judge by.
///
/// Two errors add up (as squares). What was left: how far the neighbors are from a quadric fitted
/// to them now, which is also how badly a smooth surface describes the place, so it is large at
/// edges. And what came in: a mean of noisy heights is off by their noise over the root of how
/// many there are; the noise of the place is what was taken off its points across the surface, and
/// about a dozen points are taken to be averaged over. A point that stands by itself, far from the
/// quadric, is as uncertain as it is far. On flat faces far more points may have been
/// averaged over, and the error is a few times smaller. An error that all points of a place share,
/// such as a wall pulled towards another, cannot be seen this way.
///
/// ```
/// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
/// use pellucid_denoise::{Run, registry, uncertainty};
///
/// let noisy = add_noise(&Shape::Sphere.sample(3_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
/// let result = registry::find("auto")?.build(None, &Default::default())?.denoise(&noisy, &mut Run::default())?;
/// let guess = uncertainty(noisy.positions(), result.cloud.positions());
/// let (mut guessed, mut actual) = (0.0, 0.0);
/// for (p, u) in result.cloud.positions().iter().zip(guess) {
///     guessed += u;
///     actual += Shape::Sphere.distance(*p);
/// }
/// assert!(guessed < 2.0 * actual && actual < 2.0 * guessed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn uncertainty(noisy: &[Point], denoised: &[Point]) -> Vec<f64> {
    let tree = KdTree::new(denoised);
    let of = |others: &mut Vec<u32>, i: usize, row: &[u32], _: &[f64]| {
        others.clear();
        others.extend(row.iter().filter(|&&j| j != u32::MAX && j as usize != i));
        others.truncate(NEIGHBORS);
        Some(at(noisy, denoised, i, others).unwrap_or(f64::NAN))
    };
    let found = tree.map_neighbors(NEIGHBORS + 1, Vec::new, of);
    let mut found: Vec<f64> = found.into_iter().map(|u| u.unwrap_or(f64::NAN)).collect();
    found.resize(denoised.len(), f64::NAN);
    found
}

fn at(noisy: &[Point], denoised: &[Point], i: usize, others: &[u32]) -> Option<f64> {
    let p = denoised[i];
    let relative = |j: &u32| vec3::sub(denoised[*j as usize], p);
    let mut moments = Moments::default();
    others.iter().for_each(|j| moments.add(relative(j), 1.0));
    let plane = moments.plane()?;
    let scale = moments.covariance().map(|c| (c[0] + c[3] + c[5]).sqrt()).filter(|s| *s > 0.0)?;
    let mut fit = QuadricFit::new(&plane, [0.0; 3], scale);
    others.iter().for_each(|j| fit.add(relative(j), 1.0));
    let quadric = fit.solve()?;
    let off = |x: Point| vec3::distance2(quadric.project(x), x);
    let free = others.len() as f64 - COEFFICIENTS;
    let left = others.iter().map(|j| off(relative(j))).sum::<f64>() / free;
    let own = off([0.0; 3]);
    let taken = |j: &u32| {
        let displacement = vec3::sub(noisy[*j as usize], denoised[*j as usize]);
        vec3::dot(displacement, plane.normal).powi(2)
    };
    let taken = others.iter().map(taken).sum::<f64>() / others.len() as f64;
    let left = if own > STANDS_OUT * STANDS_OUT * left { own } else { left };
    Some((left + taken / MEASUREMENTS).sqrt())
}

#[cfg(test)]
#[path = "certainty_tests.rs"]
mod tests;
