//! What can be left out, to see what it is good for.

use serde::{Deserialize, Serialize};

/// A decision of the method `auto` that can be left out, for studies only: `docs/auto.md` has what
/// each is worth, `scripts/ablations` measures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// Two layers close together are told from one with more noise; else the noise of a fit counts.
    Layers,
    /// Where walls are thin there is an earlier end and less at the end; else as everywhere.
    ThinWalls,
    /// It is enough when points hardly move any more; else only when the noise is removed.
    Rest,
    /// Patches grow with the noise, and their weights widen; else they have 9 points.
    GrowingPatches,
    /// The weights of larger patches are wider; else as narrow as those of 9 points.
    WiderWeights,
    /// The pull grows with the noise; else it stays as it is for little.
    GrowingPull,
    /// Centres are drawn anew in every round; else the same points come first.
    FreshCenters,
    /// Normals count when points are chosen for patches, and patches for neighbours; else places.
    NormalsInPatches,
    /// Normals count for more where there is little noise; else as little as where there is much.
    SharpEdges,
    /// Normals have signs where two layers lie; else nowhere.
    SidedNormals,
    /// Normals stay for two rounds; else they are looked at in each.
    KeptNormals,
    /// Heights count half when counterparts are found; else whole.
    HalfHeights,
    /// The metric is learned; else it is the same for all features.
    LearnedMetric,
    /// What is pulled pulls back; else it does not.
    PullBack,
    /// A few sweeps; else so many that the system is solved.
    FewSweeps,
    /// Heights are smoothed at the end; else not.
    Smoothing,
    /// Normals at the end are filtered where there is little noise, and count; else those of a fit.
    SharpNormals,
    /// Heights at the end are over the planes of neighbours too, for little noise; else over the
    /// point's own.
    MeanPlanes,
}
