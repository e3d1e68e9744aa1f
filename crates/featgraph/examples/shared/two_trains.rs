//! The computation of the example, shared with its test.

use featgraph::edges::Edges;
use featgraph::learn::{LearnParams, Solver, learn};
use featgraph::metric::Metric;

/// What the example finds.
pub struct Found {
    /// The learned metric.
    pub learned: Metric,
    /// The best diagonal metric.
    pub diagonal: Metric,
    /// Distance along (10, 10) over distance along (0, 1), learned metric.
    pub learned_confusion: f64,
    /// The same for the diagonal metric.
    pub diagonal_confusion: f64,
    /// Objective of the learned metric.
    pub learned_objective: f64,
    /// Objective of the diagonal metric.
    pub diagonal_objective: f64,
}

/// Trains passing a station: features are the positions before and after, the signal is the
/// velocity (their difference). The objective of Eq. 12 rewards every direction that separates
/// nodes of unlike signal, so velocity alone is chosen only where the trains' places differ less
/// than their velocities, as here.
pub fn run() -> Result<Found, Box<dyn std::error::Error>> {
    // Every place with every velocity, so that neither tells of the other.
    let trains = 15_u32 * 15;
    let place: Vec<f64> = (0..trains).map(|i| f64::from(i % 15) / 14.0).collect();
    let velocity: Vec<f64> = (0..trains).map(|i| 4.0 * f64::from(i / 15) / 14.0).collect();
    let both = || place.iter().zip(&velocity);
    let start: Vec<f64> = both().map(|(p, v)| p - 0.5 * v).collect();
    let end: Vec<f64> = both().map(|(p, v)| p + 0.5 * v).collect();
    let pairs = (0..trains).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let edges = Edges::builder(trains as usize)
        .feature_column(&start)
        .feature_column(&end)
        .signal(&velocity)
        .pairs(pairs)
        .build()?;
    let metric = |solver| {
        let params =
            LearnParams { solver, trace_limit: 2.0, tolerance: 1e-9, ..LearnParams::default() };
        learn(&edges, &params)
    };
    let (learned, diagonal) = (metric(Solver::Full)?, metric(Solver::Diagonal)?);
    let confusion = |m: &Metric| m.distance(&[10.0, 10.0]) / m.distance(&[0.0, 1.0]);
    Ok(Found {
        learned_confusion: confusion(&learned.metric),
        diagonal_confusion: confusion(&diagonal.metric),
        learned_objective: learned.info.objective,
        diagonal_objective: diagonal.info.objective,
        learned: learned.metric,
        diagonal: diagonal.metric,
    })
}
