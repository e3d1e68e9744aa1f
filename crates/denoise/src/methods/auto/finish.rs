//! The end: heights are smoothed once more, then points even out along the surface.
//!
//! Rounds take the noise off a patch at a time, and what they leave is rough from point to point.
//! A bilateral filter of heights over the nearest neighbours takes that, and a few rounds fewer do.
//! Where there is little noise, normals are filtered alike before, so that those near an edge are of
//! one side or the other.

use featgraph::exp::exp;
use pellucid_cloud::{KdTree, Point, normals, vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::schedule::clearness;
use super::{Decision, relax};

/// Neighbours whose heights count.
const NEIGHBORS: usize = 24;
/// Neighbours that a tangent plane is fitted to; few, so that edges stay.
const PLANE: usize = 16;
/// Neighbours whose mean distance is the local spacing.
const NEAREST: usize = 6;
/// Passes over the heights, and where there are more than [`ROUGH`] spacings of noise left.
const PASSES: [usize; 2] = [2, 3];
const ROUGH: f64 = 0.2;
/// Passes over the normals where they are clear; fewer between these two noises in spacings, since
/// below them a fit is good already, and passes only take small shapes.
const NORMAL_PASSES: f64 = 4.0;
const SMOOTH: [f64; 2] = [0.1, 0.3];
/// Standard deviation of the weight by the difference of two normals, and of that by distance in
/// local spacings when these are filtered.
const FACING: f64 = 0.25;
const FACING_DISTANCE: f64 = 2.0;
/// Standard deviation of the weight by distance, in local spacings.
const DISTANCE: f64 = 0.9;
/// That of the weight by height, in units of the noise that is left, and its limits in spacings:
/// without any noise left, points are still this rough.
const HEIGHT: f64 = 2.0;
const HEIGHTS: [f64; 2] = [0.17, 0.6];
/// Points a task.
const POINTS: usize = 1024;

/// What the end does.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Finish {
    /// Standard deviation of the weight by height, in local spacings.
    pub height: f64,
    /// Part of a height that is over the tangent plane of the neighbour, not of the point.
    pub round: f64,
    /// Passes over the normals.
    pub normal_passes: usize,
    /// What the squared difference of two normals takes off the exponent of their weight.
    pub facing: f64,
    /// Passes over the heights.
    pub passes: usize,
    /// Part of the way to the smoothed height that points go.
    pub amount: f64,
    /// Steps along the surface.
    pub even: usize,
}

impl Finish {
    /// For `sigma` spacings of noise at the start and `left` after the rounds, and walls of that
    /// `thinness`.
    pub fn new(sigma: f64, left: f64, thinness: f64, strength: f64, even: usize) -> Finish {
        let clear = clearness(sigma);
        let rough = (sigma - SMOOTH[0]) / (SMOOTH[1] - SMOOTH[0]);
        Finish {
            round: 0.5 * clear,
            normal_passes: (NORMAL_PASSES * clear * rough.clamp(0.0, 1.0)).round() as usize,
            facing: 0.5 * clear / (FACING * FACING),
            passes: PASSES[usize::from(left > ROUGH)],
            height: (HEIGHT * left).clamp(HEIGHTS[0], HEIGHTS[1]),
            amount: ((1.0 - thinness) * strength).min(1.0),
            // Near the other side of a wall, what pushes may be on it.
            even: (even as f64 * (1.0 - 0.5 * thinness)).round() as usize,
        }
    }

    /// The same without a decision, if it is about the end.
    pub fn without(self, decision: Option<Decision>) -> Finish {
        match decision {
            Some(Decision::Smoothing) => Finish { amount: 0.0, ..self },
            Some(Decision::SharpNormals) => Finish { normal_passes: 0, facing: 0.0, ..self },
            Some(Decision::MeanPlanes) => Finish { round: 0.0, ..self },
            _ => self,
        }
    }

    /// Moves the points.
    pub fn apply(&self, y: &mut Vec<Point>) {
        if y.len() <= NEIGHBORS {
            return;
        }
        let near =
            KdTree::new(y).map_neighbors(NEIGHBORS, || (), |_, _, row, d2| Near::new(row, d2));
        let normal = |near: &Near| normals::normal_of(y, &near.row[..PLANE]);
        let mut n: Vec<Point> = near.par_iter().with_min_len(POINTS).map(normal).collect();
        for _ in 0..self.normal_passes {
            n = filtered(y, &n, &near);
        }
        if self.amount > 0.0 {
            for _ in 0..self.passes {
                *y = self.smoothed(y, &n, &near);
            }
        }
        relax::along_surface(y, self.even, &n, |i| &near[i].row);
    }

    /// Every point at the mean height of its neighbours, those of a similar height before others
    /// (Digne & de Franchis 2017, doi:10.5201/ipol.2017.179). Heights over the tangent plane of the
    /// point alone pull a round surface in; the mean of those over its plane and over that of the
    /// neighbour does not, but planes that noise tilted add to it.
    fn smoothed(&self, y: &[Point], n: &[Point], near: &[Near]) -> Vec<Point> {
        let move_point = |i: usize| {
            let (p, Near { row, spacing }) = (y[i], near[i]);
            if !(spacing > 0.0 && spacing.is_finite()) {
                return p;
            }
            let by_distance = 0.5 / (DISTANCE * spacing).powi(2);
            let by_height = 0.5 / (self.height * spacing).powi(2);
            let (mut weights, mut heights) = (0.0, 0.0);
            for j in row {
                let d = vec3::sub(y[j as usize], p);
                let m = n[j as usize];
                let c = vec3::dot(n[i], m);
                let other = vec3::dot(d, m).copysign(c * vec3::dot(d, m));
                let h = (1.0 - self.round) * vec3::dot(d, n[i]) + self.round * other;
                let w = exp(-by_distance * vec3::dot(d, d)
                    - by_height * h * h
                    - self.facing * 2.0 * (1.0 - c.abs()));
                weights += w;
                heights += w * h;
            }
            vec3::add(p, vec3::scale(n[i], self.amount * heights / weights))
        };
        (0..y.len()).into_par_iter().with_min_len(POINTS).map(move_point).collect()
    }
}

/// Every normal as the mean of those near it, similar ones before others; signs mean nothing.
fn filtered(y: &[Point], n: &[Point], near: &[Near]) -> Vec<Point> {
    let mean = |i: usize| {
        let Near { row, spacing } = near[i];
        let by_distance = 0.5 / (FACING_DISTANCE * spacing).powi(2);
        if !by_distance.is_finite() {
            return n[i];
        }
        let mut sum = [0.0; 3];
        for j in row {
            let (m, d2) = (n[j as usize], vec3::distance2(y[i], y[j as usize]));
            let c = vec3::dot(n[i], m);
            let w = exp(-by_distance * d2 - (1.0 - c.abs()) / (FACING * FACING));
            // By c and not its sign, so that nothing jumps where normals are at right angles.
            sum = vec3::add(sum, vec3::scale(m, w * c));
        }
        let length = vec3::norm(sum);
        if length > 0.0 { vec3::scale(sum, 1.0 / length) } else { n[i] }
    };
    (0..y.len()).into_par_iter().with_min_len(POINTS).map(mean).collect()
}

/// The neighbours of a point, itself first, and its spacing: the mean distance of the nearest.
#[derive(Clone, Copy, Default)]
struct Near {
    row: [u32; NEIGHBORS],
    spacing: f64,
}

impl Near {
    fn new(row: &[u32], distances2: &[f64]) -> Near {
        let mut near = Near::default();
        near.row.copy_from_slice(row);
        let nearest = distances2[1..=NEAREST].iter().map(|d| d.sqrt());
        Near { spacing: nearest.sum::<f64>() / NEAREST as f64, ..near }
    }
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
