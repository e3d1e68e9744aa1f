//! Neighbor search against kiddo, on one thread and in the same run.
//!
//! `cargo bench -p pellucid-cloud --bench neighbors [-- POINTS [NEIGHBORS]]`
#![allow(clippy::print_stdout)]

mod common;

use std::num::NonZero;

use common::{surface, timed};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use pellucid_cloud::{KdTree, SpatialOrder};

/// The best of three runs, in seconds, and what it gave.
fn best<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut fastest = timed(&mut run);
    for _ in 0..2 {
        let next = timed(&mut run);
        if next.0 < fastest.0 {
            fastest = next;
        }
    }
    fastest
}

fn main() {
    // Cargo hands the program `--bench` as well.
    let mut numbers = std::env::args().filter_map(|a| a.parse::<usize>().ok());
    let n = numbers.next().unwrap_or(1_000_000);
    let k = numbers.next().unwrap_or(16);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| compare(n, k));
}

fn compare(n: usize, k: usize) {
    let unsorted = surface(n);
    let points = SpatialOrder::new(&unsorted).sort(&unsorted);
    let rate = |t: f64| n as f64 / t / 1e6;

    let (kiddo_build, tree) =
        best(|| ImmutableKdTree::<f64, 3>::new_from_slice(&points).expect("finite points"));
    let wanted = NonZero::new(k).expect("at least one neighbor");
    let (kiddo_query, theirs) = best(|| {
        let mut table = Vec::with_capacity(n * k);
        for p in &points {
            let found = tree.query(p).nearest_n::<SquaredEuclidean<f64>>(wanted).execute();
            table.extend(found.iter().map(|f| f.distance));
        }
        table
    });

    let (build, tree) = best(|| KdTree::new(&points));
    let (query, ours) = best(|| tree.knn_table(k));
    let (of, _) = best(|| tree.knn_of(&points, k));
    let same = (0..n).all(|i| ours.distances2(i) == &theirs[i * k..(i + 1) * k]);
    let (shuffled_build, tree) = best(|| KdTree::new(&unsorted));
    let (shuffled, _) = best(|| tree.knn_table(k));
    let (shuffled_of, _) = best(|| tree.knn_of(&unsorted, k));
    let (nearest, _) = best(|| tree.nearest_of(&unsorted));

    println!("{k} neighbors of {n} surface points, one thread, best of three");
    println!("{:34} {:>8} {:>8} {:>10} {:>8}", "", "build s", "query s", "Mpoints/s", "ratio");
    for (name, build, query) in [
        ("kiddo 6, sorted points", kiddo_build, kiddo_query),
        ("knn_table, sorted points", build, query),
        ("knn_of, sorted points", build, of),
        ("knn_table, points in random order", shuffled_build, shuffled),
        ("knn_of, points in random order", shuffled_build, shuffled_of),
    ] {
        let ratio = kiddo_query / query;
        println!("{name:34} {build:8.3} {query:8.3} {:10.2} {ratio:8.2}", rate(query));
    }
    println!("nearest point only (nearest_of), random order: {:.2} Mpoints/s", rate(nearest));
    println!("distances equal kiddo's: {same}");
}
