//! The constants of the default method, in one table.

use serde::{Deserialize, Serialize};

/// Numbers of levels, rounds, discrepancy, facets and volumes; `pellucid-bench fit` changes them one by
/// one. Lengths are in mean spacings of the level at
/// hand unless a comment says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Noise below this is left alone: no patch can tell it from the surface.
    pub negligible: f64,
    /// A cloud with more noise than this, in sides of the square that a point has on the surface, is
    /// cut into interleaved parts.
    pub coarse: f64,
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
    /// Passes by which that is averaged over a facet.
    pub averages: usize,
    /// Mean distance to the nearest measured point along the surface, over that of random points,
    /// above which noise cannot have moved points along it.
    pub regular: f64,
    /// Share of its thickness that a region keeps in denoising if it is a volume.
    pub still_thick: f64,
    /// The same for a point of a volume, averaged over its neighbors.
    pub maybe_thick: f64,
    /// How much normals of a volume look into all three directions: 0 for one or two of them, 1/3 for all alike.
    pub all_directions: f64,
    /// Points of a patch where there is little noise.
    pub patch: f64,
    /// How many more for each squared spacing of noise above `small_up_to`.
    pub patch_growth: f64,
    /// Squared noise up to which patches are small.
    pub small_up_to: f64,
    /// Most points of a patch.
    pub largest_patch: f64,
    /// Patches that a point is in.
    pub cover: f64,
    /// Of the nearest points every this many counts as a neighbor where the nearest are of one row of a scan.
    pub step_in_rows: usize,
    /// Limit on the trace of the metric for small patches: how narrow weights are. Larger patches have
    /// wider ones.
    pub trace: f64,
    /// Strength of the pull.
    pub pull: f64,
    /// How it grows with the noise, as patches do.
    pub pull_growth: f64,
    /// How much heights count when counterparts are found.
    pub height: f64,
    /// Spacings that a difference of one between normals counts as.
    pub per_normal: f64,
    /// Share of the variance of heights that two layers must explain where normals are clear.
    pub two_layers: f64,
    /// The same where noise fills the neighborhood.
    pub two_layers_filled: f64,
    /// Radius of a neighborhood that noise fills, in units of that noise.
    pub fills: f64,
    /// Noise at the start of a level up to which normals are clear, and above which they are not.
    pub clear: [f64; 2],
    /// With clear normals, how many more spacings a difference of one counts as for each spacing of
    /// noise below `little`.
    pub per_clear_normal: f64,
    /// The same for what is added to the metric's entries of normals. Learning takes them away, since
    /// the signal is where points are; across an edge they are what holds the sides apart.
    pub normal_floor: f64,
    /// Sweeps of the solver.
    pub sweeps: usize,
    /// Sweeps where patches are large for much noise.
    pub few_sweeps: usize,
    /// Noise at the start up to which there are not fewer.
    pub more_sweeps_up_to: f64,
    /// Part of the first round's movement below which rounds end.
    pub rest: f64,
    /// How much it grows with each spacing of noise below `little`.
    pub rest_of_little: f64,
    /// Noise that is little.
    pub little: f64,
    /// Passes over the normals of the curved candidate where they are clear.
    pub normal_passes: f64,
    /// Standard deviation of the weight by the difference of two normals on a curved surface.
    pub facing: f64,
    /// Standard deviation of the weight by distance, in local spacings.
    pub distance: f64,
    /// Limits of the standard deviation of the weight by height, in local spacings; between them it is twice the residual
    /// noise.
    pub heights: [f64; 2],
    /// Noise after the rounds above which heights are smoothed once more.
    pub rough: f64,
    /// Part of the local spacing that a step of tangential relaxation moves a point by.
    pub even_step: f64,
    /// Neighbors that a tangent plane is fitted to at the end; few, so that edges stay.
    pub plane: usize,
    /// Thickness over width above which noise fills space and nothing can be said.
    pub filled: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            negligible: 0.125,
            coarse: 1.25,
            parts: 1.35,
            less_coarse: 0.6,
            removed: 1.15,
            removed_thin: 0.53,
            facet_normals: 14,
            facet_width: 0.15,
            facet_steps: 5,
            creases: 8.0,
            discrepancy: 1.1,
            averages: 10,
            regular: 1.25,
            still_thick: 0.58,
            maybe_thick: 0.25,
            all_directions: 0.105,
            patch: 9.0,
            patch_growth: 8.0,
            small_up_to: 1.2,
            largest_patch: 32.0,
            cover: 2.7,
            step_in_rows: 2,
            trace: 3.0,
            pull: 0.2,
            pull_growth: 0.1,
            height: 0.5,
            per_normal: 3.0,
            two_layers: 0.7,
            two_layers_filled: 0.75,
            fills: 4.0,
            clear: [0.7, 1.1],
            per_clear_normal: 8.0,
            normal_floor: 16.0,
            sweeps: 6,
            few_sweeps: 4,
            more_sweeps_up_to: 1.4,
            rest: 0.52,
            rest_of_little: 0.48,
            little: 0.9,
            normal_passes: 2.0,
            facing: 0.25,
            distance: 0.9,
            heights: [0.17, 0.6],
            rough: 0.2,
            even_step: 0.12,
            plane: 16,
            filled: 0.28,
        }
    }
}

impl Tuning {
    /// Which of the nearest points count as neighbors: every this many.
    pub fn step(&self, rows: bool) -> usize {
        if rows { self.step_in_rows.max(1) } else { 1 }
    }

    /// How often a faceted candidate looks from point to point, at most.
    pub fn passes_of_facets(&self) -> usize {
        self.facet_normals + self.facet_steps + self.averages
    }

    /// How clear normals are for `sigma` spacings of noise at the start: 0 not, 1 very.
    pub fn clearness(&self, sigma: f64) -> f64 {
        ((self.clear[1] - sigma) / (self.clear[1] - self.clear[0])).clamp(0.0, 1.0)
    }

    /// Root mean square that a place may move by, for features of that thinness.
    pub fn most_removed(&self, thinness: f64) -> f64 {
        self.removed + (self.removed_thin - self.removed) * thinness
    }
}
