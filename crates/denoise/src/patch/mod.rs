//! Patches: small overlapping neighbourhoods, and which point of one answers to which of another.

mod build;
mod counterpart;

pub use build::{Origin, Patches, Uncovered};
pub use counterpart::{End, PatchGraph};

#[cfg(test)]
mod tests;
