//! The end of a level: two candidates for the surface, one curved and one of facets, and the
//! choice between them, place by place, by their discrepancy.
//!
//! Rounds take the noise off a patch at a time, and what they leave is rough from point to point.
//! Both candidates smooth that: the curved one over neighbors of a similar height, the faceted one
//! over neighbors with a similar normal, after these have become those of facets.

use featgraph::exp::exp;
use pellucid_cloud::{Point, normals, vec3};
use serde::{Deserialize, Serialize};

use super::choice::{Alike, HALF, Measured, NEIGHBORS, Near, Surface, each, sum};
use super::relax;
use super::tuning::Tuning;

/// Neighbors that the curved candidate is smoothed over.
const CURVED: usize = 24;
/// Share of faceted points below which they are not looked for in other parts and pieces.
const WORTH: f64 = 0.1;

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
    pub fn new(t: &Tuning, noise: f64, left: f64, amount: f64, even: usize) -> Finish {
        let clear = t.clearness(noise);
        Finish {
            height: (2.0 * left).clamp(t.heights[0], t.heights[1]),
            passes: if left > t.rough { 3 } else { 2 },
            normal_passes: (t.normal_passes * clear).round() as usize,
            clear,
            amount,
            even,
            facets: true,
        }
    }

    /// Moves the points, each by all of its nearest neighbors or every `step`-th; whether it was worth looking for facets.
    pub fn apply(&self, measured: &Measured, step: usize, y: &mut Vec<Point>) -> bool {
        if y.len() <= NEIGHBORS * step {
            return false;
        }
        let near = Near::of(y, if self.facets { NEIGHBORS } else { CURVED }, step);
        let n =
            each(y.len(), |i| normals::normal_across_rows(y, near.row(i), measured.tuning.plane));
        let curved = self.curved(measured.tuning, y, &n, &near);
        let mut worth = false;
        let mut n = curved.n.clone();
        y.clone_from(&curved.y);
        if self.facets {
            let facets = faceted(&curved, &near, measured);
            let chosen = measured.choose(&facets, &curved.y, &near);
            for i in 0..y.len() {
                let step = vec3::sub(facets.y[i], y[i]);
                y[i] = vec3::add(y[i], vec3::scale(step, self.amount * chosen[i]));
                if chosen[i] > 0.5 {
                    n[i] = facets.n[i];
                }
            }
            worth = chosen.iter().sum::<f64>() > WORTH * y.len() as f64;
        }
        relax::along_surface(y, measured.tuning.even_step, self.even, &n, &near);
        worth
    }

    /// Points at the mean height of their neighbors, those of a similar height before others
    /// (Digne & de Franchis 2017, doi:10.5201/ipol.2017.179).
    fn curved(&self, t: &Tuning, y: &[Point], n: &[Point], near: &Near) -> Surface {
        let mut y = y.to_vec();
        let mut n = n.to_vec();
        for _ in 0..self.normal_passes {
            n = filtered(&y, &n, near, t.facing, 2.0);
        }
        let round = 0.5 * self.clear;
        for _ in 0..self.passes {
            y = each(y.len(), |i| {
                let (row, spacing) = (near.row(i), near.spacing(i));
                let by_distance = 0.5 / (t.distance * spacing).powi(2);
                let by_height = 0.5 / (self.height * spacing).powi(2);
                let (mut weights, mut heights) = ([0.0; CURVED], [0.0; CURVED]);
                for (k, &j) in row[..CURVED].iter().enumerate() {
                    let d = vec3::sub(y[j as usize], y[i]);
                    let m = n[j as usize];
                    let c = vec3::dot(n[i], m);
                    let other = vec3::dot(d, m).copysign(c * vec3::dot(d, m));
                    // The mean of heights over both planes does not pull a round surface in.
                    let h = (1.0 - round) * vec3::dot(d, n[i]) + round * other;
                    heights[k] = h;
                    weights[k] = -by_distance * vec3::dot(d, d)
                        - by_height * h * h
                        - self.clear * (1.0 - c.abs()) / (t.facing * t.facing);
                }
                // In a loop of its own, which vectorizes.
                weights.iter_mut().for_each(|w| *w = exp(*w));
                let weighted = weights.iter().zip(&heights).map(|(w, h)| w * h).sum::<f64>();
                let step = self.amount * weighted / weights.iter().sum::<f64>();
                if step.is_finite() { vec3::add(y[i], vec3::scale(n[i], step)) } else { y[i] }
            });
        }
        Surface { y, n }
    }
}

/// Points on the mean plane of those neighbors that face the same way, after normals have been
/// filtered into those of facets.
fn faceted(from: &Surface, near: &Near, measured: &Measured) -> Surface {
    let Surface { mut y, mut n } = from.clone();
    let tuning = measured.tuning;
    let by_facing = 1.0 / (tuning.facet_width * tuning.facet_width);
    for pass in 0..tuning.facet_normals {
        n = each(n.len(), |i| {
            let others = near.half(i, pass);
            let Alike { mut normals, cosines, weights } = Alike::new(&n, i, &others, by_facing);
            let mut m = n[i];
            for c in 0..3 {
                for k in 0..HALF {
                    // By the cosine and not its sign, so that nothing jumps where normals are at right angles.
                    normals[c][k] *= weights[k] * cosines[k];
                }
                m[c] += sum(&normals[c]);
            }
            vec3::normalized(m).unwrap_or(n[i])
        });
    }
    for pass in 0..tuning.facet_steps {
        y = each(y.len(), |i| {
            let others = near.half(i, pass);
            let Alike { normals, cosines, weights } = Alike::new(&n, i, &others, by_facing);
            let [mut dx, mut dy, mut dz] = [[0.0; HALF]; 3];
            for (k, &j) in others.iter().enumerate() {
                [dx[k], dy[k], dz[k]] = vec3::sub(y[j as usize], y[i]);
            }
            let mut heights = [0.0; HALF];
            for k in 0..HALF {
                let own = dx[k] * n[i][0] + dy[k] * n[i][1] + dz[k] * n[i][2];
                let other = dx[k] * normals[0][k] + dy[k] * normals[1][k] + dz[k] * normals[2][k];
                heights[k] = 0.5 * weights[k] * (own + other.copysign(cosines[k] * other));
            }
            vec3::add(y[i], vec3::scale(n[i], sum(&heights) / (1.0 + sum(&weights))))
        });
    }
    Surface { y, n }
}

/// Every normal as the mean of those near it, similar ones before others; signs mean nothing.
/// `width` and `reach` are the standard deviations by difference of normals and by distance in
/// local spacings.
fn filtered(y: &[Point], n: &[Point], near: &Near, width: f64, reach: f64) -> Vec<Point> {
    let by_facing = 1.0 / (width * width);
    each(n.len(), |i| {
        let (row, spacing) = (near.row(i), near.spacing(i));
        let by_distance = 0.5 / (reach * spacing).powi(2);
        if !by_distance.is_finite() {
            return n[i];
        }
        let mut weights = [0.0; CURVED];
        for (w, &j) in weights.iter_mut().zip(row) {
            let d2 = vec3::distance2(y[i], y[j as usize]);
            let c = vec3::dot(n[i], n[j as usize]);
            *w = -by_distance * d2 - (1.0 - c.abs()) * by_facing;
        }
        weights.iter_mut().for_each(|w| *w = exp(*w));
        let mut sum = [0.0; 3];
        for (w, &j) in weights.iter().zip(row) {
            let m = n[j as usize];
            // By c and not its sign, so that nothing jumps where normals are at right angles.
            sum = vec3::add(sum, vec3::scale(m, w * vec3::dot(n[i], m)));
        }
        vec3::normalized(sum).unwrap_or(n[i])
    })
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
