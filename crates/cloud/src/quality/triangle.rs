//! The closest point of a triangle.

use crate::vec3::{Point, distance2};
use crate::vec3::{add, cross, dot, scale, sub};

/// The point of triangle `[a, b, c]` that is closest to `p`.
///
/// Finds the feature (corner, edge or inside) whose Voronoi region holds `p`; Ericson 2005,
/// "Real-Time Collision Detection", section 5.1.5. A triangle without area counts as its longest
/// edge.
///
/// ```
/// use pellucid_cloud::quality::closest_on_triangle;
///
/// let t = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(closest_on_triangle([0.25, 0.25, 3.0], &t), [0.25, 0.25, 0.0]);
/// assert_eq!(closest_on_triangle([-1.0, -1.0, 0.0], &t), [0.0, 0.0, 0.0]);
/// ```
pub fn closest_on_triangle(p: Point, triangle: &[Point; 3]) -> Point {
    let [a, b, c] = *triangle;
    let (ab, ac) = (sub(b, a), sub(c, a));
    let n = cross(ab, ac);
    let longest2 = dot(ab, ab).max(dot(ac, ac)).max(distance2(b, c));
    // Twice the area against the squared length of the longest edge: below this the barycentric
    // coordinates are rounding errors, and the edges are the triangle.
    if dot(n, n) <= (1e-14 * longest2) * (1e-14 * longest2) {
        return closest_on_edges(p, triangle);
    }

    let ap = sub(p, a);
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return add(a, scale(ab, d1 / (d1 - d3)));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return add(a, scale(ac, d2 / (d2 - d6)));
    }
    let va = d3 * d6 - d5 * d4;
    let (e1, e2) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e1 >= 0.0 && e2 >= 0.0 {
        return add(b, scale(sub(c, b), e1 / (e1 + e2)));
    }
    let sum = va + vb + vc;
    add(a, add(scale(ab, vb / sum), scale(ac, vc / sum)))
}

fn closest_on_edges(p: Point, &[a, b, c]: &[Point; 3]) -> Point {
    let mut best = closest_on_segment(p, a, b);
    for q in [closest_on_segment(p, b, c), closest_on_segment(p, c, a)] {
        if distance2(p, q) < distance2(p, best) {
            best = q;
        }
    }
    best
}

fn closest_on_segment(p: Point, a: Point, b: Point) -> Point {
    let ab = sub(b, a);
    let length2 = dot(ab, ab);
    let t = if length2 > 0.0 { (dot(sub(p, a), ab) / length2).clamp(0.0, 1.0) } else { 0.0 };
    add(a, scale(ab, t))
}
