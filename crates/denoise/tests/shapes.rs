//! How near methods come to exact surfaces, with their defaults.

use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, PointCloud, normals};
use pellucid_denoise::{Run, registry};

/// What every method leaves, at most, of a noise of one spacing on smooth shapes.
const MOST_LEFT: f64 = 0.35;

/// Methods that keep edges sharper than `mls`.
const SHARP: &[&str] = &["rimls", "awlop", "mrpca"];

const POINTS: usize = 6000;

fn denoised(method: &str, cloud: &PointCloud) -> PointCloud {
    let method = registry::find(method).unwrap().build(None, &Default::default()).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap().cloud
}

/// Points of a surface of that area with noise of one spacing, and the noise.
fn noisy(clean: &PointCloud, area: f64) -> (PointCloud, f64) {
    let sigma = (area / clean.len() as f64).sqrt();
    let cloud = add_noise(&clean.without_attributes(), NoiseModel::Gaussian, sigma, 5).unwrap();
    (cloud, sigma)
}

fn check(name: &str, clean: &PointCloud, area: f64, distance: impl Fn(Point) -> f64) {
    let (cloud, sigma) = noisy(clean, area);
    for method in registry::methods() {
        let method = method.name;
        let out = denoised(method, &cloud);
        let left = root_mean_square(out.positions().iter().map(|&p| distance(p))) / sigma;
        assert!(left <= MOST_LEFT, "{method} on a {name}: {left:.3} of the noise is left");
    }
}

#[test]
fn a_plane() {
    // Beyond its border the square goes on as a plane: points leave it sideways by their noise.
    check("plane", &Shape::Plane.sample_even(POINTS, 1), Shape::Plane.area(), |p| p[2]);
}

#[test]
fn a_sphere() {
    let shape = Shape::Sphere;
    check("sphere", &shape.sample_even(POINTS, 1), shape.area(), |p| vec3::norm(p) - 1.0);
}

#[test]
fn a_cylinder() {
    // The wall alone: the ends are planes, and the edges are no smooth shape.
    let clean = Shape::Cylinder.sample_even(POINTS, 1);
    let wall: Vec<usize> =
        (0..clean.len()).filter(|&i| clean.positions()[i][2].abs() < 1.0).collect();
    let area = Shape::Cylinder.area() * wall.len() as f64 / clean.len() as f64;
    check("cylinder", &clean.select(&wall), area, |p| p[0].hypot(p[1]) - 0.6);
}

/// Mean angle between the normals of the result and of the cube, within two spacings of an edge.
fn edge_error(method: &str, cloud: &PointCloud, spacing: f64) -> f64 {
    let out = denoised(method, cloud);
    let points = out.positions();
    let estimated = normals::estimate_normals(points, &KdTree::new(points).knn_table(10));
    let (mut sum, mut count) = (0.0, 0.0);
    for (&p, &n) in points.iter().zip(&estimated) {
        let mut from_middle = Shape::Cube.closest(p).map(f64::abs);
        from_middle.sort_unstable_by(f64::total_cmp);
        // The largest is one on a face; near an edge so is the next.
        if from_middle[1] > 1.0 - 2.0 * spacing {
            sum += vec3::dot(Shape::Cube.normal_at(p), n).abs().min(1.0).acos().to_degrees();
            count += 1.0;
        }
    }
    assert!(count > 500.0);
    sum / count
}

#[test]
fn edges_of_a_cube_stay_sharper_than_with_mls() {
    let clean = Shape::Cube.sample_even(2 * POINTS, 1);
    let spacing = (Shape::Cube.area() / clean.len() as f64).sqrt();
    let cloud = add_noise(&clean.without_attributes(), NoiseModel::Gaussian, 0.5 * spacing, 5);
    let cloud = cloud.unwrap();
    let rounded = edge_error("mls", &cloud, spacing);
    for method in SHARP {
        let sharp = edge_error(method, &cloud, spacing);
        assert!(sharp < rounded, "{method}: {sharp:.1} degrees, mls: {rounded:.1}");
    }
}
