//! Rods and plates a few times as thick as their noise: they are surfaces, and their sides stay apart.

use pellucid_cloud::{Point, PointCloud, stats::root_mean_square, vec3};
use pellucid_denoise::registry;
use pellucid_denoise::{Denoised, Run};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A box: its center and half of its sides.
type Bar = [Point; 2];

/// A table: a plate on four legs, apart from each other.
const TABLE: [Bar; 5] = [
    [[0.0, 0.0, 0.0], [25.0, 15.0, 1.5]],
    [[-22.0, -12.0, -24.0], [1.6, 1.6, 20.0]],
    [[22.0, -12.0, -24.0], [1.6, 1.6, 20.0]],
    [[-22.0, 12.0, -24.0], [1.6, 1.6, 20.0]],
    [[22.0, 12.0, -24.0], [1.6, 1.6, 20.0]],
];

/// The signed distance to the surface of a box.
fn signed_distance(p: Point, [center, half]: Bar) -> f64 {
    let q: Point = std::array::from_fn(|c| (p[c] - center[c]).abs() - half[c]);
    vec3::norm(q.map(|x| x.max(0.0))) + q[0].max(q[1]).max(q[2]).min(0.0)
}

/// Root mean square distance to the nearest surface.
fn error(cloud: &PointCloud) -> f64 {
    root_mean_square(cloud.positions().iter().map(|&p| {
        TABLE.iter().map(|&bar| signed_distance(p, bar).abs()).fold(f64::INFINITY, f64::min)
    }))
}

/// The table with one point for each unit of area, and noise along every axis.
fn noisy_table(noise: f64) -> PointCloud {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut points = Vec::new();
    for [center, half] in TABLE {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [-1.0, 1.0] {
                for _ in 0..(4.0 * half[u] * half[v]) as usize {
                    let mut p = center;
                    p[axis] += side * half[axis];
                    p[u] += half[u] * rng.random_range(-1.0..1.0);
                    p[v] += half[v] * rng.random_range(-1.0..1.0);
                    points.push(p.map(|x| x + noise * normal(&mut rng)));
                }
            }
        }
    }
    PointCloud::new(points)
}

fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn denoised(cloud: &PointCloud) -> Denoised {
    let method = registry::find("auto").unwrap().build(None, &Default::default()).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap()
}

#[test]
fn thin_rods_and_plates_become_less_noisy() {
    for (noise, most) in [(0.3, 0.8), (0.5, 0.7)] {
        let noisy = noisy_table(noise);
        let done = denoised(&noisy);
        assert_eq!(done.report.volume_points, 0, "noise {noise}");
        let left = error(&done.cloud) / error(&noisy);
        assert!(left < most, "noise {noise}: {left} of it is left");
    }
}
