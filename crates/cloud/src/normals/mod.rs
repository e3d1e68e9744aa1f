//! Normals: estimation from neighborhoods and consistent orientation.

mod estimate;
mod orient;
mod sheets;
mod union;

pub(crate) use estimate::{covariance_of, is_row, normal_of_covariance};
pub use estimate::{estimate_normals, estimate_normals_k, normal_across_rows, normal_of};
pub use orient::{orient_consistently, orient_like, orient_to_viewpoint};
pub(crate) use sheets::Cut;
pub use sheets::{orient_on_sheets, sided_normal};

#[cfg(test)]
mod estimate_tests;
#[cfg(test)]
mod orient_tests;
