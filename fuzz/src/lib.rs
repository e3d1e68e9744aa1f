//! What all targets share: the rule of `crates/io/tests/hardening`, with the clock added.

#[path = "../../crates/io/tests/hardening/check.rs"]
mod check;
#[path = "../../crates/io/tests/hardening/crc.rs"]
mod crc;
#[path = "../../crates/io/tests/hardening/rule.rs"]
mod rule;
#[path = "../../crates/io/tests/hardening/seeds.rs"]
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

pub use libfuzzer_sys;
pub use pellucid_io::Format;

#[global_allocator]
static ALLOCATOR: rule::Counting = rule::Counting;

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Seconds that reading an input may take.
const SECONDS: f64 = 1.0;

/// To be called once before the first input.
pub fn prepare() {
    if let Some(folder) = std::env::var_os("SEEDS_TO") {
        let written = write_seeds(Path::new(&folder));
        std::process::exit(i32::from(written.is_err()));
    }
    // One thread, so that coverage and time are an input's own.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    // libFuzzer's hook would end the process on panics that a reader catches.
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = info.to_string();
        }
    }));
}

/// Writes the seeds of every target to a folder of its name.
fn write_seeds(folder: &Path) -> std::io::Result<()> {
    for (target, _) in seeds::TARGETS {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        for (i, seed) in seeds::seeds(target).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i:02}")), seed)?;
        }
    }
    Ok(())
}

/// Runs one input; ends the process where the rule is broken.
pub fn run(bytes: &[u8], format: Format) {
    let mended;
    let bytes = if format == Format::E57 {
        let mut copy = bytes.to_vec();
        crc::mend_e57(&mut copy);
        mended = copy;
        &mended
    } else {
        bytes
    };
    let mut spent = 0.0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let start = cpu_seconds();
        let document = check::read(bytes, format);
        spent = cpu_seconds() - start;
        if let Ok(document) = document {
            check::write(&document, bytes.len(), format);
        }
    }));
    if result.is_err() {
        let text = LAST_PANIC.lock().map(|t| t.clone()).unwrap_or_default();
        eprintln!("BROKEN: {text}");
        std::process::abort();
    }
    if spent > SECONDS {
        eprintln!("BROKEN: {spent:.2} seconds for {} bytes", bytes.len());
        std::process::abort();
    }
}

/// Time of the processor, which a busy machine does not stretch as it does that of the clock.
fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// A target for one reader.
#[macro_export]
macro_rules! target {
    ($format:ident) => {
        $crate::libfuzzer_sys::fuzz_target!(init: $crate::prepare(), |bytes: &[u8]| {
            $crate::run(bytes, $crate::Format::$format)
        });
    };
}
