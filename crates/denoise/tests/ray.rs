//! Moving along lines of sight: on the line, onto the surface, also where it is oblique.

use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::{Attribute, Point, PointCloud, Values, spacing, vec3};
use pellucid_denoise::{AlongRay, DenoiseError, Denoiser, Run, registry};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn mls() -> Box<dyn Denoiser> {
    registry::find("mls").unwrap().build(None, &Default::default()).unwrap()
}

/// Adds noise of `sigma` along the lines from `eye`.
fn ranged(clean: &[Point], eye: Point, sigma: f64) -> PointCloud {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let noisy = clean.iter().map(|&p| {
        let ray = vec3::normalized(vec3::sub(p, eye)).unwrap();
        let step: f64 = StandardNormal.sample(&mut rng);
        vec3::add(p, vec3::scale(ray, sigma * step))
    });
    PointCloud::new(noisy.collect())
}

fn rms(a: &[Point], b: &[Point]) -> f64 {
    root_mean_square(a.iter().zip(b).map(|(p, q)| vec3::distance2(*p, *q).sqrt()))
}

/// The largest distance of a moved point from its line of sight.
fn off_line(noisy: &PointCloud, moved: &PointCloud, eye: Point) -> f64 {
    let pairs = noisy.positions().iter().zip(moved.positions());
    pairs
        .map(|(p, q)| {
            let (a, b) = (vec3::sub(*p, eye), vec3::sub(*q, eye));
            vec3::norm(vec3::cross(a, b)) / vec3::norm(a)
        })
        .fold(0.0, f64::max)
}

/// What projecting the displacement on the ray would give.
fn projected(noisy: &PointCloud, free: &PointCloud, eye: Point) -> Vec<Point> {
    let pairs = noisy.positions().iter().zip(free.positions());
    pairs
        .map(|(&p, &q)| {
            let ray = vec3::normalized(vec3::sub(p, eye)).unwrap();
            vec3::add(p, vec3::scale(ray, vec3::dot(vec3::sub(q, p), ray)))
        })
        .collect()
}

fn even(i: usize) -> [f64; 2] {
    const G: f64 = 1.324_717_957_244_746;
    [(0.5 + i as f64 / G).fract(), (0.5 + i as f64 / (G * G)).fract()]
}

fn plane(n: usize) -> Vec<Point> {
    (0..n).map(even).map(|[a, b]| [10.0 * a, 10.0 * b, 0.0]).collect()
}

#[test]
fn an_oblique_plane_is_met_along_the_ray() {
    let clean = plane(4_000);
    // Seen at about 45 degrees, where projecting leaves half of the noise.
    let eye = [-25.0, 5.0, 30.0];
    let sigma = 0.7 * spacing::spacing_of(&clean);
    let noisy = ranged(&clean, eye, sigma);
    let free = mls().denoise(&noisy, &mut Run::default()).unwrap();
    let along = AlongRay::new(&*mls(), &[eye]).denoise(&noisy, &mut Run::default()).unwrap();
    assert!(off_line(&noisy, &along.cloud, eye) < 1e-12);
    let before = rms(noisy.positions(), &clean);
    let after = rms(along.cloud.positions(), &clean);
    let short = rms(&projected(&noisy, &free.cloud, eye), &clean);
    let wandered = rms(free.cloud.positions(), &clean);
    assert!(after < 0.45 * before, "{before} -> {after}");
    assert!(after < 0.8 * short, "{after} against {short} by projection");
    assert!(after < 0.8 * wandered, "{after} against {wandered} without lines of sight");
}

#[test]
fn a_sphere_is_met_along_the_ray_where_it_is_seen() {
    let n = 8_000;
    let clean: Vec<Point> = (0..n)
        .map(even)
        .map(|[a, b]| {
            let (z, t) = (2.0 * a - 1.0, std::f64::consts::TAU * b);
            let r = (1.0 - z * z).sqrt();
            [10.0 * r * t.cos(), 10.0 * r * t.sin(), 10.0 * z]
        })
        .filter(|p| p[2] > 4.0)
        .collect();
    let eye = [0.0, 0.0, 60.0];
    let sigma = 0.5 * spacing::spacing_of(&clean);
    let noisy = ranged(&clean, eye, sigma);
    let along = AlongRay::new(&*mls(), &[eye]).denoise(&noisy, &mut Run::default()).unwrap();
    assert!(off_line(&noisy, &along.cloud, eye) < 1e-12);
    let (before, after) = (rms(noisy.positions(), &clean), rms(along.cloud.positions(), &clean));
    assert!(after < 0.6 * before, "{before} -> {after}");
    let off =
        |c: &PointCloud| root_mean_square(c.positions().iter().map(|p| vec3::norm(*p) - 10.0));
    assert!(off(&along.cloud) < 0.6 * off(&noisy));
}

#[test]
fn nothing_runs_away_at_grazing_incidence() {
    let clean = plane(3_000);
    // Half a unit above the plane: lines of sight nearly in it.
    let eye = [-30.0, 5.0, 0.5];
    let sigma = 0.3 * spacing::spacing_of(&clean);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let noisy = clean.iter().map(|p| {
        let up: f64 = StandardNormal.sample(&mut rng);
        [p[0], p[1], sigma * up]
    });
    let noisy = PointCloud::new(noisy.collect());
    let free = mls().denoise(&noisy, &mut Run::default()).unwrap();
    let along = AlongRay::new(&*mls(), &[eye]).denoise(&noisy, &mut Run::default()).unwrap();
    let steps = |c: &PointCloud| -> Vec<f64> {
        let pairs = noisy.positions().iter().zip(c.positions());
        pairs.map(|(p, q)| vec3::distance2(*p, *q).sqrt()).collect()
    };
    for (a, f) in steps(&along.cloud).iter().zip(steps(&free.cloud)) {
        // At most the stretch at the limit of grazing angles.
        assert!(*a <= 4.0 * f + 1e-12, "{a} for a displacement of {f}");
    }
}

#[test]
fn each_scan_has_its_own_lines() {
    let clean = plane(2_000);
    let eyes = [[5.0, 5.0, 20.0], [-20.0, 5.0, 20.0]];
    let sigma = 0.5 * spacing::spacing_of(&clean);
    let halves = clean.iter().enumerate().map(|(i, _)| (i % 2) as u32).collect::<Vec<_>>();
    let from = |e: usize| ranged(&clean, eyes[e], sigma).into_positions();
    let (a, b) = (from(0), from(1));
    let mixed = halves.iter().enumerate().map(|(i, &s)| if s == 0 { a[i] } else { b[i] });
    let mut noisy = PointCloud::new(mixed.collect());
    let method = mls();
    let fault = AlongRay::new(&*method, &eyes).denoise(&noisy, &mut Run::default()).unwrap_err();
    assert!(fault.to_string().contains("\"scan\""), "{fault}");
    noisy.set_attribute(Attribute::scalar("scan", Values::U32(halves.clone()))).unwrap();
    let moved = AlongRay::new(&*method, &eyes).denoise(&noisy, &mut Run::default()).unwrap().cloud;
    for (e, eye) in eyes.iter().enumerate() {
        let rows: Vec<usize> = (0..2_000).filter(|&i| halves[i] as usize == e).collect();
        assert!(off_line(&noisy.select(&rows), &moved.select(&rows), *eye) < 1e-12);
    }
    let bad = vec![7_u32; 2_000];
    noisy.set_attribute(Attribute::scalar("scan", Values::U32(bad))).unwrap();
    let fault = AlongRay::new(&*method, &eyes).denoise(&noisy, &mut Run::default()).unwrap_err();
    assert!(fault.to_string().contains("is 7 in row 0"), "{fault}");
    let none = AlongRay::new(&*method, &[]).denoise(&noisy, &mut Run::default()).unwrap_err();
    assert!(matches!(none, DenoiseError::NoViewpoint));
}

#[test]
fn a_point_at_the_scanner_and_rows_that_are_not_finite_stay() {
    let mut points = ranged(&plane(1_000), [5.0, 5.0, 9.0], 0.1).into_positions();
    points[3] = [f64::NAN, 2.0, -0.0];
    let eye = points[10];
    let noisy = PointCloud::new(points);
    let moved = AlongRay::new(&*mls(), &[eye]).denoise(&noisy, &mut Run::default()).unwrap().cloud;
    for row in [3, 10] {
        let bits = |c: &PointCloud| c.positions()[row].map(f64::to_bits);
        assert_eq!(bits(&moved), bits(&noisy));
    }
}
