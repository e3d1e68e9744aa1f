//! Points even out along the surface.

use pellucid_cloud::{Point, vec3};

use super::choice::{Near, each};

/// Neighbors that push, with the point itself.
const NEIGHBORS: usize = 19;
/// Reach of the push, in local spacings.
const REACH: f64 = 1.6;
/// Neighbors farther off the tangent plane than this, in local spacings, do not push.
const FLAT: f64 = 0.5;
/// Length of the mean of the directions to the neighbors, above which a point is at a border (0.64
/// on a straight one): it does not move outwards, since nothing there would push it back.
const BORDER: f64 = 0.5;

/// Moves points along their tangent planes with normals `n`, away from neighbors that are near, in `steps` steps.
///
/// Spacing evens out over a few neighbors; how density changes over longer ways stays.
pub fn along_surface(y: &mut Vec<Point>, length: f64, steps: usize, n: &[Point], near: &Near) {
    for _ in 0..steps {
        let moved = each(y.len(), |i| vec3::add(y[i], push(y, i, near, n[i], length)));
        *y = moved;
    }
}

/// The step of point `i`.
#[inline(always)]
fn push(y: &[Point], i: usize, near: &Near, n: Point, length: f64) -> Point {
    let (p, spacing) = (y[i], near.spacing(i));
    if !(spacing > 0.0 && spacing.is_finite()) {
        return [0.0; 3];
    }
    let h2 = (REACH * spacing).powi(2);
    let mut from = [[0.0; 3]; NEIGHBORS - 1];
    for (d, &j) in from.iter_mut().zip(&near.row(i)[1..NEIGHBORS]) {
        *d = vec3::sub(p, y[j as usize]);
    }
    // One over the distance, or zero for what does not count; in a loop of its own, which vectorizes.
    let (mut inverse, mut weight) = ([0.0; NEIGHBORS - 1], [0.0; NEIGHBORS - 1]);
    for (k, &d) in from.iter().enumerate() {
        let d2 = vec3::dot(d, d);
        // What is off the plane is the other side of a wall or of an edge.
        let counts = vec3::dot(d, n).abs() < FLAT * spacing && d2 > 0.0;
        inverse[k] = if counts { 1.0 / d2.sqrt() } else { 0.0 };
        let w = (1.0 - d2 / h2).max(0.0);
        weight[k] = if counts { w * w } else { 0.0 };
    }
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    let (mut away, mut level) = ([0.0; 3], 0.0);
    for ((&d, &inverse), &w) in from.iter().zip(&inverse).zip(&weight) {
        let unit = vec3::scale(d, inverse);
        away = vec3::add(away, unit);
        level += f64::from(u8::from(inverse > 0.0));
        total += w;
        sum = vec3::add(sum, vec3::scale(unit, w));
    }
    if total <= 0.0 {
        return [0.0; 3];
    }
    let mut step = vec3::scale(sum, length * spacing / total);
    let side = vec3::norm(away) / level;
    let outwards = vec3::dot(step, away);
    if side > BORDER && outwards > 0.0 {
        step = vec3::sub(step, vec3::scale(away, outwards / vec3::dot(away, away)));
    }
    vec3::sub(step, vec3::scale(n, vec3::dot(step, n)))
}

/// Brings points back that are farther than their `reach` from where they were measured.
pub fn hold(observed: &[Point], y: &mut [Point], reach: impl Fn(usize) -> f64) {
    for (i, (y, &p)) in y.iter_mut().zip(observed).enumerate() {
        let d = vec3::sub(*y, p);
        let length = vec3::norm(d);
        if length > reach(i) {
            *y = vec3::add(p, vec3::scale(d, reach(i) / length));
        }
    }
}
