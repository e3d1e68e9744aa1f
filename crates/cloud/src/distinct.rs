//! The rows of a cloud that can be compared with each other: finite, each place once, none
//! absurdly far away.

use rayon::prelude::*;

use crate::neighbors::KdTree;
use crate::spacing::{self, COLUMNS};
use crate::stats::{median, upper_median};
use crate::vec3::{self, Point};

/// Rows at the origin count as missing measurements from this many on, ...
const MISSING: usize = 16;
/// ... from one row in this many on, ...
const MISSING_SHARE: usize = 100;
/// ... and if no other place is repeated more than half as often.
const MISSING_EXCESS: usize = 2;

/// Points farther than this many spacings from the median point take no part: 2^40.
pub const FAR: f64 = (1u64 << 40) as f64;

/// Without the far points others may be far; a cloud of many scales is cut this often, and its
/// spacing taken to be 2^-40 of what remains then.
const ROUNDS: usize = 8;

/// The spacing is at least this part of the radius, the median distance from the center: where most points have a neighbor
/// nearer than that, they differ by rounding errors only.
const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;

/// Half of the points lie within one radius of the center, so that most have a neighbor within
/// four radii, and the spacing is below this many radii.
const SPARSEST: f64 = 32.0;

/// The distinct rows of a cloud, and the fate of the others.
///
/// ```
/// use pellucid_cloud::DistinctRows;
///
/// let mut points = vec![[1.0, 0.0, 0.0], [f64::NAN; 3], [2.0, 0.0, 0.0], [1.0, -0.0, 0.0]];
/// let mut distinct = DistinctRows::of(&points);
/// assert_eq!((&distinct.rows[..], &distinct.copies[..]), (&[0, 2][..], &[(3, 0)][..]));
/// assert_eq!(distinct.not_finite, 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DistinctRows {
    /// The first row at each place, in order.
    pub rows: Vec<u32>,
    /// Each row that repeats one of them, in order, and the row that it repeats.
    pub copies: Vec<(u32, u32)>,
    /// Rows with a coordinate that is not finite.
    pub not_finite: usize,
    /// Rows at the origin, if they are so many that they stand for missing measurements.
    pub missing: usize,
    /// Rows that [`drop_far`](Self::drop_far) took out.
    pub far: usize,
}

/// Where a cloud is and how far apart its points are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The median of each coordinate: one far point must not cost all others their precision.
    pub center: Point,
    /// The [mean spacing](spacing::mean_spacing), positive.
    pub spacing: f64,
}

impl DistinctRows {
    /// The rows of `points` whose coordinates are finite, each place once.
    ///
    /// Depth cameras and some file formats write 0, 0, 0 for a pixel without a measurement. Rows
    /// at the origin are left out if they are at least 16, at least 1 % of all rows, and more than
    /// twice as many as at any other place.
    pub fn of(points: &[Point]) -> DistinctRows {
        let mut found = DistinctRows::default();
        let groups = Groups::of(points, |row| row);
        found.not_finite = points.len() - groups.keyed.len();
        let most = |origin: bool| {
            let at = |g: &&[Keyed]| (g[0].0 == [0; 3]) == origin;
            groups.iter().filter(at).map(<[_]>::len).max().unwrap_or(0)
        };
        let (zeros, others) = (most(true), most(false));
        if are_missing(zeros, points.len()) && zeros > MISSING_EXCESS * others {
            found.missing = zeros;
        }
        for group in groups.iter().filter(|g| found.missing == 0 || g[0].0 != [0; 3]) {
            let first = group[0].2;
            found.rows.push(first);
            found.copies.extend(group[1..].iter().map(|&(_, _, row)| (row, first)));
        }
        found.rows.par_sort_unstable();
        found.copies.par_sort_unstable();
        found
    }

    /// The positions of the distinct rows.
    pub fn pick(&self, points: &[Point]) -> Vec<Point> {
        self.rows.iter().map(|&r| points[r as usize]).collect()
    }

    /// Takes out the rows farther than 2^40 spacings from the median point, with their copies, and
    /// says where the others are: as if there had been no far ones. Nothing is squared before it is
    /// brought to a common scale, so it holds for coordinates of any size.
    pub fn drop_far(&mut self, points: &[Point]) -> Extent {
        let mut extent = Extent::of(&self.pick(points));
        let all = self.rows.len() + self.copies.len();
        for _ in 0..ROUNDS {
            let before = self.rows.len();
            let is_near =
                |row: u32| distance(points[row as usize], extent.center) <= extent.reach();
            self.rows.retain(|&row| is_near(row));
            self.copies.retain(|&(_, first)| is_near(first));
            if self.rows.len() == before {
                break;
            }
            extent = Extent::of(&self.pick(points));
        }
        self.far += all - self.rows.len() - self.copies.len();
        let distances = self.rows.iter().map(|&row| distance(points[row as usize], extent.center));
        extent.spacing = extent.spacing.max(distances.fold(0.0, f64::max) / FAR);
        extent
    }
}

/// Whether so many rows at the origin, of all rows, are enough to stand for missing measurements.
pub fn are_missing(zeros: usize, rows: usize) -> bool {
    zeros >= MISSING.max(rows.div_ceil(MISSING_SHARE))
}

impl Extent {
    /// The extent of points that are all finite and distinct; some may be anywhere.
    fn of(points: &[Point]) -> Extent {
        let center = median_point(points);
        let mut distances: Vec<f64> = points.iter().map(|&p| distance(p, center)).collect();
        let radius = median(&mut distances).unwrap_or(0.0).min(f64::MAX);
        if radius == 0.0 {
            return Extent { center, spacing: 1.0 };
        }
        // Exact in double precision, and neither do squares vanish nor overflow.
        let unit = power_of_two_below(radius);
        let most = (FAR * SPARSEST * radius).min(f64::MAX);
        let near = points.iter().filter(|p| distance(**p, center) <= most);
        let near: Vec<Point> = near.map(|&p| vec3::sub(p, center).map(|c| c / unit)).collect();
        let spacing = spacing::mean_spacing(&KdTree::new(&near).knn_table(COLUMNS));
        Extent { center, spacing: unit * spacing.max(ROUNDING * radius / unit) }
    }

    /// How far from the center points take part; finite, as differences may not be.
    fn reach(&self) -> f64 {
        (FAR * self.spacing).min(f64::MAX)
    }
}

/// The largest difference of two coordinates; infinite where it overflows.
fn distance(a: Point, b: Point) -> f64 {
    vec3::sub(a, b).into_iter().fold(0.0, |most, c| f64::max(most, c.abs()))
}

fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

fn median_point(points: &[Point]) -> Point {
    std::array::from_fn(|c| {
        let mut values: Vec<f64> = points.iter().map(|p| p[c]).collect();
        upper_median(&mut values).unwrap_or(0.0)
    })
}

/// The bits of a place, a number that orders the rows of a place, and the row.
type Keyed = ([u64; 3], u32, u32);

/// Rows with finite coordinates, those at one place together.
struct Groups {
    keyed: Vec<Keyed>,
}

impl Groups {
    fn of(points: &[Point], number: impl Fn(u32) -> u32 + Sync) -> Groups {
        let rows = (0..points.len() as u32).into_par_iter();
        let finite = rows.filter(|&row| vec3::is_finite(points[row as usize]));
        // Minus zero is zero.
        let key = |row: u32| points[row as usize].map(|c| (c + 0.0).to_bits());
        let mut keyed: Vec<Keyed> = finite.map(|row| (key(row), number(row), row)).collect();
        keyed.par_sort_unstable();
        Groups { keyed }
    }

    fn iter(&self) -> impl Iterator<Item = &[Keyed]> {
        self.keyed.chunk_by(|a, b| a.0 == b.0)
    }
}

/// Each point that lies exactly where one with a lower `number` does, and the lowest of that place,
/// in order. Numbers must differ from point to point.
pub fn copies(points: &[Point], number: impl Fn(u32) -> u32 + Sync) -> Vec<(u32, u32)> {
    let groups = Groups::of(points, number);
    let pairs = groups.iter().flat_map(|g| g[1..].iter().map(|&(_, _, row)| (row, g[0].2)));
    let mut pairs: Vec<(u32, u32)> = pairs.collect();
    pairs.par_sort_unstable();
    pairs
}

#[cfg(test)]
#[path = "distinct_tests.rs"]
mod tests;
