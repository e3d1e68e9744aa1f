//! One file a method.

pub mod mls;
