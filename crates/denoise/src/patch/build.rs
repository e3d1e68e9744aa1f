//! Covering the cloud with patches (Definition 1, Eq. 37).

use pellucid_cloud::stats::upper_median;
use pellucid_cloud::{NeighborTable, Point, vec3};
use rayon::prelude::*;

use crate::parameters::choices;

/// A patch this many times as wide as the usual one links things that do not belong together, so
/// it is left out and its center, an outlier, stays where it is unless another patch has it.
const STRETCHED: f64 = 10.0;

choices! {
    /// What a patch's coordinates are relative to.
    pub enum Origin {
        /// The place of the center point before the solve, as in the paper's Eq. (51).
        Center = "center",
        /// The center point, which the solve moves with the others: Eq. (50) as posed.
        MovingCenter = "moving-center",
        /// The mean of the patch's points, as in the published runs.
        Mean = "mean",
    }
}

choices! {
    /// What to do with points that fall into no patch.
    pub enum Uncovered {
        /// Center extra patches on them (not on outliers).
        ExtraPatches = "extra-patches",
        /// Leave them out of the graph; they stay where they are.
        Leave = "leave",
    }
}

/// Distance between points that also counts how their normals differ, so that the two sides of a
/// thin sheet, or of a sharp edge, are farther apart than they lie.
#[derive(Debug, Clone, Copy)]
pub struct Apart<'a> {
    /// Normals of all points.
    pub normals: &'a [Point],
    /// Whether the sign of each normal means something; `None` if those of all do.
    pub sided: Option<&'a [bool]>,
    /// Lengths that a difference of one between unit normals counts as.
    pub per_normal: f64,
}

impl Apart<'_> {
    /// The squared distance of two points whose squared distance in space is `d2`.
    #[inline]
    pub fn distance2(&self, d2: f64, i: usize, j: usize) -> f64 {
        let n = self.difference(i, j);
        d2 + self.per_normal * self.per_normal * vec3::dot(n, n)
    }

    /// The difference of two normals; where their signs mean nothing, the smaller one.
    #[inline]
    pub fn difference(&self, i: usize, j: usize) -> Point {
        let (a, b) = (self.normals[i], self.normals[j]);
        let signed = self.sided.is_none_or(|sided| sided[i] && sided[j]);
        if signed || vec3::dot(a, b) >= 0.0 { vec3::sub(a, b) } else { vec3::add(a, b) }
    }
}

/// Patches of `size` points each. Node `s * size + a` is point `a` of patch `s`.
#[derive(Debug, Clone)]
pub struct Patches {
    size: usize,
    centers: Vec<u32>,
    members: Vec<u32>,
    origins: Vec<Point>,
    moving: bool,
    uncovered: usize,
    limit: f64,
}

impl Patches {
    /// The `size` nearest points of each center, the center among them, read off a table of the
    /// nearest neighbors of every point that is at least that wide.
    pub fn build(
        points: &[Point],
        nearest: &NeighborTable,
        centers: &[u32],
        size: usize,
        origin: Origin,
        rule: Uncovered,
    ) -> Patches {
        Self::build_apart(points, nearest, centers, size, origin, rule, None)
    }

    /// The same, choosing among the points of the table by a distance that counts normals too.
    pub fn build_apart(
        points: &[Point],
        nearest: &NeighborTable,
        centers: &[u32],
        size: usize,
        origin: Origin,
        rule: Uncovered,
        apart: Option<Apart>,
    ) -> Patches {
        let mut patches = Patches::empty(size);
        let limit = Self::reach_limit(nearest, centers.iter().map(|&c| c as usize), size);
        let row = |c: u32| c as usize;
        patches.extend(nearest, centers, row, limit, apart);
        let left_out = patches.mark_uncovered(points.len());
        if rule == Uncovered::ExtraPatches && patches.uncovered > 0 {
            let extra = patches.centers_for_uncovered(nearest, &left_out, apart.is_none());
            patches.extend(nearest, &extra, row, limit, apart);
        }
        match origin {
            Origin::Center | Origin::MovingCenter => {
                patches.moving = origin == Origin::MovingCenter;
                patches.origins = patches.centers.iter().map(|&c| points[c as usize]).collect();
            }
            Origin::Mean => patches.center_on_means(points),
        }
        patches
    }

    /// No patches yet.
    pub(super) fn empty(size: usize) -> Patches {
        let (centers, members, origins) = (Vec::new(), Vec::new(), Vec::new());
        let limit = f64::INFINITY;
        Patches { size, centers, members, origins, moving: false, uncovered: 0, limit }
    }

    /// Adds patches around `centers`, whose neighbors are in the rows of `nearest`.
    pub(super) fn add(
        &mut self,
        nearest: &NeighborTable,
        centers: &[u32],
        limit: f64,
        apart: Apart,
    ) {
        let rows: Vec<u32> = (0..centers.len() as u32).collect();
        self.extend(nearest, &rows, |r| centers[r as usize] as usize, limit, Some(apart));
    }

    /// Keeps the squared radius above which patches are left out.
    pub(super) fn set_limit(&mut self, limit: f64) {
        self.limit = limit;
    }

    /// The squared radius above which patches were left out.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Which points no patch has; their number is kept.
    pub(super) fn mark_uncovered(&mut self, points: usize) -> Vec<u32> {
        let mut covered = vec![false; points];
        self.members.iter().for_each(|&m| covered[m as usize] = true);
        let left_out: Vec<u32> = (0..points as u32).filter(|&p| !covered[p as usize]).collect();
        self.uncovered = left_out.len();
        left_out
    }

    /// Makes the mean of its points the origin of each patch.
    pub(super) fn center_on_means(&mut self, points: &[Point]) {
        let mean = |members: &[u32]| {
            let sum = members.iter().fold([0.0; 3], |sum, &p| vec3::add(sum, points[p as usize]));
            vec3::scale(sum, 1.0 / members.len() as f64)
        };
        self.origins = self.members.par_chunks(self.size).map(mean).collect();
    }

    /// Greedily picks uncovered points until patches around them cover all.
    fn centers_for_uncovered(
        &self,
        nearest: &NeighborTable,
        left_out: &[u32],
        by_distance: bool,
    ) -> Vec<u32> {
        if !by_distance {
            return left_out.to_vec();
        }
        let mut covered = vec![false; nearest.len()];
        let mut extra = Vec::new();
        for &p in left_out {
            if !covered[p as usize] {
                extra.push(p);
                let row = &nearest.row(p as usize)[..self.size];
                row.iter().for_each(|&n| covered[n as usize] = true);
            }
        }
        extra
    }

    /// Squared radius above which a patch is no local piece of surface: its center is an outlier.
    pub(super) fn reach_limit(
        nearest: &NeighborTable,
        rows: impl Iterator<Item = usize>,
        size: usize,
    ) -> f64 {
        let mut reach: Vec<f64> = rows.map(|r| nearest.distances2(r)[size - 1]).collect();
        // With a median of zero most points repeat others; then nothing can be said.
        let median = upper_median(&mut reach).filter(|m| *m > 0.0);
        median.map_or(f64::INFINITY, |m| STRETCHED * STRETCHED * m)
    }

    /// Adds patches for some rows of `nearest`, each around the point that `center` names.
    fn extend(
        &mut self,
        nearest: &NeighborTable,
        rows: &[u32],
        center: impl Fn(u32) -> usize + Sync,
        limit: f64,
        apart: Option<Apart>,
    ) {
        let size = self.size;
        let local = |r: &u32| nearest.distances2(*r as usize)[size - 1] <= limit;
        let kept: Vec<u32> = rows.iter().copied().filter(local).collect();
        let start = self.members.len();
        self.members.resize(start + kept.len() * size, 0);
        let choose = |order: &mut Vec<(f64, u32)>, (row, &r): (&mut [u32], &u32)| {
            let c = center(r);
            let candidates = nearest.row(r as usize);
            match apart {
                None => row.copy_from_slice(&candidates[..size]),
                Some(apart) => {
                    order.clear();
                    let d2 = nearest.distances2(r as usize);
                    order.extend(
                        candidates
                            .iter()
                            .zip(d2)
                            .filter(|(j, _)| **j != u32::MAX)
                            .map(|(&j, &d2)| (apart.distance2(d2, c, j as usize), j)),
                    );
                    let by =
                        |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                    if size < order.len() {
                        order.select_nth_unstable_by(size - 1, by);
                    }
                    order[..size].sort_unstable_by(by);
                    row.iter_mut().zip(&*order).for_each(|(m, o)| *m = o.1);
                }
            }
            // More exact duplicates than the patch has room for could crowd the center out.
            if !row.contains(&(c as u32)) {
                row[0] = c as u32;
            }
        };
        self.members[start..]
            .par_chunks_mut(size)
            .zip(&kept)
            .with_min_len(256)
            .for_each_init(Vec::new, |order, item| choose(order, item));
        self.centers.extend(kept.iter().map(|&r| center(r) as u32));
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

    /// The center point of each patch.
    pub fn centers(&self) -> &[u32] {
        &self.centers
    }

    /// The points of patch `s`, nearest to its center first.
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

    /// The origin of patch `s` when the points are at `y`.
    #[inline]
    pub fn origin_at(&self, s: usize, y: &[Point]) -> Point {
        if self.moving { y[self.centers[s] as usize] } else { self.origins[s] }
    }

    /// Whether origins are points that move with the others.
    pub fn moving_origins(&self) -> bool {
        self.moving
    }

    /// Points that were in no patch before the rule for them was applied.
    pub fn uncovered(&self) -> usize {
        self.uncovered
    }
}
