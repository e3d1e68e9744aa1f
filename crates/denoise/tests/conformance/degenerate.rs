//! Clouds that are hardly surfaces, or hardly clouds.

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};
use pellucid_denoise::{DenoiseError, Run};

use crate::clouds::{PLANE, SPHERE, even};
use crate::geometry::most_left;
use crate::{Variant, variants};

fn finite(v: &Variant, points: &[Point], what: &str) -> Vec<Point> {
    let out = v.run(&PointCloud::new(points.to_vec())).cloud.into_positions();
    assert_eq!(out.len(), points.len(), "{v} on {what}");
    assert!(out.iter().all(|&p| vec3::is_finite(p)), "{v} on {what}");
    out
}

#[test]
fn too_few_points_are_an_error_and_just_enough_are_not() {
    for v in variants() {
        let needed = v.method.min_points;
        let points = &SPHERE.cloud.positions()[..needed];
        finite(&v, points, "min_points");
        // One point short, and rows that are not finite do not help.
        let mut fewer = points[1..].to_vec();
        fewer.push([f64::NAN; 3]);
        let error = v.denoiser.denoise(&PointCloud::new(fewer), &mut Run::default()).err();
        match error {
            Some(DenoiseError::TooFewPoints { method, finite, rows, needed: n }) => {
                assert_eq!((method, finite, rows, n), (v.method.name, needed - 1, needed, needed));
            }
            other => panic!("{v}: {other:?}"),
        }
        let empty = v.denoiser.denoise(&PointCloud::default(), &mut Run::default()).err();
        assert!(matches!(empty, Some(DenoiseError::TooFewPoints { finite: 0, .. })), "{v}");
    }
}

#[test]
fn identical_points_are_one_point() {
    for v in variants().filter(|v| v.method.min_points > 1) {
        let cloud = PointCloud::new(vec![[3.5, -2.25, 1e6]; 300]);
        let error = v.denoiser.denoise(&cloud, &mut Run::default()).err();
        assert!(
            matches!(error, Some(DenoiseError::TooFewPoints { finite: 1, rows: 300, .. })),
            "{v}: {error:?}"
        );
    }
}

#[test]
fn a_line_stays_a_line() {
    let points: Vec<Point> = (0..500).map(|i| [even(i)[0] * 100.0, 2.0, -1.0]).collect();
    for v in variants() {
        for p in finite(&v, &points, "a line") {
            assert!((p[1] - 2.0).abs() < 1e-6 && (p[2] + 1.0).abs() < 1e-6, "{v}: {p:?}");
        }
    }
}

#[test]
fn an_exact_plane_stays_a_plane() {
    let points: Vec<Point> =
        (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 7.0]).collect();
    for v in variants() {
        for p in finite(&v, &points, "a plane") {
            assert!((p[2] - 7.0).abs() < 1e-6, "{v}: {p:?}");
        }
    }
}

#[test]
fn repeated_points_are_no_trouble() {
    let points: Vec<Point> = PLANE.cloud.positions()[..500].iter().flat_map(|&p| [p; 4]).collect();
    for v in variants() {
        finite(&v, &points, "each point four times");
    }
}

#[test]
fn a_huge_outlier_spoils_nothing() {
    for far in [1e6, 1e12, 1e200] {
        let mut points = PLANE.cloud.positions().to_vec();
        points.push([far, -far, far]);
        for v in variants() {
            let out = finite(&v, &points, "one huge outlier");
            let rest = PointCloud::new(out[..points.len() - 1].to_vec());
            let (before, after) = (PLANE.rms(&PLANE.cloud), PLANE.rms(&rest));
            assert!(
                after < most_left(&v) * before,
                "{v}, outlier at {far:e}: {before:.3} -> {after:.3}"
            );
        }
    }
}
