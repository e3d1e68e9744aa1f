//! `pellucid distance`: how far each point is from another cloud or a mesh, as an attribute.

use std::path::Path;

use pellucid::big::Large;
use pellucid::cloud::quality::{MeshIndex, TriangleMesh};
use pellucid::cloud::{Attribute, KdTree, Point, Values, vec3};
use pellucid::io::{self, Document};
use pellucid::{PointCloud, Run};

use super::each;
use super::pieces::{self, Change};
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
    pieces::check_fits(args.common.memory, reference)?;
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
    let measured = || Measured {
        args,
        target: &target,
        reference,
        index: target.index(args.signed),
        summary: Summary::default(),
    };
    let prepare = |_: &Large, _: &mut Run| Ok(Box::new(measured()) as Box<dyn Change>);
    each(&request, &args.common, "measuring", &prepare, |document, _| {
        let mut measured = measured();
        measured.change(document)?;
        Ok(measured.said(document.cloud.len(), document.cloud.len()))
    })
}

/// What distances are measured to.
struct Target {
    cloud: PointCloud,
    mesh: Option<TriangleMesh>,
}

/// What finds the nearest point of a target.
enum Index {
    Mesh(MeshIndex),
    Points(KdTree),
}

/// Distances of clouds, or of the pieces of one, to a target.
struct Measured<'a> {
    args: &'a Distance,
    target: &'a Target,
    reference: &'a Path,
    index: Result<Index, String>,
    summary: Summary,
}

impl Change for Measured<'_> {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let points = piece.cloud.positions();
        let distances = match &self.index {
            Err(fault) => return Err(Failure::input(naming(self.reference, fault))),
            Ok(Index::Mesh(index)) if self.args.signed => index.signed_distances(points),
            Ok(Index::Mesh(index)) => index.distances(points),
            Ok(Index::Points(tree)) => {
                to_points(points, &self.target.cloud, tree, self.args.signed)
            }
        };
        self.summary.add(&distances);
        let attribute = Attribute::scalar(DISTANCE, Values::F64(distances));
        piece.cloud.set_attribute(attribute).map_err(Failure::work)
    }

    fn said(&self, _: usize, after: usize) -> String {
        let what = if self.target.mesh.is_some() { "the mesh" } else { "the points" };
        let Summary { points, sum, squares, most } = self.summary;
        let n = points.max(1) as f64;
        format!(
            "{after} points, distance to {what} of {}: mean {}, rms {}, largest {} file units",
            self.reference.display(),
            number(sum / n),
            number((squares / n).sqrt()),
            number(most)
        )
    }
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

    fn index(&self, signed: bool) -> Result<Index, String> {
        if let Some(mesh) = &self.mesh {
            return Ok(Index::Mesh(MeshIndex::new(mesh).map_err(|e| e.to_string())?));
        }
        if signed && self.cloud.normals().is_none() {
            return Err("--signed needs normals in this file; pellucid normals adds them".into());
        }
        let tree = KdTree::new(self.cloud.positions());
        match tree.is_empty() {
            true => Err("there is no point with finite coordinates".to_owned()),
            false => Ok(Index::Points(tree)),
        }
    }
}

/// Distances to the nearest points, NaN for rows that are not finite.
fn to_points(points: &[Point], reference: &PointCloud, tree: &KdTree, signed: bool) -> Vec<f64> {
    let normals = reference.normals().filter(|_| signed);
    let nearest = tree.nearest_of(points);
    let pairs = points.iter().zip(nearest);
    pairs
        .map(|(p, n)| {
            let i = n.index as usize;
            let Some(q) = reference.positions().get(i) else { return f64::NAN };
            let distance = n.distance2.sqrt();
            match &normals {
                Some(normals) => distance.copysign(vec3::dot(vec3::sub(*p, *q), normals[i])),
                None => distance,
            }
        })
        .collect()
}

/// What distances add up to; those that are no numbers do not count.
#[derive(Debug, Clone, Copy, Default)]
struct Summary {
    points: usize,
    sum: f64,
    squares: f64,
    most: f64,
}

impl Summary {
    fn add(&mut self, distances: &[f64]) {
        for d in distances.iter().map(|d| d.abs()).filter(|d| d.is_finite()) {
            self.points += 1;
            self.sum += d;
            self.squares += d * d;
            self.most = self.most.max(d);
        }
    }
}
