//! Repeated rows count once.

use pellucid_cloud::PointCloud;
use pellucid_cloud::spacing::spacing_of;
use pellucid_cloud::vec3::{self, Point};
use pellucid_denoise::{AlongRay, Denoiser, OnlySelected, Run, registry};

use crate::clouds::sphere;
use crate::{denoise, variants};

/// The rows of a cloud in which one row in `every` is repeated, some more than once.
fn with_copies(count: usize, every: usize) -> Vec<usize> {
    let copied: Vec<usize> = (0..count).rev().step_by(every).collect();
    let mut rows: Vec<usize> = (0..count).collect();
    rows.extend(copied.iter().chain(copied.iter().step_by(5)));
    rows.insert(count / 2, 0);
    rows
}

#[test]
fn copies_go_where_the_original_goes_as_without_copies() {
    let points = sphere(1200);
    let spacing = spacing_of(&points);
    for (method, preset) in variants() {
        let name = format!("{}/{}", method.name, preset.unwrap_or("default"));
        let alone = denoise(method, preset, &points).unwrap().cloud;
        assert_ne!(alone.positions(), points, "{name}");
        for every in [4, 1] {
            let rows = with_copies(points.len(), every);
            let repeated: Vec<Point> = rows.iter().map(|&r| points[r]).collect();
            let out = denoise(method, preset, &repeated).unwrap();
            assert_eq!(out.report.skipped_rows, 0, "{name}");
            assert_eq!(out.report.repeated_rows, rows.len() - points.len(), "{name}");
            for (&row, &p) in rows.iter().zip(out.cloud.positions()) {
                let off = vec3::norm(vec3::sub(p, alone.positions()[row])) / spacing;
                assert!(off <= 1e-9, "{name}, one in {every}, row {row}: {off:e} spacings");
            }
        }
    }
}

#[test]
fn missing_measurements_at_the_origin_stay_and_change_nothing() {
    let points = sphere(600);
    for (method, preset) in variants() {
        let name = format!("{}/{}", method.name, preset.unwrap_or("default"));
        let alone = denoise(method, preset, &points).unwrap().cloud;
        let mut with: Vec<Point> = vec![[0.0, -0.0, 0.0]; 300];
        with.extend(&points);
        let out = denoise(method, preset, &with).unwrap();
        assert_eq!(out.report.skipped_rows, 300, "{name}");
        let reported = out.report.notes.iter().any(|n| n.contains("missing measurements"));
        assert!(reported, "{name}");
        let bits = |p: &Point| p.map(f64::to_bits);
        let (origin, rest) = out.cloud.positions().split_at(300);
        assert!(origin.iter().all(|p| bits(p) == bits(&with[0])), "{name}");
        assert!(rest.iter().map(bits).eq(alone.positions().iter().map(bits)), "{name}");
    }
}

#[test]
fn a_far_point_stays_and_changes_nothing() {
    let points = sphere(600);
    for (method, preset) in variants() {
        let name = format!("{}/{}", method.name, preset.unwrap_or("default"));
        let alone = denoise(method, preset, &points).unwrap().cloud;
        for far in [1e20, 1e300, 1e308] {
            let mut with = points.clone();
            with.push([0.1, -far, 0.0]);
            let out = denoise(method, preset, &with).unwrap();
            assert_eq!(out.report.skipped_rows, 1, "{name}");
            let reported = out.report.notes.iter().any(|n| n.contains("farther than 2^40"));
            assert!(reported, "{name}");
            assert_eq!(out.cloud.positions()[600], with[600], "{name}");
            assert_eq!(out.cloud.positions()[..600], *alone.positions(), "{name}");
        }
    }
}

#[test]
fn selections_and_lines_of_sight_count_copies_once_too() {
    let points = sphere(1200);
    let method = registry::find("mls").unwrap().build(None, &Default::default()).unwrap();
    let selected = |points: &[Point]| {
        let selected: Vec<bool> = points.iter().map(|p| p[0] > 0.5).collect();
        let cloud = PointCloud::new(points.to_vec());
        OnlySelected::new(&*method, &selected).denoise(&cloud, &mut Run::default()).unwrap().cloud
    };
    let along = |points: &[Point]| {
        let (cloud, eye) = (PointCloud::new(points.to_vec()), [[0.0, 0.0, 0.1]]);
        AlongRay::new(&*method, &eye).denoise(&cloud, &mut Run::default()).unwrap().cloud
    };
    // More copies than any neighborhood has points.
    let repeated: Vec<Point> = points.iter().flat_map(|&p| [p; 40]).collect();
    for (name, run) in
        [("selection", &selected as &dyn Fn(&[Point]) -> PointCloud), ("ray", &along)]
    {
        let (alone, all) = (run(&points), run(&repeated));
        assert_ne!(alone.positions(), points, "{name}");
        let expected: Vec<Point> = alone.positions().iter().flat_map(|&p| [p; 40]).collect();
        assert_eq!(all.positions(), expected, "{name}");
    }
}
