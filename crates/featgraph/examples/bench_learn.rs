//! Measures learning: the pass, the solvers' objectives, and their times over K.
//!
//! `cargo run --release -p featgraph --example bench_learn -- [pass|ratios|passes|features]`
//!
//! Times are of the processor on one thread where the system tells them (Linux), so that a busy
//! machine does not change them much; else of the clock.
#![allow(clippy::print_stdout, missing_docs)]

use featgraph::edges::Edges;
use featgraph::learn::{AlternateParams, LearnParams, Learned, Solver, StepRule, learn};
use featgraph::metric::Metric;
use featgraph::weights::weights;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::time::Instant;

fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for (name, run) in
            [("pass", pass as fn()), ("ratios", ratios), ("passes", passes), ("features", features)]
        {
            if what.is_empty() || what == name {
                run();
            }
        }
    });
}

/// Seconds of processor time of this thread, or of the clock.
fn now() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = schedule.and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn timed<T>(repeat: usize, mut work: impl FnMut() -> T) -> (T, f64) {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..repeat {
        let start = now();
        last = Some(std::hint::black_box(work()));
        best = best.min(now() - start);
    }
    (last.unwrap(), best)
}

fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Edges whose features have pairwise correlation `rho`, and whose signal distance grows along
/// a random direction of the features, with noise.
fn problem(k: usize, count: usize, rho: f64, seed: u64) -> Edges {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let scale = 1.0 / (k as f64).sqrt();
    let direction: Vec<f64> = (0..k).map(|_| normal(&mut random)).collect();
    let mut columns = vec![Vec::with_capacity(count); k];
    let mut distances = Vec::with_capacity(count);
    for _ in 0..count {
        let common = normal(&mut random);
        let mut along = 0.0;
        for (column, w) in columns.iter_mut().zip(&direction) {
            let g = rho.sqrt() * common + (1.0 - rho).sqrt() * normal(&mut random);
            along += w * g * scale;
            column.push(g);
        }
        let noise = 0.5 * normal(&mut random);
        distances.push((along + noise).powi(2));
    }
    Edges::from_columns(vec![], columns, distances).unwrap()
}

fn run(edges: &Edges, solver: Solver, step: StepRule, tolerance: f64) -> (Learned, f64) {
    let params = LearnParams {
        solver,
        step,
        tolerance,
        trace_limit: 5.0,
        max_passes: 20_000,
        ..LearnParams::default()
    };
    timed(1, || learn(edges, &params).unwrap())
}

fn pass() {
    println!("## one pass, one thread");
    for (k, count) in [(6, 1_000_000), (30, 200_000), (100, 50_000), (300, 10_000)] {
        let edges = problem(k, count, 0.3, 1);
        let metric = Metric::identity_scaled(k, 5.0).unwrap();
        let (_, weigh) = timed(5, || weights(&edges, &metric));
        // Tolerance zero: every step is one pass with gradient, after the first.
        let cost = |passes: usize| {
            let params = LearnParams {
                tolerance: 0.0,
                max_passes: passes,
                trace_limit: 5.0,
                ..LearnParams::default()
            };
            let (learned, time) = timed(3, || learn(&edges, &params).unwrap());
            (learned.info.passes, time)
        };
        let ((short, t0), (long, t1)) = (cost(2), cost(12));
        let per = (t1 - t0) / (long - short) as f64;
        let ns = 1e9 / count as f64;
        let (with, alone) = (per * ns, weigh * ns);
        println!(
            "K {k:3}, {count} edges: objective and gradient {with:.1} ns per edge, weights {alone:.1}"
        );
    }
    let edges =
        Edges::from_columns(vec![], vec![vec![0.5; 1_000_000]], vec![1.0; 1_000_000]).unwrap();
    let metric = Metric::identity_scaled(1, 5.0).unwrap();
    let (_, one) = timed(9, || weights(&edges, &metric));
    println!("weights with K = 1 (exponential and memory traffic): {:.2} ns per edge", one * 1e3);
    let x: Vec<f64> = (0..1_000_000).map(|i| f64::from(i) * -1e-5).collect();
    let (_, std) = timed(9, || std::hint::black_box(&x).iter().map(|x| x.exp()).sum::<f64>());
    println!("standard library's exp: {:.2} ns", std * 1e3);
}

fn ratios() {
    println!(
        "## objectives relative to `full` (K = 6, 20000 edges, mean and worst of 10 problems)"
    );
    let tight = 1e-9;
    for rho in [0.0, 0.3, 0.6, 0.9] {
        let (mut alternate, mut diagonal) = (vec![], vec![]);
        for seed in 0..10 {
            let edges = problem(6, 20_000, rho, 100 + seed);
            let rule = StepRule::Backtracking;
            let full = run(&edges, Solver::Full, rule, tight).0.info.objective;
            let solver = Solver::Alternate(AlternateParams::default());
            alternate.push(run(&edges, solver, rule, 1e-7).0.info.objective / full);
            diagonal.push(run(&edges, Solver::Diagonal, rule, tight).0.info.objective / full);
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let worst = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
        println!(
            "correlation {rho}: alternate {:.4} ({:.4}), diagonal {:.4} ({:.4})",
            mean(&alternate),
            worst(&alternate),
            mean(&diagonal),
            worst(&diagonal)
        );
    }
}

fn passes() {
    println!("## passes to a relative change of 1e-5 (K = 6, 1M edges, C = 5)");
    for rho in [0.0, 0.6, 0.9] {
        let edges = problem(6, 1_000_000, rho, 7);
        let best =
            run(&edges.sample_edges(1.0, 0).unwrap(), Solver::Full, StepRule::Backtracking, 1e-10);
        let best = best.0.info.objective;
        for (name, solver, rule) in [
            ("full", Solver::Full, StepRule::Backtracking),
            ("full, accelerated", Solver::Full, StepRule::Accelerated),
            ("alternate", Solver::Alternate(AlternateParams::default()), StepRule::Backtracking),
            ("diagonal", Solver::Diagonal, StepRule::Backtracking),
        ] {
            let (learned, time) = run(&edges, solver, rule, 1e-5);
            let info = learned.info;
            println!(
                "correlation {rho}, {name}: {} passes ({} restricted), {time:.2} s, objective {:.6} of the optimum, {:?}",
                info.passes,
                info.restricted_passes,
                info.objective / best,
                info.stop
            );
        }
    }
}

/// Time until the objective is at most what `alternate` ends with.
fn features() {
    println!("## time to equal objective: alternate against full");
    for (k, count) in [(6, 200_000), (30, 200_000), (100, 200_000), (300, 200_000)]
        .into_iter()
        .flat_map(|(k, n)| [(k, 2 * k), (k, n)])
    {
        // A run with K = 300 over all edges takes minutes: ask for it.
        if k * count > 10_000_000 && std::env::args().nth(2).as_deref() != Some("long") {
            continue;
        }
        let edges = problem(k, count, 0.3, 11);
        let rule = StepRule::Backtracking;
        let solver =
            Solver::Alternate(AlternateParams { alternations: 3, ..AlternateParams::default() });
        let (a, alternate) = run(&edges, solver, rule, 1e-4);
        let (f, all) = run(&edges, Solver::Full, rule, 1e-6);
        let target = a.info.objective;
        let steps = f.info.history.iter().position(|&q| q <= target);
        // Share of the run up to there: steps cost the same.
        let part = steps.map(|s| all * (s + 1) as f64 / f.info.history.len() as f64);
        println!(
            "K {k:3}, {count:6} edges: alternate {alternate:.3} s ({} passes), full {} s to the same objective ({:.3} s to converge, {} passes); alternate/full {:.4}",
            a.info.passes,
            part.map_or("-".into(), |t| format!("{t:.3}")),
            all,
            f.info.passes,
            target / f.info.objective
        );
    }
}
