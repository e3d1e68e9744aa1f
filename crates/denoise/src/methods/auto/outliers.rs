//! Points that no surface near them explains: gross outliers, and lines such as wires and rails. They are
//! set aside before the first round, so that they neither move nor pull, and are counted in the report.

use pellucid_cloud::eigen3::symmetric_eigen;
use pellucid_cloud::stats::median;
use pellucid_cloud::{KdTree, Neighbor, Point, vec3};
use rayon::prelude::*;

use crate::frame::LocalFrame;
use crate::graph::scramble;
use crate::local::Moments;

/// Neighbors that a point of a surface has near.
const NEIGHBORS: usize = 8;
/// How near, in units of the noise and at least in spacings: a point farther from the surface than
/// that is not brought back to it anyway.
const NOISE: f64 = 5.0;
const SPACINGS: f64 = 2.5;
/// Neighbors that show whether there is a surface.
const AROUND: usize = 16;
/// On a surface, however sparse, a point and its neighbors are within this part of their extent of
/// one plane; around a point off it, or among others in empty space, they are not.
const FLAT: f64 = 0.4;
/// An outlier's neighbors are this many times farther from it than is usual for these themselves.
/// Where it has none within twice its reach, and this many spacings, its neighbors may be outliers
/// too, and are not asked.
const APART: f64 = 2.25;
const ALONE: f64 = 10.0;
/// A point of a line has at most this many neighbors as near as those of a surface are.
const NEIGHBORS_ON_LINE: usize = 12;
/// On a line, neighbors spread across it by less than this part of their spread along it.
const NARROW: f64 = 0.15;
/// This many times as far from a point there are as many times more points on a line, and twice as many on
/// a surface, be it scanned in rows; between these, as many as make a line.
const LONGER: f64 = 1.25;
const MORE_ON_LINE: f64 = 1.45;
/// A cloud is in rows if the variance of neighbors across their longest direction is less than this part of that along it, in
/// the median of so many places.
const PLACES: usize = 1024;
const ROWS: f64 = 0.4;
/// If more than this share of a cloud's points look like lines, it is one of wires only.
const WIRES_ONLY: f64 = 0.8;
/// Points a task.
const POINTS: usize = 1024;

/// What a point is beside a point of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// Nothing.
    No,
    /// A gross outlier.
    Outlier,
    /// A point of a line.
    Line,
}

/// Which points are gross outliers or on lines, for `sigma` spacings of noise. Only what is near a point
/// counts, so that a piece of the cloud says the same as the whole.
pub fn apart_from_surfaces(points: &[Point], sigma: f64) -> Vec<Apart> {
    let near = (NOISE * sigma).max(SPACINGS);
    let mut kinds = vec![Apart::No; points.len()];
    if points.len() <= AROUND {
        return kinds;
    }
    let tree = KdTree::new(points);
    kinds.par_iter_mut().enumerate().with_min_len(POINTS).for_each(|(i, kind)| {
        // Nearly all points have enough neighbors, and the search is over as soon as these are found.
        let mut count = 0;
        tree.within(points[i], near, |_| {
            count += 1;
            count <= NEIGHBORS_ON_LINE
        });
        if count <= NEIGHBORS && is_off(&tree, points, i, near) {
            *kind = Apart::Outlier;
        } else if count <= NEIGHBORS_ON_LINE && is_on_line(&tree, points, i) {
            *kind = Apart::Line;
        }
    });
    kinds
}

/// Whether the neighbors of a point lie along a line, and those farther away as well.
fn is_on_line(tree: &KdTree, points: &[Point], i: usize) -> bool {
    let mut found = Vec::new();
    tree.knn_into(points[i], AROUND + 1, &mut found);
    let mut moments = Moments::default();
    found.iter().for_each(|n| moments.add(vec3::sub(points[n.index as usize], points[i]), 1.0));
    let Some(covariance) = moments.covariance() else { return false };
    let [_, across, along] = symmetric_eigen(covariance).values;
    if across > NARROW * NARROW * along {
        return false;
    }
    let reach = found.last().map_or(0.0, |n| n.distance2.sqrt());
    let most = MORE_ON_LINE * found.len() as f64;
    let mut count = 0.0;
    tree.within(points[i], LONGER * reach, |_| {
        count += 1.0;
        count <= most
    });
    count <= most
}

/// Whether a point with few neighbors near is off every surface.
fn is_off(tree: &KdTree, points: &[Point], i: usize, near: f64) -> bool {
    let mut found = Vec::new();
    tree.knn_into(points[i], AROUND + 1, &mut found);
    let own = found[NEIGHBORS].distance2.sqrt();
    found.retain(|n| n.index as usize != i);
    let alone = own > ALONE.max(2.0 * near);
    is_off_plane(points, i, &found) && (alone || own > APART * usual(tree, points, &found))
}

/// Whether point `i` and its neighbors are far from one plane.
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

/// How far it is usually from one of the nearest of these to its own last neighbor.
fn usual(tree: &KdTree, points: &[Point], found: &[Neighbor]) -> f64 {
    let mut theirs = Vec::new();
    let mut reach = [0.0; NEIGHBORS];
    for (reach, n) in reach.iter_mut().zip(found) {
        tree.knn_into(points[n.index as usize], NEIGHBORS + 1, &mut theirs);
        *reach = theirs.last().map_or(0.0, |n| n.distance2.sqrt());
    }
    *reach.select_nth_unstable_by(NEIGHBORS / 2, f64::total_cmp).1
}

/// Whether the points of a cloud are in rows: whether the nearest of most points lie along a line rather than around them.
fn is_in_rows(frame: &LocalFrame) -> bool {
    let (points, numbers) = (frame.points(), frame.ordinals());
    let mut places: Vec<u32> = (0..points.len() as u32).collect();
    places.sort_unstable_by_key(|&i| scramble(u64::from(numbers[i as usize])));
    places.truncate(PLACES);
    let tree = KdTree::new(points);
    let mut found = Vec::new();
    let narrow = |i: &u32| {
        tree.knn_into(points[*i as usize], AROUND + 1, &mut found);
        let mut moments = Moments::default();
        let center = points[*i as usize];
        found.iter().for_each(|n| moments.add(vec3::sub(points[n.index as usize], center), 1.0));
        let [_, across, along] = symmetric_eigen(moments.covariance()?).values;
        (along > 0.0).then_some(across / along)
    };
    let mut narrow: Vec<f64> = places.iter().filter_map(narrow).collect();
    median(&mut narrow).is_some_and(|narrow| narrow < ROWS)
}

/// What was set aside.
pub struct SetAside {
    pub outliers: usize,
    pub lines: usize,
    /// Whether lines are the rows of a scan, and stay in.
    pub rows: bool,
}

/// Takes gross outliers and lines out of the frame, unless it is known, or seen here, that lines are the rows of a scan.
pub fn set_aside(frame: &mut LocalFrame, sigma: f64, rows: Option<bool>) -> SetAside {
    let mut kinds = apart_from_surfaces(frame.points(), sigma);
    let count = |kinds: &[Apart], kind| kinds.iter().filter(|k| **k == kind).count();
    let share = count(&kinds, Apart::Line) as f64 / kinds.len().max(1) as f64;
    let rows = rows.unwrap_or_else(|| share < WIRES_ONLY && is_in_rows(frame));
    if rows {
        kinds.iter_mut().filter(|k| **k == Apart::Line).for_each(|k| *k = Apart::No);
    }
    let flags: Vec<bool> = kinds.iter().map(|k| *k != Apart::No).collect();
    if flags.contains(&true) {
        frame.leave_out(&flags);
    }
    SetAside { outliers: count(&kinds, Apart::Outlier), lines: count(&kinds, Apart::Line), rows }
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
