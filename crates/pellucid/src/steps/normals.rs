//! Normals: estimated, turned alike, and set as an attribute.

use pellucid_cloud::normals::{
    estimate_normals, estimate_normals_k, orient_consistently, orient_like,
};
use pellucid_cloud::{CloudError, DistinctRows, KdTree, Point, PointCloud, vec3};
use pellucid_io::Document;

/// Neighbors of a point that its normal is estimated from, itself included, unless others are asked
/// for.
pub const NEIGHBORS: usize = 16;

/// The attribute that says which scanner saw a point.
const SCAN: &str = "scan";

/// Estimates the normals of a cloud and turns them: to `viewpoint`, to the scanners that the file
/// names, or alike on each connected surface. Says what was done.
pub fn add(
    document: &mut Document,
    neighbors: usize,
    viewpoint: Option<Point>,
) -> Result<String, String> {
    let eyes = match viewpoint {
        Some(v) => vec![v],
        None => document.source.viewpoints(),
    };
    let scans = document.cloud.attribute(SCAN).and_then(|a| a.component(0));
    let scans = scans.as_deref().filter(|_| eyes.len() > 1);
    let normals = oriented(document.cloud.positions(), neighbors, &eyes, scans);
    let without = normals.iter().filter(|n| **n == [0.0; 3]).count();
    if without == document.cloud.len() {
        return Err("no point has enough others around it for a normal".to_owned());
    }
    document.cloud.set_normals(&normals).map_err(|e| e.to_string())?;
    let side = match eyes.len() {
        0 => "turned alike on each connected surface".to_owned(),
        1 => "turned to the scanner".to_owned(),
        n => format!("turned to {n} scanners"),
    };
    Ok(said(normals.len() - without, &side, without))
}

/// What was done, for people.
pub fn said(found: usize, side: &str, without: usize) -> String {
    let rest = match without {
        0 => String::new(),
        1 => "; 1 point has none".to_owned(),
        n => format!("; {n} points have none"),
    };
    format!("{found} normals, {side}{rest}")
}

/// A normal for each row, zero where there is none, turned to the eye that `scans` names, or else the
/// first, or alike where there are none.
pub(crate) fn oriented(
    points: &[Point],
    neighbors: usize,
    eyes: &[Point],
    scans: Option<&[f64]>,
) -> Vec<Point> {
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
    for (row, n) in normals.iter_mut().enumerate() {
        let scan = scans.map_or(0.0, |s| s[row]);
        let Some(eye) = eyes.get(scan as usize) else { continue };
        if vec3::dot(*n, vec3::sub(*eye, points[row])) < 0.0 {
            *n = vec3::scale(*n, -1.0);
        }
    }
    normals
}

/// Estimates again, after points have moved, the normals that they had, on the side on which they
/// were; rows that are not in `selection` keep theirs.
pub fn update(
    moved: &mut PointCloud,
    old: &[Point],
    selection: Option<&[bool]>,
) -> Result<(), CloudError> {
    let mut new = estimate_normals_k(moved.positions(), NEIGHBORS);
    orient_like(&mut new, old);
    let stays = |row: usize| selection.is_some_and(|s| !s[row]);
    for (row, (n, o)) in new.iter_mut().zip(old).enumerate() {
        // So do rows that are not finite, and places without a plane.
        if stays(row) || !vec3::is_finite(*n) || vec3::dot(*n, *n) == 0.0 {
            *n = *o;
        }
    }
    moved.set_normals(&new)
}
