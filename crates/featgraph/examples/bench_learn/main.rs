//! Measures learning: the pass, the solvers' objectives, and their times over K.
//!
//! `cargo run --release -p featgraph --example bench_learn -- [pass|ratios|passes|features|discs|gathered|large]`
//! (`features long [K]` runs the cases that take minutes too, or all of one K.)
//!
//! Times are of the processor on one thread where the system tells them (Linux), so that a busy
//! machine does not change them much; else of the clock.
#![allow(clippy::print_stdout, missing_docs)]

mod clock;
#[path = "../shared/normal.rs"]
mod normal;
mod problems;

use featgraph::edges::Edges;
use featgraph::eigen::{LobpcgParams, smallest_eigenvalue};
use featgraph::learn::{
    AlternateParams, Discs, LearnParams, Learned, Solver, StepRule, Stop, learn,
};
use featgraph::metric::Metric;
use featgraph::weights::weights;
use nalgebra::{DMatrix, SymmetricEigen};

use clock::{mean, timed};
use problems::{nodes, problem, with_nuisance};

fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for (name, run) in [
            ("pass", pass as fn()),
            ("ratios", ratios),
            ("passes", passes),
            ("features", features),
            ("discs", discs),
            ("gathered", gathered),
            ("large", large),
        ] {
            if what == name || what.is_empty() && name != "large" {
                run();
            }
        }
    });
}

/// Differences gathered from nodes against stored ones.
fn gathered() {
    println!("### Differences gathered from nodes, or stored (1M edges over 100 000 nodes)");
    println!("| K | stored, ns per edge | gathered | part of the speed |\n|---|---|---|---|");
    for k in [6, 30] {
        let (rows, signal, pairs) = nodes(k, 100_000, 10);
        let edges = Edges::builder(signal.len()).feature_rows(k, &rows).signal(&signal);
        let edges = edges.pairs(pairs).build().unwrap();
        let column = |f: usize| edges.pairs().iter().map(|&(i, j)| at(&rows, k, f, i, j)).collect();
        let columns = (0..k).map(column).collect();
        let stored = Edges::from_columns(vec![], columns, edges.distances().to_vec()).unwrap();
        let step = StepRule::Fixed { size: 1e-9 };
        let params =
            LearnParams { max_passes: 10, tolerance: 1e-300, step, ..LearnParams::default() };
        let time = |edges: &Edges| {
            let (found, seconds) = timed(5, || learn(edges, &params).unwrap());
            (found, seconds / 10.0 / edges.len() as f64 * 1e9)
        };
        let (there, here) = (time(&stored), time(&edges));
        assert_eq!(there.0.info.objective, here.0.info.objective);
        println!("| {k} | {:.1} | {:.1} | {:.2} |", there.1, here.1, there.1 / here.1);
    }
    println!();
}

fn at(rows: &[f64], k: usize, feature: usize, i: u32, j: u32) -> f64 {
    rows[i as usize * k + feature] - rows[j as usize * k + feature]
}

/// Ten million edges with a hundred features.
fn large() {
    let (rows, signal, pairs) = nodes(100, 100_000, 100);
    let edges = Edges::builder(signal.len()).feature_rows(100, &rows).signal(&signal);
    let edges = edges.pairs(pairs).build().unwrap();
    let params = LearnParams { max_passes: 3, ..LearnParams::default() };
    let (found, seconds) = timed(1, || learn(&edges, &params).unwrap());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("VmHWM unknown");
    println!(
        "{} edges, K = 100: {} passes, {seconds:.1} s, {peak}",
        edges.len(),
        found.info.passes
    );
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
        let (_, weigh) = mean(|| weights(&edges, &metric));
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
    let (_, one) = mean(|| weights(&edges, &metric));
    println!("weights with K = 1 (exponential and memory traffic): {:.2} ns per edge", one * 1e3);
    let x: Vec<f64> = (0..1_000_000).map(|i| f64::from(i) * -1e-5).collect();
    let (_, std) = mean(|| std::hint::black_box(&x).iter().map(|x| x.exp()).sum::<f64>());
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

/// How far each set lets the objective fall, as part of what `full` gains, and passes and time.
fn discs() {
    println!("## part of the decrease of `full` (20000 edges): passes, time over that of `full`");
    for (k, c) in [6, 8, 20, 50].into_iter().flat_map(|k| [0.3, 1.0, 3.0].map(|c| (k, c))) {
        for (rho, nuisance) in [(0.3, 0), (0.6, k / 2)] {
            let edges = with_nuisance(k, nuisance, 20_000, rho, 1);
            let run = |solver| {
                let params = LearnParams { solver, trace_limit: c, ..LearnParams::default() };
                mean(|| learn(&edges, &params).unwrap().info)
            };
            let (full, time) = run(Solver::Full);
            let start = full.history[0];
            print!(
                "K {k:2}, C {c}, correlation {rho}, nuisance {nuisance:2}: full {} passes",
                full.passes
            );
            let alternate =
                |discs| Solver::Alternate(AlternateParams { discs, ..AlternateParams::default() });
            for (name, solver) in [
                ("diagonal", Solver::Diagonal),
                ("alternate", alternate(Discs::Plain)),
                ("aligned", alternate(Discs::Aligned)),
            ] {
                let (found, seconds) = run(solver);
                print!(
                    "; {name} {:.3} ({} passes, {} restricted, {:.1})",
                    (start - found.objective) / (start - full.objective),
                    found.passes,
                    found.restricted_passes,
                    seconds / time
                );
            }
            println!();
        }
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

/// A run is cut short after about so many seconds.
const LONGEST: f64 = 60.0;

/// A run of at most about [`LONGEST`] seconds, by a limit of passes from the time that `probe`
/// passes take; its time, and a mark before it when it was cut short.
fn bounded(edges: &Edges, solver: Solver, probe: usize) -> (Learned, f64, &'static str) {
    let params = |max_passes| LearnParams {
        solver,
        tolerance: if solver == Solver::Full { 1e-6 } else { 1e-4 },
        trace_limit: 5.0,
        max_passes,
        ..LearnParams::default()
    };
    let (short, t) = mean(|| learn(edges, &params(probe)).unwrap());
    if short.info.passes < probe {
        return (short, t, "");
    }
    let most = (LONGEST * short.info.passes as f64 / t).min(1e6) as usize;
    let (learned, time) = mean(|| learn(edges, &params(most.max(probe))).unwrap());
    let mark = if learned.info.passes >= most { "> " } else { "" };
    (learned, time, mark)
}

/// Seconds of one projection of `full`: decomposition and product.
fn decomposition(metric: &Metric) -> f64 {
    let k = metric.features();
    let matrix = DMatrix::from_row_slice(k, k, metric.values());
    let project = || {
        let root = SymmetricEigen::new(matrix.clone()).eigenvectors;
        &root * root.transpose()
    };
    mean(project).1
}

/// Mean seconds of the smallest eigenvalue of M22, over at most 20 rows, as `alternate` needs it.
fn theta(metric: &Metric) -> f64 {
    let (k, m) = (metric.features(), metric.values());
    let rows: Vec<usize> = (0..k).step_by(k.div_ceil(20)).collect();
    let params = LobpcgParams { relative_tolerance: 1e-4, ..LobpcgParams::default() };
    let all = || {
        for &r in &rows {
            let kept: Vec<usize> = (0..k).filter(|&i| i != r).collect();
            let product = |x: &[f64], y: &mut [f64]| {
                for (&i, y) in kept.iter().zip(y) {
                    let (before, after) = m[i * k..(i + 1) * k].split_at(r);
                    let dot =
                        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
                    *y = dot(before, x) + dot(&after[1..], &x[r..]);
                }
            };
            let diagonal: Vec<f64> = kept.iter().map(|&i| m[i * k + i]).collect();
            let found = smallest_eigenvalue(&product, k - 1, Some(&diagonal), &params);
            std::hint::black_box(found.unwrap().value);
        }
    };
    mean(all).1 / rows.len() as f64
}

/// Time until the objective is at most what `alternate` ends with. The shares are estimates: one
/// projection (or eigenvalue) at the matrix returned, times their number.
fn features() {
    println!("## time to equal objective: alternate (at most 3 alternations) against full");
    let only = std::env::args().nth(3).and_then(|k| k.parse::<usize>().ok());
    for (k, count) in [(6, 200_000), (30, 200_000), (100, 200_000), (300, 200_000)]
        .into_iter()
        .flat_map(|(k, n)| [(k, 2 * k), (k, n)])
    {
        // Cases that take minutes: ask for them.
        let long = std::env::args().nth(2).as_deref() == Some("long");
        if (k * count > 10_000_000 && !long) || only.is_some_and(|only| only != k) {
            continue;
        }
        let edges = problem(k, count, 0.3, 11);
        let params = AlternateParams { alternations: 3, ..AlternateParams::default() };
        let (a, alternate, cut) = bounded(&edges, Solver::Alternate(params), 40);
        let (f, all, cut_full) = bounded(&edges, Solver::Full, 5);
        let target = a.info.objective;
        let steps = f.info.history.iter().position(|&q| q <= target);
        // Share of the run up to there: steps cost the same.
        let part = steps.map(|s| all * (s + 1) as f64 / f.info.history.len() as f64);
        // A row takes at most `row_passes` passes; every row of a whole sweep asks once.
        let sweeps =
            k * if a.info.stop == Stop::Limit { a.info.iterations } else { a.info.iterations + 1 };
        let rows =
            if cut.is_empty() { sweeps } else { a.info.restricted_passes / params.row_passes };
        let eigenvalues = rows as f64 * theta(&a.metric);
        let projections = f.info.history.len() as f64 * decomposition(&f.metric);
        println!(
            "K {k:3}, {count:6} edges: alternate {cut}{alternate:.4} s ({} passes, about {:.0} % in eigenvalues), full {} s to the same objective (step {}), {cut_full}{all:.4} s to converge ({} passes, about {:.0} % in projections); alternate/full {:.4}",
            a.info.passes,
            100.0 * eigenvalues / alternate,
            part.map_or(format!("> {all:.1}"), |t| format!("{t:.4}")),
            steps.unwrap_or(f.info.iterations),
            f.info.passes,
            100.0 * projections / all,
            target / f.info.objective
        );
    }
}
