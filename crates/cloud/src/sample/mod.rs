//! Choosing some of the points: far from each other, or no two closer than a radius.

mod farthest;
mod poisson;

#[cfg(test)]
mod tests;

pub use farthest::farthest_points;
pub use poisson::{poisson_disk, poisson_disk_by_rank, poisson_disk_by_rank_in};
