//! The documents of the repository whose examples are tests. They are here, in a crate that is not published, so
//! that no other crate reaches out of its own folder. The program of this crate is `main.rs`.

/// The README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// Learning graphs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/featgraph.md")]
mod featgraph {}

/// Random fields.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/igmrf.md")]
mod igmrf {}
