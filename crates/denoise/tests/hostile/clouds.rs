//! Some sixty small clouds of hostile numbers.

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::vec3::{self, Point};

/// A sphere of radius one, with noise of about half a spacing.
pub fn sphere(count: usize) -> Vec<Point> {
    let clean = Shape::Sphere.sample(count, 1);
    add_noise(&clean, NoiseModel::Gaussian, 0.05, 2).unwrap().into_positions()
}

pub fn scaled(points: &[Point], by: f64) -> Vec<Point> {
    points.iter().map(|&p| vec3::scale(p, by)).collect()
}

fn moved(points: &[Point], by: Point) -> Vec<Point> {
    points.iter().map(|&p| vec3::add(p, by)).collect()
}

/// Name and points of each cloud.
pub fn all() -> Vec<(String, Vec<Point>)> {
    let mut clouds = Vec::new();
    far(&mut clouds);
    not_finite(&mut clouds);
    equal(&mut clouds);
    flat(&mut clouds);
    scales(&mut clouds);
    clouds
}

type Clouds = Vec<(String, Vec<Point>)>;

fn far(clouds: &mut Clouds) {
    let base = sphere(200);
    // Near enough to take part.
    for far in [1e2, 1e4, 1e6, 1e9, 1e11] {
        let mut points = base.clone();
        points.push([far, -far, far]);
        clouds.push((format!("one row at {far:e} on all axes"), points.clone()));
        points.push([-far, 0.0, far]);
        clouds.push((format!("two rows at {far:e}"), points));
    }
    for far in [1e13, 1e20, 1e150, 1e300, -1.7e308] {
        for axis in 0..3 {
            let mut points = base.clone();
            points[77][axis] = far;
            clouds.push((format!("one row at {far:e} on axis {axis}"), points));
        }
        let mut points = base.clone();
        points.push([far, -far, far]);
        clouds.push((format!("one row at {far:e} on all axes"), points));
        for (share, count) in [("a few", 20), ("half", 200), ("most", 400)] {
            let mut points = base.clone();
            points.extend(moved(&sphere(count), [far, 0.0, 0.5 * far]));
            clouds.push((format!("{share} of the rows at {far:e}"), points));
        }
    }
    let ends = (0..300).map(|i| [if i % 2 == 0 { 1.7e308 } else { -1.7e308 }, f64::from(i), 0.0]);
    clouds.push(("both ends of the range".to_owned(), ends.collect()));
    let powers = (-300..300).map(|i| [10.0_f64.powi(i), 0.0, f64::from(i % 7)]);
    clouds.push(("powers of ten".to_owned(), powers.collect()));
}

fn not_finite(clouds: &mut Clouds) {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut points = sphere(200);
        points.iter_mut().step_by(3).for_each(|p| p[1] = bad);
        clouds.push((format!("a third of the rows {bad}"), points));
    }
    let mut points = sphere(200);
    points[5] = [1e308; 3];
    points[6] = [f64::NAN; 3];
    clouds.push(("far and not finite".to_owned(), points));
    clouds.push(("nothing finite".to_owned(), vec![[f64::NAN; 3]; 100]));
}

fn equal(clouds: &mut Clouds) {
    for at in [[0.0; 3], [3.5, -2.25, 1e6], [1e308; 3], [5e-324; 3]] {
        clouds.push((format!("all at {at:?}"), vec![at; 300]));
        let mut points = sphere(200);
        points.extend([at; 200]);
        clouds.push((format!("half at {at:?}"), points));
    }
    let points = sphere(200);
    clouds.push(("each row four times".to_owned(), points.iter().flat_map(|&p| [p; 4]).collect()));
    let mut twins = points.clone();
    twins.extend(points.iter().map(|p| p.map(f64::next_up)));
    clouds.push(("twins by rounding".to_owned(), twins));
    let two = (0..300).map(|i| [f64::from(i % 2), 0.0, 0.0]);
    clouds.push(("two places".to_owned(), two.collect()));
}

fn flat(clouds: &mut Clouds) {
    let line = |i: i32| [f64::from(i), 2.0 * f64::from(i), -f64::from(i)];
    clouds.push(("a line".to_owned(), (0..300).map(line).collect()));
    let grid = |i: i32| [f64::from(i % 20), f64::from(i / 20), 0.0];
    clouds.push(("a grid".to_owned(), (0..400).map(grid).collect()));
    let lattice = |i: i32| [f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49)];
    clouds.push(("a lattice".to_owned(), (0..343).map(lattice).collect()));
    let thin = sphere(200).into_iter().map(|[x, y, z]| [x, y, 1e-300 * z]);
    clouds.push(("as flat as 1e-300".to_owned(), thin.collect()));
    let thin = sphere(200).into_iter().map(|[x, y, z]| [x, 1e-155 * y, 1e200 * z]);
    clouds.push(("another scale on each axis".to_owned(), thin.collect()));
}

fn scales(clouds: &mut Clouds) {
    let base = sphere(200);
    for scale in [1e-100, 1e-153, 1e-160, 1e-300, 1e-310, 5e-324, 1e100, 1e150, 1e300, 1.5e308] {
        clouds.push((format!("a scale of {scale:e}"), scaled(&base, scale)));
    }
    for offset in [1e8, 1e14, 1e17, 1e308] {
        clouds.push((format!("an offset of {offset:e}"), moved(&base, [offset, -offset, 0.0])));
    }
    let small = scaled(&base, 1e-160);
    let mut points = small.clone();
    points.push([1.0; 3]);
    clouds.push(("a far point and a scale of 1e-160".to_owned(), points));
    let mut points = base;
    points.extend(small);
    clouds.push(("half at a scale of 1e-160".to_owned(), points));
}
