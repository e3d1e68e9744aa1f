//! What holds for the method that decides by itself.

use pellucid_cloud::quality;
use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{PointCloud, spacing, vec3};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::{CloudEstimate, Denoised, Run, Stop};
use serde_json::json;

const SHAPES: [Shape; 4] = [Shape::Sphere, Shape::Torus, Shape::Bracket, Shape::Relief];

fn run(cloud: &PointCloud, changes: &[(&str, serde_json::Value)]) -> Denoised {
    let map: ParameterMap = changes.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let method = registry::find("auto").unwrap().build(None, &map).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap()
}

fn clean(shape: Shape) -> (PointCloud, f64) {
    let clean = shape.sample(6000, 7).without_attributes();
    let unit = spacing::spacing_of(clean.positions());
    (clean, unit)
}

fn movement(a: &PointCloud, b: &PointCloud) -> f64 {
    let d = |(a, b): (&_, &_)| vec3::distance2(*a, *b).sqrt();
    a.positions().iter().zip(b.positions()).map(d).sum::<f64>() / a.len() as f64
}

#[test]
fn a_clean_cloud_is_left_alone() {
    for shape in SHAPES {
        let (cloud, _) = clean(shape);
        let out = run(&cloud, &[]);
        assert_eq!(out.cloud.positions(), cloud.positions(), "{shape:?}");
        assert_eq!(out.stop, Stop::NothingToDo, "{shape:?}");
    }
}

/// Above 131,072 points, a cloud is learned from blocks of it. Blocks that ended along a face cut its noise off, and the whole
/// cube was taken for foliage.
#[test]
fn a_large_noisy_cube_is_no_foliage() {
    const POINTS: usize = 150_000;
    let clean = Shape::Cube.sample(POINTS, 1);
    let sigma = 1.6 * (Shape::Cube.area() / POINTS as f64).sqrt();
    let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, 2).unwrap();
    let out = run(&noisy, &[]);
    let off = |cloud: &PointCloud| {
        root_mean_square(cloud.positions().iter().map(|&p| Shape::Cube.distance(p)))
    };
    assert_eq!(out.report.volume_points, 0);
    assert!(off(&out.cloud) < 0.25 * off(&noisy), "{} of {}", off(&out.cloud), off(&noisy));
    // The last level of a large cloud has no rounds; the notes are about those of the level before.
    let of_nothing =
        |note: &&String| note.contains("of 0 points") || note.contains("after 0 rounds");
    assert_eq!(out.report.notes.iter().find(of_nothing), None);
}

#[test]
fn the_estimate_before_is_that_of_the_run() {
    // A quarter of the relief is three times as noisy, so the noise differs from place to place.
    let (cloud, unit) = clean(Shape::Relief);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, 0.3 * unit, 8).unwrap();
    let loud = add_noise(&cloud, NoiseModel::Gaussian, 1.5 * unit, 9).unwrap();
    let rows = noisy.positions().iter().zip(loud.positions());
    let mixed = rows.map(|(quiet, loud)| if quiet[0] > 0.5 { *loud } else { *quiet }).collect();
    for noisy in [noisy.clone(), PointCloud::new(mixed)] {
        let found = CloudEstimate::of(&noisy).unwrap();
        let out = run(&noisy, &[]);
        assert_eq!((found.noise, Some(found.spacing)), (out.report.noise, out.report.spacing));
        let differs = out.report.notes[0].contains("from place to place");
        assert_eq!(found.lowest_noise.is_some(), differs, "{:?}", out.report.notes);
    }
    assert!(CloudEstimate::of(&PointCloud::new(vec![[1.0; 3]; 9])).is_none());
}

#[test]
fn depths_in_steps_become_a_smooth_surface() {
    // A wall and a ball as a depth camera sees them, with depths in steps of three pixels.
    let depth = |x: f64, y: f64| {
        let ball = 900.0 - (x - 60.0).powi(2) - (y - 60.0).powi(2);
        (100.0 + 0.4 * x).min(if ball > 0.0 { 110.0 - ball.sqrt() } else { f64::INFINITY })
    };
    let pixels = (0..120 * 120).map(|i| (f64::from(i % 120), f64::from(i / 120)));
    let frame = |step: f64| {
        let recorded = |(x, y)| [x, y, (depth(x, y) / step).round() * step];
        PointCloud::new(pixels.clone().map(recorded).collect())
    };
    let exact = frame(1e-9);
    assert_eq!(run(&exact, &[]).cloud.positions(), exact.positions());
    let stepped = frame(3.0);
    let out = run(&stepped, &[]);
    assert!(out.report.notes[0].contains("in steps of"), "{:?}", out.report.notes);
    assert_eq!(CloudEstimate::of(&stepped).unwrap().steps, Some(3.0));
    // On the wall, away from the ball.
    let off = |cloud: &PointCloud| {
        let wall = cloud.positions().iter().zip(exact.positions()).filter(|(_, q)| q[1] > 100.0);
        root_mean_square(wall.map(|(p, _)| (p[2] - 100.0 - 0.4 * p[0]) / 1.16_f64.sqrt()))
    };
    assert!(off(&out.cloud) < 0.5 * off(&stepped), "{} of {}", off(&out.cloud), off(&stepped));
}

#[test]
fn noise_of_every_kind_falls() {
    let models = [NoiseModel::Gaussian, NoiseModel::Laplace, NoiseModel::Ball, NoiseModel::Normal];
    for (shape, model) in SHAPES.into_iter().zip(models) {
        let cloud = shape.sample(6000, 7);
        let unit = spacing::spacing_of(cloud.positions());
        let noisy = add_noise(&cloud, model, 0.8 * unit, 8).unwrap().without_attributes();
        let out = run(&noisy, &[]);
        let rms =
            |c: &PointCloud| root_mean_square(c.positions().iter().map(|&p| shape.distance(p)));
        let (before, after) = (rms(&noisy), rms(&out.cloud));
        // The bracket is all edges at this spacing.
        let most = if shape == Shape::Bracket { 0.65 } else { 0.5 };
        assert!(after < most * before, "{shape:?} {model:?}: {before} -> {after}");
    }
}

/// A given noise takes the place of the estimate, in file units: noise too little to be seen is
/// removed, and noise stays where the given value says that there is none.
#[test]
fn a_given_noise_overrides_the_estimate() {
    let (cloud, unit) = clean(Shape::Sphere);
    let noisy = |level: f64| add_noise(&cloud, NoiseModel::Gaussian, level * unit, 8).unwrap();
    let moved = |cloud: &PointCloud, noise: f64| {
        let out = run(cloud, &[("noise", json!(noise * unit))]);
        let reported = out.report.noise.unwrap();
        assert!((reported - noise * unit).abs() < 1e-9 * unit, "{reported} {}", noise * unit);
        // Along the normals of the sphere: points relax along it at any noise.
        let pairs = cloud.positions().iter().zip(out.cloud.positions());
        let along = pairs.map(|(&a, &b)| vec3::norm(a) - vec3::norm(b));
        (root_mean_square(along) / unit, out.stop)
    };
    assert_eq!(run(&noisy(0.02), &[]).stop, Stop::NothingToDo);
    for given in [0.2, 0.8] {
        let (along, _) = moved(&noisy(0.02), given);
        assert!((0.01..given).contains(&along), "{given}: {along}");
    }
    assert_eq!(moved(&noisy(0.5), 1e-3), (0.0, Stop::NothingToDo));
    let map = ParameterMap::from_iter([("noise".to_owned(), json!(-1.0))]);
    let fault = registry::find("auto").unwrap().build(None, &map).err().unwrap();
    assert!(fault.to_string().contains("noise"), "{fault}");
}

#[test]
fn evening_out_makes_the_spacing_more_even_and_keeps_the_surface() {
    let (cloud, unit) = clean(Shape::Torus);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, unit, 8).unwrap();
    let (without, with) = (run(&noisy, &[("even", json!(0))]), run(&noisy, &[]));
    let uneven = |d: &Denoised| quality::uniformity(d.cloud.positions()).unwrap();
    assert!(uneven(&with) < 0.9 * uneven(&without));
    let rms = |d: &Denoised| {
        root_mean_square(d.cloud.positions().iter().map(|&p| Shape::Torus.distance(p)))
    };
    assert!(rms(&with) < 1.05 * rms(&without), "{} {}", rms(&without), rms(&with));
    assert!(movement(&without.cloud, &with.cloud) < unit);
}

#[test]
fn evening_out_does_not_widen_a_sheet() {
    let (cloud, unit) = clean(Shape::Plane);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, 0.3 * unit, 8).unwrap();
    // Distance from the square counts what sticks out over its border.
    let rms = |even: u64| {
        let out = run(&noisy, &[("even", json!(even))]).cloud;
        root_mean_square(out.positions().iter().map(|&p| Shape::Plane.distance(p))) / unit
    };
    let (without, with) = (rms(0), rms(20));
    // Both are small, so a hundredth of a spacing is allowed.
    assert!(with < without + 0.01, "{without} {with}");
}

#[test]
fn strength_scales_what_is_done() {
    let (cloud, unit) = clean(Shape::Relief);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, unit, 8).unwrap();
    let none = run(&noisy, &[("strength", json!(0))]);
    assert_eq!((none.stop, none.iterations), (Stop::NothingToDo, 0));
    assert_eq!(none.cloud.positions(), noisy.positions());
    let rounds = |x: f64| run(&noisy, &[("strength", json!(x))]).iterations;
    let (half, whole, more) = (rounds(0.5), rounds(1.0), rounds(1.5));
    assert!(half < whole && whole < more, "{half} {whole} {more}");
}

/// Root mean square distance from the surface, after over before.
fn left(shape: Shape, points: usize, noise: f64) -> (f64, Denoised) {
    let cloud = shape.sample(points, 7).without_attributes();
    let unit = spacing::spacing_of(cloud.positions());
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, noise * unit, 8).unwrap();
    let out = run(&noisy, &[]);
    let rms = |c: &PointCloud| root_mean_square(c.positions().iter().map(|&p| shape.distance(p)));
    (rms(&out.cloud) / rms(&noisy), out)
}

#[test]
fn noise_of_several_spacings_is_removed_in_parts() {
    let (left, out) = left(Shape::Torus, 30_000, 4.0);
    assert!(out.report.notes.iter().any(|n| n.contains("interleaved parts")), "{:?}", out.report);
    // The present result; without parts 0.5 of the noise is left.
    assert!(left < 0.2, "{left}");
}

#[test]
fn a_cube_gets_flat_faces() {
    let (left, _) = left(Shape::Cube, 20_000, 0.3);
    // Without facets 0.36 of the noise is left.
    assert!(left < 0.35, "{left}");
}

#[test]
fn points_that_fill_a_volume_stay() {
    // Flat leaves of ten points, turned any way, in a cube: denoising makes no sheet of them.
    let scramble = |i: u64, k: u64| {
        let x = (i * 16 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 29)).wrapping_mul(0xd134_2543_de82_ef95);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    };
    let point = |i: u64| {
        let leaf = i / 10;
        let vector = |k: u64| [0, 1, 2].map(|c| scramble(leaf, k + c) - 0.5);
        let (a, b) = (vector(3), vector(6));
        let (u, v) = (scramble(1_000_000 + i, 0) - 0.5, scramble(1_000_000 + i, 1) - 0.5);
        let center = [0, 1, 2].map(|c| 10.0 * scramble(leaf, c));
        [0, 1, 2].map(|c| center[c] + 2.0 * (u * a[c] + v * b[c]))
    };
    let cloud = PointCloud::new((0..12_000).map(point).collect());
    let out = run(&cloud, &[]);
    let same = cloud.positions().iter().zip(out.cloud.positions()).filter(|(a, b)| a == b).count();
    assert!(same > 10_800, "{same} of 12000 stayed: {:?}", out.report.notes);
    let surface = out.report.surface.unwrap();
    let pairs = cloud.positions().iter().zip(out.cloud.positions()).zip(&surface);
    assert!(pairs.filter(|(_, surface)| !**surface).all(|((a, b), _)| a == b));
    assert!(surface.iter().filter(|s| !**s).count() > 10_800);
}

#[test]
fn it_says_what_it_found() {
    let (cloud, unit) = clean(Shape::Torus);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, unit, 8).unwrap();
    let notes = run(&noisy, &[]).report.notes.join("; ");
    for word in ["noise of", "patches of 9", "stopped after"] {
        assert!(notes.contains(word), "{notes}");
    }
}
