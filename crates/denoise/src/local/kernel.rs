//! How much a neighbor counts, by its distance.

use crate::parameters::choices;
use featgraph::exp::exp;

choices! {
    /// A weight that falls with distance.
    #[derive(Default)]
    pub enum Kernel {
        /// All neighbors count the same.
        #[default]
        Flat = "flat",
        /// `(1 - t²)²`: smooth, zero at the radius.
        Biweight = "biweight",
        /// `(1 - t²)⁴`: smoother, and with more weight in the middle.
        Quartic = "quartic",
        /// `exp(-t² / (2 s²))` with `s` a third of the radius.
        Gaussian = "gaussian",
    }
}

impl Kernel {
    /// The weight at `t2`, the squared distance in units of the squared radius; positive up to
    /// the radius (the biweight is kept from reaching zero on it, so that no fit is empty).
    #[inline]
    pub fn weight(self, t2: f64) -> f64 {
        match self {
            Kernel::Flat => 1.0,
            Kernel::Biweight => {
                let s = (1.0 - t2).max(1e-3);
                s * s
            }
            Kernel::Quartic => {
                let s = (1.0 - t2).max(1e-3);
                s * s * s * s
            }
            Kernel::Gaussian => exp(-4.5 * t2),
        }
    }
}
