//! Evenly spread samples.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::KdTree;
use crate::vec3::{Point, dot};

/// How many random points there are for each one that stays.
pub(super) const OVERSAMPLING: usize = 4;
/// Points whose normals are further apart than this cosine are on different sides of a thin wall.
const OPPOSITE: f64 = -0.5;

/// A point and how crowded it is; the most crowded first, then the lower index.
#[derive(PartialEq)]
struct Crowded {
    weight: f64,
    index: usize,
}

impl Eq for Crowded {}

impl Ord for Crowded {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Crowded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The rows of `count` points that are left, in order, after taking out the most crowded one
/// again and again. Yuksel 2015, "Sample Elimination for Generating Poisson Disk Sample Sets",
/// doi:10.1111/cgf.12538.
pub(super) fn thin(points: &[Point], normals: &[Point], area: f64, count: usize) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    // Twice the radius that `count` disks in the densest packing of this area would have.
    let reach = 2.0 * (area / (2.0 * 3.0_f64.sqrt() * count as f64)).sqrt();
    let tree = KdTree::new(points);
    let crowd: Vec<Vec<(u32, f64)>> = points
        .par_iter()
        .enumerate()
        .map_init(Vec::new, |found, (i, &p)| {
            tree.radius_into(p, reach, found);
            found
                .iter()
                .filter(|n| n.index as usize != i)
                .filter(|n| dot(normals[i], normals[n.index as usize]) > OPPOSITE)
                .map(|n| (n.index, (1.0 - n.distance2.sqrt() / reach).max(0.0).powi(8)))
                .collect()
        })
        .collect();
    let mut weights: Vec<f64> = crowd.iter().map(|near| near.iter().map(|n| n.1).sum()).collect();
    let mut heap: BinaryHeap<Crowded> =
        weights.iter().enumerate().map(|(index, &weight)| Crowded { weight, index }).collect();
    let mut kept = vec![true; points.len()];
    let mut left = points.len();
    while left > count
        && let Some(Crowded { weight, index }) = heap.pop()
    {
        // Entries are not updated in place: one that no longer holds is passed over.
        if !kept[index] || weight != weights[index] {
            continue;
        }
        kept[index] = false;
        left -= 1;
        for &(j, w) in &crowd[index] {
            let j = j as usize;
            if kept[j] {
                weights[j] -= w;
                heap.push(Crowded { weight: weights[j], index: j });
            }
        }
    }
    (0..points.len()).filter(|&i| kept[i]).collect()
}
