//! `pellucid normals`: estimated, turned alike, and written with the points.

use pellucid::PointCloud;
use pellucid::cloud::normals::{estimate_normals, orient_consistently};
use pellucid::cloud::{DistinctRows, KdTree, Point, vec3};

use super::change;
use crate::args::NormalsCommand;
use crate::cmd::streams;
use crate::failure::{Failure, naming};

/// The attribute that says which scanner saw a point.
const SCAN: &str = "scan";

pub fn run(args: &NormalsCommand) -> Result<(), Failure> {
    change(&args.files, "normals", |document| {
        let fault = |f: String| Failure::input(naming(streams::source_name(&args.files.input), f));
        let eyes = match args.viewpoint {
            Some(v) => vec![v.0],
            None => document.source.viewpoints(),
        };
        let (normals, without) = oriented(&document.cloud, args.neighbors, &eyes);
        if without == document.cloud.len() {
            return Err(fault("no point has enough others around it for a normal".to_owned()));
        }
        document.cloud.set_normals(&normals).map_err(|e| fault(e.to_string()))?;
        let side = match eyes.len() {
            0 => "turned alike on each connected surface".to_owned(),
            1 => "turned to the scanner".to_owned(),
            n => format!("turned to {n} scanners"),
        };
        Ok(format!("{} normals, {side}; {without} points have none", normals.len() - without))
    })
}

/// A normal for each row, zero where there is none, and how many have none.
fn oriented(cloud: &PointCloud, neighbors: usize, eyes: &[Point]) -> (Vec<Point>, usize) {
    let points = cloud.positions();
    let distinct = DistinctRows::of(points);
    let places = distinct.pick(points);
    let table = KdTree::new(&places).knn_table(neighbors.min(places.len()));
    let mut found = estimate_normals(&places, &table);
    if eyes.is_empty() {
        orient_consistently(&places, &mut found, &table);
    }
    let mut normals = vec![[0.0; 3]; points.len()];
    for (&row, n) in distinct.rows.iter().zip(found) {
        normals[row as usize] = if vec3::is_finite(n) { n } else { [0.0; 3] };
    }
    for &(copy, first) in &distinct.copies {
        normals[copy as usize] = normals[first as usize];
    }
    let scans = cloud.attribute(SCAN).and_then(|a| a.component(0)).filter(|_| eyes.len() > 1);
    for (row, n) in normals.iter_mut().enumerate() {
        let scan = scans.as_ref().map_or(0.0, |s| s[row]);
        let Some(eye) = eyes.get(scan as usize) else { continue };
        if vec3::dot(*n, vec3::sub(*eye, points[row])) < 0.0 {
            *n = vec3::scale(*n, -1.0);
        }
    }
    let without = normals.iter().filter(|n| **n == [0.0; 3]).count();
    (normals, without)
}
