//! The computation of the example, shared with its test.
//!
//! What decides here is the trace limit. The features have unit variance, so a nuisance feature
//! shrinks Eq. 12 about as much as any other if it gets a share of the trace: with a generous
//! limit everything is shared out and little is learned. With a small limit the gain of a share
//! is `Σ d g² / Σ d` (the slope at M = 0), which is above the rest only for features that differ
//! where the labels do, and those take all of it. The limit therefore chooses how selective the
//! learning is; how sharp the weights are is a separate matter, set afterwards by the same
//! median rule for every metric.

use std::error::Error;
use std::ops::Range;

use featgraph::edges::Edges;
use featgraph::laplacian::{Csr, Duplicate, Graph, Kind};
use featgraph::learn::{AlternateParams, LearnParams, Solver, learn};
use featgraph::metric::Metric;
use featgraph::solve::{CgParams, LinearOperator, conjugate_gradient};
use featgraph::weights::weights;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[path = "normal.rs"]
mod normal;
use normal::normal;

/// Nodes, the first of which are labelled.
pub const NODES: usize = 300;
/// Nodes whose label is given.
pub const LABELLED: usize = 20;
/// Features that say nothing of the moons.
pub const NUISANCE: usize = 6;
const FEATURES: usize = 2 + NUISANCE;
/// Seeds on which the settings below were chosen.
pub const TUNING: Range<u64> = 0..10;
/// Seeds used only afterwards.
pub const FRESH: Range<u64> = 100..110;

const NEIGHBORS: usize = 10;
const TRACE_LIMIT: f64 = 0.3;
const ROUNDS: usize = 3;
/// Weight of `z'Lz` against the given labels.
const SMOOTHING: f64 = 0.1;
/// Pull to zero of a node without a label, so that a component without labels has one solution.
const PULL: f64 = 1e-4;

/// How one metric did, on average over the seeds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    /// Share of the unlabelled nodes labelled right.
    pub accuracy: f64,
    /// Part of the trace on nuisance features.
    pub nuisance_share: f64,
}

/// What the example finds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    /// Plain Gaussian weights: the identity as metric.
    pub plain: Score,
    /// Learned by the paper's algorithm.
    pub alternate: Score,
    /// Learned, diagonal metrics only.
    pub diagonal: Score,
    /// Learned, any metric.
    pub full: Score,
    /// Nuisance features left out by hand: as good as it can get.
    pub moons_only: Score,
}

/// Feature rows of unit variance, and classes ±1 in turns.
fn moons(seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rows = Vec::new();
    let classes: Vec<f64> = (0..NODES).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    for class in &classes {
        let t = std::f64::consts::PI * rng.random::<f64>();
        let upper = *class > 0.0;
        let (x, y) = if upper { (t.cos(), t.sin()) } else { (1.0 - t.cos(), 0.5 - t.sin()) };
        rows.extend([x + 0.1 * normal(&mut rng), y + 0.1 * normal(&mut rng)]);
        rows.extend((0..NUISANCE).map(|_| normal(&mut rng)));
    }
    for k in 0..FEATURES {
        let column = || rows.iter().skip(k).step_by(FEATURES);
        let mean = column().sum::<f64>() / NODES as f64;
        let variance = column().map(|v| (v - mean).powi(2)).sum::<f64>() / NODES as f64;
        rows.iter_mut().skip(k).step_by(FEATURES).for_each(|v| *v = (*v - mean) / variance.sqrt());
    }
    (rows, classes)
}

/// `S + εL`: S is one at nodes whose label is given.
struct Spread<'a> {
    laplacian: &'a Csr,
}

impl Spread<'_> {
    fn hold(node: usize) -> f64 {
        if node < LABELLED { 1.0 } else { PULL }
    }
}

impl LinearOperator<1> for Spread<'_> {
    fn rows(&self) -> usize {
        self.laplacian.rows()
    }
    fn columns(&self) -> usize {
        self.laplacian.rows()
    }
    fn apply(&self, x: &[[f64; 1]], y: &mut [[f64; 1]]) {
        self.laplacian.apply(x, y);
        for (i, (y, x)) in y.iter_mut().zip(x).enumerate() {
            y[0] = SMOOTHING * y[0] + Self::hold(i) * x[0];
        }
    }
    fn diagonal(&self, diagonal: &mut [f64]) {
        LinearOperator::<1>::diagonal(self.laplacian, diagonal);
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d = SMOOTHING * *d + Self::hold(i);
        }
    }
}

/// Every node with its nearest ones by the metric, each pair once.
fn nearest(rows: &[f64], metric: &Metric) -> Vec<(u32, u32)> {
    let node = |i: usize| &rows[i * FEATURES..(i + 1) * FEATURES];
    let mut pairs = Vec::new();
    let mut g = [0.0; FEATURES];
    for i in 0..NODES {
        let mut near: Vec<(f64, usize)> = Vec::with_capacity(NODES);
        for j in (0..NODES).filter(|&j| j != i) {
            g.iter_mut().zip(node(i)).zip(node(j)).for_each(|((g, a), b)| *g = a - b);
            near.push((metric.distance(&g), j));
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        pairs.extend(near[..NEIGHBORS].iter().map(|&(_, j)| (i.min(j) as u32, i.max(j) as u32)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Spreads the given labels over the graph of a metric: a guess between -1 and 1 per node.
fn spread(rows: &[f64], given: &[f64], metric: &Metric) -> Result<Vec<f64>, Box<dyn Error>> {
    let edges = Edges::builder(NODES)
        .feature_rows(FEATURES, rows)
        .signal(given)
        .pairs(nearest(rows, metric))
        .build()?;
    // The bandwidth is the median distance over the edges, whatever the metric.
    let mut distance: Vec<f64> =
        (0..edges.len()).map(|e| metric.distance(&edges.difference(e))).collect();
    distance.sort_unstable_by(f64::total_cmp);
    let factor = 1.0 / distance[distance.len() / 2];
    let w = weights(&edges, &scaled(metric, factor)?);
    let graph = Graph::from_pairs(NODES, edges.pairs(), &w, Duplicate::Add)?;
    let laplacian = graph.laplacian(Kind::Combinatorial);
    let b: Vec<[f64; 1]> = given.iter().map(|&v| [v]).collect();
    let mut z = b.clone();
    conjugate_gradient(&Spread { laplacian: &laplacian }, &b, &mut z, &CgParams::default())?;
    Ok(z.iter().map(|z| z[0]).collect())
}

fn scaled(metric: &Metric, factor: f64) -> Result<Metric, Box<dyn Error>> {
    let values = metric.values().iter().map(|v| v * factor).collect();
    Ok(Metric::from_matrix(FEATURES, values, metric.trace_limit() * factor)?)
}

/// Learns from the present guesses and spreads again, a few times.
fn rounds(
    rows: &[f64],
    given: &[f64],
    first: &[f64],
    solver: Solver,
) -> Result<(Vec<f64>, Metric), Box<dyn Error>> {
    let mut z = first.to_vec();
    let mut metric = Metric::identity_scaled(FEATURES, TRACE_LIMIT)?;
    // All pairs, not the neighbors: a guess that was spread over edges hardly differs over them.
    // A fifth of them is plenty for eight features.
    let pairs: Vec<_> = (0..NODES as u32).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let params = LearnParams {
        solver,
        trace_limit: TRACE_LIMIT,
        sample_fraction: 0.2,
        ..LearnParams::default()
    };
    for _ in 0..ROUNDS {
        let guess: Vec<f64> = z.iter().map(|z| z.signum()).collect();
        let edges = Edges::builder(NODES)
            .feature_rows(FEATURES, rows)
            .signal(&guess)
            .pairs(pairs.clone())
            .build()?;
        metric = learn(&edges, &params)?.metric;
        z = spread(rows, given, &metric)?;
    }
    Ok((z, metric))
}

/// Runs all metrics on the moons of every seed; returns averages.
pub fn run(seeds: Range<u64>) -> Result<Found, Box<dyn Error>> {
    let mut found = Found::default();
    let part = 1.0 / seeds.clone().count() as f64;
    for seed in seeds {
        let (rows, classes) = moons(seed);
        // All that the methods see of the classes.
        let given: Vec<f64> =
            classes.iter().enumerate().map(|(i, c)| if i < LABELLED { *c } else { 0.0 }).collect();
        let add = |score: &mut Score, z: &[f64], metric: &Metric| {
            let right = (LABELLED..NODES).filter(|&i| z[i] * classes[i] > 0.0).count();
            score.accuracy += part * right as f64 / (NODES - LABELLED) as f64;
            let nuisance: f64 = metric.diagonal()[2..].iter().sum();
            score.nuisance_share += part * nuisance / metric.trace();
        };
        let plain = Metric::identity_scaled(FEATURES, 1.0)?;
        let first = spread(&rows, &given, &plain)?;
        add(&mut found.plain, &first, &plain);
        for (solver, score) in [
            (Solver::Alternate(AlternateParams::default()), &mut found.alternate),
            (Solver::Diagonal, &mut found.diagonal),
            (Solver::Full, &mut found.full),
        ] {
            let (z, metric) = rounds(&rows, &given, &first, solver)?;
            add(score, &z, &metric);
        }
        let mut values = vec![0.0; FEATURES * FEATURES];
        for k in 0..FEATURES {
            values[k * FEATURES + k] = if k < 2 { 1.0 } else { 1e-9 };
        }
        let by_hand = Metric::from_matrix(FEATURES, values, 3.0)?;
        add(&mut found.moons_only, &spread(&rows, &given, &by_hand)?, &by_hand);
    }
    Ok(found)
}
