//! Learn a graph from one signal and a feature vector per node.
//!
//! Nothing here knows of point clouds: nodes, features and signals are all there is. Sensors
//! with positions and readings, pixels with colors, documents with scores: give each node its
//! features, name the pairs that may be connected, and the metric that makes the signal smooth
//! on the graph is learned; the weights follow.
//!
//! ```
//! use featgraph::{edges::Edges, learn::{LearnParams, learn}, weights::weights};
//!
//! // Five weather stations: height, distance to the sea, temperature.
//! let height = [0.1, 0.2, 1.4, 1.5, 0.3];
//! let sea = [0.0, 1.1, 0.2, 1.0, 0.5];
//! let temperature = [18.0, 17.6, 9.8, 9.5, 17.0];
//! let pairs = vec![(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 2)];
//! let edges = Edges::builder(5)
//!     .feature_column(&height)
//!     .feature_column(&sea)
//!     .signal(&temperature)
//!     .pairs(pairs)
//!     .build()?;
//! let learned = learn(&edges, &LearnParams::default())?;
//! let w = weights(&edges, &learned.metric);
//! assert!(learned.metric.entry(0, 0) > learned.metric.entry(1, 1)); // height decides
//! assert!(w[0] > 0.5 && w[1] < 0.1); // alike stations are tied, unlike ones are not
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod construct;
pub mod edges;
pub mod eigen;
pub mod error;
pub mod exp;
pub mod laplacian;
pub mod learn;
pub mod metric;
mod pass;
pub mod solve;
pub mod spectrum;
pub mod weights;
#[doc(hidden)]
pub mod wide;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
