//! How good a result is, measured against the truth.
//!
//! Nothing in here is used by a method: a method never sees the truth.
//!
//! ```
//! use pellucid_cloud::PointCloud;
//! use pellucid_cloud::quality::compare;
//!
//! let truth = PointCloud::new(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
//! let result = PointCloud::new(vec![[0.0, 0.1, 0.0], [1.0, 0.1, 0.0], [2.0, 0.1, 0.0]]);
//! let quality = compare(&result, &truth, None)?;
//! assert!((quality.paper_mse - 0.1).abs() < 1e-12);
//! assert!((quality.chamfer - 0.02).abs() < 1e-12);
//! # Ok::<(), pellucid_cloud::quality::QualityError>(())
//! ```

mod boxes;
mod compare;
mod frame;
mod mesh;
mod plane;
mod points;
mod triangle;
mod uniformity;

pub use compare::{Comparison, compare};
pub use frame::UnitSphere;
pub use mesh::{MeshIndex, TriangleMesh, point_to_mesh, point_to_mesh_two_way};
pub use plane::point_to_plane;
pub use points::{chamfer, hausdorff, hausdorff95, paper_mse, paper_snr};
pub use triangle::closest_on_triangle;
pub use uniformity::uniformity;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_mesh;

/// Why a comparison is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QualityError {
    /// The result has no point with finite coordinates.
    #[error("the result has no finite point among its {rows} rows; there is nothing to compare")]
    EmptyResult {
        /// Rows of the result, all of them not finite.
        rows: usize,
    },
    /// The truth has no point with finite coordinates.
    #[error(
        "the truth has no finite point among its {rows} rows; there is nothing to compare with"
    )]
    EmptyTruth {
        /// Rows of the truth, all of them not finite.
        rows: usize,
    },
    /// There is one normal for each point of the truth, or none at all.
    #[error("{normals} normals were given for {points} points of the truth; give one for each")]
    Normals {
        /// How many normals were given.
        normals: usize,
        /// How many points the truth has.
        points: usize,
    },
    /// No normal of the truth has a direction.
    #[error("none of the {points} normals of the truth is finite and non-zero")]
    NoUsableNormal {
        /// Points of the truth.
        points: usize,
    },
    /// The mesh has no triangle.
    #[error("the mesh has no triangle; give a mesh with faces or compare without one")]
    EmptyMesh,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {vertices} vertices")]
    MeshIndex {
        /// Which triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle has a vertex that is not finite.
    #[error("triangle {triangle} has vertex {vertex}, whose coordinates are not finite")]
    MeshVertex {
        /// Which triangle.
        triangle: usize,
        /// Its vertex.
        vertex: u32,
    },
}
