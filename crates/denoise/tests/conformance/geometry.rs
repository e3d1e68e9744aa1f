//! How methods behave towards motions of space and known surfaces.

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, PointCloud, spacing};

use crate::clouds::{PLANE, SPHERE, Scan, TORUS};
use crate::{Variant, variants};

/// Largest distance between the result of the moved cloud and the moved result, in spacings.
fn difference(v: &Variant, cloud: &PointCloud, map: impl Fn(Point) -> Point, scale: f64) -> f64 {
    let mapped = |c: &PointCloud| -> Vec<Point> { c.positions().iter().map(|&p| map(p)).collect() };
    let moved = v.run(&PointCloud::new(mapped(cloud))).cloud;
    let expected = mapped(&v.run(cloud).cloud);
    let unit = scale * spacing::mean_spacing(&KdTree::new(cloud.positions()).knn_table(7));
    let apart = |(a, b): (&Point, &Point)| vec3::distance2(*a, *b).sqrt() / unit;
    moved.positions().iter().zip(&expected).map(apart).fold(0.0, f64::max)
}

#[test]
fn translation_and_scaling_commute() {
    // Multiples of 2^-20 below 2^4 keep every bit under these motions.
    let round = |x: f64| (x * 1_048_576.0).round() / 1_048_576.0;
    let points = SPHERE.cloud.positions().iter().map(|p| p.map(round)).collect();
    let cloud = PointCloud::new(points);
    for v in variants().filter(|v| v.properties.scale_invariant) {
        let shift = [524_288.0, 4_194_304.0, 0.0];
        let moved = difference(&v, &cloud, |p| vec3::add(p, shift), 1.0);
        assert!(moved < 1e-6, "{v}: translation, {moved:e} spacings");
        let scaled = difference(&v, &cloud, |p| vec3::scale(p, 1024.0), 1024.0);
        assert!(scaled < 1e-6, "{v}: scaling, {scaled:e} spacings");
    }
}

#[test]
fn rotation_commutes() {
    // The columns of a rotation without a small angle in it: (2, 3, 6) is as long as 7.
    let turn = |p: Point| {
        let r = [[2.0, 3.0, 6.0], [3.0, -6.0, 2.0], [6.0, 2.0, -3.0]];
        r.map(|row: Point| vec3::dot(row, p) / 7.0)
    };
    for v in variants().filter(|v| v.properties.rotation_invariant) {
        // Rounding only: a rotated cloud has other last bits. Once in some dozens of clouds they turn
        // a choice between two points that are as near as each other, and the result is another one
        // that is as good; a method that minds turning would do so for any cloud.
        let points = SPHERE.cloud.positions();
        let turned = [0, 10].map(|fewer| {
            let some = PointCloud::new(points[fewer..].to_vec());
            difference(&v, &some, turn, 1.0)
        });
        assert!(turned[0].min(turned[1]) < 1e-6, "{v}: {turned:?} spacings");
    }
}

/// The rms distance to the exact surface, before and after, over the noise.
fn rms(v: &Variant, scan: &Scan) -> (f64, f64) {
    let out = v.run(&scan.cloud).cloud;
    (scan.rms(&scan.cloud) / scan.sigma, scan.rms(&out) / scan.sigma)
}

/// Share of the noise that may be left. What is kept for the record may even add to it: the
/// paper's text takes patches relative to their noisy center point.
pub fn most_left(v: &Variant) -> f64 {
    if v.properties.for_the_record { 1.25 } else { 0.6 }
}

#[test]
fn a_noisy_plane_becomes_flatter() {
    for v in variants() {
        let (before, after) = rms(&v, &PLANE);
        assert!(after < most_left(&v) * before, "{v}: {before:.3} -> {after:.3}");
    }
}

#[test]
fn noise_of_one_spacing_falls_on_curved_surfaces() {
    for v in variants() {
        for (name, scan) in [("sphere", &*SPHERE), ("torus", &*TORUS)] {
            let (before, after) = rms(&v, scan);
            assert!(after < most_left(&v), "{v} on the {name}: {before:.3} -> {after:.3}");
        }
    }
}
