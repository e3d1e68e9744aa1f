//! Every measure at once.

use serde::{Deserialize, Serialize};

use super::mesh::{MeshIndex, one_way, two_way};
use super::points::Matched;
use super::{QualityError, TriangleMesh, point_to_plane, uniformity};
use crate::PointCloud;

/// How a result compares with the truth; distances in the units of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Mean distance to the nearest point of the other cloud, averaged over both directions; the
    /// same as [`paper_mse`](super::paper_mse).
    pub mean_distance: f64,
    /// Root of the mean squared distance, averaged over both directions before the root.
    pub rms_distance: f64,
    /// [`paper_mse`](super::paper_mse): a mean distance, not squared.
    pub paper_mse: f64,
    /// [`paper_snr`](super::paper_snr); `None` where it is not finite (the clouds are the same).
    pub paper_snr: Option<f64>,
    /// [`chamfer`](super::chamfer), squared.
    pub chamfer: f64,
    /// [`point_to_plane`], if the truth has normals.
    pub point_to_plane: Option<f64>,
    /// [`point_to_mesh`](super::point_to_mesh), one way and not squared, if a mesh was given.
    pub point_to_mesh: Option<f64>,
    /// [`point_to_mesh_two_way`](super::point_to_mesh_two_way), squared, if a mesh was given.
    pub point_to_mesh_two_way: Option<f64>,
    /// [`hausdorff`](super::hausdorff).
    pub hausdorff: f64,
    /// [`hausdorff95`](super::hausdorff95).
    pub hausdorff95: f64,
    /// [`uniformity`] of the result.
    pub uniformity: Option<f64>,
    /// [`uniformity`] of the truth, to judge the result's by.
    pub uniformity_truth: Option<f64>,
    /// Points of the result that took part.
    pub result_points: usize,
    /// Points of the truth that took part.
    pub truth_points: usize,
    /// Rows of the result that are not finite and took no part.
    pub result_ignored: usize,
    /// Rows of the truth that are not finite and took no part.
    pub truth_ignored: usize,
}

/// Compares a result with the truth by every measure; see [the module](super) for an example.
///
/// Rows that are not finite take no part and are counted. Normals are read from the truth only.
/// The numbers are the same to the last bit for any number of threads.
pub fn compare(
    result: &PointCloud,
    truth: &PointCloud,
    mesh: Option<&TriangleMesh>,
) -> Result<Comparison, QualityError> {
    let matched = Matched::new(result.positions(), truth.positions())?;
    let (a, b) = (matched.to_truth2.len(), matched.to_result2.len());
    let plane = match truth.normals() {
        Some(normals) => match point_to_plane(&matched.result, truth.positions(), &normals) {
            Err(QualityError::NoUsableNormal { .. }) => None,
            other => Some(other?),
        },
        None => None,
    };
    let (mut to_mesh, mut both_ways) = (None, None);
    if let Some(mesh) = mesh {
        let index = MeshIndex::new(mesh)?;
        let to_mesh2 = index.distances2(&matched.result);
        to_mesh = Some(one_way(&to_mesh2));
        both_ways = Some(two_way(&to_mesh2, &index.face_distances2(&matched.result)));
    }
    Ok(Comparison {
        mean_distance: matched.paper_mse(),
        rms_distance: (0.5 * matched.chamfer()).sqrt(),
        paper_mse: matched.paper_mse(),
        paper_snr: Some(matched.paper_snr()).filter(|snr| snr.is_finite()),
        chamfer: matched.chamfer(),
        point_to_plane: plane,
        point_to_mesh: to_mesh,
        point_to_mesh_two_way: both_ways,
        hausdorff: matched.hausdorff(1.0),
        hausdorff95: matched.hausdorff(0.95),
        uniformity: uniformity(&matched.result),
        uniformity_truth: uniformity(truth.positions()),
        result_points: a,
        truth_points: b,
        result_ignored: result.len() - a,
        truth_ignored: truth.len() - b,
    })
}
