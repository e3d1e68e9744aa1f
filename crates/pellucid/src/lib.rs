//! Turns noisy 3D point clouds into clean ones.
