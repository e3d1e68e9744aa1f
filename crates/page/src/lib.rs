//! One HTML file that shows point clouds: no network, no server, nothing installed.
//!
//! [`look`] finds out what a picture needs, [`Group`] packs clouds that are shown together,
//! [`Page`] puts them into a page. `still` draws pictures without a GPU (feature `stills`, which is on
//! unless turned off), and `serve` shows a page to the browser on this computer (feature `serve`).
//!
//! ```
//! use pellucid::PointCloud;
//! use pellucid_page::{Group, Layer, Page};
//!
//! let before = PointCloud::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
//! let after = before.with_positions(vec![[0.0; 3], [1.0, 0.1, 0.0], [0.0, 1.0, 0.1]])?;
//! let layers = [Layer::new("before", &before), Layer::new("after", &after).moved_from(0)];
//! let mut page = Page::new("a triangle");
//! page.groups.push(Group::pack("triangle", &layers, 1_000_000, 24_000_000));
//! assert!(page.html()?.starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod code;
mod html;
pub mod look;
mod pack;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "stills")]
pub mod still;
mod words;

#[cfg(test)]
mod tests;

pub use html::{Page, SCRIPTS, STYLE};
pub use pack::{Block, Group, Layer};
pub use words::metric_in_words;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
