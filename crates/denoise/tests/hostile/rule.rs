//! What must hold for any cloud, whatever its numbers.

use pellucid_cloud::DistinctRows;
use pellucid_cloud::vec3::{self, Point};

/// What is wrong with a result: a count, a coordinate or a displacement.
pub fn fault(before: &[Point], after: &[Point]) -> Option<String> {
    if after.len() != before.len() {
        return Some(format!("{} of {} rows", after.len(), before.len()));
    }
    let bounds = largest_displacements(before);
    let rows = before.iter().zip(after).zip(bounds).enumerate();
    let mut faults = rows.filter_map(|(row, ((&a, &b), most))| {
        let same = a.map(f64::to_bits) == b.map(f64::to_bits);
        let moved = vec3::sub(b, a).map(|c| c / most);
        let ok = same || (vec3::is_finite(a) && vec3::is_finite(b) && vec3::norm(moved) <= 1.0);
        (!ok).then(|| format!("row {row}: {a:?} -> {b:?}, more than {most:e}"))
    });
    faults.next()
}

/// For each row the diagonal of the box around the other points that take part; zero for a row that does not.
fn largest_displacements(points: &[Point]) -> Vec<f64> {
    let mut distinct = DistinctRows::of(points);
    distinct.drop_far(points);
    let sorted = [0, 1, 2].map(|c| {
        let mut values: Vec<f64> = distinct.rows.iter().map(|&r| points[r as usize][c]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    });
    // Without the row itself: the next value where it is the first or the last.
    let side = |values: &[f64], own: f64| {
        let last = values.len() - 1;
        let low = values[usize::from(values[0] == own)];
        let high = values[last - usize::from(values[last] == own)];
        (high - low).clamp(0.0, f64::MAX / 4.0)
    };
    let bound = |p: Point| {
        let sides = [0, 1, 2].map(|c| side(&sorted[c], p[c]));
        let most = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        most * vec3::norm(sides.map(|s| s / most))
    };
    let mut bounds = vec![0.0; points.len()];
    if distinct.rows.len() > 1 {
        let copies = distinct.copies.iter().map(|&(copy, _)| copy);
        for row in distinct.rows.iter().copied().chain(copies) {
            bounds[row as usize] = bound(points[row as usize]);
        }
    }
    bounds
}
