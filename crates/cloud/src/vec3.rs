//! Three numbers and what is done with them.

/// A position, a direction or any other three coordinates.
pub type Point = [f64; 3];

/// `a + b`.
#[inline]
pub fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline]
pub fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s * a`.
#[inline]
pub fn scale(a: Point, s: f64) -> Point {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// The inner product.
#[inline]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline]
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The Euclidean length.
#[inline]
pub fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The squared Euclidean distance.
#[inline]
pub fn distance2(a: Point, b: Point) -> f64 {
    let d = sub(a, b);
    dot(d, d)
}

/// The vector of length one in the direction of `a`, or `None` for a zero or non-finite one.
#[inline]
pub fn normalized(a: Point) -> Option<Point> {
    let n = norm(a);
    (n > 0.0 && n.is_finite()).then(|| scale(a, 1.0 / n))
}

/// Two unit vectors that form a right-handed frame with the unit vector `n`.
///
/// Duff et al. 2017, "Building an Orthonormal Basis, Revisited" (JCGT 6(1)).
#[inline]
pub fn tangents(n: Point) -> (Point, Point) {
    let s = 1.0_f64.copysign(n[2]);
    let a = -1.0 / (s + n[2]);
    let b = n[0] * n[1] * a;
    ([1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]], [b, s + n[1] * n[1] * a, -n[1]])
}

/// Whether all three coordinates are finite.
#[inline]
pub fn is_finite(a: Point) -> bool {
    a[0].is_finite() && a[1].is_finite() && a[2].is_finite()
}
