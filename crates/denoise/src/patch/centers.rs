//! Where patches are centered.

use pellucid_cloud::stats::upper_median;
use pellucid_cloud::{NeighborTable, Point, sample};

use crate::frame::LocalFrame;
use crate::graph;

/// Centers for about `share` patches a point, by Poisson disks, other ones in each `iteration`.
///
/// A part of the cloud gets the centers that the whole would get, and they do not depend on how
/// the cloud is turned.
pub fn poisson_centers(
    points: &[Point],
    nearest: &NeighborTable,
    share: f64,
    frame: &LocalFrame,
    iteration: usize,
    seed: u64,
) -> Vec<u32> {
    // On a surface, disks of radius r leave about 0.7 centers per r² (measured), so 0.7 π over
    // the share is how many points a disk should hold: r is the usual distance of the neighbor
    // of that number.
    let inside = (0.7 * std::f64::consts::PI / share).round() as usize;
    let k = inside.min(nearest.k() - 1);
    let mut reach: Vec<f64> = (0..points.len()).map(|i| nearest.distances2(i)[k]).collect();
    let radius = upper_median(&mut reach).unwrap_or(0.0).sqrt();
    // By number and iteration, not by place.
    let draw = seed ^ (iteration as u64).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let ranks: Vec<u64> = frame
        .ordinals()
        .iter()
        .map(|&r| graph::scramble(u64::from(r) ^ graph::scramble(draw)))
        .collect();
    sample::poisson_disk_by_rank(points, radius, &ranks)
}
