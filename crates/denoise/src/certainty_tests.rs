use pellucid_cloud::bounds;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};

use super::*;
use crate::{Run, registry};

const POINTS: usize = 5_000;

/// A shape with noise, denoised: the result, its uncertainty and the spacing.
fn judged(shape: Shape, method: &str, noise: f64) -> (Vec<Point>, Vec<f64>, f64) {
    let spacing = (shape.area() / POINTS as f64).sqrt();
    let clean = shape.sample(POINTS, 1).without_attributes();
    let noisy = add_noise(&clean, NoiseModel::Gaussian, noise * spacing, 2).unwrap();
    let method = registry::find(method).unwrap().build(None, &Default::default()).unwrap();
    let result = method.denoise(&noisy, &mut Run::default()).unwrap();
    let doubt = result.uncertainty(&noisy);
    (result.cloud.into_positions(), doubt, spacing)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

#[test]
fn it_is_about_as_large_as_the_error() {
    for method in ["auto", "mls"] {
        for shape in [Shape::Plane, Shape::Sphere, Shape::Cube] {
            for noise in [0.3, 1.0] {
                let (points, doubt, spacing) = judged(shape, method, noise);
                let truth = mean(points.iter().map(|&p| shape.distance(p))) / spacing;
                let guess = mean(doubt.into_iter()) / spacing;
                assert!(
                    guess < 3.0 * truth && truth < 2.0 * guess,
                    "{method} {shape:?} {noise}: {guess} for {truth}"
                );
            }
        }
    }
}

#[test]
fn it_is_larger_at_edges() {
    let (points, doubt, spacing) = judged(Shape::Cube, "auto", 0.5);
    let (low, high) = bounds(Shape::Cube.sample(POINTS, 1).positions()).unwrap();
    // How far from the second nearest of the six planes.
    let from_edge = |p: Point| {
        let mut d: [f64; 3] =
            std::array::from_fn(|c| (p[c] - low[c]).abs().min((p[c] - high[c]).abs()));
        d.sort_unstable_by(f64::total_cmp);
        d[1]
    };
    let of = |at_edge: bool| {
        let chosen: Vec<f64> = (points.iter().zip(&doubt))
            .filter(|(p, _)| match at_edge {
                true => from_edge(**p) < spacing,
                false => from_edge(**p) > 5.0 * spacing,
            })
            .map(|(_, u)| *u)
            .collect();
        mean(chosen.into_iter())
    };
    let (edges, flats) = (of(true), of(false));
    assert!(edges > 1.2 * flats, "{edges} at edges, {flats} on flats");
}

#[test]
fn a_point_by_itself_is_as_uncertain_as_it_is_far() {
    let mut points: Vec<Point> =
        (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 0.0]).collect();
    points.push([14.5, 14.5, 7.0]);
    let doubt = uncertainty(&points, &points);
    assert!((doubt[900] - 7.0).abs() < 1e-6, "{}", doubt[900]);
    let far = (0..900).filter(|&i| vec3::norm(vec3::sub(points[i], points[900])) > 12.0);
    assert!(far.clone().count() > 300 && far.clone().all(|i| doubt[i] < 1e-9));
}

#[test]
fn what_cannot_be_judged_is_not_a_number() {
    let mut points: Vec<Point> =
        (0..100).map(|i| [f64::from(i % 10), f64::from(i / 10), 0.0]).collect();
    points.insert(50, [f64::NAN, 0.0, 0.0]);
    let doubt = uncertainty(&points, &points);
    assert_eq!(doubt.len(), 101);
    assert!(doubt.iter().enumerate().all(|(i, u)| u.is_nan() == (i == 50)));
    assert!(uncertainty(&points[..5], &points[..5]).iter().all(|u| u.is_nan()));
    assert!(uncertainty(&[], &[]).is_empty());
}
