//! One fused pass over all edges: objective and gradient.
