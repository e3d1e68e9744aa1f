//! Attacks on the program: changed files, random options, kills.

mod files;
pub mod mutate;
mod program;
pub mod soak;
