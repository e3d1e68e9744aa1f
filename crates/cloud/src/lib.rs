//! Point clouds: columns, neighbors, normals, sampling, noise and quality.
//!
//! ```
//! use pellucid_cloud::{KdTree, PointCloud};
//!
//! let cloud = PointCloud::new(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]]);
//! let tree = KdTree::new(cloud.positions());
//! let table = tree.knn_table(2);
//! assert_eq!(table.row(0), [0, 1]);
//! ```

pub mod attribute;
mod cloud;
pub mod distinct;
pub mod eigen3;
pub mod neighbors;
pub mod noise;
pub mod normals;
pub mod order;
pub mod outliers;
pub mod quality;
pub mod sample;
pub mod spacing;
pub mod stats;
pub mod synth;
pub mod vec3;

pub use attribute::{Attribute, List, Values};
pub use cloud::{CloudError, PointCloud, bounds};
pub use distinct::DistinctRows;
pub use neighbors::{Around, KdTree, Neighbor, NeighborTable};
pub use order::SpatialOrder;
pub use vec3::Point;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
