//! Methods of planes and patches on shapes whose surface is known exactly.

use pellucid_cloud::stats::root_mean_square;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::vec3;
use pellucid_cloud::{PointCloud, normals, spacing};
use pellucid_denoise::{Run, registry};

/// A noisy sample of a shape; noise is `level` spacings. Also the spacing.
fn scan(shape: Shape, count: usize, level: f64) -> (PointCloud, f64) {
    let clean = shape.sample_even(count, 3);
    let unit = spacing::spacing_of(clean.positions());
    (add_noise(&clean, NoiseModel::Gaussian, level * unit, 7).unwrap(), unit)
}

fn denoised(method: &str, noisy: &PointCloud) -> PointCloud {
    let method = registry::find(method).unwrap().build(None, &Default::default()).unwrap();
    method.denoise(noisy, &mut Run::default()).unwrap().cloud
}

#[test]
fn noise_of_one_spacing_falls_to_a_third() {
    for shape in [Shape::Plane, Shape::Sphere, Shape::Cylinder] {
        let (noisy, sigma) = scan(shape, 8_000, 1.0);
        for method in ["mrpca", "lr", "glr"] {
            let out = denoised(method, &noisy);
            let left = root_mean_square(out.positions().iter().map(|&p| shape.distance(p))) / sigma;
            assert!(left <= 0.35, "{method} on the {}: {left:.3} of the noise", shape.name());
        }
    }
}

/// Mean angle in degrees between the normals of the result, from few neighbors, and the exact
/// ones, for the points within two spacings of an edge of the cube.
fn edge_error(noisy: &PointCloud, out: &PointCloud, unit: f64) -> f64 {
    let found = normals::estimate_normals_k(out.positions(), 8);
    let (mut sum, mut count) = (0.0, 0.0);
    for ((&p, &n), &start) in out.positions().iter().zip(&found).zip(noisy.positions()) {
        // By where the point was measured, so that all methods answer for the same points.
        let foot = Shape::Cube.closest(start);
        let mut depth = foot.map(|x| 1.0 - x.abs());
        depth.sort_by(f64::total_cmp);
        if depth[1] < 2.0 * unit {
            let exact = Shape::Cube.normal_at(p);
            sum += vec3::dot(n, exact).abs().min(1.0).acos().to_degrees();
            count += 1.0;
        }
    }
    assert!(count > 100.0, "{count} points near edges");
    sum / count
}

#[test]
fn robust_planes_keep_the_edges_of_a_cube() {
    let (noisy, unit) = scan(Shape::Cube, 12_000, 0.4);
    let robust = edge_error(&noisy, &denoised("mrpca", &noisy), unit);
    let plain = edge_error(&noisy, &denoised("mls", &noisy), unit);
    assert!(robust < plain, "mrpca {robust:.2} degrees, mls {plain:.2}");
}
