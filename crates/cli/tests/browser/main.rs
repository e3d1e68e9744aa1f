//! Drives the real page in a headless Chromium.

mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod live;
mod report;
mod web;

use std::path::Path;

/// A file's address.
pub fn file_address(path: &Path) -> String {
    format!("file://{}", path.display())
}
