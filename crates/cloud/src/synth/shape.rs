//! Shapes by name.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::patch::{Patch, Surface};
use super::planar::{Outline, Planar};
use super::relief::Relief;
use super::{bracket, even};
use crate::PointCloud;
use crate::attribute::{Attribute, Values, names};
use crate::vec3::Point;

/// A surface that is known exactly, about two units across and centered on the origin.
///
/// ```
/// use pellucid_cloud::synth::Shape;
///
/// let shape: Shape = "sphere".parse()?;
/// assert_eq!(shape.distance([0.0, 3.0, 0.0]), 2.0);
/// assert_eq!(shape.normal_at([0.0, 3.0, 0.0]), [0.0, 1.0, 0.0]);
/// # Ok::<(), pellucid_cloud::synth::UnknownShape>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shape {
    /// The square `|x|, |y| <= 1` at z = 0, with normals up.
    Plane,
    /// Radius 1.
    Sphere,
    /// Around the z axis: 0.7 to the middle of a tube of radius 0.3.
    Torus,
    /// Side 2.
    Cube,
    /// Along z: radius 0.6, height 2, with both ends closed.
    Cylinder,
    /// A machined angle bracket: sharp edges, a chamfer, a step, a fin 0.04 thick, a round hole.
    Bracket,
    /// Waves of several lengths over the square `|x|, |y| <= 1`.
    Relief,
}

/// A name that is no shape's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown shape \"{0}\"; use plane, sphere, torus, cube, cylinder, bracket or relief")]
pub struct UnknownShape(pub String);

static SURFACES: LazyLock<[Surface; Shape::ALL.len()]> = LazyLock::new(|| Shape::ALL.map(build));

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 7] = [
        Shape::Plane,
        Shape::Sphere,
        Shape::Torus,
        Shape::Cube,
        Shape::Cylinder,
        Shape::Bracket,
        Shape::Relief,
    ];

    /// The shape's name, as it is parsed.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Plane => "plane",
            Shape::Sphere => "sphere",
            Shape::Torus => "torus",
            Shape::Cube => "cube",
            Shape::Cylinder => "cylinder",
            Shape::Bracket => "bracket",
            Shape::Relief => "relief",
        }
    }

    /// The area of the surface (of the relief to about six digits, of the others exactly).
    pub fn area(self) -> f64 {
        self.surface().area()
    }

    /// `count` independent random points, uniform by area, with exact unit normals in the column
    /// `normal`. The same seed gives the same points.
    pub fn sample(self, count: usize, seed: u64) -> PointCloud {
        let (points, normals) = self.draw(count, seed);
        with_normals(points, &normals)
    }

    /// Like [`sample`](Self::sample), but evenly spread, as a careful scan would be: of four times
    /// as many random points the most crowded are left out, one by one.
    pub fn sample_even(self, count: usize, seed: u64) -> PointCloud {
        let (points, normals) = self.draw(count.saturating_mul(even::OVERSAMPLING), seed);
        let rows = even::thin(&points, &normals, self.area(), count);
        let pick = |all: &[Point]| rows.iter().map(|&r| all[r]).collect::<Vec<_>>();
        with_normals(pick(&points), &pick(&normals))
    }

    /// The exact distance from `point` to the surface, never negative (the relief's by Newton's
    /// method to about 1e-12).
    pub fn distance(self, point: Point) -> f64 {
        self.surface().closest(point).2.sqrt()
    }

    /// The point of the surface that is closest to `point`.
    pub fn closest(self, point: Point) -> Point {
        self.surface().closest(point).0
    }

    /// The outward (for open surfaces: upward) unit normal at the closest point of the surface;
    /// on a sharp edge that of one of its faces.
    pub fn normal_at(self, point: Point) -> Point {
        self.surface().closest(point).1
    }

    fn draw(self, count: usize, seed: u64) -> (Vec<Point>, Vec<Point>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let surface = self.surface();
        (0..count).map(|_| surface.sample(&mut rng)).unzip()
    }

    fn surface(self) -> &'static Surface {
        &SURFACES[self as usize]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Self, UnknownShape> {
        Shape::ALL
            .into_iter()
            .find(|shape| shape.name() == text)
            .ok_or_else(|| UnknownShape(text.to_owned()))
    }
}

fn with_normals(points: Vec<Point>, normals: &[Point]) -> PointCloud {
    let flat = normals.iter().flatten().copied().collect();
    let mut cloud = PointCloud::new(points);
    let set = cloud.set_attribute(Attribute::vector(names::NORMAL, 3, Values::F64(flat)));
    debug_assert_eq!(set, Ok(()));
    cloud
}

fn build(shape: Shape) -> Surface {
    const X: Point = [1.0, 0.0, 0.0];
    const Y: Point = [0.0, 1.0, 0.0];
    const Z: Point = [0.0, 0.0, 1.0];
    let flat = |origin: Point, u: Point, v: Point, outline: Outline| {
        Patch::Planar(Planar::new(origin, u, v, outline))
    };
    let square = || Outline::Rectangle { half: [1.0, 1.0] };
    let down = |p: Point| p.map(|x| -x);
    Surface::new(match shape {
        Shape::Plane => vec![flat([0.0; 3], X, Y, square())],
        Shape::Sphere => vec![Patch::Sphere { radius: 1.0 }],
        Shape::Torus => vec![Patch::Torus { ring: 0.7, tube: 0.3 }],
        Shape::Cube => [(X, Y, Z), (Y, Z, X), (Z, X, Y)]
            .into_iter()
            .flat_map(|(u, v, n)| [flat(n, u, v, square()), flat(down(n), v, u, square())])
            .collect(),
        Shape::Cylinder => {
            let end = || Outline::Disk { radius: 0.6 };
            let wall = Patch::Wall { center: [0.0; 3], radius: 0.6, half: 1.0, hole: false };
            vec![wall, flat(Z, X, Y, end()), flat(down(Z), Y, X, end())]
        }
        Shape::Bracket => bracket::patches(),
        Shape::Relief => vec![Patch::Relief(Relief::new(
            1.0,
            vec![
                [0.12, 4.0, 1.0, 0.3],
                [0.08, -2.0, 5.0, 1.1],
                [0.03, 9.0, 6.0, 2.0],
                [0.015, -7.0, 14.0, 0.7],
            ],
        ))],
    })
}
