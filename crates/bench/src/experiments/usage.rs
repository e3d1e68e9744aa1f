//! Time and memory of one cell.

use std::fs;
use std::time::{Duration, Instant};

/// A stopwatch for wall time and for the CPU time of some threads.
#[derive(Debug)]
pub struct Clock {
    threads: Vec<String>,
    since: Option<(Instant, f64)>,
    wall: Duration,
    cpu: f64,
}

impl Clock {
    /// A stopped clock for the threads of a pool.
    pub fn new(pool: &rayon::ThreadPool) -> Self {
        // Where the system has no such folder, CPU time stays zero.
        let own = |_: rayon::BroadcastContext| {
            fs::canonicalize("/proc/thread-self").map(|p| p.display().to_string())
        };
        let threads = pool.broadcast(own).into_iter().flatten().collect();
        Clock { threads, since: None, wall: Duration::ZERO, cpu: 0.0 }
    }

    /// Starts, or goes on.
    pub fn resume(&mut self) {
        self.since = Some((Instant::now(), self.cpu_now()));
    }

    /// Stops.
    pub fn pause(&mut self) {
        if let Some((start, cpu)) = self.since.take() {
            self.wall += start.elapsed();
            self.cpu += self.cpu_now() - cpu;
        }
    }

    /// Wall and CPU seconds until the last pause.
    pub fn spent(&self) -> [f64; 2] {
        [self.wall.as_secs_f64(), self.cpu]
    }

    fn cpu_now(&self) -> f64 {
        let nanoseconds = |thread: &String| {
            let text = fs::read_to_string(format!("{thread}/schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<f64>().ok()
        };
        self.threads.iter().filter_map(nanoseconds).sum::<f64>() * 1e-9
    }
}

/// Forgets the process's highest memory use so far.
pub fn forget_peak() {
    // Where that is not allowed the peak since the start stands, which is little more.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The process's highest memory use in megabytes.
pub fn peak_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}
