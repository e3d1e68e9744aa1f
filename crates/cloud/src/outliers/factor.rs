//! Thinner surroundings than its neighbors.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{CHUNK, MOST_NEIGHBORS, OutlierError};
use crate::neighbors::{KdTree, NeighborTable};

/// Points nearer than this share of the spacing count as this far apart: where more than k points
/// share a place their density would be infinite.
const LEAST_REACH: f64 = 1e-3;

/// Flags points by their local outlier factor.
///
/// Breunig, Kriegel, Ng & Sander 2000, "LOF: Identifying Density-Based Local Outliers",
/// doi:10.1145/342009.335388. The factor of a point is the mean density around its neighbors
/// over the density around itself: near one inside a surface, whatever its density, and larger
/// away from it. Of neighbors at the same distance those of lower index are taken, so that there
/// are exactly k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalOutlier {
    /// Neighbors that make up the surroundings of a point.
    pub neighbors: usize,
    /// A larger factor is an outlier's.
    pub factor: f64,
}

impl Default for LocalOutlier {
    fn default() -> Self {
        LocalOutlier { neighbors: 10, factor: 1.4 }
    }
}

impl LocalOutlier {
    pub(super) fn check(&self) -> Result<(), OutlierError> {
        let k = (2..=MOST_NEIGHBORS).contains(&self.neighbors);
        OutlierError::check(k, "neighbors", self.neighbors, "between 2 and 1000")?;
        let factor = self.factor >= 1.0 && self.factor.is_finite();
        OutlierError::check(factor, "factor", self.factor, "1 or more")
    }

    pub(super) fn find(&self, tree: &KdTree, spacing: f64) -> (Vec<bool>, f64) {
        let flags = self.scores(tree, spacing).iter().map(|&s| s > self.factor).collect();
        (flags, self.factor)
    }

    /// Local outlier factors; NaN for rows that are not finite.
    pub(super) fn scores(&self, tree: &KdTree, spacing: f64) -> Vec<f64> {
        let table = tree.knn_table(self.neighbors + 1);
        let k = self.neighbors;
        let least = LEAST_REACH * spacing;
        let k_distance = |i: usize| table.distances2(i)[k].sqrt();
        let rows = 0..table.len();
        let density: Vec<f64> = (rows.clone().into_par_iter().with_min_len(CHUNK))
            .map(|i| {
                if table.row(i)[0] == u32::MAX {
                    return f64::NAN;
                }
                let reach: f64 = others(&table, i)
                    .map(|(j, distance2)| k_distance(j).max(distance2.sqrt()).max(least))
                    .sum();
                k as f64 / reach
            })
            .collect();
        (rows.into_par_iter().with_min_len(CHUNK))
            .map(|i| {
                if density[i].is_nan() {
                    return f64::NAN;
                }
                let around: f64 = others(&table, i).map(|(j, _)| density[j]).sum();
                around / k as f64 / density[i]
            })
            .collect()
    }
}

/// The k nearest of point `i` without itself, with squared distances.
fn others(table: &NeighborTable, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
    let row = table.row(i);
    // Among many points in one place the point itself may not be in its own row.
    let own = row.iter().position(|&j| j as usize == i).unwrap_or(row.len() - 1);
    let pairs = row.iter().zip(table.distances2(i)).enumerate();
    pairs.filter(move |(at, _)| *at != own).map(|(_, (&j, &d))| (j as usize, d))
}
