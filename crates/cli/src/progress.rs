//! A bar on stderr for anything that takes more than a second.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pellucid::denoise::{Control, Observer, Progress};

/// Quicker work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Length of a bar, in steps.
const STEPS: u64 = 1000;

/// Whether and how to show progress.
#[derive(Debug, Clone, Copy)]
pub struct Show {
    on: bool,
}

impl Show {
    /// Shows nothing if `quiet`, or if nobody watches.
    pub fn new(quiet: bool) -> Self {
        Show { on: !quiet && stderr().is_terminal() }
    }

    /// Runs `job` with a spinner that says what is being done.
    pub fn busy<T>(self, what: &str, job: impl FnOnce() -> T) -> T {
        let _meter = self.meter(what);
        job()
    }

    /// A bar that can be moved.
    pub fn meter(self, what: &str) -> Meter {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
        bar.set_message(what.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        let timer = self.on.then(|| Timer::start(bar.clone()));
        Meter { bar, timer, moved: false }
    }
}

/// A bar on the screen; it goes when dropped.
pub struct Meter {
    bar: ProgressBar,
    moved: bool,
    timer: Option<Timer>,
}

impl Observer for Meter {
    fn progress(&mut self, p: &Progress) -> Control {
        if !self.moved {
            self.moved = true;
            let bar = "{spinner} {bar:30} {percent:>3} %  {msg}  {elapsed}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(bar) {
                self.bar.set_style(style.progress_chars("━╸ "));
            }
        }
        self.bar.set_position((p.fraction.clamp(0.0, 1.0) * STEPS as f64) as u64);
        if p.iteration > 0 {
            self.bar.set_message(format!("{}, iteration {}", p.step, p.iteration));
        } else {
            self.bar.set_message(p.step.to_owned());
        }
        Control::Continue
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        // The timer first, or it could draw the bar again.
        self.timer = None;
        self.bar.finish_and_clear();
    }
}

/// Makes a bar visible when the patience is over.
struct Timer {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    fn start(bar: ProgressBar) -> Self {
        let (done, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(Duration::from_millis(120));
            }
        });
        Timer { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it could only be a failure to draw.
            let _ = thread.join();
        }
    }
}
