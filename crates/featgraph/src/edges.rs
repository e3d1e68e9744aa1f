//! Node pairs, feature differences and signal distances.
