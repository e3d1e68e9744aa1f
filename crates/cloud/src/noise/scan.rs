//! The noise that neighborhoods of growing radius show.

use std::borrow::Cow;

use rayon::prelude::*;

use super::quadric;
use crate::neighbors::{KdTree, Neighbor};
use crate::normals::{covariance_of, is_row, normal_of_covariance};
use crate::spacing::median;
use crate::vec3::{self, Point};

/// Neighborhoods inspected, at most.
const SAMPLES: usize = 4096;
const FEW_SAMPLES: usize = 512;
/// Points in the smallest neighborhood: eight degrees of freedom.
const SMALLEST: usize = 14;
/// Points in the smallest neighborhood where the nearest are all of one row of a scan.
const ACROSS_ROWS: usize = 4 * SMALLEST;
/// With more points in a neighborhood than this, the cloud is thinned to a quarter.
const LARGEST: f64 = 400.0;
/// Growth of the radius per step.
const GROWTH: f64 = 1.12;
/// A neighborhood is wide enough when its radius is this many times the noise.
pub(super) const WIDE: f64 = 2.3;
/// The quantile of the local values taken, and its normal score.
const QUANTILE: f64 = 0.15;
const SCORE: f64 = -1.036_433_389_5;

/// What one radius says about the whole cloud.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub radius: f64,
    pub sigma: f64,
    pub neighbors: usize,
    pub samples: usize,
}

/// One neighborhood: its standard deviation as measured, points, radius.
struct Local {
    sigma: f64,
    freedom: f64,
    radius: f64,
}

/// Grows the radius until it is wide for the noise, or the cloud's own size, around some of
/// `places`.
pub(super) fn scan(places: &[Point], points: &[Point], tree: &KdTree) -> Vec<Step> {
    let stride = places.len().div_ceil(SAMPLES).max(1);
    let queries: Vec<Point> =
        places.iter().step_by(stride).copied().filter(|p| vec3::is_finite(*p)).collect();
    let extent = crate::bounds(points).map_or(0.0, |(lo, hi)| vec3::norm(vec3::sub(hi, lo)));
    let mut centers = queries.clone();
    let mut cloud = Cow::Borrowed(points);
    let mut thinned: Option<KdTree> = None;
    let mut steps: Vec<Step> = Vec::new();
    let mut radius = 0.0;
    // The first round only moves the centers from the points to the surface.
    project(&queries, &mut centers, &cloud, tree, radius);
    loop {
        let tree = thinned.as_ref().unwrap_or(tree);
        let locals = project(&queries, &mut centers, &cloud, tree, radius);
        let Some(step) = combine(&locals) else { break };
        radius = step.radius;
        let crowded = step.neighbors as f64 > LARGEST;
        steps.push(step);
        if radius >= 4.0 * step.sigma || radius > 0.25 * extent || steps.len() >= 60 {
            break;
        }
        if crowded {
            let fewer: Vec<Point> =
                (0..cloud.len()).filter(|&i| kept(i)).map(|i| cloud[i]).collect();
            thinned = Some(KdTree::new(&fewer));
            cloud = Cow::Owned(fewer);
        }
        radius *= GROWTH;
    }
    steps
}

/// The same around all of `queries`, until it is wide for the noise or as wide as `most`.
pub(super) fn scan_near(
    queries: &[Point],
    points: &[Point],
    tree: &KdTree,
    most: f64,
) -> Vec<Step> {
    let mut centers = queries.to_vec();
    let mut steps: Vec<Step> = Vec::new();
    let mut radius = 0.0;
    project(queries, &mut centers, points, tree, radius);
    while radius < most {
        let Some(step) = combine(&project(queries, &mut centers, points, tree, radius)) else {
            break;
        };
        radius = step.radius.max(radius);
        steps.push(step);
        if radius >= WIDE * step.sigma {
            break;
        }
        radius *= GROWTH;
    }
    steps
}

/// How far points within `radius` of some of `places` are from quadrics fitted to them, root mean square.
pub(super) fn spreads(places: &[Point], points: &[Point], tree: &KdTree, radius: f64) -> Vec<f64> {
    let stride = places.len().div_ceil(FEW_SAMPLES).max(1);
    let queries: Vec<Point> = places.iter().step_by(stride).copied().collect();
    let locals = project(&queries, &mut queries.clone(), points, tree, radius);
    locals.iter().map(|local| local.sigma).collect()
}

/// One of four, in no order that a scanner's rows could share.
fn kept(i: usize) -> bool {
    (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62 == 0
}

/// Fits around every center and moves the center to the foot of its query on the local plane.
fn project(
    queries: &[Point],
    centers: &mut [Point],
    points: &[Point],
    tree: &KdTree,
    radius: f64,
) -> Vec<Local> {
    centers
        .par_chunks_mut(64)
        .zip(queries.par_chunks(64))
        .flat_map_iter(|(centers, queries)| {
            let mut near: Vec<Neighbor> = Vec::new();
            let mut found = Vec::with_capacity(centers.len());
            for (center, &query) in centers.iter_mut().zip(queries) {
                tree.radius_into(*center, radius, &mut near);
                let mut reach = radius;
                let mut widen = |near: &mut Vec<Neighbor>, count: usize| {
                    tree.knn_into(*center, count, near);
                    reach = near.last().map_or(0.0, |n| n.distance2.sqrt());
                };
                if near.len() < SMALLEST {
                    widen(&mut near, SMALLEST);
                }
                let covariance_near = |near: &[Neighbor]| {
                    covariance_of(near.iter().map(|n| points[n.index as usize]))
                };
                // One row of a scan says nothing about the surface across it.
                if near.len() < ACROSS_ROWS && covariance_near(&near).is_some_and(|c| is_row(&c.1))
                {
                    widen(&mut near, ACROSS_ROWS);
                }
                let Some((mean, covariance)) = covariance_near(&near) else { continue };
                let members = || near.iter().map(|n| points[n.index as usize]);
                let normal = normal_of_covariance(covariance);
                if let Some(s) = quadric::spread(members(), *center, normal, reach) {
                    let freedom = s.freedom as f64;
                    found.push(Local { sigma: s.variance.sqrt(), freedom, radius: reach });
                }
                let height = vec3::dot(vec3::sub(query, mean), normal);
                *center = vec3::sub(query, vec3::scale(normal, height));
            }
            found
        })
        .collect()
}

/// The cloud's noise from the local values.
fn combine(locals: &[Local]) -> Option<Step> {
    let mut sigmas: Vec<f64> = locals
        .iter()
        .map(|l| restore(l.sigma / chi_quantile(l.freedom), l.radius, l.freedom))
        .collect();
    let place = (sigmas.len() as f64 * QUANTILE) as usize;
    if sigmas.is_empty() {
        return None;
    }
    let sigma = *sigmas.select_nth_unstable_by(place, f64::total_cmp).1;
    let radius = median(&mut locals.iter().map(|l| l.radius).collect::<Vec<_>>())?;
    let count = median(&mut locals.iter().map(|l| l.freedom + 6.0).collect::<Vec<_>>())?;
    Some(Step { radius, sigma, neighbors: count as usize, samples: locals.len() })
}

/// `QUANTILE` of the ratio of an estimated standard deviation to the true one (Wilson and Hilferty
/// 1931, doi:10.1073/pnas.17.12.684).
fn chi_quantile(freedom: f64) -> f64 {
    let a = 2.0 / (9.0 * freedom);
    (1.0 - a + SCORE * a.sqrt()).powi(3).sqrt()
}

/// Radius over true noise, and the share of the noise that a ball of that radius around the
/// surface leaves, measured on planes with 100 and more points in the ball.
const LAW: [(f64, f64); 9] = [
    (1.5, 0.557),
    (2.0, 0.717),
    (2.5, 0.816),
    (3.0, 0.874),
    (3.5, 0.910),
    (4.0, 0.935),
    (5.0, 0.963),
    (7.0, 0.985),
    (12.0, 1.0),
];

/// The true noise from that measured in a ball of `radius`.
fn restore(measured: f64, radius: f64, freedom: f64) -> f64 {
    let sigma = uncut(measured, radius);
    // With few points the frame follows the noise, the more the rounder the neighborhood is;
    // the law again is that of planes.
    let roundness = sigma / radius;
    let lost = (2.2 + 28.0 * roundness * roundness) / (freedom * freedom);
    sigma / (1.0 - lost.min(0.2))
}

fn uncut(measured: f64, radius: f64) -> f64 {
    // Measured over radius falls from row to row of the law.
    let x = measured / radius;
    let mut above = LAW[0];
    if x >= above.1 / above.0 {
        return radius / above.0;
    }
    for row in LAW {
        let (low, high) = (row.1 / row.0, above.1 / above.0);
        if x >= low {
            let t = if high > low { (x - low) / (high - low) } else { 0.0 };
            return radius / (row.0 + t * (above.0 - row.0));
        }
        above = row;
    }
    measured
}

/// The step to believe, and whether it is wide enough: the first that is wide for its noise, else
/// the one that comes nearest.
pub(super) fn choose(steps: &[Step]) -> Option<(Step, bool)> {
    let wide = |s: &Step| s.radius >= WIDE * s.sigma;
    if let Some(s) = steps.iter().find(|s| wide(s)) {
        return Some((*s, true));
    }
    let ratio = |s: &Step| s.radius / s.sigma;
    let best = steps.iter().fold(None::<&Step>, |best, s| match best {
        Some(b) if ratio(b) >= ratio(s) => Some(b),
        _ => Some(s),
    });
    best.map(|s| (*s, false))
}
