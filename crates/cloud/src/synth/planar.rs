//! Flat pieces of a surface.

use rand::{Rng, RngExt};

use crate::vec3::{Point, add, cross, dot, scale, sub};

/// Two coordinates in the plane of a piece.
type Flat = [f64; 2];

/// What a flat piece looks like in its own plane.
#[derive(Debug, Clone)]
pub(super) enum Outline {
    /// `|a| <= half[0]`, `|b| <= half[1]`.
    Rectangle { half: Flat },
    /// Around the origin.
    Disk { radius: f64 },
    /// A simple polygon.
    Polygon(Vec<Flat>),
}

/// A flat piece: `origin + a·u + b·v`, with (a, b) inside the outline and outside the hole.
#[derive(Debug, Clone)]
pub(super) struct Planar {
    origin: Point,
    u: Point,
    v: Point,
    normal: Point,
    outline: Outline,
    /// Center and radius of a round hole that lies wholly inside the outline.
    hole: Option<(Flat, f64)>,
}

impl Planar {
    /// `u` and `v` are orthogonal unit vectors; the normal is `u × v`.
    pub fn new(origin: Point, u: Point, v: Point, outline: Outline) -> Self {
        Planar { origin, u, v, normal: cross(u, v), outline, hole: None }
    }

    pub fn with_hole(mut self, center: Flat, radius: f64) -> Self {
        self.hole = Some((center, radius));
        self
    }

    pub fn normal(&self) -> Point {
        self.normal
    }

    pub fn area(&self) -> f64 {
        let outer = match &self.outline {
            Outline::Rectangle { half } => 4.0 * half[0] * half[1],
            Outline::Disk { radius } => std::f64::consts::PI * radius * radius,
            Outline::Polygon(corners) => polygon_area(corners),
        };
        outer - self.hole.map_or(0.0, |(_, r)| std::f64::consts::PI * r * r)
    }

    pub fn closest(&self, p: Point) -> Point {
        let d = sub(p, self.origin);
        let [a, b] = self.closest_flat([dot(d, self.u), dot(d, self.v)]);
        self.at(a, b)
    }

    pub fn sample(&self, rng: &mut impl Rng) -> Point {
        let (lo, hi) = self.flat_bounds();
        loop {
            let q: Flat = [0, 1].map(|c| lo[c] + (hi[c] - lo[c]) * rng.random::<f64>());
            if self.closest_flat(q) == q {
                return self.at(q[0], q[1]);
            }
        }
    }

    fn at(&self, a: f64, b: f64) -> Point {
        add(self.origin, add(scale(self.u, a), scale(self.v, b)))
    }

    fn flat_bounds(&self) -> (Flat, Flat) {
        match &self.outline {
            Outline::Rectangle { half } => ([-half[0], -half[1]], *half),
            Outline::Disk { radius } => ([-radius; 2], [*radius; 2]),
            Outline::Polygon(corners) => {
                corners.iter().fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(lo, hi), q| {
                    ([0, 1].map(|c| lo[c].min(q[c])), [0, 1].map(|c| hi[c].max(q[c])))
                })
            }
        }
    }

    fn closest_flat(&self, q: Flat) -> Flat {
        if let Some((center, radius)) = self.hole {
            let d = [q[0] - center[0], q[1] - center[1]];
            let length = d[0].hypot(d[1]);
            if length == 0.0 {
                return [center[0] + radius, center[1]];
            }
            if length < radius {
                return [0, 1].map(|c| center[c] + d[c] * (radius / length));
            }
        }
        match &self.outline {
            Outline::Rectangle { half } => [0, 1].map(|c| q[c].clamp(-half[c], half[c])),
            Outline::Disk { radius } => {
                let length = q[0].hypot(q[1]);
                if length <= *radius { q } else { q.map(|x| x * (radius / length)) }
            }
            Outline::Polygon(corners) => closest_in_polygon(corners, q),
        }
    }
}

/// Each edge of the polygon, from corner to corner.
fn edges(corners: &[Flat]) -> impl Iterator<Item = (Flat, Flat)> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// The shoelace formula.
fn polygon_area(corners: &[Flat]) -> f64 {
    edges(corners).map(|(p, q)| p[0] * q[1] - q[0] * p[1]).sum::<f64>().abs() / 2.0
}

fn closest_in_polygon(corners: &[Flat], q: Flat) -> Flat {
    // Even–odd rule: inside if a ray crosses the outline an odd number of times.
    let crossings = edges(corners)
        .filter(|(a, b)| {
            (a[1] > q[1]) != (b[1] > q[1])
                && q[0] < a[0] + (q[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        })
        .count();
    if crossings % 2 == 1 {
        return q;
    }
    let mut best = (f64::INFINITY, q);
    for (a, b) in edges(corners) {
        let d = [b[0] - a[0], b[1] - a[1]];
        let t = ((q[0] - a[0]) * d[0] + (q[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
        let near = [0, 1].map(|c| a[c] + d[c] * t.clamp(0.0, 1.0));
        let d2 = (near[0] - q[0]).powi(2) + (near[1] - q[1]).powi(2);
        if d2 < best.0 {
            best = (d2, near);
        }
    }
    best.1
}
