//! Normals by principal components of neighborhoods.

use rayon::prelude::*;

use crate::eigen3;
use crate::neighbors::{KdTree, NeighborTable};
use crate::vec3::{self, Point};

/// Rows per task; fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 512;

/// A neighborhood counts as a line when its second largest variance is below this part of the
/// largest.
const LINE: f64 = 1e-12;
/// The same for a noisy one.
const THREAD: f64 = 0.1;

/// The unit normal of the neighborhood in each row of `table`, with arbitrary sign.
///
/// It is the direction of least variance of the row's points. Where that is not unique the rule
/// is: the z axis for points that all coincide, and for points on a line the direction
/// perpendicular to it that is nearest to the z axis (the x axis if the line is the z axis).
/// Rows without neighbors (`u32::MAX`, from points that are not finite) give `[0, 0, 0]`.
///
/// ```
/// use pellucid_cloud::{KdTree, normals::estimate_normals};
///
/// let floor: Vec<_> = (0..100).map(|i| [(i % 10) as f64, (i / 10) as f64, 4.0]).collect();
/// let normals = estimate_normals(&floor, &KdTree::new(&floor).knn_table(9));
/// assert!(normals.iter().all(|n| n[2].abs() > 1.0 - 1e-12));
/// ```
///
/// # Panics
/// If the table names a point that `points` does not hold.
pub fn estimate_normals(points: &[Point], table: &NeighborTable) -> Vec<Point> {
    let mut normals = vec![[0.0; 3]; table.len()];
    normals.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for (i, n) in out.iter_mut().enumerate() {
            *n = normal_of(points, table.row(chunk * CHUNK + i));
        }
    });
    normals
}

/// The unit normals of all points from the `k` nearest of each, itself included.
/// At least three are used.
pub fn estimate_normals_k(points: &[Point], k: usize) -> Vec<Point> {
    let table = KdTree::new(points).knn_table(k.max(3));
    if table.is_empty() {
        return vec![[0.0; 3]; points.len()];
    }
    estimate_normals(points, &table)
}

/// The normal of one neighborhood, by the rules of [`estimate_normals`].
///
/// ```
/// use pellucid_cloud::normals::normal_of;
///
/// let square = [[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 1.0, 5.0], [1.0, 1.0, 5.0]];
/// assert!(normal_of(&square, &[0, 1, 2, 3])[2].abs() > 0.999);
/// ```
pub fn normal_of(points: &[Point], row: &[u32]) -> Point {
    match covariance(points, row) {
        Some((_, c)) => normal_of_covariance(c),
        None => [0.0; 3],
    }
}

/// The normal of the first `few` points of a neighborhood, or of all of it where these lie on one
/// line, as the nearest points of a scan do whose rows are far apart.
///
/// ```
/// use pellucid_cloud::normals::normal_across_rows;
///
/// // Two rows; the points of one of them have no normal of their own.
/// let rows: Vec<_> = (0..20).map(|i| [f64::from(i % 10), f64::from(i / 10) * 5.0, 0.0]).collect();
/// let row: Vec<u32> = (0..20).collect();
/// assert!(normal_across_rows(&rows, &row, 10)[2].abs() > 0.999);
/// ```
pub fn normal_across_rows(points: &[Point], row: &[u32], few: usize) -> Point {
    match covariance(points, &row[..few.min(row.len())]) {
        Some((_, c)) if !is_row(&c) => normal_of_covariance(c),
        _ => normal_of(points, row),
    }
}

/// Mean and covariance (`[xx, xy, xz, yy, yz, zz]`) of the points in `row`, or `None` without any.
#[inline]
fn covariance(points: &[Point], row: &[u32]) -> Option<(Point, [f64; 6])> {
    covariance_of(row.iter().take_while(|j| **j != u32::MAX).map(|&j| points[j as usize]))
}

/// Mean and covariance (`[xx, xy, xz, yy, yz, zz]`) of some points, or `None` without any.
#[inline]
pub(crate) fn covariance_of(mut points: impl Iterator<Item = Point>) -> Option<(Point, [f64; 6])> {
    // Relative to a member, so that coordinates far from the origin cancel before squaring.
    let origin = points.next()?;
    let mut sum = [0.0; 3];
    let mut s = [0.0; 6];
    let mut count = 1.0;
    for p in points {
        let d = vec3::sub(p, origin);
        sum[0] += d[0];
        sum[1] += d[1];
        sum[2] += d[2];
        s[0] += d[0] * d[0];
        s[1] += d[0] * d[1];
        s[2] += d[0] * d[2];
        s[3] += d[1] * d[1];
        s[4] += d[1] * d[2];
        s[5] += d[2] * d[2];
        count += 1.0;
    }
    let m = vec3::scale(sum, 1.0 / count);
    let c = [
        s[0] / count - m[0] * m[0],
        s[1] / count - m[0] * m[1],
        s[2] / count - m[0] * m[2],
        s[3] / count - m[1] * m[1],
        s[4] / count - m[1] * m[2],
        s[5] / count - m[2] * m[2],
    ];
    Some((vec3::add(origin, m), c))
}

/// Whether points with that covariance lie along a line, as the nearest points of a scan do whose rows are far apart.
pub(crate) fn is_row(c: &[f64; 6]) -> bool {
    flatness(c) <= THREAD
}

/// The sum of products of two eigenvalues over the square of their sum: with one large eigenvalue
/// about the second largest over the largest, and 1/4 for a disk.
fn flatness(c: &[f64; 6]) -> f64 {
    let trace = c[0] + c[3] + c[5];
    let minors = c[0] * c[3] - c[1] * c[1] + c[0] * c[5] - c[2] * c[2] + c[3] * c[5] - c[4] * c[4];
    if trace > 0.0 { minors / (trace * trace) } else { 0.0 }
}

/// The direction of least variance, by the rules of [`estimate_normals`].
pub(crate) fn normal_of_covariance(c: [f64; 6]) -> Point {
    if flatness(&c) > LINE {
        return eigen3::smallest_eigenvector(c);
    }
    let e = eigen3::symmetric_eigen(c);
    let line = e.vectors[2];
    if e.values[2].is_nan() || e.values[2] <= 0.0 {
        return [0.0, 0.0, 1.0];
    }
    let upright = vec3::sub([0.0, 0.0, 1.0], vec3::scale(line, line[2]));
    // A line this close to the z axis is the z axis.
    if vec3::norm(upright) < 1e-6 {
        return [1.0, 0.0, 0.0];
    }
    vec3::normalized(upright).unwrap_or([1.0, 0.0, 0.0])
}
