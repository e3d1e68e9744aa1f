//! Drives the real page in a headless Chromium.

mod axe;
mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod live;
mod report;
mod tools;
mod web;

use std::path::Path;

/// A file's address.
pub fn file_address(path: &Path) -> String {
    format!("file://{}", path.display())
}
