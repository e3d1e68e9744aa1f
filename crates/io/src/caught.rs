//! Panics of libraries as errors, without the report that the runtime prints about them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// What `run` returns; `None` if it panics.
///
/// For libraries that check with assertions what a damaged file can bring about. Nothing that `run`
/// changed may be used afterwards.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // The hook of a thread that is panicking cannot be changed.
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let usual = take_hook();
            set_hook(Box::new(move |panic| {
                if !SILENT.get() {
                    usual(panic);
                }
            }));
        });
    }
    let before = SILENT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    SILENT.set(before);
    result.ok()
}
