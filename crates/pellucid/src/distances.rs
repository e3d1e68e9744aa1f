//! How far points are from another cloud or a mesh.

use pellucid_cloud::quality::{MeshIndex, QualityError, TriangleMesh};
use pellucid_cloud::{KdTree, Point, PointCloud, vec3};

/// What distances are measured to, made ready for many points.
///
/// ```
/// use pellucid::cloud::synth::Shape;
/// use pellucid::distances::Reference;
///
/// let sphere = Shape::Sphere.sample(5_000, 1); // with normals
/// let signed = Reference::points(sphere, true)?.distances(&[[0.0, 0.0, 1.5], [0.0, 0.0, 0.5]]);
/// assert!((0.45..0.55).contains(&signed[0]) && (-0.55..-0.45).contains(&signed[1]));
/// # Ok::<(), pellucid::distances::ReferenceError>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    kind: Kind,
    signed: bool,
}

#[derive(Debug)]
enum Kind {
    Mesh(MeshIndex),
    Points { cloud: PointCloud, normals: Option<Vec<Point>>, tree: KdTree },
}

/// Why nothing can be measured to a reference.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The mesh cannot be used.
    #[error(transparent)]
    Mesh(#[from] QualityError),
    /// Distances with a sign are wanted to points without normals.
    #[error("signed distances need normals in this file; pellucid normals adds them")]
    NoNormals,
    /// There is nothing to measure to.
    #[error("there is no point with finite coordinates")]
    Empty,
}

impl Reference {
    /// A mesh. If `signed`, distances are negative on the side that the normals of its faces do not look to.
    pub fn mesh(mesh: &TriangleMesh, signed: bool) -> Result<Reference, ReferenceError> {
        Ok(Reference { kind: Kind::Mesh(MeshIndex::new(mesh)?), signed })
    }

    /// The points of a cloud. If `signed`, they need normals, and distances are negative behind them.
    pub fn points(cloud: PointCloud, signed: bool) -> Result<Reference, ReferenceError> {
        let normals = cloud.normals().filter(|_| signed);
        if signed && normals.is_none() {
            return Err(ReferenceError::NoNormals);
        }
        let tree = KdTree::new(cloud.positions());
        match tree.is_empty() {
            true => Err(ReferenceError::Empty),
            false => Ok(Reference { kind: Kind::Points { cloud, normals, tree }, signed }),
        }
    }

    /// Whether distances are those to a mesh.
    pub fn is_mesh(&self) -> bool {
        matches!(self.kind, Kind::Mesh(_))
    }

    /// The distance of each point, NaN for those that are not finite.
    pub fn distances(&self, points: &[Point]) -> Vec<f64> {
        match &self.kind {
            Kind::Mesh(index) if self.signed => index.signed_distances(points),
            Kind::Mesh(index) => index.distances(points),
            Kind::Points { cloud, normals, tree } => {
                let nearest = tree.nearest_of(points);
                let pairs = points.iter().zip(nearest);
                let distance = |(p, n): (&Point, pellucid_cloud::Neighbor)| {
                    let i = n.index as usize;
                    let Some(q) = cloud.positions().get(i) else { return f64::NAN };
                    let distance = n.distance2.sqrt();
                    match normals {
                        Some(normals) => {
                            distance.copysign(vec3::dot(vec3::sub(*p, *q), normals[i]))
                        }
                        None => distance,
                    }
                };
                pairs.map(distance).collect()
            }
        }
    }
}

/// What distances add up to; those that are no numbers do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    points: usize,
    sum: f64,
    squares: f64,
    most: f64,
}

impl Summary {
    /// Adds distances, whatever their sign.
    pub fn add(&mut self, distances: &[f64]) {
        for d in distances.iter().map(|d| d.abs()).filter(|d| d.is_finite()) {
            self.points += 1;
            self.sum += d;
            self.squares += d * d;
            self.most = self.most.max(d);
        }
    }

    /// The mean distance; 0 without any.
    pub fn mean(&self) -> f64 {
        self.sum / self.points.max(1) as f64
    }

    /// The root of the mean square; 0 without any.
    pub fn rms(&self) -> f64 {
        (self.squares / self.points.max(1) as f64).sqrt()
    }

    /// The largest distance; 0 without any.
    pub fn largest(&self) -> f64 {
        self.most
    }
}
