//! The constants of the default method, in one table.

use serde::{Deserialize, Serialize};

/// Numbers of levels, discrepancy, facets and volumes. Lengths are in mean spacings of the level at
/// hand unless a comment says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Noise below this is left alone: no patch can tell it from the surface.
    pub negligible: f64,
    /// A cloud with more noise than this, in sides of the square that a point has on the surface, is
    /// cut into interleaved parts.
    pub coarse: f64,
    /// With more noise than this, nothing is gained by points that did not go through parts.
    pub coarse_only: f64,
    /// How many parts for each such side of noise.
    pub parts: f64,
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
    /// How much mild creases speak against facets.
    pub creases: f64,
    /// How much more discrepancy the smoother of two surfaces may have.
    pub discrepancy: f64,
    /// Most discrepancy of a surface that came from a coarse level.
    pub coarse_discrepancy: f64,
    /// Most that one place can say against the smoother surface, so that it does not speak for all
    /// around it.
    pub most_excess: f64,
    /// Passes by which that is averaged over a facet.
    pub averages: usize,
    /// Mean distance to the nearest measured point along the surface, over that of random points,
    /// above which noise cannot have moved points along it.
    pub regular: f64,
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
            coarse: 1.25,
            coarse_only: 1.5,
            parts: 1.35,
            less_coarse: 0.6,
            removed: 1.15,
            removed_thin: 0.53,
            facet_normals: 20,
            facet_width: 0.15,
            facet_steps: 5,
            creases: 8.0,
            discrepancy: 1.1,
            coarse_discrepancy: 1.3,
            most_excess: 5.0,
            averages: 20,
            regular: 1.25,
            still_thick: 0.58,
            maybe_thick: 0.35,
            filled: 0.28,
        }
    }
}

impl Tuning {
    /// How often a faceted candidate looks from point to point, at most.
    pub fn passes_of_facets(&self) -> usize {
        self.facet_normals + self.facet_steps + self.averages
    }

    /// Root mean square that a place may move by, for features of that thinness.
    pub fn most_removed(&self, thinness: f64) -> f64 {
        self.removed + (self.removed_thin - self.removed) * thinness
    }
}
