//! Points that belong to no surface: found and reported, never moved.
//!
//! Noise is an error of a measurement and can be undone; an outlier (a bird, a reflection, a
//! mixed pixel) measured something else, and no denoiser can guess where it ought to be. Four
//! rules find them, each with lengths in mean spacings of the cloud:
//!
//! | rule | a point is an outlier if | strong | weak |
//! |---|---|---|---|
//! | [`Isolated`], the default | its neighbors are much farther than theirs are from them | any density | clumps larger than its surroundings |
//! | [`Statistical`] | its neighbors are farther than is usual in the cloud | one density throughout | sparse parts count as outliers |
//! | [`Radius`] | too few points lie around it | small far clumps | needs a fixed radius |
//! | [`LocalOutlier`] | its surroundings are thinner than those of its neighbors | density that varies | clumps larger than k |
//!
//! With the default parameters, on the seven shapes of [`synth`](crate::synth) with 10,000 points,
//! Gaussian noise of 0.3 spacings and 5 % of the points thrown by 10 spacings on each axis, of which
//! those count that end up four spacings or more from the surface; the last column is the share
//! of points flagged without any thrown ones (means over the shapes):
//!
//! | rule | recall | precision | flagged without outliers |
//! |---|---|---|---|
//! | isolated | 0.722 | 1.000 | 0.00 % |
//! | statistical | 0.975 | 0.984 | 0.01 % |
//! | radius | 0.988 | 0.943 | 0.16 % |
//! | local-outlier | 0.948 | 0.984 | 0.01 % |
//!
//! Points thrown nearer to the surface look like noise and are hard to tell from it: for a throw of
//! 5 spacings, counted from two on, the statistical rule finds 60 %.
//!
//! The default is careful: what it flags is no part of a surface, but of points thrown near to the
//! surface and to each other it finds fewer; lower its factor, or use the statistical rule where
//! density is even. Where density varies, as in airborne scans of trees, the statistical rule takes sparse parts for
//! outliers (up to one point in eight there); the default does not.
//!
//! ```
//! use pellucid_cloud::outliers::{self, Rule};
//! use pellucid_cloud::synth::Shape;
//!
//! let mut points = Shape::Sphere.sample(2_000, 1).into_positions();
//! points.push([3.0, 0.0, 0.0]);
//! let found = outliers::find(&points, &Rule::default())?;
//! assert!(found.flags[2_000]);
//! assert!(found.count() < 20);
//! # Ok::<(), outliers::OutlierError>(())
//! ```

mod factor;
mod isolated;
mod radius;
mod side;
mod statistical;

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::neighbors::{KdTree, Neighbor};
use crate::spacing;
use crate::vec3::Point;

pub use factor::LocalOutlier;
pub use isolated::Isolated;
pub use radius::Radius;
pub use side::above_surface;
pub use statistical::Statistical;

/// Points a thread works on at once: fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 256;

/// The most neighbors that can be asked for.
const MOST_NEIGHBORS: usize = 1000;

/// A rule and its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Far from its neighbors, compared with the points around it.
    Isolated(Isolated),
    /// Far from its neighbors, compared with all points.
    Statistical(Statistical),
    /// Too few points around.
    Radius(Radius),
    /// Thinner surroundings than its neighbors.
    LocalOutlier(LocalOutlier),
}

impl Default for Rule {
    fn default() -> Self {
        Rule::Isolated(Isolated::default())
    }
}

impl Rule {
    /// The names of all rules, the default first.
    pub const NAMES: [&'static str; 4] = ["isolated", "statistical", "radius", "local-outlier"];

    /// The rule's name.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Isolated(_) => Rule::NAMES[0],
            Rule::Statistical(_) => Rule::NAMES[1],
            Rule::Radius(_) => Rule::NAMES[2],
            Rule::LocalOutlier(_) => Rule::NAMES[3],
        }
    }

    /// Checks every parameter; the error names the field and the rule it breaks.
    pub fn check(&self) -> Result<(), OutlierError> {
        match self {
            Rule::Isolated(r) => r.check(),
            Rule::Statistical(r) => r.check(),
            Rule::Radius(r) => r.check(),
            Rule::LocalOutlier(r) => r.check(),
        }
    }

    /// Fewest finite points that can be judged.
    fn needed(&self) -> usize {
        match self {
            Rule::Isolated(r) => r.neighbors + 1,
            Rule::Statistical(r) => r.neighbors + 1,
            Rule::Radius(_) => 2,
            Rule::LocalOutlier(r) => r.neighbors + 1,
        }
    }
}

impl From<Isolated> for Rule {
    fn from(r: Isolated) -> Self {
        Rule::Isolated(r)
    }
}

impl From<Statistical> for Rule {
    fn from(r: Statistical) -> Self {
        Rule::Statistical(r)
    }
}

impl From<Radius> for Rule {
    fn from(r: Radius) -> Self {
        Rule::Radius(r)
    }
}

impl From<LocalOutlier> for Rule {
    fn from(r: LocalOutlier) -> Self {
        Rule::LocalOutlier(r)
    }
}

/// Why no outliers can be looked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutlierError {
    /// A parameter outside its range.
    #[error("parameter \"{name}\" is {value}, but it must be {rule}")]
    Parameter {
        /// The field.
        name: &'static str,
        /// What was given.
        value: String,
        /// What holds for every valid value.
        rule: &'static str,
    },
    /// Fewer usable points than the rule needs.
    #[error(
        "the cloud has {finite} usable points ({rows} rows), but the rule {rule} with these \
         parameters needs at least {needed}"
    )]
    TooFewPoints {
        /// The rule.
        rule: &'static str,
        /// Rows with finite coordinates.
        finite: usize,
        /// Rows in the cloud.
        rows: usize,
        /// The least number of points.
        needed: usize,
    },
}

impl OutlierError {
    fn check(
        holds: bool,
        name: &'static str,
        value: impl std::fmt::Debug,
        rule: &'static str,
    ) -> Result<(), OutlierError> {
        if holds {
            return Ok(());
        }
        Err(OutlierError::Parameter { name, value: format!("{value:?}"), rule })
    }
}

/// Which points are outliers.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlierFlags {
    /// One for each point, in order. Rows that are not finite are no points and never flagged.
    pub flags: Vec<bool>,
    /// The mean spacing that lengths were measured in.
    pub spacing: f64,
    /// The limit that was passed: times what is usual around, mean distance to the neighbors in
    /// spacings, neighbors, or local outlier factor.
    pub limit: f64,
}

impl OutlierFlags {
    /// How many outliers there are.
    pub fn count(&self) -> usize {
        self.flags.iter().filter(|&&f| f).count()
    }

    /// The rows that are no outliers, in order.
    pub fn kept(&self) -> Vec<usize> {
        (0..self.flags.len()).filter(|&i| !self.flags[i]).collect()
    }
}

/// Looks for outliers; the result is the same for any number of threads.
pub fn find(points: &[Point], rule: &Rule) -> Result<OutlierFlags, OutlierError> {
    rule.check()?;
    let tree = KdTree::new(points);
    if tree.len() < rule.needed() {
        return Err(OutlierError::TooFewPoints {
            rule: rule.name(),
            finite: tree.len(),
            rows: points.len(),
            needed: rule.needed(),
        });
    }
    let spacing = spacing::spacing_in(points, &tree);
    let (flags, limit) = match rule {
        Rule::Isolated(r) => r.find(points),
        Rule::Statistical(r) => r.find(points, &tree, spacing),
        Rule::Radius(r) => r.find(points, &tree, spacing),
        Rule::LocalOutlier(r) => r.find(&tree, spacing),
    };
    Ok(OutlierFlags { flags, spacing, limit })
}

/// `value` of each finite point, `blank` of the others; points are asked in the order of the
/// tree's leaves, so that one after the other finds the tree in the cache.
fn for_each_point<T: Copy + Send + Sync>(
    points: &[Point],
    tree: &KdTree,
    blank: T,
    value: impl Fn(usize, &mut Vec<Neighbor>) -> T + Sync,
) -> Vec<T> {
    let order: Vec<u32> = tree.leaf_order().collect();
    let found: Vec<T> = (order.par_iter().with_min_len(CHUNK))
        .map_init(Vec::new, |near, &i| value(i as usize, near))
        .collect();
    let mut out = vec![blank; points.len()];
    for (&i, v) in order.iter().zip(found) {
        out[i as usize] = v;
    }
    out
}
