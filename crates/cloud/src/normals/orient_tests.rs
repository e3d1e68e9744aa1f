use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::KdTree;
use crate::spacing::spacing_of;
use crate::vec3::{self, Point};

const TAU: f64 = std::f64::consts::TAU;

/// Points and their outward normals.
type Shape = (Vec<Point>, Vec<Point>);

fn sphere(n: usize) -> Shape {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let points: Vec<Point> = (0..n)
        .map(|_| (rng.random_range(-1.0..1.0_f64), TAU * rng.random::<f64>()))
        .map(|(z, t)| ((1.0 - z * z).sqrt(), z, t))
        .map(|(r, z, t)| [r * t.cos(), r * t.sin(), z])
        .collect();
    (points.clone(), points)
}

fn torus(n: usize) -> Shape {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    (0..n)
        .map(|_| (TAU * rng.random::<f64>(), TAU * rng.random::<f64>()))
        .map(|(a, b)| {
            let normal = [b.cos() * a.cos(), b.cos() * a.sin(), b.sin()];
            let ring = [a.cos(), a.sin(), 0.0];
            (vec3::add(ring, vec3::scale(normal, 0.4)), normal)
        })
        .unzip()
}

/// A box with the given sides.
fn cuboid(n: usize, sides: Point) -> Shape {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let areas = [sides[1] * sides[2], sides[0] * sides[2], sides[0] * sides[1]];
    let total: f64 = areas.iter().sum();
    (0..n)
        .map(|_| {
            let pick = rng.random_range(0.0..total);
            let axis =
                if pick < areas[0] { 0 } else { 1 + usize::from(pick > areas[0] + areas[1]) };
            let high = rng.random::<bool>();
            let mut p = sides.map(|s| s * rng.random::<f64>());
            p[axis] = if high { sides[axis] } else { 0.0 };
            let mut normal = [0.0; 3];
            normal[axis] = if high { 1.0 } else { -1.0 };
            (p, normal)
        })
        .unzip()
}

/// The share of outward normals with noise of `level` spacings.
fn share_outward((clean, truth): &Shape, level: f64, k: usize) -> f64 {
    let sigma = level * spacing_of(clean);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let points: Vec<Point> = clean
        .iter()
        .map(|p| {
            p.map(|x| {
                let g: f64 = StandardNormal.sample(&mut rng);
                x + sigma * g
            })
        })
        .collect();
    let table = KdTree::new(&points).knn_table(k);
    let mut normals = estimate_normals(&points, &table);
    orient_consistently(&points, &mut normals, &table);
    let right = normals.iter().zip(truth).filter(|(n, t)| vec3::dot(**n, **t) > 0.0).count();
    right as f64 / clean.len() as f64
}

#[test]
fn clean_closed_shapes_look_outward() {
    assert_eq!(share_outward(&sphere(8000), 0.0, 16), 1.0);
    assert!(share_outward(&torus(8000), 0.0, 16) >= 0.999);
    assert!(share_outward(&cuboid(12000, [1.0; 3]), 0.0, 16) >= 0.999);
}

#[test]
fn noisy_closed_shapes_look_outward() {
    assert!(share_outward(&sphere(8000), 0.5, 40) >= 0.998);
    assert!(share_outward(&torus(8000), 0.5, 40) >= 0.995);
    assert!(share_outward(&cuboid(12000, [1.0; 3]), 0.5, 40) >= 0.985);
}

#[test]
fn both_sides_of_a_thin_plate_look_outward() {
    // About five spacings thick.
    assert!(share_outward(&cuboid(20000, [1.0, 1.0, 0.06]), 0.0, 16) >= 0.998);
}

#[test]
fn every_part_is_turned_by_itself() {
    let (mut points, mut truth) = sphere(3000);
    let shifted: Vec<Point> = points.iter().map(|p| vec3::add(*p, [7.0, 0.0, -3.0])).collect();
    points.extend(shifted);
    truth.extend_from_within(..);
    assert_eq!(share_outward(&(points, truth), 0.0, 14), 1.0);
}

#[test]
fn an_open_wall_follows_its_most_certain_extreme() {
    // Upright, so that the highest point says nothing; both sides are as good, all must agree.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let points: Vec<Point> = (0..2000).map(|_| [0.0, rng.random(), rng.random()]).collect();
    let table = KdTree::new(&points).knn_table(12);
    let mut normals = estimate_normals(&points, &table);
    orient_consistently(&points, &mut normals, &table);
    assert!(normals.iter().all(|n| n[0] > 0.99) || normals.iter().all(|n| n[0] < -0.99));
}

#[test]
fn the_result_does_not_depend_on_signs_or_threads() {
    let (points, _) = torus(3000);
    let table = KdTree::new(&points).knn_table(20);
    let start = estimate_normals(&points, &table);
    let run = |threads, flip: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut n = start.clone();
        if flip {
            n.iter_mut().step_by(3).for_each(|n| *n = n.map(|x| -x));
        }
        pool.install(|| orient_consistently(&points, &mut n, &table));
        n
    };
    let one = run(1, false);
    assert_eq!(one, run(3, false));
    assert_eq!(one, run(2, true));
}

#[test]
fn bad_rows_and_duplicates() {
    let (mut points, truth) = sphere(2000);
    points[5] = [f64::NAN; 3];
    points[8] = points[7];
    let table = KdTree::new(&points).knn_table(16);
    let mut normals = estimate_normals(&points, &table);
    orient_consistently(&points, &mut normals, &table);
    assert_eq!(normals[5], [0.0; 3]);
    for i in (0..2000).filter(|i| *i != 5 && *i != 8) {
        assert!(vec3::dot(normals[i], truth[i]) > 0.0, "{i}");
    }
    orient_consistently(&[], &mut [], &KdTree::new(&[]).knn_table(5));
}

#[test]
fn viewpoint_and_reference() {
    let (points, truth) = sphere(500);
    let mut normals = truth.clone();
    orient_to_viewpoint(&points, &mut normals, [0.0; 3]);
    assert!(normals.iter().zip(&truth).all(|(n, t)| vec3::dot(*n, *t) < -0.99));
    orient_like(&mut normals, &truth);
    assert_eq!(normals, truth);
}

#[test]
fn the_sides_of_a_noisy_thin_plate_look_away_from_each_other() {
    // Two sheets three spacings apart with noise of 0.6 spacings.
    let (clean, truth) = cuboid(20000, [1.0, 1.0, 0.03]);
    let sigma = 0.6 * spacing_of(&clean);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut shake = |p: &Point| {
        p.map(|x| {
            let g: f64 = StandardNormal.sample(&mut rng);
            x + sigma * g
        })
    };
    let points: Vec<Point> = clean.iter().map(&mut shake).collect();
    let table = KdTree::new(&points).knn_table(100);
    let mut normals = estimate_normals(&points, &table);
    orient_consistently(&points, &mut normals, &table);
    let right = |n: &[Point]| {
        let inner = |i: &usize| (0..2).all(|c| clean[*i][c] > 0.1 && clean[*i][c] < 0.9);
        let rows: Vec<usize> = (0..clean.len()).filter(inner).collect();
        let good = rows.iter().filter(|&&i| vec3::dot(n[i], truth[i]) > 0.0).count();
        good as f64 / rows.len() as f64
    };
    let before = right(&normals);
    let decided = orient_on_sheets(&points, &mut normals, &table);
    let after = right(&normals);
    assert!(decided > points.len() / 2 && after > 0.95, "{before} -> {after}, {decided}");
}

#[test]
fn a_single_sheet_keeps_its_signs() {
    let (points, _) = sphere(5000);
    let table = KdTree::new(&points).knn_table(60);
    let mut normals = estimate_normals(&points, &table);
    orient_consistently(&points, &mut normals, &table);
    let before = normals.clone();
    orient_on_sheets(&points, &mut normals, &table);
    assert_eq!(normals, before);
}
