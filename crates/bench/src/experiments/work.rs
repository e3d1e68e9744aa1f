//! Runs the cells, some at once, and says how far it is.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::apart;
use super::cells::Cell;
use super::measure::Measured;
use super::results::Results;
use super::views::Views;
use pellucid_cli::failure::Failure;
use pellucid_cli::{interrupt, output};

/// How to run them.
pub struct Work<'a> {
    pub results: &'a Results,
    /// Pages that show the clouds, if they are wanted.
    pub views: Option<&'a Views>,
    pub seed: u64,
    pub jobs: usize,
    pub threads: usize,
    pub quiet: bool,
}

impl Work<'_> {
    /// Runs every cell; failures of single cells are reported and counted, the others go on.
    pub fn all(&self, cells: &[Cell]) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        let state = Mutex::new(State { done: 0, failed: 0, fatal: None });
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(cells.len()) {
                scope.spawn(|| self.worker(cells, &next, &state, start));
            }
        });
        let State { failed, fatal, .. } =
            state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match fatal {
            Some(failure) => Err(failure),
            None if failed > 0 => {
                Err(Failure::Work(format!("{failed} of {} cells failed", cells.len())))
            }
            None => Ok(()),
        }
    }

    fn worker(&self, cells: &[Cell], next: &AtomicUsize, state: &Mutex<State>, start: Instant) {
        while let Some(cell) = cells.get(next.fetch_add(1, Ordering::SeqCst)) {
            if lock(state).fatal.is_some() {
                return;
            }
            let one = || {
                interrupt::check()?;
                let measured = apart::run(cell, self.seed, self.threads, self.views)?;
                self.results.add(&measured.rows, &measured.iterations)?;
                Ok(measured)
            };
            match one() {
                Ok(measured) => {
                    let mut state = lock(state);
                    state.done += 1;
                    self.tell(&state, cells.len(), cell, &measured, start);
                }
                Err(Failure::Interrupted) => return end(state, Failure::Interrupted),
                Err(failure) => {
                    output::note(&format!("error: {}", failure.message().unwrap_or_default()));
                    let mut state = lock(state);
                    state.done += 1;
                    state.failed += 1;
                }
            }
        }
    }

    fn tell(&self, state: &State, all: usize, cell: &Cell, measured: &Measured, start: Instant) {
        if self.quiet {
            return;
        }
        let numbers: Vec<String> = measured
            .rows
            .iter()
            .map(|r| format!("{} {:.4} ({})", r.stop.name(), r.mse, r.iterations))
            .collect();
        let elapsed = start.elapsed();
        let left = elapsed.mul_f64((all - state.done) as f64 / state.done.max(1) as f64);
        let seconds = measured.rows.iter().map(|r| r.cpu_seconds).fold(0.0, f64::max);
        output::note(&format!(
            "{}/{all} {}: {}, {seconds:.1} CPU s; {} gone, {} left",
            state.done,
            cell.name(),
            numbers.join(", "),
            clock(elapsed),
            clock(left)
        ));
    }
}

struct State {
    done: usize,
    failed: usize,
    fatal: Option<Failure>,
}

fn lock<'a>(state: &'a Mutex<State>) -> std::sync::MutexGuard<'a, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(state: &Mutex<State>, failure: Failure) {
    lock(state).fatal.get_or_insert(failure);
}

/// Minutes and seconds.
fn clock(time: Duration) -> String {
    let s = time.as_secs();
    format!("{}:{:02}", s / 60, s % 60)
}
