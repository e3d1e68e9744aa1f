use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{PointCloud, spacing, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::{AutoParameters, Tuning, with_tuning};
use super::*;
use crate::frame::Unit;
use crate::registry::{self, ParameterMap};
use crate::{Denoised, Run};

/// Points of the surface, and those off it behind them.
const ON: usize = 8_000;
const OFF: usize = 40;

/// A torus with half a spacing of noise, and points nine to twelve spacings outside of it.
fn torus() -> Vec<Point> {
    let clean = Shape::Torus.sample(ON, 3);
    let unit = spacing::spacing_of(clean.positions());
    let mut points =
        add_noise(&clean, NoiseModel::Gaussian, 0.5 * unit, 4).unwrap().into_positions();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for &p in Shape::Torus.sample(OFF, 6).positions() {
        let way = (9.0 + 3.0 * rng.random::<f64>()) * unit;
        points.push(vec3::add(p, vec3::scale(Shape::Torus.normal_at(p), way)));
    }
    points
}

fn in_spacings(points: &[Point]) -> Vec<Point> {
    let unit = spacing::spacing_of(points);
    points.iter().map(|&p| vec3::scale(p, 1.0 / unit)).collect()
}

fn count(kinds: &[Apart]) -> usize {
    kinds.iter().filter(|k| **k != Apart::No).count()
}

fn denoised(points: &[Point]) -> Denoised {
    let method = registry::find("auto").unwrap().build(None, &ParameterMap::new()).unwrap();
    method.denoise(&PointCloud::new(points.to_vec()), &mut Run::default()).unwrap()
}

#[test]
fn points_far_from_the_surface_are_found() {
    let flags = apart_from_surfaces(&in_spacings(&torus()), 0.5);
    assert!(count(&flags[ON..]) >= OFF - 2, "{}", count(&flags[ON..]));
    assert_eq!(count(&flags[..ON]), 0);
}

#[test]
fn noise_edges_and_thin_parts_are_no_outliers() {
    for shape in [Shape::Plane, Shape::Cube, Shape::Bracket, Shape::Relief] {
        for noise in [0.0, 0.5, 1.0, 2.0] {
            let clean = shape.sample(6_000, 3);
            let unit = spacing::spacing_of(clean.positions());
            let noisy = add_noise(&clean, NoiseModel::Gaussian, noise * unit, 4).unwrap();
            let found = count(&apart_from_surfaces(&in_spacings(noisy.positions()), noise));
            assert_eq!(found, 0, "{shape:?} with {noise}");
        }
    }
}

#[test]
fn sparse_parts_are_no_outliers() {
    // Half of a square has a hundredth of the points of the other.
    let points: Vec<Point> = Shape::Plane.sample(20_000, 1).into_positions();
    let keep = |(i, p): &(usize, Point)| p[0] < 0.0 || i % 100 == 0;
    let points: Vec<Point> = points.into_iter().enumerate().filter(keep).map(|(_, p)| p).collect();
    let sparse = points.iter().filter(|p| p[0] >= 0.0).count();
    let found = count(&apart_from_surfaces(&in_spacings(&points), 0.3));
    assert!(sparse > 80 && found == 0, "{found} of {sparse}");
}

#[test]
fn outliers_stay_and_pull_nothing() {
    let all = torus();
    let result = denoised(&all);
    let after = result.cloud.positions();
    let stayed = (ON..all.len()).filter(|&i| after[i] == all[i]).count();
    assert!(stayed >= OFF - 2, "{stayed}");
    assert!(result.report.notes.iter().any(|n| n.contains("gross outliers")));
    // As good as without them.
    let without = denoised(&all[..ON]);
    assert!(without.report.notes.iter().all(|n| !n.contains("outlier")));
    let off = |points: &[Point]| {
        let sum: f64 = points[..ON].iter().map(|&p| Shape::Torus.distance(p).powi(2)).sum();
        (sum / ON as f64).sqrt()
    };
    let (with, without) = (off(after), off(without.cloud.positions()));
    assert!(with < 1.03 * without, "{with}, {without} without");
}

#[test]
fn a_few_points_are_never_outliers() {
    for n in 1..=9 {
        let points: Vec<Point> = (0..n).map(|i| [f64::from(i * i * i), 0.0, 0.0]).collect();
        assert!(count(&apart_from_surfaces(&points, 0.1)) < points.len());
    }
}

/// A surface scanned in rows that are `gap` points apart.
fn rows(gap: f64) -> Vec<Point> {
    let at =
        |i: usize| [(i % 200) as f64 + 0.1 * ((i * 7) % 5) as f64, gap * (i / 200) as f64, 0.0];
    (0..4_000).map(at).collect()
}

#[test]
fn a_wire_is_a_line_and_a_row_of_a_scan_is_not() {
    let sheet = rows(1.0);
    let wire = (0..200).map(|i| [f64::from(i), 10.0, 15.0 + 1e-3 * f64::from(i - 100).powi(2)]);
    let both: Vec<Point> = sheet.iter().copied().chain(wire).collect();
    let kinds = apart_from_surfaces(&in_spacings(&both), 0.2);
    let on_line = |kinds: &[Apart]| kinds.iter().filter(|k| **k == Apart::Line).count();
    assert_eq!(on_line(&kinds[..sheet.len()]), 0);
    assert!(on_line(&kinds[sheet.len()..]) >= 190, "{}", on_line(&kinds[sheet.len()..]));
    for gap in [2.0, 5.0, 10.0] {
        let kinds = apart_from_surfaces(&in_spacings(&rows(gap)), 0.2);
        // The outermost rows have another beside them on one side only.
        assert_eq!(on_line(&kinds[200..3_800]), 0, "{gap}");
    }
}

#[test]
fn rows_with_noise_stay_in_and_a_wire_does_not() {
    // With noise, some points of rows no longer see the next row, and look like points of wires.
    let rows = PointCloud::new(rows(10.0));
    let noisy = add_noise(&rows, NoiseModel::Gaussian, 0.3, 4).unwrap().into_positions();
    let wire = (0..200).map(|i| [f64::from(i), 10.0, 40.0 + 1e-3 * f64::from(i - 100).powi(2)]);
    let with_wire: Vec<Point> = self::rows(1.0).into_iter().chain(wire).collect();
    let aside = |points: &[Point], rows: Option<bool>| {
        let cloud = PointCloud::new(points.to_vec());
        let mut frame = LocalFrame::enter(&cloud, Unit::Spacing, "auto", 4).unwrap();
        let found = set_aside(&mut frame, 0.2, rows);
        (found.rows, found.lines, points.len() - frame.points().len() - found.outliers)
    };
    let (are_rows, lines, left_out) = aside(&noisy, None);
    assert!(are_rows && lines == 0 && left_out == 0, "{are_rows} {lines} {left_out}");
    let (are_rows, lines, left_out) = aside(&with_wire, None);
    assert!(!are_rows && lines >= 190 && left_out == lines, "{are_rows} {lines} {left_out}");
    // A piece of a cloud does what was learned from the whole.
    assert_eq!(aside(&with_wire, Some(true)).1, 0);
}

#[test]
fn rows_are_smoothed_across() {
    let noisy = add_noise(&PointCloud::new(rows(10.0)), NoiseModel::Gaussian, 1.0, 6).unwrap();
    let error = |step_in_rows: usize| {
        let tuning = Tuning { step_in_rows, ..Tuning::default() };
        let method = with_tuning(AutoParameters::default(), tuning);
        let done = method.denoise(&noisy, &mut Run::default()).unwrap();
        root_mean_square(done.cloud.positions().iter().map(|p| p[2]))
    };
    let (along, across) = (error(1), error(2));
    assert!(across < 0.85 * along, "{across} and {along}");
}
