//! The methods, one file for each, and the types of their parameters.

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
mod outer;
pub mod rimls;
pub mod wlop;

pub use apss::Apss;
pub use auto::AutoParameters as Auto;
pub use awlop::Awlop;
pub use bilateral::Bilateral;
pub use fgl::Fgl;
pub use glr::Glr;
pub use lop::Lop;
pub use lr::Lr;
pub use mls::Mls;
pub use mrpca::Mrpca;
pub use nld::Nld;
pub use rimls::Rimls;
pub use wlop::Wlop;
