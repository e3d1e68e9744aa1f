//! A generated airborne tile: surfaces lose their noise, trees and wires keep every bit.

use pellucid_cloud::{Point, PointCloud};
use pellucid_denoise::registry;
use pellucid_denoise::{Denoised, Run};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Noise of hard surfaces; points are one apart on them.
const NOISE: f64 = 0.3;
const SIDE: f64 = 180.0;

/// Points with their kinds.
#[derive(Default)]
struct Tile {
    points: Vec<Point>,
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Ground,
    Roof,
    Crown,
    Wire,
}

fn ground(x: f64, y: f64) -> f64 {
    3.0 * (0.03 * x).sin() * (0.025 * y).cos()
}

/// A gabled roof over the square of 30 around (40, 130).
fn roof(y: f64) -> f64 {
    14.0 - 0.4 * (y - 130.0).abs()
}

fn is_under_roof(x: f64, y: f64) -> bool {
    (x - 40.0).abs() < 15.0 && (y - 130.0).abs() < 15.0
}

impl Tile {
    fn new(seed: u64) -> Tile {
        let mut tile = Tile::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let normal = |rng: &mut Xoshiro256PlusPlus| {
            let (u, v): (f64, f64) = (rng.random(), rng.random());
            NOISE * (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
        };
        for k in 0..(SIDE * SIDE) as usize {
            let at = |cell: usize, rng: &mut Xoshiro256PlusPlus| cell as f64 + rng.random::<f64>();
            let (x, y) = (at(k % SIDE as usize, &mut rng), at(k / SIDE as usize, &mut rng));
            let (z, kind) = match is_under_roof(x, y) {
                true => (roof(y), Kind::Roof),
                false => (ground(x, y), Kind::Ground),
            };
            tile.add([x, y, z + normal(&mut rng)], kind);
        }
        // A wood along one side: crowns that fill space.
        for tree in 0..18 {
            let (x, y) = (130.0 + 16.0 * f64::from(tree % 3), 15.0 + 26.0 * f64::from(tree / 3));
            for _ in 0..700 {
                let v = loop {
                    let v: Point = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
                    if v.iter().map(|c| c * c).sum::<f64>() < 1.0 {
                        break v;
                    }
                };
                tile.add([x + 7.0 * v[0], y + 7.0 * v[1], 16.0 + 8.0 * v[2]], Kind::Crown);
            }
        }
        for wire in 0..3 {
            for k in 0..SIDE as usize {
                let x = k as f64 + 0.2 * rng.random::<f64>();
                let sag = 0.002 * (x - 0.5 * SIDE).powi(2);
                tile.add([x, 40.0 + 12.0 * f64::from(wire), 18.0 + sag], Kind::Wire);
            }
        }
        tile
    }

    fn add(&mut self, p: Point, kind: Kind) {
        self.points.push(p);
        self.kinds.push(kind);
    }

    fn rows(&self, kind: Kind) -> impl Iterator<Item = usize> + '_ {
        (0..self.points.len()).filter(move |&i| self.kinds[i] == kind)
    }

    /// Root mean square height over the true surface.
    fn error(&self, kind: Kind, points: &[Point]) -> f64 {
        let height =
            |[x, y, z]: Point| if kind == Kind::Roof { z - roof(y) } else { z - ground(x, y) };
        let (sum, n) = self
            .rows(kind)
            .fold((0.0, 0.0), |(sum, n), i| (sum + height(points[i]).powi(2), n + 1.0));
        f64::sqrt(sum / n)
    }

    /// The share of points that kept every bit.
    fn kept(&self, kind: Kind, points: &[Point]) -> f64 {
        let same = |i: usize| (0..3).all(|c| points[i][c].to_bits() == self.points[i][c].to_bits());
        self.rows(kind).filter(|&i| same(i)).count() as f64 / self.rows(kind).count() as f64
    }
}

fn denoised(points: &[Point]) -> Denoised {
    let method = registry::find("auto").unwrap().build(None, &Default::default()).unwrap();
    method.denoise(&PointCloud::new(points.to_vec()), &mut Run::default()).unwrap()
}

#[test]
fn hard_surfaces_lose_their_noise_and_trees_and_wires_stay() {
    let tile = Tile::new(3);
    let done = denoised(&tile.points);
    let y = done.cloud.positions();
    for kind in [Kind::Wire, Kind::Crown] {
        assert!(tile.kept(kind, y) > 0.95, "{kind:?}: {}", tile.kept(kind, y));
    }
    for kind in [Kind::Ground, Kind::Roof] {
        let left = tile.error(kind, y) / tile.error(kind, &tile.points);
        assert!(left < 0.6, "{kind:?}: {left}");
    }
    assert!(done.report.line_points > 300 && done.report.volume_points > 10_000);
}
