//! Ctrl-C: a running method is asked to give up; a write that has begun is finished first.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::failure::Failure;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static LISTENING: AtomicBool = AtomicBool::new(false);
static WRITING: Mutex<()> = Mutex::new(());

/// From now on Ctrl-C ends the program in order.
pub fn install() {
    // Without a handler the system ends the program at once: worse, but no reason to stop here.
    let _ = ctrlc::set_handler(|| {
        let again = ASKED.swap(true, Ordering::SeqCst);
        if LISTENING.load(Ordering::SeqCst) && !again {
            return;
        }
        // Holding the lock, no write can be in progress, and none can begin.
        let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        exit(i32::from(Failure::Interrupted.code()));
    });
}

/// Runs `job`, which checks the flag and returns soon after it turns true.
pub fn listening<T>(job: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
    LISTENING.store(true, Ordering::SeqCst);
    let out = job(ASKED.clone());
    LISTENING.store(false, Ordering::SeqCst);
    out
}

/// Runs `job`, which writes a file; Ctrl-C waits for it.
pub fn writing<T>(job: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    check()?;
    job()
}

/// An error if Ctrl-C was pressed.
pub fn check() -> Result<(), Failure> {
    if ASKED.load(Ordering::SeqCst) { Err(Failure::Interrupted) } else { Ok(()) }
}
