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
/// Neighbors whose mean distance is the local spacing.
const NEAREST: usize = 6;
/// Neighbors that choices are blended over.
const BLEND: usize = 24;
/// Numbers of neighbors over which residuals are averaged: a window cannot see what is narrower.
const WINDOWS: [usize; 4] = [8, 16, 32, 48];
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
    /// The `count` nearest of each point; there must be as many.
    pub fn of(y: &[Point], count: usize) -> Near {
        let (rows, spacing) = KdTree::new(y).neighbor_rows(count, |d2| {
            d2[1..=NEAREST].iter().map(|d| d.sqrt()).sum::<f64>() / NEAREST as f64
        });
        Near { count, rows, spacing }
    }

    /// The neighbors of a point, the point itself among them.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.rows[i * self.count..(i + 1) * self.count]
    }

    /// Every second neighbor of a point, without the point itself; the next pass gets the other half.
    pub fn others(&self, i: usize, pass: usize) -> impl Iterator<Item = &u32> {
        self.row(i)[1..].iter().skip(pass % 2).step_by(2)
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
    /// How much of the smoother of two surfaces each point takes, from 0 to 1; `against` is what
    /// else speaks against it.
    pub fn choose(
        &self,
        smooth: &Surface,
        rough: &[Point],
        near: &Near,
        against: impl Fn(usize) -> f64 + Sync,
    ) -> Vec<f64> {
        let with = self.discrepancy(&smooth.y, &smooth.n, near);
        let without = self.discrepancy(rough, &smooth.n, near);
        let most = self.tuning.most_excess;
        let mut excess = each(rough.len(), |i| (with[i] - without[i] + against(i)).min(most));
        let by_facing = 1.0 / self.tuning.facet_width.powi(2);
        for pass in 0..self.tuning.averages {
            excess = each(rough.len(), |i| {
                let (mut sum, mut weights) = (excess[i], 1.0);
                for &j in near.others(i, pass) {
                    let c = vec3::dot(smooth.n[i], smooth.n[j as usize]).abs();
                    let w = fall((1.0 - c) * by_facing);
                    weights += w;
                    sum += w * excess[j as usize];
                }
                sum / weights
            });
        }
        let pass = |i: u32| f64::from(u8::from(excess[i as usize] < self.tuning.discrepancy));
        each(rough.len(), |i| {
            near.row(i)[..BLEND].iter().map(|&j| pass(j)).sum::<f64>() / BLEND as f64
        })
    }

    /// The discrepancy of every place, the mean over all windows.
    fn discrepancy(&self, y: &[Point], n: &[Point], near: &Near) -> Vec<f64> {
        let residual: Vec<f64> = each(y.len(), |i| {
            let r = vec3::dot(vec3::sub(self.observed[i], y[i]), n[i]);
            r / self.noise[i].max(f64::MIN_POSITIVE)
        });
        each(y.len(), |i| {
            let (mut sum, mut count, mut all) = (0.0, 0.0, 0.0);
            for (at, &j) in near.row(i).iter().enumerate() {
                let cos = vec3::dot(n[i], n[j as usize]);
                // Neighbors that face elsewhere are on another sheet.
                if cos.abs() > SAME_SHEET {
                    sum += residual[j as usize] * cos.signum();
                    count += 1.0;
                }
                if WINDOWS.contains(&(at + 1)) {
                    all += sum * sum / f64::max(count, 1.0);
                }
            }
            all / WINDOWS.len() as f64
        })
    }
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
