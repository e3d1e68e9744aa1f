//! Edge weights.

use crate::edges::Edges;
use crate::error::MetricError;
use crate::metric::Metric;
use crate::pass::Pass;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The weights `exp(-g' M g)` of all edges (Eq. 6), in the order of the edges.
///
/// ```
/// use featgraph::{edges::Edges, metric::Metric, weights::weights};
///
/// let edges = Edges::signal_dependent(&[0.0, 2.0, 2.0], vec![(0, 1), (1, 2)])?;
/// let metric = Metric::from_matrix(1, vec![0.25], 1.0)?;
/// let w = weights(&edges, &metric);
/// assert!((w[0] - (-1.0_f64).exp()).abs() < 1e-15 && w[1] == 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When the metric and the edges have different numbers of features.
#[must_use]
pub fn weights(edges: &Edges, metric: &Metric) -> Vec<f64> {
    assert_eq!(edges.features(), metric.features());
    let mut out = vec![0.0; edges.padded_distances().len()];
    Pass::new(edges).weights(metric.values(), &mut out);
    out.truncate(edges.len());
    out
}

/// The objective `Q(M)`: the sum over the edges of `exp(-g' M g) d` (Eq. 12).
///
/// # Panics
/// When the metric and the edges have different numbers of features.
#[must_use]
pub fn objective(edges: &Edges, metric: &Metric) -> f64 {
    assert_eq!(edges.features(), metric.features());
    let want = crate::pass::Want::Objective;
    Pass::new(edges).full(metric.values(), want, &mut []).objective
}

/// The metric of the usual Gaussian kernel `exp(-|g|² / 2σ²)`, σ the median length of the
/// differences that are not zero: the baseline that uses no signal.
///
/// ```
/// use featgraph::{edges::Edges, weights::{gaussian_metric, weights}};
///
/// let edges = Edges::signal_dependent(&[0.0, 2.0, 2.0, 3.0, 6.0], vec![(0, 1), (1, 2), (2, 3), (3, 4)])?;
/// let w = weights(&edges, &gaussian_metric(&edges)?);
/// assert!((w[0] - (-0.5_f64).exp()).abs() < 1e-12); // the middle one of lengths 1, 2 and 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When squares of the lengths are too large or too small for a double.
pub fn gaussian_metric(edges: &Edges) -> Result<Metric, MetricError> {
    let length2 = |edge: usize| edges.difference(edge).iter().map(|g| g * g).sum::<f64>();
    let mut lengths: Vec<f64> = (0..edges.len()).map(length2).filter(|l| *l > 0.0).collect();
    let middle = lengths.len() / 2;
    let sigma2 = match lengths.is_empty() {
        true => 1.0,
        false => *lengths.select_nth_unstable_by(middle, f64::total_cmp).1,
    };
    Metric::identity_scaled(edges.features(), 0.5 * edges.features() as f64 / sigma2)
}

/// Weights drawn evenly from `[0, 1)`, for the baseline that learns nothing.
#[must_use]
pub fn random_weights(count: usize, seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| random.random::<f64>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_agree_with_the_metric_and_weigh_the_objective() {
        let columns = vec![
            (0..300).map(|i| f64::from(i % 7) * 0.1).collect(),
            (0..300).map(|i| f64::from(i % 5) * -0.2).collect(),
        ];
        let distances = (0..300).map(|i| f64::from(i % 3)).collect();
        let edges = Edges::from_columns(vec![], columns, distances).unwrap();
        let metric = Metric::from_matrix(2, vec![2.0, 0.5, 0.5, 1.0], 3.0).unwrap();
        let w = weights(&edges, &metric);
        assert_eq!(w.len(), 300);
        for (e, w) in w.iter().enumerate() {
            let expected = (-metric.distance(&edges.difference(e))).exp();
            assert!((w - expected).abs() < 1e-14);
        }
        let sum: f64 = w.iter().zip(edges.distances()).map(|(w, d)| w * d).sum();
        assert!((sum - objective(&edges, &metric)).abs() < 1e-12 * sum);
    }

    #[test]
    fn signal_dependent_weights_follow_equation_three() {
        let z = [0.0, 0.7, -1.2, 3.0];
        let pairs = vec![(0, 1), (1, 2), (0, 3)];
        let edges = Edges::signal_dependent(&z, pairs.clone()).unwrap();
        let sigma = 0.8_f64;
        let metric = Metric::from_matrix(1, vec![sigma.powi(-2)], 10.0).unwrap();
        let mut expected = 0.0;
        for (&(i, j), w) in pairs.iter().zip(weights(&edges, &metric)) {
            let step = z[i as usize] - z[j as usize];
            let by_hand = (-step * step / (sigma * sigma)).exp();
            assert!((w - by_hand).abs() < 1e-15);
            expected += by_hand * step * step;
        }
        assert!((objective(&edges, &metric) - expected).abs() < 1e-14 * expected);
    }

    #[test]
    fn random_weights_are_seeded_and_in_range() {
        let w = random_weights(1000, 4);
        assert_eq!(w, random_weights(1000, 4));
        assert_ne!(w, random_weights(1000, 5));
        assert!(w.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = w.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05);
    }
}
