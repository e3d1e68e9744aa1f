use super::*;
use crate::spacing::spacing_of;
use crate::synth::{NoiseModel, Shape, add_noise};
use crate::vec3;

/// Both sides of a square wall with noise; the thickness and the noise in spacings of one side.
fn wall(thickness: f64, sigma: f64) -> (Vec<Point>, f64) {
    let clean = Shape::Plane.sample(4000, 3).without_attributes();
    let unit = spacing_of(clean.positions());
    let other = clean.positions().iter().map(|&p| vec3::add(p, [0.0, 0.0, thickness * unit]));
    let both: Vec<Point> = clean.positions().iter().copied().chain(other).collect();
    let cloud = crate::PointCloud::new(both);
    let noisy = add_noise(&cloud, NoiseModel::Gaussian, sigma * unit, 5).unwrap();
    (noisy.positions().to_vec(), sigma * unit)
}

#[test]
fn a_thin_wall_has_the_noise_of_its_sides() {
    for (thickness, sigma) in [(3.0, 1.0), (4.0, 1.0), (5.0, 1.4)] {
        let (points, truth) = wall(thickness, sigma);
        let tree = KdTree::new(&points);
        // What a larger neighborhood gives: both sides as one.
        let apart = thickness / sigma * truth;
        let rough = NoiseEstimate {
            sigma: (truth * truth + 0.25 * apart * apart).sqrt(),
            ..super::super::estimate_noise_in(&points, &tree)
        };
        let found = noise_of_layers_at(&points, &points, &tree, &rough);
        let ratio = found.noise.sigma / truth;
        assert!((0.75..1.3).contains(&ratio), "{thickness} {sigma}: {ratio}, {}", found.tails);
        assert!(found.tails < -0.1, "{}", found.tails);
    }
}

#[test]
fn one_layer_keeps_its_estimate() {
    for shape in [Shape::Plane, Shape::Sphere, Shape::Torus] {
        let clean = shape.sample(6000, 3).without_attributes();
        let sigma = 1.5 * spacing_of(clean.positions());
        let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, 5).unwrap();
        let tree = KdTree::new(noisy.positions());
        let rough = super::super::estimate_noise_in(noisy.positions(), &tree);
        let found = noise_of_layers_at(noisy.positions(), noisy.positions(), &tree, &rough);
        assert!(found.noise.sigma > 0.9 * rough.sigma, "{shape:?}: {found:?}");
        assert!(found.tails > -0.1, "{shape:?}: {}", found.tails);
    }
}

#[test]
fn most_places_of_a_thin_wall_show_the_noise_of_its_sides() {
    for (thickness, sigma) in [(2.0, 0.5), (3.0, 0.7), (3.0, 1.0), (4.0, 1.0)] {
        let (points, truth) = wall(thickness, sigma);
        let found = noise_between_layers_at(&points, &points, &KdTree::new(&points)).unwrap();
        assert!((0.8..1.25).contains(&(found / truth)), "{thickness} {sigma}: {}", found / truth);
    }
    for shape in [Shape::Plane, Shape::Sphere, Shape::Cube] {
        let clean = shape.sample(6000, 3).without_attributes();
        for noise in [0.3, 1.0] {
            let sigma = noise * spacing_of(clean.positions());
            let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, 5).unwrap();
            let tree = KdTree::new(noisy.positions());
            let found = noise_between_layers_at(noisy.positions(), noisy.positions(), &tree);
            assert_eq!(found, None, "{shape:?} {noise}");
        }
    }
}

#[test]
fn the_part_of_the_noise_follows_from_the_share() {
    assert_eq!(part_of_noise(0.5), 1.0);
    assert!((part_of_noise(0.814) - 0.2).abs() < 1e-12);
    assert!((part_of_noise(0.9335) - 0.0665).abs() < 1e-3);
    assert_eq!(part_of_noise(1.0), 0.0);
}
