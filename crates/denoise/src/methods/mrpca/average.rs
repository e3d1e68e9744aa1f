//! Low-rank plus sparse neighborhoods, as in the paper: the points of a neighborhood are on a plane but
//! for noise and a sparse part, and a point goes to the mean of what all neighborhoods say of it.

use pellucid_cloud::NeighborTable;
use pellucid_cloud::vec3::{self, Point};

use super::{Fit, each_point, moved};
use crate::local::{Moments, Plane};
use crate::passes::Pass;
use crate::{DenoiseError, Run};

/// Rounds that find the sparse part for the plane, and the plane without the sparse part.
const ROUNDS: usize = 8;

impl Fit {
    /// One pass: each point goes to `Σ w_ij z_ij / Σ w_ij` over the neighborhoods i that have it, where
    /// `z_ij` is its foot on the plane of i, and `w_ij` how similar the normals of i and of the point are.
    pub(super) fn averages(
        &self,
        points: &[Point],
        table: &NeighborTable,
        sparsity: f64,
        pass: &Pass,
        run: &mut Run,
    ) -> Result<Vec<Point>, DenoiseError> {
        let mut planes = self.first_planes(points, table);
        for _ in 0..ROUNDS {
            run.progress("mrpca", pass.index, (pass.index - 1) as f64 / pass.count as f64)?;
            planes = self.without_sparse(points, table, &planes, sparsity);
        }
        let owners = Owners::of(table, points.len());
        pass.each(
            points,
            run,
            || (),
            |(), j, x| {
                let Some(own) = planes[j] else { return x };
                let estimates = owners.of_point(j).iter().filter_map(|&i| {
                    let plane = planes[i as usize]?;
                    Some((plane.offset(x), plane.normal, self.similarity(own.normal, plane.normal)))
                });
                let step = mean_step(estimates);
                // Not `> reach2`: a step that is no number is no step.
                if vec3::dot(step, step) <= self.reach2 { vec3::add(x, step) } else { x }
            },
        )
    }

    /// The planes of least `½ Σ |x_j - s_j - z_j|² + λ Σ w_ij |s_j|`, one round nearer: given the planes,
    /// the sparse part s is the deviation less `λ w`; given s, a plane is fitted to `x - s`.
    fn without_sparse(
        &self,
        points: &[Point],
        table: &NeighborTable,
        planes: &[Option<Plane>],
        sparsity: f64,
    ) -> Vec<Option<Plane>> {
        each_point(points, |i, q| {
            let own = planes[i]?;
            let mut moments = Moments::default();
            for &j in table.row(i) {
                let Some(other) = &planes[j as usize] else { continue };
                let x = points[j as usize];
                let w = self.similarity(own.normal, other.normal);
                let sparse = shrink(own.offset(x), sparsity * w);
                moments.add(vec3::sub(vec3::sub(x, q), vec3::scale(own.normal, sparse)), 1.0);
            }
            moments.plane().map(|plane| moved(&plane, q)).or(Some(own))
        })
    }
}

/// The minimizer of `½ (s - deviation)² + threshold |s|`.
#[inline]
fn shrink(deviation: f64, threshold: f64) -> f64 {
    deviation.signum() * (deviation.abs() - threshold).max(0.0)
}

/// The weighted mean of the steps to planes, given by offset, normal and weight.
fn mean_step(planes: impl Iterator<Item = (f64, Point, f64)>) -> Point {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for (offset, normal, w) in planes {
        sum = vec3::sub(sum, vec3::scale(normal, w * offset));
        total += w;
    }
    if total > 0.0 { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
}

/// The neighborhoods that have each point.
struct Owners {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Owners {
    fn of(table: &NeighborTable, points: usize) -> Owners {
        let mut starts = vec![0; points + 1];
        let all = || (0..points).flat_map(|i| table.row(i).iter().map(move |&j| (i, j as usize)));
        all().for_each(|(_, j)| starts[j + 1] += 1);
        (0..points).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut rows = vec![0; starts[points]];
        for (i, j) in all() {
            rows[next[j]] = i as u32;
            next[j] += 1;
        }
        Owners { starts, rows }
    }

    fn of_point(&self, j: usize) -> &[u32] {
        &self.rows[self.starts[j]..self.starts[j + 1]]
    }
}

#[cfg(test)]
#[path = "average_tests.rs"]
mod tests;
