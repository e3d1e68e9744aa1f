//! The end of a level: two candidates for the surface, one curved and one of facets, and the
//! choice between them, place by place, by their discrepancy.
//!
//! Rounds take the noise off a patch at a time, and what they leave is rough from point to point.
//! Both candidates smooth that: the curved one over neighbors of a similar height, the faceted one
//! over neighbors with a similar normal, after these have become those of facets.

use featgraph::exp::exp;
use pellucid_cloud::{KdTree, Point, normals, vec3};
use rayon::prelude::*;

use serde::{Deserialize, Serialize};

use super::relax;
use super::schedule::clearness;
use super::tuning::Tuning;

/// Neighbors whose heights and normals count, the point itself included.
const NEIGHBORS: usize = 48;
/// Neighbors that a tangent plane is fitted to; few, so that edges stay.
const PLANE: usize = 16;
/// Neighbors whose mean distance is the local spacing.
const NEAREST: usize = 6;
/// Neighbors that the curved candidate is smoothed over.
const CURVED: usize = 24;
/// Numbers of neighbors over which residuals are averaged: a window cannot see what is narrower.
const WINDOWS: [usize; 4] = [8, 16, 32, 48];
/// Cosine between two normals above which points are on the same sheet.
const SAME_SHEET: f64 = 0.8;
/// Passes over the normals of the curved candidate where they are clear; fewer between these two
/// noises in spacings, since below them a fit is good already, and passes only take small shapes.
const NORMAL_PASSES: f64 = 4.0;
const SMOOTH: [f64; 2] = [0.1, 0.3];
/// Standard deviation of the weight by the difference of two normals on a curved surface.
const FACING: f64 = 0.25;
/// Standard deviation of the weight by distance, in local spacings.
const DISTANCE: f64 = 0.9;
/// Limits of the weight by height, in spacings: without any noise left, points are still this rough.
const HEIGHTS: [f64; 2] = [0.17, 0.6];
/// Noise left, in spacings, above which heights are smoothed once more.
const ROUGH: f64 = 0.2;
/// Share of faceted points below which they are not looked for in other parts and pieces.
const WORTH: f64 = 0.1;
/// Points a task.
const POINTS: usize = 1024;

/// The neighbors of a point, itself first, and its spacing: the mean distance of the nearest.
#[derive(Clone, Copy)]
struct Near {
    row: [u32; NEIGHBORS],
    spacing: f64,
}

impl Default for Near {
    fn default() -> Near {
        Near { row: [0; NEIGHBORS], spacing: 0.0 }
    }
}

impl Near {
    fn new(row: &[u32], distances2: &[f64]) -> Near {
        let mut near = Near::default();
        near.row.copy_from_slice(row);
        let nearest = distances2[1..=NEAREST].iter().map(|d| d.sqrt());
        Near { spacing: nearest.sum::<f64>() / NEAREST as f64, ..near }
    }
}

/// A surface that points may lie on.
struct Candidate {
    y: Vec<Point>,
    n: Vec<Point>,
}

/// What the end of a level does; lengths are in spacings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Finish {
    /// Standard deviation of the weight by height, in local spacings.
    pub height: f64,
    /// Passes over the heights.
    pub passes: usize,
    /// Passes over the normals before that.
    pub normal_passes: usize,
    /// How clear normals are: 0 not, 1 very.
    pub clear: f64,
    /// Part of the way to the smoothed height that points go.
    pub amount: f64,
    /// Steps of tangential relaxation.
    pub even: usize,
    /// Whether enough of the cloud may be facets to look for them.
    pub facets: bool,
}

impl Finish {
    /// For that noise at the start of the level and after its rounds.
    pub fn new(noise: f64, left: f64, amount: f64, even: usize) -> Finish {
        let clear = clearness(noise);
        let rough = ((noise - SMOOTH[0]) / (SMOOTH[1] - SMOOTH[0])).clamp(0.0, 1.0);
        Finish {
            height: (2.0 * left).clamp(HEIGHTS[0], HEIGHTS[1]),
            passes: if left > ROUGH { 3 } else { 2 },
            normal_passes: (NORMAL_PASSES * clear * rough).round() as usize,
            clear,
            amount,
            even,
            facets: true,
        }
    }

    /// The same with what it works on.
    pub fn with<'a>(self, observed: &'a [Point], noise: &'a [f64], tuning: &'a Tuning) -> End<'a> {
        End { observed, noise, tuning, finish: self }
    }
}

/// The end of a level with what it works on.
pub struct End<'a> {
    /// Where points were measured.
    observed: &'a [Point],
    /// The noise of each point.
    noise: &'a [f64],
    tuning: &'a Tuning,
    finish: Finish,
}

impl End<'_> {
    /// Moves the points; whether it was worth looking for facets.
    pub fn apply(&self, y: &mut Vec<Point>) -> bool {
        if y.len() <= NEIGHBORS {
            return false;
        }
        let near =
            KdTree::new(y).map_neighbors(NEIGHBORS, || (), |_, _, row, d2| Near::new(row, d2));
        let n = each(y.len(), |i| normals::normal_of(y, &near[i].row[..PLANE]));
        let curved = self.curved(y, &n, &near);
        let mut worth = false;
        let mut n = curved.n.clone();
        *y = curved.y.clone();
        if self.finish.facets {
            let facets = self.faceted(&curved, &near);
            let chosen = self.choose(&facets, &near);
            for i in 0..y.len() {
                let step = vec3::sub(facets.y[i], y[i]);
                y[i] = vec3::add(y[i], vec3::scale(step, self.finish.amount * chosen[i]));
                if chosen[i] > 0.5 {
                    n[i] = facets.n[i];
                }
            }
            worth = chosen.iter().sum::<f64>() > WORTH * y.len() as f64;
        }
        relax::along_surface(y, self.finish.even, &n, |i| &near[i].row);
        worth
    }

    /// Points at the mean height of their neighbors, those of a similar height before others
    /// (Digne & de Franchis 2017, doi:10.5201/ipol.2017.179).
    fn curved(&self, y: &[Point], n: &[Point], near: &[Near]) -> Candidate {
        let mut y = y.to_vec();
        let mut n = n.to_vec();
        for _ in 0..self.finish.normal_passes {
            n = filtered(&y, &n, near, CURVED, FACING, 2.0);
        }
        let round = 0.5 * self.finish.clear;
        for _ in 0..self.finish.passes {
            y = each(y.len(), |i| {
                let Near { row, spacing } = &near[i];
                let by_distance = 0.5 / (DISTANCE * spacing).powi(2);
                let by_height = 0.5 / (self.finish.height * spacing).powi(2);
                let (mut weights, mut heights) = (0.0, 0.0);
                for &j in &row[..CURVED] {
                    let d = vec3::sub(y[j as usize], y[i]);
                    let m = n[j as usize];
                    let c = vec3::dot(n[i], m);
                    let other = vec3::dot(d, m).copysign(c * vec3::dot(d, m));
                    // The mean of heights over both planes does not pull a round surface in.
                    let h = (1.0 - round) * vec3::dot(d, n[i]) + round * other;
                    let w = exp(-by_distance * vec3::dot(d, d)
                        - by_height * h * h
                        - self.finish.clear * (1.0 - c.abs()) / (FACING * FACING));
                    weights += w;
                    heights += w * h;
                }
                let step = self.finish.amount * heights / weights;
                if step.is_finite() { vec3::add(y[i], vec3::scale(n[i], step)) } else { y[i] }
            });
        }
        Candidate { y, n }
    }

    /// Points on the mean plane of those neighbors that face the same way, after normals have
    /// been filtered into those of facets.
    fn faceted(&self, from: &Candidate, near: &[Near]) -> Candidate {
        let mut y = from.y.clone();
        let mut n = from.n.clone();
        for _ in 0..self.tuning.facet_normals {
            n = filtered(&y, &n, near, NEIGHBORS, self.tuning.facet_width, f64::MAX.sqrt());
        }
        let by_facing = 1.0 / (self.tuning.facet_width * self.tuning.facet_width);
        for _ in 0..self.tuning.facet_steps {
            y = each(y.len(), |i| {
                let (mut weights, mut heights) = (0.0, 0.0);
                for &j in &near[i].row {
                    let m = n[j as usize];
                    let c = vec3::dot(n[i], m);
                    let d = vec3::sub(y[j as usize], y[i]);
                    let other = vec3::dot(d, m).copysign(c * vec3::dot(d, m));
                    let w = exp(-(1.0 - c.abs()) * by_facing);
                    weights += w;
                    heights += w * 0.5 * (vec3::dot(d, n[i]) + other);
                }
                vec3::add(y[i], vec3::scale(n[i], heights / weights))
            });
        }
        Candidate { y, n }
    }

    /// How much of the faceted candidate each point takes: all of it where its residuals are
    /// noise at every window, nothing where they are not.
    fn choose(&self, facets: &Candidate, near: &[Near]) -> Vec<f64> {
        let fails = self.discrepancy(facets, near);
        let limit = self.tuning.discrepancy;
        let pass: Vec<f64> = each(near.len(), |i| {
            let worst = (0..WINDOWS.len()).map(|k| fails[i][k] / limit).fold(0.0, f64::max);
            if worst < 1.0 { 1.0 } else { 0.0 }
        });
        each(near.len(), |i| {
            near[i].row[..CURVED].iter().map(|&j| pass[j as usize]).sum::<f64>() / CURVED as f64
        })
    }

    /// The discrepancy of every place at every window: the mean squared average of residuals over
    /// that of pure noise, 1 for the true surface and more for one that has smoothed too much.
    fn discrepancy(&self, c: &Candidate, near: &[Near]) -> Vec<[f64; WINDOWS.len()]> {
        let residual: Vec<f64> = each(c.y.len(), |i| {
            let r = vec3::dot(vec3::sub(self.observed[i], c.y[i]), c.n[i]);
            r / self.noise[i].max(f64::MIN_POSITIVE)
        });
        let mut d: Vec<[f64; WINDOWS.len()]> = each(c.y.len(), |i| {
            let mut out = [0.0; WINDOWS.len()];
            let (mut sum, mut count) = (0.0, 0.0);
            let mut window = 0;
            for (at, &j) in near[i].row.iter().enumerate() {
                let cos = vec3::dot(c.n[i], c.n[j as usize]);
                // Neighbors that face elsewhere are on another sheet.
                if cos.abs() > SAME_SHEET {
                    sum += residual[j as usize] * cos.signum();
                    count += 1.0;
                }
                if at + 1 == WINDOWS[window] {
                    out[window] = sum * sum / f64::max(count, 1.0);
                    window += 1;
                }
            }
            out
        });
        for _ in 0..2 {
            d = each(c.y.len(), |i| {
                let mut sum = [0.0; WINDOWS.len()];
                for &j in &near[i].row {
                    for (s, v) in sum.iter_mut().zip(d[j as usize]) {
                        *s += v;
                    }
                }
                sum.map(|s| s / NEIGHBORS as f64)
            });
        }
        d
    }
}

/// Every normal as the mean of those near it, similar ones before others; signs mean nothing.
/// `width` and `reach` are the standard deviations by difference of normals and by distance in
/// local spacings.
fn filtered(
    y: &[Point],
    n: &[Point],
    near: &[Near],
    count: usize,
    width: f64,
    reach: f64,
) -> Vec<Point> {
    let by_facing = 1.0 / (width * width);
    each(n.len(), |i| {
        let Near { row, spacing } = &near[i];
        let by_distance = 0.5 / (reach * spacing).powi(2);
        if !by_distance.is_finite() {
            return n[i];
        }
        let mut sum = [0.0; 3];
        for &j in &row[..count] {
            let (m, d2) = (n[j as usize], vec3::distance2(y[i], y[j as usize]));
            let c = vec3::dot(n[i], m);
            let w = exp(-by_distance * d2 - (1.0 - c.abs()) * by_facing);
            // By c and not its sign, so that nothing jumps where normals are at right angles.
            sum = vec3::add(sum, vec3::scale(m, w * c));
        }
        vec3::normalized(sum).unwrap_or(n[i])
    })
}

/// A value for each point, in parallel.
fn each<T: Send>(count: usize, value: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).into_par_iter().with_min_len(POINTS).map(value).collect()
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
