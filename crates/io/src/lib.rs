//! Point-cloud files, read and written with every attribute kept.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
