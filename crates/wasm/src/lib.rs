//! The library as WebAssembly, for a page that denoises in the browser.
//!
//! Plain functions instead of generated glue: the page puts bytes where [`room`] says, calls a
//! function, and reads the answer where [`answer_at`] says. Answers are JSON, but for [`save`].
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod session;

#[cfg(target_arch = "wasm32")]
mod exports;

pub use session::{Progress, Session};
