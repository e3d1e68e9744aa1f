//! The rule that every reader keeps, whatever the bytes: no panic, no more than
//! [`LIMIT_FACTOR`] times the input plus [`LIMIT_BYTES`] of memory, no more than a second.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of memory for each byte of input …
pub const LIMIT_FACTOR: usize = 4;
/// … and these on top.
pub const LIMIT_BYTES: usize = 64 << 20;

/// Counts what is allocated.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

fn less(bytes: usize) {
    LIVE.fetch_sub(bytes, Ordering::Relaxed);
}

#[allow(unsafe_code, reason = "an allocator is")]
// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        less(layout.size());
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Both may exist while one is copied to the other.
        more(new_size);
        less(layout.size());
        unsafe { System.realloc(p, layout, new_size) }
    }
}

/// What `work` gives, and the most memory that it held at once.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

/// Panics if reading `input` bytes took more memory than it may.
#[track_caller]
pub fn check_memory(input: usize, peak: usize) {
    let most = LIMIT_FACTOR * input + LIMIT_BYTES;
    assert!(peak <= most, "{peak} bytes of memory for {input} bytes of input; {most} are allowed");
}
