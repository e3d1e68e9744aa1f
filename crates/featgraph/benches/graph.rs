//! Graph products and conjugate gradient at one million rows.
//!
//! `RAYON_NUM_THREADS=1 cargo bench -p featgraph --bench graph` (and again with 2)
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use featgraph::laplacian::{Duplicate, Graph, Kind};
use featgraph::solve::{CgParams, LinearOperator, Shifted, conjugate_gradient};

/// Pairs of a ring in which every node joins its 20 next ones, with jumps up to 5000 so that the
/// gathers miss the nearest cache as they do in a sorted cloud.
fn pairs(n: u32) -> Vec<(u32, u32)> {
    let steps = (1..=20u32).map(|k| if k <= 10 { k } else { k * k * 12 });
    steps.flat_map(|s| (0..n).map(move |i| (i, (i + s) % n))).collect()
}

fn best_of(times: usize, mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..times).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let n = 1_000_000usize;
    let pairs = pairs(n as u32);
    let weights: Vec<f64> = (0..pairs.len()).map(|i| 0.1 + (i % 97) as f64 / 97.0).collect();
    let mut graph = None;
    let build = best_of(1, || {
        graph = Graph::from_pairs(n, &pairs, &weights, Duplicate::Add).ok();
    });
    let Some(graph) = graph else { return };
    let l = graph.laplacian(Kind::Combinatorial);
    println!("threads {}", rayon::current_num_threads());
    println!("{n} rows, {:.1} entries per row", l.entries() as f64 / n as f64);
    println!("build from {} pairs        {build:8.1} ms", pairs.len());

    let x3: Vec<[f64; 3]> = (0..n).map(|i| [i as f64, 1.0, -(i as f64)].map(f64::sin)).collect();
    let x1: Vec<Vec<[f64; 1]>> = (0..3).map(|r| x3.iter().map(|x| [x[r]]).collect()).collect();
    let mut y3 = vec![[0.0; 3]; n];
    let mut y1 = vec![[0.0; 1]; n];
    let together = best_of(7, || l.apply(black_box(&x3), &mut y3));
    let apart = best_of(7, || x1.iter().for_each(|x| l.apply(black_box(x), &mut y1)));
    println!("product, 3 right-hand sides together  {together:8.1} ms");
    println!("product, 3 right-hand sides apart     {apart:8.1} ms ({:.2} x)", apart / together);

    let system = Shifted { shift: 1.0, scale: 1.0, operator: &l };
    let params = CgParams { tolerance: 0.0, max_iterations: 10 };
    let run = || {
        let mut x = vec![[0.0; 3]; n];
        conjugate_gradient(&system, &x3, &mut x, &params).map(|i| i.iterations).unwrap_or(0)
    };
    let ten = best_of(3, || assert_eq!(black_box(run()), 10));
    // Ten iterations take twelve products: the first and the last residual are true ones.
    println!("conjugate gradient, 3 right-hand sides {:7.1} ms per iteration", ten / 10.0);
}
