//! Cloud against a triangle mesh.

use rayon::prelude::*;

use super::QualityError;
use super::boxes::{Aabb, BoxTree};
use super::points::{finite_result, mean};
use super::triangle::closest_on_triangle;
use crate::vec3::{self, Point};

/// Queries handed to one task.
const CHUNK: usize = 256;

/// Squared distances that differ by less than this share are the same but for rounding.
const TIE: f64 = 1e-9;

/// A surface made of triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Corner positions.
    pub vertices: Vec<Point>,
    /// Three vertex indices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh that was checked and prepared for exact distance queries.
///
/// ```
/// use pellucid_cloud::quality::{MeshIndex, TriangleMesh};
///
/// let mesh = TriangleMesh {
///     vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: vec![[0, 1, 2]],
/// };
/// let index = MeshIndex::new(&mesh)?;
/// assert_eq!(index.distance([0.2, 0.2, 0.5]), 0.5);
/// # Ok::<(), pellucid_cloud::quality::QualityError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeshIndex {
    corners: Vec<[Point; 3]>,
    tree: BoxTree,
}

impl MeshIndex {
    /// Checks the mesh and builds the tree over its triangles.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, QualityError> {
        if mesh.triangles.is_empty() {
            return Err(QualityError::EmptyMesh);
        }
        let corner = |triangle: usize, vertex: u32| {
            let &p = mesh.vertices.get(vertex as usize).ok_or(QualityError::MeshIndex {
                triangle,
                vertex,
                vertices: mesh.vertices.len(),
            })?;
            vec3::is_finite(p).then_some(p).ok_or(QualityError::MeshVertex { triangle, vertex })
        };
        let corners = mesh
            .triangles
            .iter()
            .enumerate()
            .map(|(t, &[a, b, c])| Ok([corner(t, a)?, corner(t, b)?, corner(t, c)?]))
            .collect::<Result<Vec<_>, QualityError>>()?;
        let boxes: Vec<Aabb> = corners.iter().map(|t| Aabb::of(t)).collect();
        Ok(MeshIndex { tree: BoxTree::new(&boxes), corners })
    }

    /// The exact distance from `p` to the mesh.
    pub fn distance(&self, p: Point) -> f64 {
        self.distance2(p, &mut Vec::new()).sqrt()
    }

    /// The exact distance from each point to the mesh, in parallel.
    pub fn distances(&self, points: &[Point]) -> Vec<f64> {
        self.distances2(points).into_iter().map(f64::sqrt).collect()
    }

    /// The same with a sign: positive on the side that the nearest triangle's normal points to.
    /// Where several are as near, at edges and corners, the one that is seen most from above counts.
    pub fn signed_distances(&self, points: &[Point]) -> Vec<f64> {
        points
            .par_iter()
            .with_min_len(CHUNK)
            .map_init(Vec::new, |stack, &p| self.signed_distance(p, stack))
            .collect()
    }

    fn signed_distance(&self, p: Point, stack: &mut Vec<(f64, u32)>) -> f64 {
        let (mut least, mut height) = (f64::INFINITY, 0.0);
        let distance2 = self.tree.smallest(&Aabb { lo: p, hi: p }, stack, |t| {
            let corners @ [a, b, c] = &self.corners[t as usize];
            let away = vec3::sub(p, closest_on_triangle(p, corners));
            let distance2 = vec3::dot(away, away);
            let normal = vec3::cross(vec3::sub(*b, *a), vec3::sub(*c, *a));
            let above = vec3::normalized(normal).map_or(0.0, |n: Point| vec3::dot(away, n));
            if distance2 < least * (1.0 - TIE) {
                (least, height) = (distance2, above);
            } else if distance2 <= least * (1.0 + TIE) && above.abs() > f64::abs(height) {
                height = above;
            }
            distance2
        });
        distance2.sqrt().copysign(height)
    }

    pub(super) fn distances2(&self, points: &[Point]) -> Vec<f64> {
        points
            .par_iter()
            .with_min_len(CHUNK)
            .map_init(Vec::new, |stack, &p| self.distance2(p, stack))
            .collect()
    }

    fn distance2(&self, p: Point, stack: &mut Vec<(f64, u32)>) -> f64 {
        self.tree
            .smallest(&Aabb { lo: p, hi: p }, stack, |t| to_triangle2(p, &self.corners[t as usize]))
    }

    /// For each triangle the squared distance to the nearest of `points`.
    pub(super) fn face_distances2(&self, points: &[Point]) -> Vec<f64> {
        let boxes: Vec<Aabb> = points.iter().map(|&p| Aabb { lo: p, hi: p }).collect();
        let tree = BoxTree::new(&boxes);
        self.corners
            .par_iter()
            .with_min_len(CHUNK)
            .map_init(Vec::new, |stack, t| {
                tree.smallest(&Aabb::of(t), stack, |i| to_triangle2(points[i as usize], t))
            })
            .collect()
    }
}

fn to_triangle2(p: Point, triangle: &[Point; 3]) -> f64 {
    vec3::distance2(p, closest_on_triangle(p, triangle))
}

/// Mean exact distance from each point of `result` to the mesh (one way, not squared).
pub fn point_to_mesh(result: &[Point], mesh: &TriangleMesh) -> Result<f64, QualityError> {
    let result = finite_result(result)?;
    Ok(one_way(&MeshIndex::new(mesh)?.distances2(&result)))
}

/// The two-way, squared distance of the learned denoisers' evaluations: mean over the points of
/// the squared distance to the mesh, plus mean over the triangles (each counts once, whatever its
/// area) of the squared distance to the nearest point.
pub fn point_to_mesh_two_way(result: &[Point], mesh: &TriangleMesh) -> Result<f64, QualityError> {
    let result = finite_result(result)?;
    let index = MeshIndex::new(mesh)?;
    Ok(two_way(&index.distances2(&result), &index.face_distances2(&result)))
}

pub(super) fn one_way(to_mesh2: &[f64]) -> f64 {
    mean(to_mesh2.iter().map(|d2| d2.sqrt()))
}

pub(super) fn two_way(to_mesh2: &[f64], face_distances2: &[f64]) -> f64 {
    mean(to_mesh2.iter().copied()) + mean(face_distances2.iter().copied())
}
