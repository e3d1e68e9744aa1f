//! Which of two surfaces a place lies on: the smoother one wherever its measured points agree.
//!
//! Off the true surface, residuals along the normal are noise, and their average over `k`
//! neighbors is as small as that of noise (Morozov 1966): its square over `σ² / k`, the
//! discrepancy, has a mean of one. A surface that was smoothed too much has more. How much more than
//! the rougher surface has, over all of a facet, says which one it is.

use featgraph::wide;
use pellucid_cloud::{KdTree, Point, vec3};
use rayon::prelude::*;

use super::tuning::Tuning;

/// Neighbors of a point, the point itself included.
pub const NEIGHBORS: usize = 48;
/// Half of the other neighbors.
pub const HALF: usize = NEIGHBORS / 2;
/// Numbers that are added at a time: sums have an order that vectorizes, and that no instruction set changes.
const LANES: usize = 8;
/// Neighbors whose mean distance is the local spacing.
const NEAREST: usize = 6;
/// Neighbors that choices are blended over.
const BLEND: usize = 24;
/// Numbers of neighbors over which residuals are averaged: a window cannot see what is narrower.
const WINDOWS: [usize; 4] = [8, 16, 32, 48];
/// Cosines between which two facets meet at a crease that a curved surface would have, too.
const MILD: [f64; 2] = [0.77, 0.995];
/// Cosine between two normals above which points are on the same sheet.
const SAME_SHEET: f64 = 0.8;
/// Points a task.
const POINTS: usize = 1024;

/// The neighbors of all points, each point itself first, and the local spacings: mean distances of the nearest.
pub struct Near {
    count: usize,
    rows: Vec<u32>,
    spacing: Vec<f64>,
}

impl Near {
    /// `count` of the nearest of each point, all of them or every `step`-th; there must be as many.
    pub fn of(y: &[Point], count: usize, step: usize) -> Near {
        let (mut rows, spacing) = KdTree::new(y).neighbor_rows(count * step, |d2| {
            d2[1..=NEAREST].iter().map(|d| d.sqrt()).sum::<f64>() / NEAREST as f64
        });
        if step > 1 {
            rows = rows.into_iter().step_by(step).collect();
        }
        Near { count, rows, spacing }
    }

    /// The neighbors of a point, the point itself among them.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.rows[i * self.count..(i + 1) * self.count]
    }

    /// Every second neighbor of a point, without the point itself; the next pass gets the other half. Where there is
    /// one less, the point itself takes the last place.
    #[inline(always)]
    pub fn half(&self, i: usize, pass: usize) -> [u32; HALF] {
        let mut half = [i as u32; HALF];
        let others = self.row(i)[1..].iter().skip(pass % 2).step_by(2);
        half.iter_mut().zip(others).for_each(|(half, &j)| *half = j);
        half
    }

    /// The mean distance of a point to the nearest others.
    pub fn spacing(&self, i: usize) -> f64 {
        self.spacing[i]
    }
}

/// A surface that points may lie on.
#[derive(Clone)]
pub struct Surface {
    pub y: Vec<Point>,
    pub n: Vec<Point>,
}

/// What surfaces are held against.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// Where points were measured.
    pub observed: &'a [Point],
    /// The noise of each point.
    pub noise: &'a [f64],
    pub tuning: &'a Tuning,
}

impl Measured<'_> {
    /// How much of the smoother of two surfaces each point takes, from 0 to 1.
    pub fn choose(&self, smooth: &Surface, rough: &[Point], near: &Near) -> Vec<f64> {
        let n = &smooth.n;
        let mut excess = self.excess(smooth, rough, near);
        let by_facing = 1.0 / self.tuning.facet_width.powi(2);
        for pass in 0..self.tuning.averages {
            excess = each(rough.len(), |i| {
                let others = near.half(i, pass);
                let mut alike = Alike::new(n, i, &others, by_facing);
                let mut e = [0.0; HALF];
                e.iter_mut().zip(&others).for_each(|(e, &j)| *e = excess[j as usize]);
                let weights = sum(&alike.weights);
                alike.weights.iter_mut().zip(&e).for_each(|(w, e)| *w *= e);
                (excess[i] + sum(&alike.weights)) / (1.0 + weights)
            });
        }
        let pass = |i: u32| f64::from(u8::from(excess[i as usize] < self.tuning.discrepancy));
        each(rough.len(), |i| {
            near.row(i)[..BLEND].iter().map(|&j| pass(j)).sum::<f64>() / BLEND as f64
        })
    }

    /// By how much the discrepancy of the smoother surface exceeds that of the other, the mean over all windows, and what
    /// else speaks against it: the share of neighbors across a mild crease. Facets made of a curved surface have many of
    /// them, real ones few.
    fn excess(&self, smooth: &Surface, rough: &[Point], near: &Near) -> Vec<f64> {
        let n = &smooth.n;
        let residuals: Vec<[f64; 2]> = each(rough.len(), |i| {
            let noise = self.noise[i].max(f64::MIN_POSITIVE);
            let of = |y: Point| vec3::dot(vec3::sub(self.observed[i], y), n[i]) / noise;
            [of(smooth.y[i]), of(rough[i])]
        });
        each(rough.len(), |i| {
            let row = near.row(i);
            let (mut sum, mut count, mut all) = ([0.0; 2], 0.0, 0.0);
            let (mut creases, mut from) = (0.0, 0);
            for window in WINDOWS {
                for &j in &row[from..window] {
                    let cos = vec3::dot(n[i], n[j as usize]);
                    // Neighbors that face elsewhere are on another sheet.
                    let same = if cos.abs() > SAME_SHEET { cos.signum() } else { 0.0 };
                    let r = residuals[j as usize];
                    sum = [sum[0] + same * r[0], sum[1] + same * r[1]];
                    count += same.abs();
                    creases += f64::from(u8::from(MILD[0] < cos.abs() && cos.abs() < MILD[1]));
                }
                from = window;
                all += (sum[0] * sum[0] - sum[1] * sum[1]) / f64::max(count, 1.0);
            }
            let against = self.tuning.creases * creases / NEIGHBORS as f64;
            all / WINDOWS.len() as f64 + against
        })
    }
}

/// Neighbors of a point by their normals, in arrays of one kind so that loops vectorize.
pub struct Alike {
    /// The components of the normals.
    pub normals: [[f64; HALF]; 3],
    /// Cosines between these and the normal of the point.
    pub cosines: [f64; HALF],
    /// 1 for the same normal, less for others; nothing for the point itself.
    pub weights: [f64; HALF],
}

impl Alike {
    #[inline(always)]
    pub fn new(n: &[Point], i: usize, others: &[u32; HALF], by_facing: f64) -> Alike {
        let [mut x, mut y, mut z] = [[0.0; HALF]; 3];
        for (k, &j) in others.iter().enumerate() {
            [x[k], y[k], z[k]] = n[j as usize];
        }
        let (mut cosines, mut weights) = ([0.0; HALF], [0.0; HALF]);
        for k in 0..HALF {
            let c = n[i][0] * x[k] + n[i][1] * y[k] + n[i][2] * z[k];
            cosines[k] = c;
            weights[k] = fall((1.0 - c.abs()) * by_facing);
        }
        if others[HALF - 1] as usize == i {
            weights[HALF - 1] = 0.0;
        }
        Alike { normals: [x, y, z], cosines, weights }
    }
}

/// The sum, in an order that vectorizes.
#[inline(always)]
pub fn sum(values: &[f64; HALF]) -> f64 {
    let mut lanes = [0.0; LANES];
    for k in (0..HALF).step_by(LANES) {
        for l in 0..LANES {
            lanes[l] += values[k + l];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// About `exp(-x)`, and nothing from 4 on.
pub fn fall(x: f64) -> f64 {
    let t = (1.0 - 0.25 * x).max(0.0);
    (t * t) * (t * t)
}

/// A value for each point, in parallel.
pub fn each<T: Send + Copy + Default>(
    count: usize,
    value: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    let mut out = vec![T::default(); count];
    out.par_chunks_mut(POINTS).enumerate().for_each(|(chunk, out)| {
        wide::run(|| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = value(chunk * POINTS + i);
            }
        });
    });
    out
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
