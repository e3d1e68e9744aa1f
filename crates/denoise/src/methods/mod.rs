//! One file a method.

pub mod awlop;
pub mod fgl;
pub mod lop;
pub mod mls;
pub mod mrpca;
pub mod nld;
pub mod wlop;
