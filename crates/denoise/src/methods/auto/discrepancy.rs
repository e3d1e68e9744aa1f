//! How far a place has gone from where it was measured, held against its noise.
//!
//! On the true surface, measured points lie off by their noise and no more (Morozov 1966). A place
//! is a patch and the patches linked to it, so it is one side of a wall or of an edge, some fifty
//! points wide.

use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use crate::patch::{NONE, PatchGraph, Patches};

/// Patches and points a task.
const PATCHES: usize = 256;
const POINTS: usize = 1024;

/// The places of a cloud.
pub struct Places<'a> {
    patches: &'a Patches,
    graph: &'a PatchGraph,
    /// How many patches each point is in.
    points: usize,
}

impl<'a> Places<'a> {
    /// The places that linked patches make of `points` points.
    pub fn new(points: usize, patches: &'a Patches, graph: &'a PatchGraph) -> Self {
        Places { patches, graph, points }
    }

    /// The mean of a value of points over the places that each of them is in.
    fn means(&self, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let size = self.patches.size();
        let patches = (0..self.patches.len()).into_par_iter().with_min_len(PATCHES);
        let own: Vec<f64> = patches
            .map(|s| self.patches.members(s).iter().map(|&m| value(m as usize)).sum::<f64>())
            .collect();
        let (links, degree) = self.graph.links();
        let patches = (0..self.patches.len()).into_par_iter().with_min_len(PATCHES);
        let wide: Vec<f64> = patches
            .map(|s| {
                let linked = links[s * degree..(s + 1) * degree].iter().filter(|t| **t != NONE);
                let (sum, n) =
                    linked.fold((own[s], 1.0), |(sum, n), &t| (sum + own[t as usize], n + 1.0));
                sum / (n * size as f64)
            })
            .collect();
        let (mut sums, mut counts) = (vec![0.0; self.points], vec![0.0; self.points]);
        for (s, &mean) in wide.iter().enumerate() {
            for &m in self.patches.members(s) {
                sums[m as usize] += mean;
                counts[m as usize] += 1.0;
            }
        }
        sums.iter_mut().zip(&counts).for_each(|(s, n)| *s /= f64::max(*n, 1.0));
        sums
    }

    /// Shortens the steps from `y` to `next` so that no place is farther from where it was
    /// measured than its limit, root mean square along its normals.
    pub fn hold_back(
        &self,
        observed: &[Point],
        y: &[Point],
        next: &mut [Point],
        normals: &[Point],
        limit: impl Fn(usize) -> f64 + Sync,
    ) {
        let square =
            |z: &[Point], i: usize| vec3::dot(vec3::sub(z[i], observed[i]), normals[i]).powi(2);
        let before = self.means(|i| square(y, i));
        let after = self.means(|i| square(next, i));
        next.par_iter_mut().enumerate().with_min_len(POINTS).for_each(|(i, next)| {
            let most = limit(i).powi(2);
            if after[i] > most {
                let part = ((most - before[i]) / (after[i] - before[i])).clamp(0.0, 1.0);
                let part = if part.is_finite() { part } else { 0.0 };
                *next = vec3::add(y[i], vec3::scale(vec3::sub(*next, y[i]), part));
            }
        });
    }
}
