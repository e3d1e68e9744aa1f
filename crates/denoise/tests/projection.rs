//! Projections and non-local means on shapes whose surface is known.

use pellucid_cloud::normals::estimate_normals_k;
use pellucid_cloud::spacing::spacing_of;
use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{PointCloud, quality};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::{Run, Stop};
use serde_json::json;

const METHODS: [&str; 4] = ["lop", "wlop", "awlop", "nld"];
const POINTS: usize = 6000;

/// A shape with noise of so many spacings, without the true normals; and the noise.
fn noisy(shape: Shape, spacings: f64) -> (PointCloud, f64) {
    let clean = shape.sample_even(POINTS, 3);
    let sigma = spacings * spacing_of(clean.positions());
    let cloud = add_noise(&clean, NoiseModel::Gaussian, sigma, 4).unwrap();
    (cloud.without_attributes(), sigma)
}

fn denoise(method: &str, changes: &ParameterMap, cloud: &PointCloud) -> Vec<Point> {
    let method = registry::find(method).unwrap().build(None, changes).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap().cloud.into_positions()
}

/// Root mean square of the signed distances that `off` gives.
fn rms(points: &[Point], off: impl Fn(Point) -> Option<f64>) -> f64 {
    let off: Vec<f64> = points.iter().filter_map(|&p| off(p)).collect();
    root_mean_square(off)
}

#[test]
fn noise_of_one_spacing_falls_to_a_third_on_smooth_shapes() {
    // Away from the ends of the cylinder: its barrel is what is smooth.
    let barrel = |p: Point| (p[2].abs() < 0.8).then_some(p[0].hypot(p[1]) - 0.6);
    let outer = |p: Point| barrel(p).filter(|d| *d > -0.3);
    for name in METHODS {
        for shape in [Shape::Plane, Shape::Sphere, Shape::Cylinder] {
            let (cloud, sigma) = noisy(shape, 1.0);
            let points = denoise(name, &ParameterMap::new(), &cloud);
            let left = match shape {
                Shape::Plane => rms(&points, |p| Some(p[2])),
                Shape::Sphere => rms(&points, |p| Some(vec3::norm(p) - 1.0)),
                _ => rms(&points, outer),
            };
            assert!(left < 0.35 * sigma, "{name} on {shape:?}: {:.3}", left / sigma);
        }
    }
}

/// Mean angle in degrees, within two spacings of an edge of the cube, between the normals that few
/// neighbors give and the true ones.
fn edge_error(points: &[Point], spacing: f64) -> f64 {
    let normals = estimate_normals_k(points, 8);
    let mut angles = Vec::new();
    for (&p, &n) in points.iter().zip(&normals) {
        let mut from_faces = p.map(|x| (x.abs() - 1.0).abs());
        from_faces.sort_unstable_by(f64::total_cmp);
        // Near two faces, but not a third: corners have no one edge.
        if from_faces[1] < 2.0 * spacing && from_faces[2] > 6.0 * spacing {
            let truth = Shape::Cube.normal_at(p);
            angles.push(vec3::dot(n, truth).abs().min(1.0).acos().to_degrees());
        }
    }
    angles.iter().sum::<f64>() / angles.len() as f64
}

#[test]
fn awlop_keeps_edges_sharper_than_mls() {
    for spacings in [0.5, 1.0] {
        let (cloud, sigma) = noisy(Shape::Cube, spacings);
        let [mls, awlop] = ["mls", "awlop"]
            .map(|m| edge_error(&denoise(m, &ParameterMap::new(), &cloud), sigma / spacings));
        assert!(awlop < mls, "noise of {spacings}: awlop {awlop:.2}, mls {mls:.2} degrees");
    }
}

#[test]
fn repulsion_spreads_points_evenly() {
    // Random places: half the points have a neighbor much nearer than the mean.
    let clean = Shape::Sphere.sample(4000, 1);
    let cloud = add_noise(&clean, NoiseModel::Gaussian, 0.01, 2).unwrap().without_attributes();
    for name in ["wlop", "awlop"] {
        let [still, pushed] = [0.0, 0.5].map(|mu| {
            let changes = ParameterMap::from_iter([("repulsion".to_owned(), json!(mu))]);
            quality::uniformity(&denoise(name, &changes, &cloud)).unwrap()
        });
        // About 0.52 is chance (see `uniformity`).
        assert!(pushed < 0.45 && pushed < 0.6 * still, "{name}: {still:.3} -> {pushed:.3}");
    }
}

#[test]
fn a_clean_cloud_is_left_alone_unless_sizes_are_given() {
    let clean = Shape::Sphere.sample_even(4000, 1).without_attributes();
    for name in METHODS {
        let method = registry::find(name).unwrap();
        let out = method.build(None, &ParameterMap::new()).unwrap();
        let out = out.denoise(&clean, &mut Run::default()).unwrap();
        assert_eq!((out.stop, out.iterations), (Stop::NothingToDo, 0), "{name}");
        assert_eq!(out.cloud.positions(), clean.positions(), "{name}");
    }
}

#[test]
fn lengths_can_be_given_in_units_of_the_file() {
    let (cloud, _) = noisy(Shape::Sphere, 0.5);
    let unit = spacing_of(cloud.positions());
    for name in ["lop", "wlop", "awlop"] {
        let radius = |value: f64, units: &str| {
            let changes = [("radius".to_owned(), json!(value)), ("units".to_owned(), json!(units))];
            denoise(name, &ParameterMap::from_iter(changes), &cloud)
        };
        let (a, b) = (radius(8.0, "spacing"), radius(8.0 * unit, "file"));
        let most = a.iter().zip(&b).map(|(&a, &b)| vec3::distance2(a, b)).fold(0.0, f64::max);
        assert!(most.sqrt() < 1e-9 * unit, "{name}: {most:e}");
    }
}
