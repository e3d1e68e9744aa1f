use super::*;
use crate::spacing::spacing_of;
use crate::synth::{NoiseModel, Shape, add_noise};
use crate::vec3;

fn ranks(n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
}

fn map(points: &[Point], unit: f64) -> NoiseMap {
    NoiseMap::new(points, &KdTree::new(points), &ranks(points.len()), unit)
}

/// A shape with unit noise that is scaled by where a point is; the truth beside each point.
fn uneven(shape: Shape, scale: impl Fn(Point) -> f64) -> (Vec<Point>, Vec<f64>, f64) {
    let clean = shape.sample(30_000, 3).without_attributes();
    let unit = spacing_of(clean.positions());
    let noisy = add_noise(&clean, NoiseModel::Gaussian, unit, 4).unwrap();
    let truth: Vec<f64> = clean.positions().iter().map(|&p| scale(p)).collect();
    let pairs = clean.positions().iter().zip(noisy.positions());
    let points = pairs
        .zip(&truth)
        .map(|((&p, &q), &s)| vec3::add(p, vec3::scale(vec3::sub(q, p), s)))
        .collect();
    (points, truth.iter().map(|t| t * unit).collect(), unit)
}

#[test]
fn noise_is_found_where_it_is() {
    for shape in [Shape::Torus, Shape::Plane] {
        let (points, truth, unit) = uneven(shape, |p| if p[0] < 0.0 { 0.2 } else { 1.2 });
        let found = map(&points, unit).of_points(&points);
        let mut far = 0;
        for (i, p) in points.iter().enumerate() {
            // Regions straddle the step.
            if p[0].abs() > 40.0 * unit {
                let ratio = found[i].unwrap() / truth[i];
                assert!((0.7..1.4).contains(&ratio), "{shape:?} {p:?}: {ratio}");
                far += 1;
            }
        }
        assert!(far > 10_000, "{far}");
    }
}

#[test]
fn the_same_noise_is_about_the_same_everywhere() {
    for shape in [Shape::Torus, Shape::Cube, Shape::Relief] {
        for noise in [0.3, 1.0] {
            let (points, _, unit) = uneven(shape, |_| noise);
            let map = map(&points, unit);
            let [low, high] = [0.15, 0.85].map(|part| map.quantile(part).unwrap());
            assert!(high < 1.6 * low, "{shape:?} {noise}: {low} {high}");
            assert!((0.8..1.25).contains(&(low / (noise * unit))), "{shape:?} {noise}: {low}");
        }
    }
}

#[test]
fn a_piece_says_what_the_whole_says() {
    let (points, _, unit) = uneven(Shape::Plane, |p| 0.5 + 0.4 * (7.0 * p[1]).sin());
    let whole = map(&points, unit).of_points(&points);
    let reach = NoiseMap::reach() * unit;
    let all = ranks(points.len());
    let rows: Vec<usize> = (0..points.len()).filter(|&i| points[i][0] < reach).collect();
    let part: Vec<Point> = rows.iter().map(|&i| points[i]).collect();
    let theirs: Vec<u64> = rows.iter().map(|&i| all[i]).collect();
    let piece = NoiseMap::new(&part, &KdTree::new(&part), &theirs, unit).of_points(&part);
    let own = rows.iter().zip(&piece).filter(|(i, _)| points[**i][0] < 0.0);
    let mut count = 0;
    for (&i, &found) in own {
        assert_eq!(found, whole[i]);
        count += 1;
    }
    assert!(count > 10_000 && rows.len() < points.len(), "{count}");
}

#[test]
fn no_points_have_no_noise() {
    let map = map(&[], 1.0);
    assert_eq!(map.quantile(0.5), None);
    assert_eq!(map.of_points(&[[0.0; 3]]), [None]);
}
