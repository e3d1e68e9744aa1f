//! The local frame every method works in.
//!
//! Distinct, finite and near points only, in spatial order, centered, and scaled by the mean
//! spacing: so results depend neither on units, offsets and repeated rows nor on single points that
//! are absurdly far away, and neighbors are near in memory.

mod reach;

use pellucid_cloud::eigen3::symmetric_eigen;
use pellucid_cloud::noise::{NoiseEstimate, estimate_noise};
use pellucid_cloud::{DistinctRows, Point, PointCloud, SpatialOrder, distinct, vec3};

use serde::{Deserialize, Serialize};

use reach::Reach;

use crate::parameters::{Setting, choices};
use crate::{DenoiseError, ParameterError, Report};

/// The transform from a cloud's own coordinates to the local frame and back.
#[derive(Debug, Clone)]
pub struct LocalFrame {
    /// `rows[i]` is the cloud's row of local point `i`, the first at its place.
    rows: Vec<u32>,
    /// `ordinals[i]` is how many distinct rows come before that of local point `i`.
    ordinals: Vec<u32>,
    /// Rows that repeat the row of a local point, and that row.
    copies: Vec<(u32, u32)>,
    /// Rows that take no part.
    skipped: Skipped,
    /// Local coordinates at the start.
    start: Vec<Point>,
    /// File units per local unit.
    unit: f64,
    center: Point,
    /// The local axes in the file's frame.
    axes: [Point; 3],
}

/// How many rows take no part and stay as they are, and why.
#[derive(Debug, Clone, Copy, Default)]
struct Skipped {
    not_finite: usize,
    far: usize,
    missing: usize,
}

/// Spacings at which a method can work in units of the file: sixth powers of lengths are numbers.
const FILE_SPACINGS: std::ops::Range<f64> = 1e-50..1e50;
const FILE_RULE: &str = "spacing for a cloud whose spacing is below 1e-50 or above 1e50";

/// An error for a parameter that asks for units of the file if a cloud's spacing is not one to work
/// with in these.
fn check_file_units(
    name: &'static str,
    value: impl std::fmt::Display,
    expected: &'static str,
    spacing: f64,
) -> Result<(), ParameterError> {
    ParameterError::check(FILE_SPACINGS.contains(&spacing), name, value, expected)
}

const FILE_AXES: [Point; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

choices! {
    /// What one local unit is; as the parameter `units` of a method, what its lengths are given in.
    #[derive(Default)]
    pub enum Unit {
        /// The mean spacing of the points.
        #[default]
        Spacing = "spacing",
        /// One unit of the file, without centering.
        File = "file",
    }
}

/// Where the frame of a large cloud lies, found from a sample of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Lower corner of the box around all points.
    pub low: Point,
    /// Upper corner of it.
    pub high: Point,
    /// What becomes the origin.
    pub center: Point,
    /// File units per local unit.
    pub unit: f64,
    /// Whether points at the origin are missing measurements.
    pub missing: bool,
}

impl Place {
    /// Whether a point is a missing measurement.
    pub fn is_missing(&self, p: Point) -> bool {
        self.missing && p == [0.0; 3]
    }
}

impl LocalFrame {
    /// The frame of `cloud`; an error if it has fewer than `needed` distinct points.
    pub fn enter(
        cloud: &PointCloud,
        unit: Unit,
        method: &'static str,
        needed: usize,
    ) -> Result<LocalFrame, DenoiseError> {
        let mut distinct = DistinctRows::of(cloud.positions());
        let extent = distinct.drop_far(cloud.positions());
        if distinct.rows.len() < needed {
            return Err(DenoiseError::TooFewPoints {
                method,
                finite: distinct.rows.len(),
                rows: cloud.len(),
                needed,
            });
        }
        let (center, unit) = match unit {
            Unit::File => {
                check_file_units("units", Unit::File.given(), FILE_RULE, extent.spacing)?;
                ([0.0; 3], 1.0)
            }
            Unit::Spacing => (extent.center, extent.spacing),
        };
        let points = distinct.pick(cloud.positions());
        let start: Vec<Point> = points.iter().map(|&p| to_local(p, center, unit)).collect();
        let order = SpatialOrder::new(&start);
        let DistinctRows { not_finite, far, missing, .. } = distinct;
        Ok(LocalFrame {
            rows: order.sort(&distinct.rows),
            ordinals: order.indices().to_vec(),
            copies: distinct.copies,
            skipped: Skipped { not_finite, far, missing },
            start: order.sort(&start),
            unit,
            center,
            axes: FILE_AXES,
        })
    }

    /// A frame at a given place, of finite points that may be a piece of a cloud: in the order that
    /// they have in the whole, by where they are and by `ordinals`, a number of each. Of points at
    /// the same place the one with the lowest number counts, and the others go with it. Points
    /// farther than 2^40 units from the center, and missing measurements, take no part.
    pub fn at(place: &Place, rows: &[u32], points: &[Point], ordinals: &[u32]) -> LocalFrame {
        let number = |i: u32| ordinals[i as usize];
        let copies = distinct::copies(points, number);
        let local = |&i: &u32| to_local(points[i as usize], place.center, place.unit);
        let is_missing = |i: &u32| place.is_missing(points[*i as usize]);
        let is_near = |i: &u32| !is_missing(i) && local(i).iter().all(|c| c.abs() <= distinct::FAR);
        let mut is_copy = vec![false; points.len()];
        copies.iter().for_each(|&(copy, _)| is_copy[copy as usize] = true);
        let order = SpatialOrder::in_box(points, (place.low, place.high), number);
        let first = order.indices().iter().copied().filter(|&i| !is_copy[i as usize]);
        let first: Vec<u32> = first.filter(is_near).collect();
        let near_copies = copies.into_iter().filter(|(_, first)| is_near(first));
        let row = |i: u32| rows[i as usize];
        let copies: Vec<(u32, u32)> = near_copies.map(|(a, b)| (row(a), row(b))).collect();
        let missing = points.iter().filter(|p| place.is_missing(**p)).count();
        let far = points.len() - first.len() - copies.len() - missing;
        LocalFrame {
            rows: first.iter().map(|&i| row(i)).collect(),
            ordinals: first.iter().map(|&i| number(i)).collect(),
            copies,
            skipped: Skipped { far, missing, ..Skipped::default() },
            start: first.iter().map(local).collect(),
            unit: place.unit,
            center: place.center,
            axes: FILE_AXES,
        }
    }

    /// The same frame, turned so that its axes are the principal ones of the cloud.
    ///
    /// A method whose rules are tied to the axes, or to the order of the points in memory, then
    /// gives a turned cloud the turned result.
    pub fn aligned(mut self) -> LocalFrame {
        self.axes = principal_axes(&self.start);
        let turned: Vec<Point> = self.start.iter().map(|&p| turn(&self.axes, p)).collect();
        let order = SpatialOrder::new(&turned);
        self.start = order.sort(&turned);
        self.rows = order.sort(&self.rows);
        self.ordinals = order.sort(&self.ordinals);
        self
    }

    /// Takes the local points out whose flag is set: they keep their place in the cloud.
    pub fn leave_out(&mut self, flags: &[bool]) {
        fn keep<T: Copy>(values: &mut Vec<T>, flags: &[bool]) {
            let kept = values.iter().zip(flags).filter(|(_, out)| !**out).map(|(v, _)| *v);
            *values = kept.collect();
        }
        keep(&mut self.rows, flags);
        keep(&mut self.ordinals, flags);
        keep(&mut self.start, flags);
    }

    /// The local axes in the file's frame, one a row.
    pub fn axes(&self) -> &[Point; 3] {
        &self.axes
    }

    /// The points to work on.
    pub fn points(&self) -> &[Point] {
        &self.start
    }

    /// File units per local unit.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// A parameter's length, given in `unit`, in local units. Methods work in spacings whatever
    /// their lengths are given in, so that offsets cost no precision.
    pub fn length(&self, value: f64, unit: Unit) -> f64 {
        match unit {
            Unit::Spacing => value,
            Unit::File => value / self.unit,
        }
    }

    /// An error if a parameter asks for units of the file and these are too far from the spacing.
    pub fn check_file_units(
        &self,
        name: &'static str,
        value: impl std::fmt::Display,
        expected: &'static str,
    ) -> Result<(), ParameterError> {
        check_file_units(name, value, expected, self.unit)
    }

    /// Reports how many rows take no part or repeat others, with a note for each unusual kind.
    pub fn describe(&self, report: &mut Report) {
        let (Skipped { not_finite, far, missing }, copies) = (self.skipped, self.copies.len());
        report.skipped_rows = not_finite + far + missing;
        report.repeated_rows = copies;
        let stay = "they stayed as they were and had no influence";
        let notes = [
            (missing, format!("missing measurements (rows at exactly 0, 0, 0): {missing}; {stay}")),
            (far, format!("rows farther than 2^40 spacings from the others: {far}; {stay}")),
            (
                copies,
                format!("rows that repeat an earlier position: {copies}; they go where it goes"),
            ),
        ];
        report.notes.extend(notes.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text));
    }

    /// Which of a cloud's rows are local points, or copies of them.
    pub fn are_in(&self, rows: usize) -> Vec<bool> {
        let mut flags = vec![false; rows];
        self.rows.iter().for_each(|&row| flags[row as usize] = true);
        for &(copy, first) in &self.copies {
            flags[copy as usize] = flags[first as usize];
        }
        flags
    }

    /// The cloud's row of each local point.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of each local point among the cloud's distinct rows: a name that depends neither
    /// on where the point is nor on rows that repeat others or take no part.
    pub fn ordinals(&self) -> &[u32] {
        &self.ordinals
    }

    /// A position given in the file's frame, in the local one.
    pub fn local(&self, p: Point) -> Point {
        turn(&self.axes, to_local(p, self.center, self.unit))
    }

    /// The estimated noise, in local units.
    ///
    /// It is taken in the order of the cloud's rows, so that it does not depend on how the cloud
    /// is turned.
    pub fn noise(&self) -> NoiseEstimate {
        estimate_noise(&self.points_by_row())
    }

    /// The noise in local units: as given in file units, or else as the points show it.
    pub fn noise_or(&self, given: Option<f64>) -> NoiseEstimate {
        match given {
            Some(noise) => {
                NoiseEstimate { sigma: noise / self.unit(), reliable: true, ..self.noise() }
            }
            None => self.noise(),
        }
    }

    /// The local points in the order of the cloud's rows.
    pub fn points_by_row(&self) -> Vec<Point> {
        let mut by_row: Vec<u32> = (0..self.rows.len() as u32).collect();
        by_row.sort_unstable_by_key(|&i| self.rows[i as usize]);
        by_row.iter().map(|&i| self.start[i as usize]).collect()
    }

    /// The local index of the point that comes first in the cloud.
    pub fn first(&self) -> usize {
        (0..self.rows.len()).min_by_key(|&i| self.rows[i]).unwrap_or(0)
    }

    /// Values of one per cloud row, picked for the local points.
    pub fn pick<T: Copy>(&self, per_row: &[T]) -> Vec<T> {
        self.rows.iter().map(|&r| per_row[r as usize]).collect()
    }

    /// All positions of `cloud` with the local points moved to `moved`.
    ///
    /// The displacement is added to the original, so a point that did not move keeps its bits
    /// and rows that take no part stay as they are. Copies go exactly where the first point of
    /// their place goes. A point that would move farther than the others reach stays: a method
    /// can say nothing about a point so far from all others. So does a coordinate that would overflow.
    pub fn leave(&self, cloud: &PointCloud, moved: &[Point]) -> Vec<Point> {
        self.leave_from(cloud.positions(), moved)
    }

    /// The same for plain positions.
    pub fn leave_from(&self, positions: &[Point], moved: &[Point]) -> Vec<Point> {
        let mut out = positions.to_vec();
        let reach = Reach::of(self.rows.iter().map(|&row| positions[row as usize]));
        for ((&row, &from), &to) in self.rows.iter().zip(&self.start).zip(moved) {
            let p = &mut out[row as usize];
            let [x, y, z] = vec3::scale(vec3::sub(to, from), self.unit);
            let [a, b, c] = self.axes;
            let by = [0, 1, 2].map(|k| x * a[k] + y * b[k] + z * c[k]);
            if !reach.allows(*p, by) {
                continue;
            }
            for k in 0..3 {
                // Minus zero plus zero would be zero.
                if by[k] != 0.0 && (p[k] + by[k]).is_finite() {
                    p[k] += by[k];
                }
            }
        }
        for &(copy, first) in &self.copies {
            let (to, from) = (out[first as usize], positions[first as usize]);
            for k in (0..3).filter(|&k| to[k] != from[k]) {
                out[copy as usize][k] = to[k];
            }
        }
        out
    }
}

/// The center and the mean spacing of points.
pub(crate) fn measure(points: &[Point]) -> (Point, f64) {
    let extent = DistinctRows::of(points).drop_far(points);
    (extent.center, extent.spacing)
}

/// Divided, since the inverse of a very small unit is infinite.
fn to_local(p: Point, center: Point, unit: f64) -> Point {
    vec3::sub(p, center).map(|c| c / unit)
}

fn turn(axes: &[Point; 3], p: Point) -> Point {
    axes.map(|axis| vec3::dot(axis, p))
}

/// Directions of most to least spread, each towards the longer tail of the cloud.
fn principal_axes(points: &[Point]) -> [Point; 3] {
    let n = points.len().max(1) as f64;
    let sum = points.iter().fold([0.0; 3], |sum, &p| vec3::add(sum, p));
    let mean = vec3::scale(sum, 1.0 / n);
    let mut m = [0.0; 6];
    for &p in points {
        let [x, y, z] = vec3::sub(p, mean);
        for (m, v) in m.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *m += v;
        }
    }
    let eigen = symmetric_eigen(m.map(|v| v / n));
    let mut axes = eigen.vectors;
    axes.reverse();
    for axis in &mut axes {
        let skew: f64 = points.iter().map(|&p| vec3::dot(*axis, vec3::sub(p, mean)).powi(3)).sum();
        if skew < 0.0 {
            *axis = vec3::scale(*axis, -1.0);
        }
    }
    axes
}
