//! A run on another thread, watched from the one that called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pellucid::denoise::{Control, Observer, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// How often signals are looked for. Ctrl-C is felt at once, and it costs nothing to speak of.
const BEAT: Duration = Duration::from_millis(50);

/// A step of the run, as reported to the caller.
struct Step {
    fraction: f64,
    name: String,
    iteration: usize,
}

/// Passes progress on and waits for the answer, so that a callable that says no is obeyed.
pub struct Teller {
    send: Sender<Step>,
    answer: Receiver<bool>,
}

impl Observer for Teller {
    fn progress(&mut self, progress: &Progress) -> Control {
        let step = Step {
            fraction: progress.fraction,
            name: progress.step.to_owned(),
            iteration: progress.iteration,
        };
        let on = self.send.send(step).is_ok() && self.answer.recv().unwrap_or(false);
        if on { Control::Continue } else { Control::Cancel }
    }
}

/// Runs `job` without the interpreter lock. Python is entered only by the calling thread: for
/// the callable, which gets share, step and iteration, and for signals.
///
/// The error is that of the callable or of a signal; then the job was asked to give up.
pub fn watched<T: Send>(
    py: Python<'_>,
    callable: Option<&Py<PyAny>>,
    job: impl FnOnce(Option<Teller>, Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let flag = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done_in, done) = channel::<()>();
            let (send, progress) = channel();
            let (answer, answer_out) = channel();
            // Nothing else holds the sending end: that the run is over is felt at once.
            let teller = callable.map(|_| Teller { send, answer: answer_out });
            let its_flag = flag.clone();
            let worker = scope.spawn(move || {
                let _ends = done_in;
                job(teller, its_flag)
            });
            let mut fault = None;
            loop {
                let news = match callable {
                    Some(_) => progress.recv_timeout(BEAT).map(Some),
                    None => done.recv_timeout(BEAT).map(|()| None),
                };
                let asked = match news {
                    Ok(Some(step)) => {
                        let said = Python::attach(|py| {
                            py.check_signals()?;
                            ask(py, callable, &step)
                        });
                        let go_on = matches!(said, Ok(true)) && fault.is_none();
                        // The run may be over by now; then nobody listens.
                        let _ = answer.send(go_on);
                        said.map(|_| ())
                    }
                    Ok(None) => Ok(()),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Err(e) = asked {
                    flag.store(true, Ordering::Relaxed);
                    fault.get_or_insert(e);
                }
                if worker.is_finished() {
                    break;
                }
            }
            let result = worker.join();
            match (fault, result) {
                (Some(fault), _) => Err(fault),
                (None, Ok(result)) => Ok(result),
                (None, Err(_)) => Err(PyRuntimeError::new_err(
                    "the run ended by a fault of the library; please report it",
                )),
            }
        })
    })
}

/// Whether the callable wants to go on; only `False` says no.
fn ask(py: Python<'_>, callable: Option<&Py<PyAny>>, step: &Step) -> PyResult<bool> {
    let Some(callable) = callable else { return Ok(true) };
    let said = callable.bind(py).call1((step.fraction, step.name.as_str(), step.iteration))?;
    Ok(!said.is(PyBool::new(py, false)))
}
