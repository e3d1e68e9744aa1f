//! Attacks on the program: changed files, random options, kills.

mod files;
pub mod hostile;
pub mod mutate;
mod program;
pub mod soak;
