//! How a method is run: threads, seed, and who watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pellucid_cloud::Point;

use crate::{DenoiseError, Iteration, Report};

/// What the observer wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop and keep what there is.
    Stop,
    /// Give up; the run ends with [`DenoiseError::Cancelled`].
    Cancel,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The step being done.
    pub step: &'a str,
    /// Outer iteration, counted from one.
    pub iteration: usize,
    /// Share of the whole run that is done, between 0 and 1, as far as known.
    pub fraction: f64,
}

/// The state after an outer iteration.
pub struct Snapshot<'a> {
    /// What the iteration did.
    pub record: &'a Iteration,
    /// Makes the present positions, in the input's order and frame.
    pub positions: &'a dyn Fn() -> Vec<Point>,
}

/// Watches a run and may end it. There is no ground truth in here: an experiment that stops by
/// the clean cloud does so in its own observer, and calls itself an oracle.
pub trait Observer {
    /// Called often; keep it cheap.
    fn progress(&mut self, _progress: &Progress) -> Control {
        Control::Continue
    }

    /// Called after each outer iteration.
    fn iteration(&mut self, _snapshot: &Snapshot) -> Control {
        Control::Continue
    }
}

/// Watches nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {}

/// Seed, observer and cancel flag of one run.
///
/// Methods first enter a pool of the size that [`Run::with_threads`] asked for, or work on the current
/// rayon pool. Results do not depend on the number of threads.
pub struct Run<'a> {
    /// Seed of everything random.
    pub seed: u64,
    observer: Box<dyn Observer + Send + 'a>,
    cancel: Arc<AtomicBool>,
    threads: Option<usize>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run { seed: 0, observer: Box::new(Silent), cancel: Arc::default(), threads: None }
    }
}

impl<'a> Run<'a> {
    /// A run with that seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// A run that this observer watches.
    pub fn with_observer(mut self, observer: impl Observer + Send + 'a) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// A run on that many threads; `None` means the current rayon pool.
    pub fn with_threads(mut self, threads: Option<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// A run that ends soon after `flag` turns true.
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = flag;
        self
    }

    /// How many threads were asked for.
    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// The flag that cancels, for loops that run on other threads.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// Tells the observer how far it is; an error if the run is to end.
    pub fn progress(
        &mut self,
        step: &str,
        iteration: usize,
        fraction: f64,
    ) -> Result<(), DenoiseError> {
        let control = self.observer.progress(&Progress { step, iteration, fraction });
        if control != Control::Continue || self.cancel.load(Ordering::Relaxed) {
            return Err(DenoiseError::Cancelled);
        }
        Ok(())
    }

    /// Shows the state after an iteration; `true` if the observer wants to stop here.
    pub fn iteration(&mut self, snapshot: &Snapshot) -> Result<bool, DenoiseError> {
        match self.observer.iteration(snapshot) {
            Control::Continue => Ok(false),
            Control::Stop => Ok(true),
            Control::Cancel => Err(DenoiseError::Cancelled),
        }
    }

    /// A run inside this one, for a method that works on other points than those of the cloud:
    /// what the observer sees goes through `map` first.
    pub(crate) fn through<'b>(&'b mut self, map: &'b Map) -> Run<'b> {
        Run {
            seed: self.seed,
            cancel: self.cancel.clone(),
            threads: self.threads,
            observer: Box::new(Through { observer: &mut *self.observer, map }),
        }
    }

    /// Runs `step`, adding its time to the report under `name`.
    pub fn timed<T>(report: &mut Report, name: &str, step: impl FnOnce() -> T) -> T {
        let (out, seconds) = clocked(step);
        *report.seconds.entry(name.to_owned()).or_default() += seconds;
        out
    }
}

/// Runs `step` and tells the seconds it took; zero where there is no clock, as in a browser.
pub(crate) fn clocked<T>(step: impl FnOnce() -> T) -> (T, f64) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        let start = std::time::Instant::now();
        let out = step();
        (out, start.elapsed().as_secs_f64())
    }
    #[cfg(target_arch = "wasm32")]
    {
        (step(), 0.0)
    }
}

/// Makes positions of the cloud out of those a method works on.
pub(crate) type Map<'a> = dyn Fn(Vec<Point>) -> Vec<Point> + Sync + 'a;

struct Through<'a> {
    observer: &'a mut (dyn Observer + Send + 'a),
    map: &'a Map<'a>,
}

impl Observer for Through<'_> {
    fn progress(&mut self, progress: &Progress) -> Control {
        self.observer.progress(progress)
    }

    fn iteration(&mut self, snapshot: &Snapshot) -> Control {
        let positions = || (self.map)((snapshot.positions)());
        self.observer.iteration(&Snapshot { record: snapshot.record, positions: &positions })
    }
}

/// Runs `job` on a pool of `threads` threads, or on the current one for `None`.
///
/// Falls back to the current pool if the system gives no threads.
pub fn install<T: Send>(threads: Option<usize>, job: impl FnOnce() -> T + Send) -> T {
    match threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build()) {
        Some(Ok(pool)) if rayon::current_thread_index().is_some() => {
            // A worker of another pool would begin other jobs of that pool while it waits, each with
            // a pool of its own; a plain thread makes it wait.
            let done = std::thread::scope(|scope| scope.spawn(|| pool.install(job)).join());
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }
        Some(Ok(pool)) => pool.install(job),
        _ => job(),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
