//! Processor time.

use std::time::Instant;

/// Seconds of processor time of this thread, or of the clock.
fn now() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = schedule.and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

pub fn timed<T>(repeat: usize, mut work: impl FnMut() -> T) -> (T, f64) {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..repeat {
        let start = now();
        last = Some(std::hint::black_box(work()));
        best = best.min(now() - start);
    }
    (last.unwrap(), best)
}

/// As [`timed`] once, but repeated until the processor's clock, which ticks coarsely, tells.
pub fn mean<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let start = now();
    let mut last = std::hint::black_box(work());
    let mut count = 1;
    while now() - start < 0.2 {
        last = std::hint::black_box(work());
        count += 1;
    }
    (last, (now() - start) / f64::from(count))
}
