//! One round: patches, counterparts, weights, pull. Everything follows from what is near, but for
//! a few numbers (the [`Recipe`]) that can be learned from a part of the cloud.

use pellucid_cloud::normals::sided_normal;
use pellucid_cloud::{KdTree, Point, sample, vec3};
use serde::{Deserialize, Serialize};

use super::discrepancy::Places;
use super::pull::Pull;
use super::schedule::Settings;
use super::weigh;
use crate::graph::scramble;
use crate::patch::{Apart, PatchGraph, Patches};
use crate::{DenoiseError, Report, Run};

/// Neighbors that normals and layers are seen in.
const NORMAL_NEIGHBORS: usize = 64;
/// Neighbors whose mean distance is the spacing.
const SPACING_NEIGHBORS: usize = 6;
/// Points looked at for each member of a patch.
const CANDIDATES: usize = 2;
/// Patches that each patch is linked to.
const LINKS: usize = 10;
/// Normals are estimated in every round of this many.
const LOOK_EVERY: usize = 2;

/// What a round needs to know of the whole cloud.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Sizes and strengths.
    pub settings: Settings,
    /// Radius of the disks around patch centers, in spacings.
    pub radius: f64,
    /// Squared radius above which a patch is no local piece of surface.
    pub limit: f64,
    /// The learned metric, row after row.
    pub metric: Vec<f64>,
}

/// What came of a round.
pub struct Moved {
    /// Where points are now.
    pub y: Vec<Point>,
    /// What was learned, or given.
    pub recipe: Recipe,
    /// Mean movement, in spacings of the cloud as it was before.
    pub mean: f64,
    /// Root mean square distance from the start along the normals.
    pub removed: f64,
}

/// What the neighbors of all points say.
#[derive(Default)]
pub struct Seen {
    normals: Vec<Point>,
    sided: Vec<bool>,
    /// Mean spacing.
    spacing: f64,
    /// Median radius of disks that hold as many points as one around a center should.
    reach: f64,
    disk: usize,
}

/// What the neighbors of a point say.
#[derive(Clone, Copy, Default)]
struct Around {
    normal: Point,
    sided: bool,
    spacing: f64,
    reach2: f64,
}

/// Points with their numbers in the whole cloud, and how the run draws.
#[derive(Clone, Copy)]
pub struct Cloud<'a> {
    /// Where they were measured.
    pub observed: &'a [Point],
    /// A number of each point that does not depend on where it is.
    pub numbers: &'a [u32],
    /// The noise of each point.
    pub noise: &'a [f64],
    /// Which of the nearest points count as neighbors: all of them, or every `step`-th where the nearest are of one row.
    pub step: usize,
    /// Seed of all draws.
    pub seed: u64,
    /// Points that have all of their neighbors, where some do not.
    pub inner: Option<&'a [bool]>,
}

impl Cloud<'_> {
    /// Whether a point has all of its neighbors.
    pub fn is_inner(&self, i: usize) -> bool {
        self.inner.is_none_or(|inner| inner[i])
    }

    /// Round `index` from `y` of a level that began at `start`, with the recipe that is given, or one learned here.
    #[allow(clippy::too_many_arguments)]
    pub fn round(
        &self,
        y: &[Point],
        start: &[Point],
        index: usize,
        settings: &Settings,
        most_removed: f64,
        given: Option<&Recipe>,
        seen: &mut Seen,
        report: &mut Report,
    ) -> Result<Moved, DenoiseError> {
        let settings = *given.map_or(settings, |g| &g.settings);
        let tree = Run::timed(report, "tree", || KdTree::new(y));
        let disk = settings.points_of_disk();
        // Points move by a fraction of their spacing, and what is around them changes by less.
        if (index - 1).is_multiple_of(LOOK_EVERY) || seen.normals.is_empty() {
            *seen = Run::timed(report, "normals", || {
                look(y, &tree, disk, |i, radius| settings.two_layers(self.noise[i], radius))
            });
        }
        let Seen { normals, sided, spacing, reach, disk: looked } = &*seen;
        let radius = given.map_or(reach * (disk as f64 / *looked as f64).sqrt(), |g| g.radius);
        let centers = Run::timed(report, "centers", || {
            sample::poisson_disk_by_rank_in(&tree, y, radius, &self.ranks(index))
        });
        let apart = Apart { normals, sided: Some(sided), per_normal: settings.per_normal };
        let patches = Run::timed(report, "patches", || {
            let (size, limit) = (settings.size, given.map(|g| g.limit));
            Patches::cover(y, &tree, &centers, size, (CANDIDATES * size, self.step), apart, limit)
        });
        drop(tree);
        report.uncovered_points = report.uncovered_points.max(patches.uncovered());
        let graph = Run::timed(report, "counterparts", || {
            PatchGraph::link_flat(y, &patches, LINKS, apart, settings.height)
        });
        let metric = Run::timed(report, "learning", || match given {
            Some(g) => weigh::matrix(&g.metric),
            None => weigh::learn(y, self.numbers, &patches, &graph, apart, settings.trace_limit)
                .map(|m| weigh::raised(m, settings.normal_floor)),
        })?;
        let weights =
            Run::timed(report, "weights", || weigh::weights(y, &patches, &graph, apart, &metric));
        let mut next = Run::timed(report, "solve", || {
            Pull::new(y.len(), &patches, &graph, weights).solve(y, settings.gamma, settings.sweeps)
        });
        Run::timed(report, "discrepancy", || {
            let places = Places::new(y.len(), &patches, &graph);
            let limit = |i: usize| most_removed * self.noise[i];
            places.hold_back(self.observed, y, &mut next, normals, limit);
        });
        let along = |i: usize| vec3::dot(vec3::sub(next[i], start[i]), normals[i]);
        let removed = self.mean(|i| along(i).powi(2)).sqrt();
        let mean = self.mean(|i| vec3::distance2(next[i], y[i]).sqrt());
        let mean = if *spacing > 0.0 { mean / spacing } else { 0.0 };
        // Finite, so that it can be written down.
        let limit = patches.limit().min(f64::MAX);
        let recipe = Recipe { settings, radius, limit, metric: metric.to_vec() };
        Ok(Moved { y: next, recipe, mean, removed })
    }

    /// The mean over the points that have all of their neighbors, in order, so that it does not
    /// depend on threads.
    fn mean(&self, value: impl Fn(usize) -> f64) -> f64 {
        let inner = (0..self.numbers.len()).filter(|&i| self.is_inner(i) && self.noise[i] > 0.0);
        let (sum, n) = inner.fold((0.0, 0_usize), |(sum, n), i| (sum + value(i), n + 1));
        sum / n.max(1) as f64
    }

    /// Who comes first as a center, another way in each round: patches that change from round to
    /// round leave no traces.
    fn ranks(&self, index: usize) -> Vec<u64> {
        let draw = scramble(self.seed ^ (index as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        self.numbers.iter().map(|&r| scramble(u64::from(r) ^ draw)).collect()
    }
}

/// Inspects the neighbors of all points; `two_layers` gives the share of the variance that two layers must explain, from the
/// number of a point and the radius of its neighborhood.
fn look(
    y: &[Point],
    tree: &KdTree,
    disk: usize,
    two_layers: impl Fn(usize, f64) -> f64 + Sync,
) -> Seen {
    let points =
        tree.map_neighbors(NORMAL_NEIGHBORS.max(disk + 1), Vec::new, |heights, i, row, d2| {
            let (normal, layers) = sided_normal(y, i, row, heights);
            let sided = layers >= two_layers(i, d2[d2.len() - 1].sqrt());
            let near = &d2[1.min(d2.len() - 1)..d2.len().min(SPACING_NEIGHBORS + 1)];
            let spacing = near.iter().map(|d| d.sqrt()).sum::<f64>() / near.len().max(1) as f64;
            let reach2 = d2[disk.min(d2.len() - 1)];
            Around { normal, sided, spacing, reach2 }
        });
    Seen {
        normals: points.iter().map(|s| s.normal).collect(),
        sided: points.iter().map(|s| s.sided).collect(),
        spacing: mean(points.iter().map(|s| s.spacing)),
        reach: usual_reach(&points),
        disk: disk.max(1),
    }
}

/// The median radius of disks that hold as many points as asked for.
fn usual_reach(seen: &[Around]) -> f64 {
    let mut reach: Vec<f64> = seen.iter().map(|s| s.reach2).collect();
    let middle = reach.len() / 2;
    if reach.is_empty() {
        return 0.0;
    }
    reach.select_nth_unstable_by(middle, f64::total_cmp).1.sqrt()
}

/// In order, so that it does not depend on threads.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0_usize), |(sum, n), v| (sum + v, n + 1));
    sum / n.max(1) as f64
}
