//! Large clouds in pieces: what is global is learned once, the rest is local.
//!
//! A [`Survey`] passes over all points a few times and samples some; [`Learned`] is what they say
//! of the cloud as a whole, and denoises a piece of it as the whole run would. Nothing here reads
//! files, so that any engine can drive it. The method is `auto`; for clouds too large to be
//! learned from as a whole, it works exactly this way by itself.

pub use crate::methods::auto::{AutoParameters, Learned, Survey};
