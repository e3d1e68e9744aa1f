//! What all targets share: the rule of `crates/io/tests/hardening`, with the clock added.

#[path = "../../crates/io/tests/hardening/check.rs"]
mod check;
#[path = "../../crates/io/tests/hardening/crc.rs"]
mod crc;
#[path = "../../crates/io/tests/hardening/in_pieces.rs"]
mod in_pieces;
#[path = "../../crates/io/tests/hardening/rule.rs"]
mod rule;
#[path = "../../crates/io/tests/hardening/seeds.rs"]
mod seeds;

mod numbers;
mod parameters;
mod pieces;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

pub use libfuzzer_sys;
pub use numbers::run as numbers;
pub use parameters::run as parameters;
pub use pellucid_io::Format;
pub use pieces::run as pieces;
pub use work::run as work;

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
    let readers = seeds::TARGETS.iter().map(|(target, _)| (*target, seeds::seeds(target)));
    let others = [
        ("pieces", pieces::seeds()),
        ("parameters", parameters::seeds()),
        ("numbers", numbers::seeds()),
        ("work", work::seeds()),
    ];
    for (target, seeds) in readers.chain(others) {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        for (i, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i:02}")), seed)?;
        }
    }
    Ok(())
}

/// A folder for files of this process, in memory where the system has one there.
fn scratch() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = root.join(format!("pellucid-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap_or_default();
        folder
    })
}

/// Runs one input of a reader; ends the process where the rule is broken.
pub fn run(bytes: &[u8], format: Format) {
    let bytes = mended(bytes, format);
    guarded(bytes.len(), SECONDS, || {
        let start = cpu_seconds();
        let document = check::read(&bytes, format);
        let spent = cpu_seconds() - start;
        if let Ok(document) = document {
            check::write(&document, bytes.len(), format);
        }
        spent
    });
}

/// The bytes, with the right checksums if they are those of E57.
fn mended(bytes: &[u8], format: Format) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if format == Format::E57 {
        crc::mend_e57(&mut bytes);
    }
    bytes
}

/// Runs `work` on an input of `size` bytes; ends the process if it panics, or if the seconds that it says it
/// spent are too many.
fn guarded(size: usize, most: f64, work: impl FnOnce() -> f64) {
    let Ok(spent) = catch_unwind(AssertUnwindSafe(work)) else {
        let text = LAST_PANIC.lock().map(|t| t.clone()).unwrap_or_default();
        eprintln!("BROKEN: {text}");
        std::process::abort();
    };
    if spent > most {
        eprintln!("BROKEN: {spent:.2} seconds for {size} bytes");
        std::process::abort();
    }
}

/// As [`guarded`], with all of the time counted.
fn guarded_whole(size: usize, most: f64, work: impl FnOnce()) {
    guarded(size, most, || {
        let start = cpu_seconds();
        work();
        cpu_seconds() - start
    });
}

/// Time of the processor, which a busy machine does not stretch as it does that of the clock.
fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// A target for one reader, or for one of the other functions here.
#[macro_export]
macro_rules! target {
    (=> $run:ident) => {
        $crate::libfuzzer_sys::fuzz_target!(init: $crate::prepare(), |bytes: &[u8]| {
            $crate::$run(bytes)
        });
    };
    ($format:ident) => {
        $crate::libfuzzer_sys::fuzz_target!(init: $crate::prepare(), |bytes: &[u8]| {
            $crate::run(bytes, $crate::Format::$format)
        });
    };
}
