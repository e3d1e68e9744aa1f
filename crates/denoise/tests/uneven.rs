//! `auto` on clouds whose noise differs from place to place.

use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{Point, PointCloud, spacing, vec3};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::tiles::{Learned, Survey};
use pellucid_denoise::{Denoised, Run};

const POINTS: usize = 20_000;

fn auto(cloud: &PointCloud) -> Denoised {
    let method = registry::find("auto").unwrap().build(None, &ParameterMap::new()).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap()
}

/// A torus with `low` spacings of noise on one side and `high` on the other.
fn torus(low: f64, high: f64) -> (PointCloud, f64) {
    let clean = Shape::Torus.sample(POINTS, 3).without_attributes();
    let unit = spacing::spacing_of(clean.positions());
    let noisy = add_noise(&clean, NoiseModel::Gaussian, unit, 4).unwrap();
    let scaled = |(&p, &q): (&Point, &Point)| {
        let scale = if p[0] < 0.0 { low } else { high };
        vec3::add(p, vec3::scale(vec3::sub(q, p), scale))
    };
    let points = clean.positions().iter().zip(noisy.positions()).map(scaled).collect();
    (PointCloud::new(points), unit)
}

/// Root mean square distance of the points from the torus, of those far to one side.
fn off(cloud: &PointCloud, noisy: &PointCloud, side: f64) -> f64 {
    let there = |i: &usize| side * noisy.positions()[*i][0] > 0.25;
    let rows: Vec<usize> = (0..cloud.len()).filter(there).collect();
    assert!(rows.len() > POINTS / 4);
    root_mean_square(rows.iter().map(|&i| Shape::Torus.distance(cloud.positions()[i])))
}

#[test]
fn a_clean_side_stays_and_a_noisy_one_is_denoised() {
    let (noisy, unit) = torus(0.0, 1.0);
    let out = auto(&noisy);
    for (p, q) in noisy.positions().iter().zip(out.cloud.positions()) {
        assert!(p[0] > -0.25 || p == q, "{p:?} moved to {q:?}");
    }
    let (before, after) = (off(&noisy, &noisy, 1.0), off(&out.cloud, &noisy, 1.0));
    assert!(after < 0.4 * before, "{} to {} spacings", before / unit, after / unit);
    assert!(out.report.notes[0].contains("differs"), "{:?}", out.report.notes);
}

#[test]
fn both_sides_get_about_what_they_would_alone() {
    let (noisy, unit) = torus(0.3, 1.5);
    let out = auto(&noisy).cloud;
    for (side, alone) in [(-1.0, 0.3), (1.0, 1.5)] {
        let (even, _) = torus(alone, alone);
        let before = off(&noisy, &noisy, side);
        let (with, without) = (off(&out, &noisy, side), off(&auto(&even).cloud, &even, side));
        let in_units = [before, with, without].map(|d| d / unit);
        assert!(with < 0.6 * before && with < 1.5 * without, "{in_units:?}");
    }
}

#[test]
fn the_same_noise_everywhere_is_not_estimated_to_differ() {
    let (noisy, _) = torus(0.8, 0.8);
    let notes = auto(&noisy).report.notes;
    assert!(notes.iter().all(|n| !n.contains("differs")), "{notes:?}");
}

#[test]
fn pieces_get_what_the_whole_gets() {
    let (noisy, _) = torus(0.1, 1.0);
    let points = noisy.positions();
    let mut survey = Survey::new();
    while !survey.is_done() {
        survey.see(points, |i| i as u32);
        survey.end_pass();
    }
    let run = &mut Run::default();
    let learned = Learned::from_survey(&survey, &Default::default(), run).unwrap();
    assert!(learned.notes()[0].contains("differs"), "{:?}", learned.notes());
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let whole = learned.denoise_piece(points, &all, points.len(), run).unwrap();
    // All points again, in another order and as own points of two pieces.
    let (left, right): (Vec<u32>, Vec<u32>) =
        all.iter().partition(|i| points[**i as usize][1] < 0.0);
    for (own, other) in [(&left, &right), (&right, &left)] {
        let rows: Vec<u32> = own.iter().rev().chain(other).copied().collect();
        let piece: Vec<Point> = rows.iter().map(|&i| points[i as usize]).collect();
        let moved = learned.denoise_piece(&piece, &rows, own.len(), run).unwrap();
        for (row, at) in rows.iter().zip(&moved) {
            assert_eq!(*at, whole[*row as usize]);
        }
    }
}
