//! One file a method.

pub mod fgl;
pub mod mls;
pub mod mrpca;
