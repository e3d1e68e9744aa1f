//! The C interface of pellucid.
//!
//! `include/pellucid.h` is what C and C++ programs see; `examples/` shows how they use it. Everything that
//! is exported goes through `status::guard`, so that a failure becomes a code with a message and no panic
//! reaches the caller. This crate is the only one with unsafe code: pointers are followed in `raw`, and
//! what callers promise about them is said at each function.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![allow(unsafe_code, reason = "a C interface takes pointers; each block says why it is sound")]

pub mod cloud;
pub mod denoise;
pub mod options;
mod raw;
pub mod status;

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

use pellucid::denoise::registry;

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn pellucid_version() -> *const c_char {
    static VERSION: LazyLock<CString> = LazyLock::new(|| raw::c_text(env!("CARGO_PKG_VERSION")));
    VERSION.as_ptr()
}

/// The table of methods as JSON: names, what they do, presets, parameters and defaults.
#[unsafe(no_mangle)]
pub extern "C" fn pellucid_methods() -> *const c_char {
    static METHODS: LazyLock<CString> = LazyLock::new(|| {
        raw::c_text(&serde_json::to_string(registry::methods()).unwrap_or_default())
    });
    METHODS.as_ptr()
}
