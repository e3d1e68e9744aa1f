//! Runs the program of this crate and checks what it did.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

#[path = "../../../cli/tests/common/kit.rs"]
mod kit;

use std::ffi::OsStr;

pub use kit::*;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_pellucid-bench");

/// Runs the program.
pub fn pellucid_bench<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    run(PROGRAM, args)
}
