//! `pellucid distance`: how far each point is from another cloud or a mesh, as an attribute.

use std::path::Path;

use pellucid::cloud::quality::{MeshIndex, TriangleMesh};
use pellucid::cloud::{Attribute, KdTree, Point, Values, vec3};
use pellucid::{PointCloud, io};

use super::each;
use crate::args::Distance;
use crate::cmd::compare::number;
use crate::cmd::jobs::Request;
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::progress::Show;

/// The attribute that distances go to.
pub const DISTANCE: &str = "distance";

pub fn run(args: &Distance) -> Result<(), Failure> {
    let [inputs @ .., reference, output] = args.paths.as_slice() else {
        return Err(Failure::input("give IN, REFERENCE and OUT"));
    };
    let target = Target::read(args, reference)?;
    let request = Request {
        inputs,
        output,
        recursive: args.recursive,
        streams: &args.common.streams,
        quiet: args.common.quiet,
        makes_folders: true,
        forbid: vec![reference.clone()],
    };
    each(&request, &args.common, "measuring", |document, _| {
        let points = document.cloud.positions();
        let distances = match &target.mesh {
            Some(mesh) => to_mesh(points, mesh, args.signed),
            None => to_points(points, &target.cloud, args.signed),
        };
        let distances = distances.map_err(|e| Failure::input(naming(reference, e)))?;
        let what = if target.mesh.is_some() { "the mesh" } else { "the points" };
        let said = summary(&distances, what, reference);
        let attribute = Attribute::scalar(DISTANCE, Values::F64(distances));
        document.cloud.set_attribute(attribute).map_err(Failure::work)?;
        Ok(said)
    })
}

/// What distances are measured to.
struct Target {
    cloud: PointCloud,
    mesh: Option<TriangleMesh>,
}

impl Target {
    fn read(args: &Distance, path: &Path) -> Result<Target, Failure> {
        if streams::is_stream(path) {
            return Err(Failure::input("REFERENCE cannot come from stdin; name a file"));
        }
        let document = streams::read(path, None, Show::new(args.common.quiet))?;
        let faces = |e: &(String, usize)| e.0 == "face" && e.1 > 0;
        let is_mesh = !args.to_points && document.source.other_elements().iter().any(faces);
        let mesh = if is_mesh { Some(io::read_mesh(path)?) } else { None };
        Ok(Target { cloud: document.cloud, mesh })
    }
}

fn to_mesh(points: &[Point], mesh: &TriangleMesh, signed: bool) -> Result<Vec<f64>, String> {
    let index = MeshIndex::new(mesh).map_err(|e| e.to_string())?;
    Ok(if signed { index.signed_distances(points) } else { index.distances(points) })
}

/// Distances to the nearest points, NaN for rows that are not finite.
fn to_points(points: &[Point], reference: &PointCloud, signed: bool) -> Result<Vec<f64>, String> {
    let normals = reference.normals();
    if signed && normals.is_none() {
        return Err("--signed needs normals in this file; pellucid normals adds them".to_owned());
    }
    let tree = KdTree::new(reference.positions());
    if tree.is_empty() {
        return Err("there is no point with finite coordinates".to_owned());
    }
    let nearest = tree.nearest_of(points);
    let pairs = points.iter().zip(nearest);
    Ok(pairs
        .map(|(p, n)| {
            let i = n.index as usize;
            let Some(q) = reference.positions().get(i) else { return f64::NAN };
            let distance = n.distance2.sqrt();
            match normals.as_ref().filter(|_| signed) {
                Some(normals) => distance.copysign(vec3::dot(vec3::sub(*p, *q), normals[i])),
                None => distance,
            }
        })
        .collect())
}

fn summary(distances: &[f64], what: &str, reference: &Path) -> String {
    let lengths: Vec<f64> = distances.iter().map(|d| d.abs()).filter(|d| d.is_finite()).collect();
    let n = lengths.len().max(1) as f64;
    let mean = lengths.iter().sum::<f64>() / n;
    let rms = (lengths.iter().map(|d| d * d).sum::<f64>() / n).sqrt();
    let most = lengths.iter().copied().fold(0.0, f64::max);
    format!(
        "{} points, distance to {what} of {}: mean {}, rms {}, largest {} file units",
        distances.len(),
        reference.display(),
        number(mean),
        number(rms),
        number(most)
    )
}
