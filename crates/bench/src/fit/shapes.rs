//! Generated shapes that constants are fitted on: signed distances put together from simple bodies,
//! with sharp edges, thin walls, slots, blends, pipes and smooth blobs. None of them is reported.

use pellucid_cloud::{KdTree, Point, PointCloud, sample, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Candidates for each point of an even sample, and the radius of its disks in sides of the square
/// that a point has on the surface.
const CANDIDATES: usize = 6;
const DISK: f64 = 0.78;
/// Thickness of the band around the surface in which candidates are thrown.
const BAND: f64 = 0.03;
/// Steps onto the surface, and the width of the differences that give its normal.
const STEPS: usize = 12;
const DIFFERENCE: f64 = 1e-5;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Body {
    /// A smooth body with limbs.
    Animal,
    /// A block with a bore and a slot.
    Part,
    /// Thin plates at right angles.
    Plates,
    /// A rounded block that flows into a shaft.
    Blend,
    /// A frame of bars and pipes.
    Frame,
    /// A lump with waves of several lengths.
    Lump,
    /// A smooth seated figure.
    Statue,
    /// A crystal: flat faces that meet at many angles.
    Gem,
}

impl Body {
    pub const ALL: [Body; 8] = [
        Body::Animal,
        Body::Part,
        Body::Plates,
        Body::Blend,
        Body::Frame,
        Body::Lump,
        Body::Statue,
        Body::Gem,
    ];

    /// The signed distance, near the surface.
    pub fn distance(self, p: Point) -> f64 {
        match self {
            Body::Animal => animal(p),
            Body::Part => {
                let block = cuboid(p, [0.0; 3], [0.8, 0.5, 0.35]);
                let bore = (p[0] + 0.4).hypot(p[1]) - 0.25;
                let slot = cuboid(p, [0.45, 0.3, 0.0], [0.06, 0.4, 1.0]);
                let step = cuboid(p, [0.3, -0.5, 0.35], [0.6, 0.3, 0.15]);
                block.max(-bore).max(-slot).max(-step)
            }
            Body::Plates => {
                let base = cuboid(p, [0.0, -0.4, 0.0], [0.8, 0.03, 0.5]);
                let wall = cuboid(p, [-0.5, 0.0, 0.0], [0.03, 0.42, 0.5]);
                let rib = cuboid(p, [0.1, -0.1, 0.2], [0.6, 0.3, 0.025]);
                let disk = ((p[0] - 0.4).hypot(p[2] + 0.15) - 0.25).max((p[1] - 0.2).abs() - 0.04);
                base.min(wall).min(rib).min(disk)
            }
            Body::Blend => {
                let block = cuboid(p, [-0.3, 0.0, 0.0], [0.3, 0.25, 0.4]) - 0.1;
                let shaft = p[1].hypot(p[2]).max(0.0) - 0.16;
                let shaft = shaft.max((p[0] - 0.3).abs() - 0.5);
                blended(block, shaft, 0.15).max(-(p[1].hypot(p[2]) - 0.08))
            }
            Body::Frame => {
                let at = [[-0.6, -0.4], [0.6, -0.4], [0.6, 0.4], [-0.6, 0.4]];
                let legs = at.map(|[x, z]| cuboid(p, [x, -0.3, z], [0.05, 0.5, 0.05]));
                let seat = cuboid(p, [0.0, 0.2, 0.0], [0.7, 0.06, 0.5]);
                let pipes = [0.0, 1.0, 2.0, 3.0].map(|k| {
                    let x = -0.6 + 0.4 * k;
                    capsule(p, [x, 0.25, -0.45], [x, 0.85, -0.5], 0.04)
                });
                legs.into_iter().chain(pipes).fold(seat, f64::min)
            }
            Body::Lump => {
                let wave = |f: f64, a: f64| {
                    a * (f * p[0] + 1.0).sin() * (f * p[1] + 2.0).sin() * (f * p[2]).cos()
                };
                let r = vec3::norm(p);
                0.8 * (r - 0.7 - wave(4.0, 0.15) - wave(11.0, 0.04) - wave(23.0, 0.012))
            }
            Body::Statue => statue(p),
            Body::Gem => {
                // A cube cut by the faces of an octahedron, and once more, askew.
                let [x, y, z] = p.map(f64::abs);
                let octahedron = (x + y + z - 1.3) / 3.0_f64.sqrt();
                let askew = (p[0] + 0.7 * p[1] + 0.4 * p[2] - 0.6) / 1.65_f64.sqrt();
                (x.max(y).max(z) - 0.65).max(octahedron).max(askew)
            }
        }
    }

    fn normal(self, p: Point) -> Point {
        let along = |c: usize| {
            let (mut a, mut b) = (p, p);
            a[c] += DIFFERENCE;
            b[c] -= DIFFERENCE;
            (self.distance(a) - self.distance(b)) / (2.0 * DIFFERENCE)
        };
        [along(0), along(1), along(2)]
    }

    /// The foot of a point on the surface.
    pub fn foot(self, mut p: Point) -> Point {
        for _ in 0..STEPS {
            let (d, g) = (self.distance(p), self.normal(p));
            let g2 = vec3::dot(g, g);
            if d.abs() < 1e-9 || g2 < 1e-6 {
                break;
            }
            p = vec3::sub(p, vec3::scale(g, d / g2));
        }
        p
    }

    /// Points spread by area, independent of each other.
    fn scattered(self, count: usize, seed: u64) -> Vec<Point> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut points = Vec::with_capacity(count);
        while points.len() < count {
            let p: Point = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            if self.distance(p).abs() < BAND {
                let p = self.foot(p);
                if self.distance(p).abs() < 1e-6 {
                    points.push(p);
                }
            }
        }
        points
    }

    /// `count` points, spread evenly or at random, and the side of the square of each.
    pub fn sample(self, count: usize, even: bool, seed: u64) -> (PointCloud, f64) {
        let mut points = self.scattered(if even { CANDIDATES * count } else { count }, seed);
        let h = side(&points) * ((points.len() as f64) / count as f64).sqrt();
        if even {
            let tree = KdTree::new(&points);
            let ranks: Vec<u64> = (0..points.len() as u64).collect();
            let kept = sample::poisson_disk_by_rank_in(&tree, &points, DISK * h, &ranks);
            points = kept.iter().take(count).map(|&i| points[i as usize]).collect();
        }
        (PointCloud::new(points), h)
    }
}

/// The side of the square that a point has on the surface: from the median distance to the 16th
/// neighbor of points thrown at random.
fn side(points: &[Point]) -> f64 {
    let mut reach = KdTree::new(points).map_neighbors(17, || (), |_, _, _, d2| d2[16]);
    let middle = reach.len() / 2;
    let d2 = *reach.select_nth_unstable_by(middle, f64::total_cmp).1;
    (std::f64::consts::PI * d2 / 16.0).sqrt()
}

/// A body with a neck, a head, a tail, four legs and two ears.
fn animal(p: Point) -> f64 {
    let body = capsule(p, [-0.35, 0.0, 0.0], [0.35, 0.05, 0.0], 0.26);
    let neck = capsule(p, [0.38, 0.1, 0.0], [0.55, 0.5, 0.0], 0.1);
    let head = capsule(p, [0.55, 0.52, 0.0], [0.75, 0.48, 0.0], 0.12);
    let tail = capsule(p, [-0.55, 0.05, 0.0], [-0.85, -0.25, 0.05], 0.035);
    let legs = [[-0.35, -0.15], [-0.3, 0.15], [0.33, -0.15], [0.3, 0.15]]
        .map(|[x, z]| capsule(p, [x, -0.1, z], [x + 0.03, -0.75, 1.1 * z], 0.07));
    let ears = [-0.08, 0.08].map(|z| capsule(p, [0.5, 0.6, z], [0.46, 0.78, 2.0 * z], 0.025));
    let all = [neck, head, tail].into_iter().chain(legs).chain(ears);
    all.fold(body, |sum, next| blended(sum, next, 0.06))
}

/// A seated figure with arms and ears.
fn statue(p: Point) -> f64 {
    let seat = capsule(p, [0.0, -0.4, -0.1], [0.0, -0.35, 0.15], 0.38);
    let torso = capsule(p, [0.0, -0.2, -0.1], [0.0, 0.25, 0.0], 0.26);
    let head = capsule(p, [0.0, 0.58, 0.08], [0.0, 0.62, 0.12], 0.2);
    let sides = [-1.0, 1.0].map(|side| {
        let arm = capsule(p, [0.25 * side, 0.2, 0.1], [0.3 * side, -0.45, 0.4], 0.1);
        let ear = capsule(p, [0.12 * side, 0.7, 0.08], [0.2 * side, 0.85, 0.05], 0.05);
        blended(arm, ear, 0.1)
    });
    let all = [torso, head].into_iter().chain(sides);
    all.fold(seat, |sum, next| blended(sum, next, 0.12))
}

fn capsule(p: Point, a: Point, b: Point, radius: f64) -> f64 {
    let (d, v) = (vec3::sub(b, a), vec3::sub(p, a));
    let t = (vec3::dot(v, d) / vec3::dot(d, d)).clamp(0.0, 1.0);
    vec3::norm(vec3::sub(v, vec3::scale(d, t))) - radius
}

fn cuboid(p: Point, center: Point, half: Point) -> f64 {
    let q: Point = std::array::from_fn(|c| (p[c] - center[c]).abs() - half[c]);
    let outside = vec3::norm(q.map(|x| x.max(0.0)));
    outside + q[0].max(q[1]).max(q[2]).min(0.0)
}

/// The union of two bodies with a fillet of that width.
fn blended(a: f64, b: f64, width: f64) -> f64 {
    let t = (0.5 + 0.5 * (b - a) / width).clamp(0.0, 1.0);
    b + (a - b) * t - width * t * (1.0 - t)
}
