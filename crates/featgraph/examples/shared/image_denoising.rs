//! The computation of the example, shared with its test.
//!
//! Three things make learning from the noisy image alone work:
//! - The intensity feature is a mean over 5 by 5 pixels, and edges join pixels at most 2 apart in
//!   each direction. Both ends then lie in both means and cancel in their difference: the noise in
//!   `d` cannot explain itself.
//! - Brighter or darker has no side, so every edge is learned from twice, once with the sign of
//!   its intensity difference turned. Eq. 12 is convex and now symmetric: the coupling of
//!   intensity and location, which would only follow chance gradients, is zero.
//! - The trace limit is small. Location differs over every edge, so with a generous limit it takes
//!   the trace in all directions; with a small one only directions that differ where the signal
//!   does are worth it. The result is multiplied by a constant for the weights.

use std::ops::Range;

use featgraph::edges::Edges;
use featgraph::laplacian::{Duplicate, Graph, Kind};
use featgraph::learn::{LearnParams, Solver, learn};
use featgraph::metric::Metric;
use featgraph::solve::{CgParams, Shifted, conjugate_gradient};
use featgraph::weights::weights;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[path = "normal.rs"]
mod normal;
use normal::normal;

/// Any error of the steps.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Width and height of the image.
pub const SIDE: usize = 48;
/// Standard deviation of the noise, known to every contender.
pub const NOISE: f64 = 0.15;
/// What is on the image.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// Pixels from one grain line to the next.
    pub period: f64,
    /// Difference of tone between neighboring planks.
    pub contrast: f64,
}

/// Grain too fine to survive in a mean over pixels: its direction is all there is to use.
pub const FINE: Scene = Scene { period: 4.0, contrast: 0.2 };
/// Grain that intensity shows well.
pub const COARSE: Scene = Scene { period: 8.0, contrast: 0.2 };
/// Strong seams, which take the trace from the grain.
pub const SEAMS: Scene = Scene { period: 5.5, contrast: 0.4 };
/// Seeds on which the settings below were chosen, on [`FINE`].
pub const TUNING: Range<u64> = 0..3;
/// Seeds used only afterwards.
pub const FRESH: Range<u64> = 100..103;

/// Pixels between the ends of an edge, and of the mean that is the intensity feature.
const REACH: usize = 2;
const TRACE_LIMIT: f64 = 0.15;
/// Trace of the metric that makes the weights.
const SHARPNESS: f64 = 20.0;

/// PSNR in decibels of every contender, averaged over the seeds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    /// The noisy image.
    pub noisy: f64,
    /// Bilateral weights by rule of thumb: σx twice the residual noise of the 3 by 3 mean, σl = 2.
    pub rule_of_thumb: f64,
    /// The bilateral weights that turn out best for each image, chosen with the truth among
    /// [`GRID`] and both means.
    pub best_by_truth: f64,
    /// The learned metric.
    pub learned: f64,
    /// The learned metric, diagonal only.
    pub diagonal: f64,
}

/// Values of σx and σl to choose from; the last σl is as good as infinite.
pub const GRID: ([f64; 4], [f64; 3]) = ([0.02, 0.04, 0.08, 0.16], [1.0, 2.0, 1e3]);

/// Planks of two tones with a slightly wavy grain; direction and places depend on the seed.
fn planks(scene: Scene, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    const TURN: f64 = 2.0 * std::f64::consts::PI;
    let mut draw = || rng.random::<f64>();
    let (angle, phase, bend, shift) = (0.5 * TURN * draw(), draw(), draw(), draw());
    let level = |i: usize| {
        let half = 0.5 * SIDE as f64;
        let (x, y) = ((i % SIDE) as f64 - half, (i / SIDE) as f64 - half);
        let along = x * angle.cos() + y * angle.sin();
        let wave = 1.5 * (TURN * (along / 64.0 + bend)).sin();
        let across = y * angle.cos() - x * angle.sin() + wave;
        let plank = ((x + 0.2 * y) / 20.0 + shift).floor().rem_euclid(2.0);
        let grain = 0.2 * (TURN * (across / scene.period + phase)).sin();
        0.5 + scene.contrast * (plank - 0.5) + grain
    };
    (0..SIDE * SIDE).map(level).collect()
}

/// All pairs of pixels at most [`REACH`] apart in each direction, once each.
fn window_pairs() -> Vec<(u32, u32)> {
    let reach = REACH as isize;
    let ahead: Vec<(isize, isize)> = (0..=reach)
        .flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)))
        .filter(|&(dx, dy)| dy > 0 || dx > 0)
        .collect();
    let side = SIDE as isize;
    let mut pairs = Vec::new();
    for i in 0..side * side {
        for &(dx, dy) in &ahead {
            let (x, y) = (i % side + dx, i / side + dy);
            if (0..side).contains(&x) && y < side {
                pairs.push((i as u32, (y * side + x) as u32));
            }
        }
    }
    pairs
}

/// Mean over the pixels at most `reach` away in each direction.
fn box_mean(image: &[f64], reach: usize) -> Vec<f64> {
    let near = |c: usize| c.saturating_sub(reach)..(c + reach + 1).min(SIDE);
    let mean = |i: usize| {
        let (columns, rows) = (near(i % SIDE), near(i / SIDE));
        let count = columns.len() * rows.len();
        let sum: f64 = rows.flat_map(|v| image[v * SIDE..][columns.clone()].iter()).sum();
        sum / count as f64
    };
    (0..image.len()).map(mean).collect()
}

/// Edges with intensity, column and row as features, each divided by the root mean square of its
/// differences (also returned), so that none has an advantage of units.
fn edges(noisy: &[f64], intensity: Vec<f64>) -> Result<(Edges, [f64; 3]), Failure> {
    let pairs = window_pairs();
    let column = (0..noisy.len()).map(|i| (i % SIDE) as f64).collect();
    let row = (0..noisy.len()).map(|i| (i / SIDE) as f64).collect();
    let mut features: [Vec<f64>; 3] = [intensity, column, row];
    let units = features.each_mut().map(|f| {
        let square = |&(i, j): &(u32, u32)| (f[i as usize] - f[j as usize]).powi(2);
        let unit = (pairs.iter().map(square).sum::<f64>() / pairs.len() as f64).sqrt();
        f.iter_mut().for_each(|v| *v /= unit);
        unit
    });
    let mut builder = Edges::builder(noisy.len()).signal(noisy).pairs(pairs);
    for f in &features {
        builder = builder.feature_column(f);
    }
    Ok((builder.build()?, units))
}

/// The metric of the bilateral filter (Eq. 5), in the features' units.
fn bilateral(units: [f64; 3], sigma_x: f64, sigma_l: f64) -> Result<Metric, Failure> {
    let [x, l, m] = [units[0] / sigma_x, units[1] / sigma_l, units[2] / sigma_l].map(|v| v * v);
    let values = vec![x, 0.0, 0.0, 0.0, l, 0.0, 0.0, 0.0, m];
    Ok(Metric::from_matrix(3, values, x + l + m)?)
}

/// The metric learned from the noisy image alone.
fn learned(edges: &Edges, solver: Solver) -> Result<Metric, Failure> {
    let mut columns = vec![Vec::new(); 3];
    let mut distances = Vec::new();
    for (e, &d) in edges.distances().iter().enumerate() {
        let g = edges.difference(e);
        columns[0].extend([g[0], -g[0]]);
        columns[1].extend([g[1], g[1]]);
        columns[2].extend([g[2], g[2]]);
        distances.extend([d, d]);
    }
    let params = LearnParams { solver, trace_limit: TRACE_LIMIT, ..LearnParams::default() };
    let metric = learn(&Edges::from_columns(vec![], columns, distances)?, &params)?.metric;
    let factor = SHARPNESS / metric.trace();
    let values: Vec<f64> = metric.values().iter().map(|v| v * factor).collect();
    Ok(Metric::from_matrix(3, values, 1.001 * SHARPNESS)?)
}

/// Solves `(I + γL) y = p`, γ such that the mean square of `y - p` is that of the noise.
fn denoise(noisy: &[f64], edges: &Edges, metric: &Metric) -> Result<Vec<f64>, Failure> {
    let w = weights(edges, metric);
    let graph = Graph::from_pairs(noisy.len(), edges.pairs(), &w, Duplicate::Add)?;
    let laplacian = graph.laplacian(Kind::Combinatorial);
    let p: Vec<[f64; 1]> = noisy.iter().map(|&v| [v]).collect();
    let mut y = p.clone();
    let (mut low, mut high) = (0.03_f64, 3e3_f64);
    let params = CgParams { tolerance: 1e-4, ..CgParams::default() };
    for _ in 0..10 {
        let gamma = (low * high).sqrt();
        let system = Shifted { shift: 1.0, scale: gamma, operator: &laplacian };
        conjugate_gradient(&system, &p, &mut y, &params)?;
        let removed: f64 = y.iter().zip(&p).map(|(y, p)| (y[0] - p[0]).powi(2)).sum();
        if removed < NOISE * NOISE * noisy.len() as f64 { low = gamma } else { high = gamma }
    }
    Ok(y.iter().map(|y| y[0]).collect())
}

/// Peak signal-to-noise ratio for a peak of 1.
fn psnr(image: &[f64], clean: &[f64]) -> f64 {
    let squares: f64 = image.iter().zip(clean).map(|(a, b)| (a - b).powi(2)).sum();
    -10.0 * (squares / clean.len() as f64).log10()
}

/// Runs all contenders on an image per seed; returns averages.
pub fn run(scene: Scene, seeds: Range<u64>) -> Result<Found, Failure> {
    // So small an image is done before a second thread would have woken up.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| contend(scene, seeds))
}

fn contend(scene: Scene, seeds: Range<u64>) -> Result<Found, Failure> {
    let mut found = Found::default();
    let part = 1.0 / seeds.clone().count() as f64;
    for seed in seeds {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let clean = planks(scene, &mut rng);
        let noisy: Vec<f64> = clean.iter().map(|v| v + NOISE * normal(&mut rng)).collect();
        found.noisy += part * psnr(&noisy, &clean);

        let mut best = f64::MIN;
        for reach in [1, 2] {
            // A mean as intensity helps bilateral weights too (arXiv:1505.06578).
            let (edges, units) = edges(&noisy, box_mean(&noisy, reach))?;
            let hand_set = |sigma_x, sigma_l| -> Result<f64, Failure> {
                let metric = bilateral(units, sigma_x, sigma_l)?;
                Ok(psnr(&denoise(&noisy, &edges, &metric)?, &clean))
            };
            if reach == 1 {
                found.rule_of_thumb += part * hand_set(2.0 * NOISE / 3.0, 2.0)?;
            }
            for sigma_x in GRID.0 {
                for sigma_l in GRID.1 {
                    best = best.max(hand_set(sigma_x, sigma_l)?);
                }
            }
        }
        found.best_by_truth += part * best;

        let (edges, _) = edges(&noisy, box_mean(&noisy, REACH))?;
        for (solver, score) in
            [(Solver::Full, &mut found.learned), (Solver::Diagonal, &mut found.diagonal)]
        {
            let metric = learned(&edges, solver)?;
            *score += part * psnr(&denoise(&noisy, &edges, &metric)?, &clean);
        }
    }
    Ok(found)
}
