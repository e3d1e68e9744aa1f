//! Graph Laplacians.
