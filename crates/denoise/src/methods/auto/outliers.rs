//! Gross outliers: points that no surface near them explains. They are set aside before the first
//! round, so that they neither move nor pull, and are counted in the report.

use pellucid_cloud::eigen3::symmetric_eigen;
use pellucid_cloud::{KdTree, Neighbor, Point, vec3};
use rayon::prelude::*;

use crate::frame::LocalFrame;
use crate::local::Moments;

/// Neighbours that a point of a surface has near.
const NEIGHBORS: usize = 8;
/// How near, in units of the noise and at least in spacings: a point farther from the surface than
/// that is not brought back to it anyway.
const NOISE: f64 = 5.0;
const SPACINGS: f64 = 2.5;
/// Neighbours that show whether there is a surface.
const AROUND: usize = 16;
/// On a surface, however sparse, a point and its neighbours are within this part of their extent of
/// one plane; around a point off it, or among others in empty space, they are not.
const FLAT: f64 = 0.4;
/// An outlier's neighbours are this many times farther from it than is usual for these themselves.
/// Where it has none within twice its reach, and this many spacings, its neighbours may be outliers
/// too, and are not asked.
const APART: f64 = 2.25;
const ALONE: f64 = 10.0;
/// Points a task.
const POINTS: usize = 1024;

/// Which points are gross outliers for `sigma` spacings of noise. Only a point's own neighbours and
/// theirs count, so that a piece of the cloud says the same as the whole.
pub fn gross_outliers(points: &[Point], sigma: f64) -> Vec<bool> {
    let near = (NOISE * sigma).max(SPACINGS);
    let mut flags = vec![false; points.len()];
    if points.len() <= AROUND {
        return flags;
    }
    let tree = KdTree::new(points);
    flags.par_iter_mut().enumerate().with_min_len(POINTS).for_each(|(i, flag)| {
        // Nearly all points have enough neighbours, and a look is over as soon as these are found.
        let mut count = 0;
        tree.within(points[i], near, |_| {
            count += 1;
            count <= NEIGHBORS
        });
        *flag = count <= NEIGHBORS && is_off(&tree, points, i, near);
    });
    flags
}

/// Whether a point with few neighbours near is off every surface.
fn is_off(tree: &KdTree, points: &[Point], i: usize, near: f64) -> bool {
    let mut found = Vec::new();
    tree.knn_into(points[i], AROUND + 1, &mut found);
    let own = found[NEIGHBORS].distance2.sqrt();
    found.retain(|n| n.index as usize != i);
    let alone = own > ALONE.max(2.0 * near);
    is_off_plane(points, i, &found) && (alone || own > APART * usual(tree, points, &found))
}

/// Whether point `i` and its neighbours are far from one plane.
fn is_off_plane(points: &[Point], i: usize, found: &[Neighbor]) -> bool {
    let mut moments = Moments::default();
    let relative = |n: &Neighbor| vec3::sub(points[n.index as usize], points[i]);
    found.iter().for_each(|n| moments.add(relative(n), 1.0));
    let (Some(plane), Some(covariance)) = (moments.plane(), moments.covariance()) else {
        return false;
    };
    let spread = symmetric_eigen(covariance).values.map(|v| v.max(0.0).sqrt());
    plane.offset([0.0; 3]).abs().max(spread[0]) > FLAT * spread[2]
}

/// How far it is usually from one of the nearest of these to its own last neighbour.
fn usual(tree: &KdTree, points: &[Point], found: &[Neighbor]) -> f64 {
    let mut theirs = Vec::new();
    let mut reach = [0.0; NEIGHBORS];
    for (reach, n) in reach.iter_mut().zip(found) {
        tree.knn_into(points[n.index as usize], NEIGHBORS + 1, &mut theirs);
        *reach = theirs.last().map_or(0.0, |n| n.distance2.sqrt());
    }
    *reach.select_nth_unstable_by(NEIGHBORS / 2, f64::total_cmp).1
}

/// Takes gross outliers out of the frame; how many they are.
pub fn set_aside(frame: &mut LocalFrame, sigma: f64) -> usize {
    let flags = gross_outliers(frame.points(), sigma);
    let count = flags.iter().filter(|f| **f).count();
    if count > 0 {
        frame.leave_out(&flags);
    }
    count
}

/// The finding in words, if there is one.
pub fn in_words(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 gross outlier was left where it is and did not count".to_owned()),
        n => Some(format!("{n} gross outliers were left where they are and did not count")),
    }
}

#[cfg(test)]
#[path = "outliers_tests.rs"]
mod tests;
