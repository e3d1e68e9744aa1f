//! One file a method.

pub mod apss;
pub mod auto;
pub mod awlop;
pub mod bilateral;
pub mod fgl;
pub mod glr;
pub mod lop;
pub mod lr;
pub mod mls;
pub mod mrpca;
pub mod nld;
pub mod rimls;
pub mod wlop;
