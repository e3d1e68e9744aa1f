use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::PointCloud;
use crate::synth::{NoiseModel, add_noise};
use crate::vec3;

const TAU: f64 = std::f64::consts::TAU;

/// A point of a surface from random numbers, or none to try again.
type Surface = fn(&mut dyn FnMut() -> f64) -> Option<Point>;

const SHAPES: [(&str, Surface); 7] = [
    ("plane", |u| Some([u(), u(), 0.0])),
    ("sphere", |u| {
        let (z, t) = (2.0 * u() - 1.0, TAU * u());
        let r = (1.0 - z * z).sqrt();
        Some([r * t.cos(), r * t.sin(), z])
    }),
    ("torus", |u| {
        let (a, b) = (TAU * u(), TAU * u());
        let w = 1.0 + 0.35 * b.cos();
        (1.35 * u() < w).then(|| [w * a.cos(), w * a.sin(), 0.35 * b.sin()])
    }),
    ("relief", |u| {
        let (x, y) = (2.0 * u(), 2.0 * u());
        Some([x, y, 0.1 * (5.0 * x).sin() * (4.0 * y).cos()])
    }),
    ("cylinder", |u| {
        let t = TAU * u();
        if u() < 0.8 {
            return Some([0.5 * t.cos(), 0.5 * t.sin(), 2.0 * u() - 1.0]);
        }
        let r = 0.5 * u().sqrt();
        Some([r * t.cos(), r * t.sin(), if u() < 0.5 { -1.0 } else { 1.0 }])
    }),
    ("cube", |u| Some(on_box(u, [1.0; 3]))),
    ("bracket", |u| {
        // A plate and a wall standing on it; what lies inside the other is taken away.
        let (plate, wall) = ([1.0, 1.0, 0.15], [0.15, 1.0, 1.0]);
        let from_plate = u() < 0.5;
        let p = on_box(u, if from_plate { plate } else { wall });
        let other = if from_plate { wall } else { plate };
        (0..3).any(|c| p[c] <= 0.0 || p[c] >= other[c]).then_some(p)
    }),
];

fn on_box(u: &mut dyn FnMut() -> f64, sides: Point) -> Point {
    let areas = [sides[1] * sides[2], sides[0] * sides[2], sides[0] * sides[1]];
    let pick = u() * areas.iter().sum::<f64>();
    let axis = if pick < areas[0] { 0 } else { 1 + usize::from(pick > areas[0] + areas[1]) };
    let mut p = sides.map(|s| s * u());
    p[axis] = if u() < 0.5 { 0.0 } else { sides[axis] };
    p
}

fn sample(surface: Surface, n: usize) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut u = || rng.random::<f64>();
    let mut points = Vec::with_capacity(n);
    while points.len() < n {
        points.extend(surface(&mut u));
    }
    points
}

fn shape(name: &str, n: usize) -> Vec<Point> {
    sample(SHAPES.iter().find(|s| s.0 == name).unwrap().1, n)
}

fn gauss(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn noisy(points: &[Point], sigma: f64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
    points.iter().map(|p| p.map(|x| x + sigma * gauss(&mut rng))).collect()
}

#[test]
fn within_15_percent_on_known_shapes() {
    for (name, surface) in SHAPES {
        let clean = sample(surface, 20_000);
        let spacing = spacing::spacing_of(&clean);
        for level in [0.3, 1.0, 2.0] {
            let sigma = level * spacing;
            let e = estimate_noise(&noisy(&clean, sigma));
            let ratio = e.sigma / sigma;
            assert!((ratio - 1.0).abs() < 0.15, "{name} {level}: {ratio} {e:?}");
            assert!(e.reliable, "{name} {level}: {e:?}");
        }
    }
}

#[test]
fn thick_noise_needs_wide_neighborhoods() {
    for name in ["plane", "sphere"] {
        let clean = shape(name, 50_000);
        let sigma = 4.0 * spacing::spacing_of(&clean);
        let e = estimate_noise(&noisy(&clean, sigma));
        assert!((e.sigma / sigma - 1.0).abs() < 0.05, "{e:?}");
        assert!(e.neighbors > 40);
    }
}

#[test]
fn noise_far_thicker_than_the_spacing() {
    // So thick that the cloud has to be thinned.
    let clean = shape("plane", 60_000);
    let sigma = 14.0 * spacing::spacing_of(&clean);
    let e = estimate_noise(&noisy(&clean, sigma));
    assert!((e.sigma / sigma - 1.0).abs() < 0.1, "{} {e:?}", e.sigma / sigma);
}

#[test]
fn nearly_nothing_on_clean_clouds() {
    for (name, surface) in SHAPES {
        let e = estimate_noise(&sample(surface, 20_000));
        assert!(e.reliable && e.sigma < 0.01 * e.spacing, "{name}: {e:?}");
    }
}

#[test]
fn noise_along_the_normal_is_measured_as_such() {
    let clean = shape("sphere", 20_000);
    let sigma = 1.0 * spacing::spacing_of(&clean);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let moved: Vec<Point> =
        clean.iter().map(|p| vec3::scale(*p, 1.0 + sigma * gauss(&mut rng))).collect();
    let e = estimate_noise(&moved);
    assert!((e.sigma / sigma - 1.0).abs() < 0.15, "{} {e:?}", e.sigma / sigma);
}

#[test]
fn outliers_do_not_count() {
    let clean = shape("torus", 20_000);
    let sigma = 1.0 * spacing::spacing_of(&clean);
    let mut points = noisy(&clean, sigma);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    points.extend((0..1000).map(|_| [0; 3].map(|_| rng.random_range(-3.0..3.0))));
    let e = estimate_noise(&points);
    assert!((e.sigma / sigma - 1.0).abs() < 0.15, "{} {e:?}", e.sigma / sigma);
}

#[test]
fn scale_and_offset_change_only_the_unit() {
    let points = noisy(&shape("torus", 8000), 0.03);
    // A power of two and offsets that keep every bit.
    let moved: Vec<Point> = points.iter().map(|p| p.map(|x| 1024.0 * x)).collect();
    let (a, b) = (estimate_noise(&points), estimate_noise(&moved));
    assert_eq!(1024.0 * a.sigma, b.sigma);
    let far: Vec<Point> = points.iter().map(|p| vec3::add(*p, [5e5, 4e6, 100.0])).collect();
    let c = estimate_noise(&far);
    assert!((c.sigma / a.sigma - 1.0).abs() < 1e-3, "{a:?} {c:?}");
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let points = noisy(&shape("cube", 6000), 0.02);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| estimate_noise(&points))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn clouds_that_say_nothing() {
    let line: Vec<Point> = (0..100).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    for points in [vec![], vec![[1.0; 3]; 50], vec![[f64::NAN; 3]; 20], line] {
        let e = estimate_noise(&points);
        assert!(e.sigma == 0.0 && !e.reliable && e.spacing > 0.0, "{e:?}");
    }
    let mut holes = noisy(&shape("sphere", 8000), 0.02);
    holes.iter_mut().step_by(7).for_each(|p| p[1] = f64::NAN);
    let e = estimate_noise(&holes);
    assert!((e.sigma / 0.02 - 1.0).abs() < 0.1, "{e:?}");
}

#[test]
fn rows_of_a_scan_show_the_noise_across_them() {
    // Points 0.1 apart on a bent sheet, in rows ten times as far apart.
    let place = |i: u32| (0.1 * f64::from(i % 400), f64::from(i / 400));
    let rows = (0..16_000).map(place).map(|(x, y)| [x, y, 0.01 * (x * x + y * y)]).collect();
    let noisy = add_noise(&PointCloud::new(rows), NoiseModel::Gaussian, 0.03, 5).unwrap();
    let found = estimate_noise(noisy.positions()).sigma / 0.03;
    assert!((0.9..1.15).contains(&found), "{found}");
}
