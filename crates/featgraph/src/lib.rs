//! Learn a graph from one signal and a feature vector per node.
//!
//! Nothing here knows of point clouds: nodes, features and signals are all there is.

pub mod edges;
pub mod eigen;
pub mod error;
pub mod laplacian;
pub mod learn;
pub mod metric;
mod pass;
pub mod solve;
pub mod spectrum;
pub mod weights;

mod exp;
