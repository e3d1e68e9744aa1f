use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Shape;
use crate::KdTree;
use crate::quality::uniformity;
use crate::vec3::{Point, add, distance2, dot, norm, scale, sub};

fn queries(count: usize, seed: u64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| std::array::from_fn(|_| 3.0 * rng.random::<f64>() - 1.5)).collect()
}

#[test]
fn samples_lie_on_the_surface_with_its_normals() {
    for shape in Shape::ALL {
        let cloud = shape.sample(2000, 1);
        assert_eq!(cloud.len(), 2000);
        for (&p, n) in cloud.positions().iter().zip(cloud.normals().unwrap()) {
            assert!(shape.distance(p) < 1e-12, "{shape}: {p:?} is off by {}", shape.distance(p));
            assert!((norm(n) - 1.0).abs() < 1e-12);
            let outside = add(p, scale(n, 1e-6));
            assert!((shape.distance(outside) - 1e-6).abs() < 1e-11, "{shape} {p:?} {n:?}");
            assert!(dot(shape.normal_at(outside), n) > 1.0 - 1e-9, "{shape} {p:?} {n:?}");
        }
    }
}

/// The closest point is on the surface, and no sample of a dense set is closer than it.
#[test]
fn distances_agree_with_dense_samples() {
    for shape in Shape::ALL {
        let dense = shape.sample(100_000, 2);
        let tree = KdTree::new(dense.positions());
        // A hole in 100,000 random samples is hardly ever wider than this.
        let hole = 4.0 * (shape.area() / 100_000.0).sqrt();
        for p in queries(1500, 3) {
            let d = shape.distance(p);
            let sampled = tree.nearest(p).unwrap().distance2.sqrt();
            assert!(d <= sampled + 1e-12, "{shape} {p:?}: {d} but a sample is {sampled} away");
            assert!(sampled <= d + hole, "{shape} {p:?}: {d} but no sample nearer than {sampled}");
            let q = shape.closest(p);
            assert!((distance2(p, q).sqrt() - d).abs() < 1e-12);
            assert!(shape.distance(q) < 1e-9, "{shape}: {q:?} is not on the surface");
        }
    }
}

#[test]
fn distances_agree_with_closed_forms() {
    for p in queries(500, 4) {
        let [x, y, z] = p;
        let close = |shape: Shape, d: f64| {
            assert!((shape.distance(p) - d).abs() < 1e-14, "{shape} {p:?}: {d}");
        };
        close(Shape::Sphere, (norm(p) - 1.0).abs());
        close(Shape::Torus, ((x.hypot(y) - 0.7).hypot(z) - 0.3).abs());
        let beyond = |x: f64| (x.abs() - 1.0).max(0.0);
        close(Shape::Plane, norm([beyond(x), beyond(y), z]));
        let outside = norm([beyond(x), beyond(y), beyond(z)]);
        let deep = 1.0 - x.abs().max(y.abs()).max(z.abs());
        close(Shape::Cube, if deep > 0.0 { deep } else { outside });
        let (r, h) = (x.hypot(y) - 0.6, z.abs() - 1.0);
        let inside = r.max(h) < 0.0;
        close(Shape::Cylinder, if inside { -r.max(h) } else { r.max(0.0).hypot(h.max(0.0)) });
    }
}

/// The gradient of the distance points away from the surface.
#[test]
fn normals_agree_with_finite_differences() {
    const STEP: f64 = 1e-6;
    for shape in Shape::ALL {
        let cloud = shape.sample(500, 5);
        let mut checked = 0;
        for (&on, n) in cloud.positions().iter().zip(cloud.normals().unwrap()) {
            let p = add(on, scale(n, 1e-3));
            // Near an inner edge another face is closer, and its normal counts.
            if distance2(shape.closest(p), on) > 1e-12 {
                continue;
            }
            let gradient: Point = std::array::from_fn(|c| {
                let mut step = [0.0; 3];
                step[c] = STEP;
                (shape.distance(add(p, step)) - shape.distance(sub(p, step))) / (2.0 * STEP)
            });
            assert!(norm(sub(gradient, n)) < 1e-5, "{shape} {on:?}: {gradient:?} {n:?}");
            checked += 1;
        }
        assert!(checked > 480, "{shape}: only {checked} could be checked");
    }
}

/// Area, as far as it has a closed form, and the volume by the divergence theorem: a third of the
/// area times the mean of p·n. That comes out only if points are uniform by area and normals
/// point outwards.
#[test]
fn areas_and_volumes_are_right() {
    let (r, height) = (0.6, 2.0);
    // By hand from the side view: base plate, step, fin, upright plate less its chamfer.
    let profile = 2.0 * 0.25 + 0.4 * 0.25 + 0.04 * 0.7 + 0.25 * 1.15 - 0.1 * 0.15 / 2.0;
    // Bottom, front, step (top, side), floor, fin (two sides, top), floor, upright (side, top,
    // chamfer, back).
    let outline =
        [2.0, 0.5, 0.4, 0.25, 0.31, 0.7, 0.04, 0.7, 1.0, 1.15, 0.15, 0.1f64.hypot(0.15), 1.25];
    let hole = PI * 0.28 * 0.28;
    let bracket =
        outline.iter().sum::<f64>() * 1.2 + 2.0 * profile - 2.0 * hole + 2.0 * PI * 0.28 * 0.25;
    let known = [
        (Shape::Sphere, 4.0 * PI, 4.0 / 3.0 * PI),
        (Shape::Torus, 4.0 * PI * PI * 0.7 * 0.3, 2.0 * PI * PI * 0.7 * 0.09),
        (Shape::Cube, 24.0, 8.0),
        (Shape::Cylinder, 2.0 * PI * r * (height + r), PI * r * r * height),
        (Shape::Bracket, bracket, profile * 1.2 - hole * 0.25),
    ];
    for (shape, area, volume) in known {
        assert!((shape.area() - area).abs() < 1e-12, "{shape}: area {} not {area}", shape.area());
        let cloud = shape.sample(200_000, 6);
        let normals = cloud.normals().unwrap();
        let flux: Vec<f64> =
            cloud.positions().iter().zip(normals).map(|(&p, n)| dot(p, n) * area / 3.0).collect();
        let n = flux.len() as f64;
        let mean = flux.iter().sum::<f64>() / n;
        let error = (flux.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / n / n).sqrt();
        assert!((mean - volume).abs() <= 4.0 * error + 1e-9, "{shape}: volume {mean} not {volume}");
    }
    assert_eq!(Shape::Plane.area(), 4.0);
}

#[test]
fn samples_are_uniform_by_area() {
    // Archimedes: the height of a random point of the sphere is uniform.
    let mut bins = [0.0; 20];
    for p in Shape::Sphere.sample(100_000, 7).positions() {
        bins[((p[2] + 1.0) * 10.0).min(19.0) as usize] += 1.0;
    }
    let chi2: f64 = bins.iter().map(|n: &f64| (n - 5000.0).powi(2) / 5000.0).sum();
    // 19 degrees of freedom: above 43.8 once in a thousand.
    assert!(chi2 < 43.8, "{chi2}");

    // The outer half of the torus has the share 1/2 + tube / (π ring).
    let torus = Shape::Torus.sample(100_000, 8);
    let outer = torus.positions().iter().filter(|p| p[0].hypot(p[1]) > 0.7).count() as f64 / 1e5;
    assert!((outer - (0.5 + 0.3 / (PI * 0.7))).abs() < 0.006, "{outer}");

    // Shadow over area is the mean upward part of the normals.
    let relief = Shape::Relief.sample(100_000, 9);
    let up = relief.normals().unwrap().iter().map(|n| n[2]).sum::<f64>() / 1e5;
    assert!((up - 4.0 / Shape::Relief.area()).abs() < 0.002, "{up}");
}

#[test]
fn even_samples_are_even_and_complete() {
    for shape in Shape::ALL {
        let even = shape.sample_even(2000, 10);
        assert_eq!(even.len(), 2000);
        let spread = uniformity(even.positions()).unwrap();
        let strewn = uniformity(shape.sample(2000, 10).positions()).unwrap();
        assert!(spread < 0.2 && strewn > 0.45, "{shape}: {spread}, random {strewn}");
        for (&p, n) in even.positions().iter().zip(even.normals().unwrap()) {
            assert!(shape.distance(p) < 1e-12);
            assert!(dot(shape.normal_at(add(p, scale(n, 1e-6))), n) > 1.0 - 1e-9);
        }
    }
    assert!(Shape::Cube.sample_even(0, 1).is_empty());
    assert_eq!(Shape::Cube.sample_even(1, 1).len(), 1);
}

#[test]
fn even_samples_keep_both_sides_of_the_fin() {
    let cloud = Shape::Bracket.sample_even(4000, 11);
    let normals = cloud.normals().unwrap();
    // Above the step: nothing but the fin and the upright plate.
    let on_fin = |p: &Point| p[0] > 0.0 && p[2] > -0.15;
    let side = |sign: f64| {
        let rows = cloud.positions().iter().zip(&normals);
        rows.filter(|(p, n)| on_fin(p) && n[0] * sign > 0.5).count() as f64
    };
    let expected = 4000.0 * 0.4 * 1.2 / Shape::Bracket.area();
    for sign in [-1.0, 1.0] {
        assert!((side(sign) / expected - 1.0).abs() < 0.15, "{} of {expected}", side(sign));
    }
}

#[test]
fn seeds_and_threads() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Shape::Relief.sample_even(500, 12))
    };
    assert_eq!(with(1), with(3));
    assert_eq!(Shape::Torus.sample(20, 1), Shape::Torus.sample(20, 1));
    assert_ne!(Shape::Torus.sample(20, 1), Shape::Torus.sample(20, 2));
}

#[test]
fn names_are_read_back() {
    for shape in Shape::ALL {
        assert_eq!(shape.to_string().parse(), Ok(shape));
        assert_eq!(serde_json::to_string(&shape).unwrap(), format!("\"{shape}\""));
    }
    assert!("teapot".parse::<Shape>().is_err());
}
