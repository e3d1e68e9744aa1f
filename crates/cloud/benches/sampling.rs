//! Farthest-point sampling against the simple loop, on one thread and in the same run.
//!
//! `cargo bench -p pellucid-cloud --bench sampling`
#![allow(clippy::print_stdout)]

mod common;

use common::{surface, timed};
use pellucid_cloud::sample::{farthest_points, poisson_disk};
use pellucid_cloud::{Point, vec3};

/// What everybody writes: all points, every time.
fn simple(points: &[Point], count: usize, start: usize) -> Vec<u32> {
    let mut distance2 = vec![f64::INFINITY; points.len()];
    let mut samples = vec![start as u32];
    while samples.len() < count {
        let q = points[samples[samples.len() - 1] as usize];
        let (mut next, mut farthest) = (0, -1.0);
        for (i, (d, &p)) in distance2.iter_mut().zip(points).enumerate() {
            let new = vec3::distance2(p, q);
            if new < *d {
                *d = new;
            }
            if *d > farthest {
                (next, farthest) = (i, *d);
            }
        }
        samples.push(next as u32);
    }
    samples
}

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| {
        println!("farthest points of a surface in random order, one thread");
        println!(
            "{:>8} {:>8} {:>10} {:>10} {:>8}",
            "points", "samples", "simple s", "ours s", "ratio"
        );
        for (n, count) in [(41_000, 12_000), (200_000, 60_000)] {
            let points = surface(n);
            let (ours, samples) = timed(|| farthest_points(&points, count, 0));
            // The loop's time per sample is constant: some of them are enough to measure it.
            let part = count / 20;
            let (loop_part, truth) = timed(|| simple(&points, part, 0));
            let loop_all = loop_part * count as f64 / part as f64;
            assert_eq!(truth, samples[..part], "the same samples in the same order");
            println!("{n:8} {count:8} {loop_all:10.2} {ours:10.3} {:8.0}", loop_all / ours);
        }
        let n = 1_000_000;
        let points = surface(n);
        let (t, chosen) = timed(|| poisson_disk(&points, 2.0 / (n as f64).sqrt(), 1));
        println!("Poisson disks of two spacings: {} of {n} points in {t:.2} s", chosen.len());
    });
}
