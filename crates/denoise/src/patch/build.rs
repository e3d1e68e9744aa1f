//! Covering the cloud with patches (Definition 1, Eq. 37).

use pellucid_cloud::{NeighborTable, Point, vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A patch this many times as wide as the usual one links things that do not belong together, so
/// it is left out and its centre, an outlier, stays where it is unless another patch has it.
const STRETCHED: f64 = 10.0;

/// What a patch's coordinates are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The centre point, as in the paper's text.
    Center,
    /// The mean of the patch's points, as in the published runs.
    Mean,
}

/// What to do with points that fall into no patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncovered {
    /// Centre extra patches on them (not on outliers).
    ExtraPatches,
    /// Leave them out of the graph; they stay where they are.
    Leave,
}

/// Patches of `size` points each. Node `s * size + a` is point `a` of patch `s`.
#[derive(Debug, Clone)]
pub struct Patches {
    size: usize,
    centers: Vec<u32>,
    members: Vec<u32>,
    origins: Vec<Point>,
    uncovered: usize,
}

impl Patches {
    /// The `size` nearest points of each centre, the centre among them, read off a table of the
    /// nearest neighbours of every point that is at least that wide.
    pub fn build(
        points: &[Point],
        nearest: &NeighborTable,
        centers: &[u32],
        size: usize,
        origin: Origin,
        rule: Uncovered,
    ) -> Patches {
        let mut patches = Patches {
            size,
            centers: Vec::new(),
            members: Vec::new(),
            origins: Vec::new(),
            uncovered: 0,
        };
        let limit = Self::reach_limit(nearest, centers, size);
        patches.extend(nearest, centers, limit);

        let mut covered = vec![false; points.len()];
        patches.members.iter().for_each(|&m| covered[m as usize] = true);
        patches.uncovered = covered.iter().filter(|c| !**c).count();
        if rule == Uncovered::ExtraPatches && patches.uncovered > 0 {
            let extra = patches.centers_for_uncovered(nearest, covered);
            patches.extend(nearest, &extra, limit);
        }

        patches.origins = (0..patches.len())
            .into_par_iter()
            .map(|s| match origin {
                Origin::Center => points[patches.centers[s] as usize],
                Origin::Mean => {
                    let sum = patches
                        .members(s)
                        .iter()
                        .fold([0.0; 3], |sum, &p| vec3::add(sum, points[p as usize]));
                    vec3::scale(sum, 1.0 / size as f64)
                }
            })
            .collect();
        patches
    }

    /// Greedily picks uncovered points until patches around them cover all.
    fn centers_for_uncovered(&self, nearest: &NeighborTable, mut covered: Vec<bool>) -> Vec<u32> {
        let mut extra = Vec::new();
        for p in 0..covered.len() {
            if !covered[p] {
                extra.push(p as u32);
                covered[p] = true;
                nearest.row(p)[..self.size].iter().for_each(|&n| covered[n as usize] = true);
            }
        }
        extra
    }

    /// Squared radius above which a patch is no local piece of surface: its centre is an outlier.
    fn reach_limit(nearest: &NeighborTable, centers: &[u32], size: usize) -> f64 {
        let mut reach: Vec<f64> =
            centers.iter().map(|&c| nearest.distances2(c as usize)[size - 1]).collect();
        if reach.is_empty() {
            return f64::INFINITY;
        }
        let middle = reach.len() / 2;
        let (_, median, _) = reach.select_nth_unstable_by(middle, f64::total_cmp);
        // With a median of zero most points repeat others; then nothing can be said.
        if *median > 0.0 { STRETCHED * STRETCHED * *median } else { f64::INFINITY }
    }

    fn extend(&mut self, nearest: &NeighborTable, centers: &[u32], limit: f64) {
        let local = |c: &u32| nearest.distances2(*c as usize)[self.size - 1] <= limit;
        for c in centers.iter().copied().filter(local) {
            self.centers.push(c);
            let start = self.members.len();
            self.members.extend_from_slice(&nearest.row(c as usize)[..self.size]);
            // More exact duplicates than the patch has room for could crowd the centre out.
            let row = &mut self.members[start..];
            if !row.contains(&c) {
                row[0] = c;
            }
        }
    }

    /// How many patches there are.
    pub fn len(&self) -> usize {
        self.centers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.centers.is_empty()
    }

    /// Points per patch.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The centre point of each patch.
    pub fn centers(&self) -> &[u32] {
        &self.centers
    }

    /// The points of patch `s`, nearest to its centre first.
    pub fn members(&self, s: usize) -> &[u32] {
        &self.members[s * self.size..(s + 1) * self.size]
    }

    /// The point of each node: the selection matrix T of Eq. (37).
    pub fn points_of_nodes(&self) -> &[u32] {
        &self.members
    }

    /// What the coordinates of each patch are relative to: C of Eq. (37).
    pub fn origins(&self) -> &[Point] {
        &self.origins
    }

    /// Points that were in no patch before the rule for them was applied.
    pub fn uncovered(&self) -> usize {
        self.uncovered
    }
}
