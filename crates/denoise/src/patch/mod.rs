//! Patches: small overlapping neighborhoods, and which point of one answers to which of another.

mod build;
mod centers;
mod counterpart;
mod flat;
mod height;
mod tangent;

pub use build::{Apart, Origin, Patches, Uncovered};
pub use centers::poisson_centers;
pub use counterpart::{End, NONE, PatchGraph};
pub use height::{Grid, HeightFrame};
pub use tangent::TangentLinks;

#[cfg(test)]
mod tests;
