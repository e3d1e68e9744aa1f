//! What the benchmarks share.

use std::time::Instant;

use pellucid_cloud::Point;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Points on a wavy relief with a little noise, as a scanner sees them, in random order.
pub fn surface(n: usize) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..n)
        .map(|_| {
            let (x, y, e): (f64, f64, f64) = (rng.random(), rng.random(), rng.random());
            [x, y, 0.1 * (7.0 * x).sin() * (5.0 * y).cos() + 1e-3 * (e - 0.5)]
        })
        .collect()
}

/// Seconds this thread has run, where the system tells it: other programs disturb that less
/// than the clock.
fn seconds(clock: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let busy = stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    busy.map_or_else(|| clock.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// How many seconds something takes (on this thread only), and what it gives.
pub fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let clock = Instant::now();
    let start = seconds(clock);
    let result = run();
    (seconds(clock) - start, result)
}
