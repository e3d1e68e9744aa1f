//! The constants of the default method, in one table.

use serde::{Deserialize, Serialize};

/// Numbers of levels, discrepancy, facets and volumes. Lengths are in mean spacings of the level at
/// hand unless a comment says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Noise below this is left alone: no patch can tell it from the surface.
    pub negligible: f64,
    /// A cloud with more noise than `coarse` is cut into interleaved parts with about this much.
    pub coarse: f64,
    /// Noise of a part; see `coarse`.
    pub working: f64,
    /// Part of the noise that is not counted for that where features are thinner than the noise.
    pub less_coarse: f64,
    /// Root mean square that a place may move by along its normals, in units of its noise.
    pub removed: f64,
    /// The same where features are thinner than the noise.
    pub removed_thin: f64,
    /// Passes by which normals become those of facets.
    pub facet_normals: usize,
    /// Difference of normals that is another facet.
    pub facet_width: f64,
    /// Steps of points onto their facets.
    pub facet_steps: usize,
    /// Discrepancy above which a place has been smoothed too much.
    pub discrepancy: f64,
    /// Share of its thickness that a region keeps in denoising if it is a volume.
    pub still_thick: f64,
    /// The same for a region beside a volume.
    pub maybe_thick: f64,
    /// Thickness over width above which noise fills space and nothing can be said.
    pub filled: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            negligible: 0.125,
            coarse: 1.4,
            working: 1.15,
            less_coarse: 0.35,
            removed: 1.15,
            removed_thin: 0.53,
            facet_normals: 20,
            facet_width: 0.15,
            facet_steps: 5,
            discrepancy: 1.05,
            still_thick: 0.58,
            maybe_thick: 0.35,
            filled: 0.28,
        }
    }
}

impl Tuning {
    /// How often the faceted candidate looks from point to point.
    pub fn passes_of_facets(&self) -> usize {
        self.facet_normals + self.facet_steps
    }

    /// Root mean square that a place may move by, for features of that thinness.
    pub fn most_removed(&self, thinness: f64) -> f64 {
        self.removed + (self.removed_thin - self.removed) * thinness
    }
}
