//! Numbers to color points by.

use pellucid::PointCloud;
use pellucid::cloud::{Attribute, KdTree, Point, Values, vec3};
use serde::Serialize;

use super::maps::{AMOUNT, Map, SIGNED};

/// Share of the values beyond each end of a map: a few outliers would leave all others one color.
const BEYOND: f64 = 0.02;
/// Values that a range is estimated from, at most.
const SAMPLES: usize = 200_000;

/// The values at the ends of a color map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// At the lower end.
    pub lo: f64,
    /// At the upper end.
    pub hi: f64,
}

impl Range {
    /// Where a value lies in it: 0 at the lower end, 1 at the upper.
    pub fn share(self, v: f64) -> f64 {
        if self.hi > self.lo { (v - self.lo) / (self.hi - self.lo) } else { 0.5 }
    }
}

/// One number a point.
pub struct Numbers {
    /// What they are.
    pub name: String,
    /// The values; some may not be finite.
    pub values: Vec<f64>,
    /// Whether zero is the middle of the map.
    pub signed: bool,
}

impl Numbers {
    /// The attribute of that name; `NAME.2` is its third component. `x`, `y` and `z` are the
    /// coordinates, where no attribute has that name. `None` if there is no such number.
    pub fn of(cloud: &PointCloud, name: &str) -> Option<Numbers> {
        let whole = cloud.attribute(name).and_then(|a| a.component(0));
        let part = || {
            let (attribute, c) = name.rsplit_once('.')?;
            cloud.attribute(attribute)?.component(c.parse().ok()?)
        };
        let axis = || {
            let c = ["x", "y", "z"].iter().position(|a| *a == name)?;
            Some(cloud.positions().iter().map(|p| p[c]).collect())
        };
        let values = whole.or_else(part).or_else(axis)?;
        Some(Numbers { name: name.to_owned(), values, signed: false })
    }

    /// The names that [`Numbers::of`] knows, but for coordinates; `NAME.0`… for wide columns.
    pub fn names(cloud: &PointCloud) -> Vec<String> {
        let number = |a: &&Attribute| !matches!(a.values(), Values::Text(_) | Values::List(_));
        let columns = cloud.attributes().filter(number).flat_map(|a| {
            (0..a.width()).map(move |c| match a.width() {
                1 => a.name().to_owned(),
                _ => format!("{}.{c}", a.name()),
            })
        });
        columns.collect()
    }

    /// The map that fits them.
    pub fn map(&self) -> Map {
        if self.signed { SIGNED } else { AMOUNT }
    }
}

/// A range in which nearly all finite values of all lists lie.
pub fn range<'a>(lists: impl Iterator<Item = &'a Numbers>) -> Range {
    let lists: Vec<&Numbers> = lists.collect();
    let total: usize = lists.iter().map(|n| n.values.len()).sum();
    let stride = total.div_ceil(SAMPLES).max(1);
    let all = lists.iter().flat_map(|n| n.values.iter().step_by(stride)).copied();
    let mut all: Vec<f64> = all.filter(|v| v.is_finite()).collect();
    if all.is_empty() {
        return Range { lo: 0.0, hi: 1.0 };
    }
    all.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| all[((all.len() - 1) as f64 * share).round() as usize];
    let (mut lo, mut hi) = (at(BEYOND), at(1.0 - BEYOND));
    if lo == hi {
        // Nearly all the same: the few others are what is of interest.
        (lo, hi) = (all[0], all[all.len() - 1]);
    }
    if lists.iter().any(|n| n.signed) {
        let most = lo.abs().max(hi.abs());
        (lo, hi) = (-most, most);
    }
    Range { lo, hi }
}

/// How far each point moved along its normal; less than zero into the surface.
pub fn displacement(before: &[Point], after: &[Point], normals: &[Point]) -> Numbers {
    let values = before
        .iter()
        .zip(after)
        .zip(normals)
        .map(|((&a, &b), &n)| vec3::dot(vec3::sub(b, a), n))
        .collect();
    Numbers { name: "displacement".to_owned(), values, signed: true }
}

/// How far each point is from the nearest of the truth.
pub fn distance_to(points: &[Point], truth: &KdTree) -> Numbers {
    let values = truth.nearest_of(points).iter().map(|n| n.distance2.sqrt()).collect();
    Numbers { name: "distance to truth".to_owned(), values, signed: false }
}
