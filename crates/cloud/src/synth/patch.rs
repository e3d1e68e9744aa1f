//! The pieces that surfaces are made of, each with its exact closest point.

use std::f64::consts::{PI, TAU};

use rand::{Rng, RngExt};
use rand_distr::{Distribution, UnitSphere};

use super::planar::Planar;
use super::relief::Relief;
use crate::vec3::{Point, add, dot, normalized, scale, sub};

/// One piece of a surface.
#[derive(Debug, Clone)]
pub(super) enum Patch {
    /// A flat piece.
    Planar(Planar),
    /// A sphere around the origin.
    Sphere { radius: f64 },
    /// A torus around the z axis: `ring` to the middle of the tube, `tube` its radius.
    Torus { ring: f64, tube: f64 },
    /// The wall of a cylinder with axis parallel to z through `center`, `half` up and down;
    /// normals point outwards, or inwards if it is the wall of a hole.
    Wall { center: Point, radius: f64, half: f64, hole: bool },
    /// A wavy height field.
    Relief(Relief),
}

impl Patch {
    pub fn area(&self) -> f64 {
        match self {
            Patch::Planar(flat) => flat.area(),
            Patch::Sphere { radius } => 4.0 * PI * radius * radius,
            Patch::Torus { ring, tube } => TAU * ring * TAU * tube,
            Patch::Wall { radius, half, .. } => TAU * radius * 2.0 * half,
            Patch::Relief(relief) => relief.area(),
        }
    }

    /// The closest point of the piece; where several are equally close, one of them.
    pub fn closest(&self, p: Point) -> Point {
        match self {
            Patch::Planar(flat) => flat.closest(p),
            Patch::Sphere { radius } => scale(direction(p), *radius),
            Patch::Torus { ring, tube } => {
                let center = scale(around_z(p), *ring);
                let out = normalized(sub(p, center)).unwrap_or_else(|| around_z(p));
                add(center, scale(out, *tube))
            }
            Patch::Wall { center, radius, half, .. } => {
                let d = sub(p, *center);
                let ring = scale(around_z(d), *radius);
                add(*center, [ring[0], ring[1], d[2].clamp(-half, *half)])
            }
            Patch::Relief(relief) => relief.closest(p),
        }
    }

    /// The outward normal at a point of the piece.
    pub fn normal(&self, on: Point) -> Point {
        match self {
            Patch::Planar(flat) => flat.normal(),
            Patch::Sphere { .. } => direction(on),
            Patch::Torus { ring, .. } => direction(sub(on, scale(around_z(on), *ring))),
            Patch::Wall { center, hole, .. } => {
                scale(around_z(sub(on, *center)), if *hole { -1.0 } else { 1.0 })
            }
            Patch::Relief(relief) => relief.normal(on),
        }
    }

    /// A random point of the piece, uniform by area.
    pub fn sample(&self, rng: &mut impl Rng) -> Point {
        match self {
            Patch::Planar(flat) => flat.sample(rng),
            Patch::Sphere { radius } => {
                let p: Point = UnitSphere.sample(rng);
                scale(p, *radius)
            }
            Patch::Torus { ring, tube } => {
                let around = TAU * rng.random::<f64>();
                // The outer side of the tube has more area: weight ring + tube·cos(angle).
                let out = loop {
                    let angle = TAU * rng.random::<f64>();
                    if rng.random::<f64>() * (ring + tube) <= ring + tube * angle.cos() {
                        break angle;
                    }
                };
                let r = ring + tube * out.cos();
                [r * around.cos(), r * around.sin(), tube * out.sin()]
            }
            Patch::Wall { center, radius, half, .. } => {
                let around = TAU * rng.random::<f64>();
                let up = half * (2.0 * rng.random::<f64>() - 1.0);
                add(*center, [radius * around.cos(), radius * around.sin(), up])
            }
            Patch::Relief(relief) => relief.sample(rng),
        }
    }
}

/// The direction of `p` from the origin; some direction at the origin itself.
fn direction(p: Point) -> Point {
    normalized(p).unwrap_or([0.0, 0.0, 1.0])
}

/// The direction of `p` away from the z axis; some direction on the axis itself.
fn around_z(p: Point) -> Point {
    normalized([p[0], p[1], 0.0]).unwrap_or([1.0, 0.0, 0.0])
}

/// A whole surface.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    patches: Vec<Patch>,
    /// Area up to and with each patch.
    areas: Vec<f64>,
}

impl Surface {
    pub fn new(patches: Vec<Patch>) -> Self {
        let mut total = 0.0;
        let areas = patches
            .iter()
            .map(|patch| {
                total += patch.area();
                total
            })
            .collect();
        Surface { patches, areas }
    }

    pub fn area(&self) -> f64 {
        self.areas.last().copied().unwrap_or(0.0)
    }

    /// The closest point of the surface, the normal there, and the squared distance; on an edge
    /// the first piece counts.
    pub fn closest(&self, p: Point) -> (Point, Point, f64) {
        let mut best = (p, [0.0, 0.0, 1.0], f64::INFINITY);
        for patch in &self.patches {
            let q = patch.closest(p);
            let d = sub(p, q);
            if dot(d, d) < best.2 {
                best = (q, patch.normal(q), dot(d, d));
            }
        }
        best
    }

    /// A random point, uniform by area, and its normal.
    pub fn sample(&self, rng: &mut impl Rng) -> (Point, Point) {
        let at = rng.random::<f64>() * self.area();
        let i = self.areas.partition_point(|&a| a <= at).min(self.patches.len() - 1);
        let p = self.patches[i].sample(rng);
        (p, self.patches[i].normal(p))
    }
}
