//! Learn a graph from one signal and a feature vector per node.
//!
//! Nothing here knows of point clouds: nodes, features and signals are all there is.
