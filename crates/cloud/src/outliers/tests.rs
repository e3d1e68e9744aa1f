use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::PointCloud;
use crate::synth::{NoiseModel, Shape, add_noise};
use crate::vec3;

/// A noisy shape of which 5 % of the points were thrown away from it, and which of them are four
/// spacings or more off the surface.
fn thrown(shape: Shape, n: usize, seed: u64) -> (Vec<Point>, Vec<bool>) {
    let clean = shape.sample(n, seed);
    let spacing = spacing::spacing_of(clean.positions());
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.3 * spacing, seed + 1).unwrap();
    let model = NoiseModel::Outliers { fraction: 0.05 };
    let thrown = add_noise(&noisy, model, 10.0 * spacing, seed + 2).unwrap();
    let truth = thrown
        .positions()
        .iter()
        .zip(noisy.positions())
        .map(|(p, q)| p != q && shape.distance(*p).abs() >= 4.0 * spacing)
        .collect();
    (thrown.into_positions(), truth)
}

/// Recall and precision.
fn rates(flags: &[bool], truth: &[bool]) -> (f64, f64) {
    let both = flags.iter().zip(truth).filter(|(a, b)| **a && **b).count() as f64;
    let count = |v: &[bool]| v.iter().filter(|x| **x).count() as f64;
    (both / count(truth), both / count(flags))
}

/// Recall and precision, and the share of points flagged on the shape without thrown ones; means
/// over the shapes.
fn means(rule: &Rule, n: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for shape in Shape::ALL {
        let (points, truth) = thrown(shape, n, 3);
        let (recall, precision) = rates(&find(&points, rule).unwrap().flags, &truth);
        let clean = shape.sample(n, 8);
        let sigma = 0.3 * spacing::spacing_of(clean.positions());
        let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, 4).unwrap();
        let wrong = find(noisy.positions(), rule).unwrap().count() as f64 / n as f64;
        sums = [sums[0] + recall, sums[1] + precision, sums[2] + wrong];
    }
    sums.map(|s| s / Shape::ALL.len() as f64)
}

fn rules() -> [Rule; 4] {
    [
        Isolated::default().into(),
        Statistical::default().into(),
        Radius::default().into(),
        LocalOutlier::default().into(),
    ]
}

#[test]
fn the_documented_rates_hold() {
    // Recall, precision and share flagged without outliers, as in the module's table.
    let table =
        [[0.722, 1.0, 0.0], [0.975, 0.984, 0.0001], [0.988, 0.943, 0.0016], [0.948, 0.984, 0.0001]];
    for (rule, expected) in rules().iter().zip(table) {
        let found = means(rule, 10_000);
        for (f, t) in found.iter().zip(expected) {
            assert!((f - t).abs() < 6e-4, "{}: {found:?}, not {expected:?}", rule.name());
        }
    }
}

/// Distances from `i` to all other finite points, nearest first, ties by index.
fn sorted(points: &[Point], i: usize) -> Vec<(f64, usize)> {
    let mut all: Vec<(f64, usize)> = (0..points.len())
        .filter(|&j| j != i && vec3::is_finite(points[j]))
        .map(|j| (vec3::distance2(points[i], points[j]), j))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

/// A torus with a row that is not finite.
fn small() -> (Vec<Point>, f64) {
    let (mut points, _) = thrown(Shape::Torus, 400, 9);
    points[7] = [f64::NAN, 0.0, 0.0];
    let spacing = spacing::spacing_of(&points);
    (points, spacing)
}

#[test]
fn statistical_scores_agree_with_brute_force() {
    let (points, spacing) = small();
    let rule = Statistical { neighbors: 5, ratio: 3.0, robust: false };
    let scores = rule.scores(&points, &KdTree::new(&points), spacing);
    let expected: Vec<f64> = (0..points.len())
        .filter(|&i| i != 7)
        .map(|i| sorted(&points, i)[..5].iter().map(|d| d.0.sqrt()).sum::<f64>() / 5.0 / spacing)
        .collect();
    assert!(scores[7].is_nan());
    let found: Vec<f64> = scores.iter().copied().filter(|s| !s.is_nan()).collect();
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-12 * b, "{a} {b}");
    }
    let mean = expected.iter().sum::<f64>() / 399.0;
    let variance = expected.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 399.0;
    let limit = find(&points, &rule.into()).unwrap().limit;
    assert!((limit - (mean + 3.0 * variance.sqrt())).abs() < 1e-9);
}

#[test]
fn radius_counts_agree_with_brute_force() {
    let (points, spacing) = small();
    let found = find(&points, &Radius { radius: 2.5, neighbors: 6 }.into()).unwrap();
    for (i, &flag) in found.flags.iter().enumerate() {
        let reach = 2.5 * spacing;
        let few = sorted(&points, i).iter().filter(|d| d.0 <= reach * reach).count() < 6;
        assert_eq!(flag, i != 7 && few, "{i}");
    }
}

#[test]
fn isolation_agrees_with_brute_force() {
    let (mut points, _) = small();
    points.remove(7);
    let rule = Isolated { neighbors: 5, surroundings: 9, factor: 3.0 };
    let mean = |i: usize| sorted(&points, i)[..5].iter().map(|d| d.0.sqrt()).sum::<f64>() / 5.0;
    for (i, score) in rule.scores(&points).iter().enumerate().step_by(7) {
        let mut around: Vec<f64> = sorted(&points, i)[..9].iter().map(|d| mean(d.1)).collect();
        around.sort_by(f64::total_cmp);
        let expected = mean(i) / around[4];
        assert!((score - expected).abs() < 1e-9 * expected, "{i}: {score} {expected}");
    }
}

/// Hilly ground that is four times as dense on one side as on the other, trees on it, and after
/// them 200 points in the air and below the ground, each ten local spacings or more from any other.
fn airborne_tile() -> (Vec<Point>, usize) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut uniform = move || random.random::<f64>();
    let ground = |x: f64, y: f64| 4.0 * (x / 15.0).sin() + 3.0 * (y / 20.0).cos();
    let mut points: Vec<Point> = Vec::new();
    for _ in 0..20_000 {
        let (x, y) = (100.0 * uniform().powf(1.5), 100.0 * uniform());
        points.push([x, y, ground(x, y) + 0.1 * (uniform() - 0.5)]);
    }
    for _ in 0..25 {
        let (x, y) = (100.0 * uniform(), 100.0 * uniform());
        for _ in 0..120 {
            let mut around = || 3.0 * (uniform() + uniform() - 1.0);
            let (dx, dy, dz) = (around(), around(), around());
            points.push([x + dx, y + dy, ground(x, y) + 6.0 + dz]);
        }
    }
    let tile = points.len();
    let tree = KdTree::new(&points);
    let mut near = Vec::new();
    while points.len() < tile + 200 {
        let p = [100.0 * uniform(), 100.0 * uniform(), 100.0 * uniform() - 40.0];
        tree.knn_into(p, 1, &mut near);
        let (q, distance) = (points[near[0].index as usize], near[0].distance2.sqrt());
        tree.knn_into(q, 9, &mut near);
        let local = near[1..].iter().map(|n| n.distance2.sqrt()).sum::<f64>() / 8.0;
        let apart = points[tile..].iter().all(|o| vec3::distance2(*o, p).sqrt() >= 10.0 * local);
        if distance >= 10.0 * local && apart {
            points.push(p);
        }
    }
    (points, tile)
}

#[test]
fn planted_outliers_are_found_and_trees_are_kept() {
    let (points, tile) = airborne_tile();
    let flags = find(&points, &Rule::default()).unwrap().flags;
    let count = |flags: &[bool]| flags.iter().filter(|f| **f).count();
    let (found, wrong) = (count(&flags[tile..]), count(&flags[..tile]));
    assert!(found >= 190, "{found} of 200");
    assert!(wrong * 200 <= tile, "{wrong} of {tile}");
}

#[test]
fn factors_agree_with_brute_force() {
    let (points, spacing) = small();
    let k = 6;
    let rule = LocalOutlier { neighbors: k, factor: 1.5 };
    let scores = rule.scores(&KdTree::new(&points), spacing);
    let rows: Vec<usize> = (0..points.len()).filter(|&i| i != 7).collect();
    let near = |i: usize| sorted(&points, i)[..k].to_vec();
    let density = |i: usize| {
        let reach = |&(d, j): &(f64, usize)| d.sqrt().max(near(j)[k - 1].0.sqrt());
        k as f64 / near(i).iter().map(reach).sum::<f64>()
    };
    for i in rows.into_iter().step_by(7) {
        let around = near(i).iter().map(|&(_, j)| density(j)).sum::<f64>() / k as f64;
        let expected = around / density(i);
        assert!((scores[i] - expected).abs() < 1e-9 * expected, "{i}: {} {expected}", scores[i]);
    }
    assert!(scores[7].is_nan());
}

#[test]
fn threads_change_nothing() {
    let (points, _) = thrown(Shape::Bracket, 3_000, 1);
    for rule in rules() {
        let on = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| find(&points, &rule).unwrap())
        };
        assert_eq!(on(1), on(3), "{}", rule.name());
    }
}

#[test]
fn repeated_points_are_no_outliers() {
    let mut points = Shape::Sphere.sample(500, 1).into_positions();
    points.extend([points[3]; 60]);
    for rule in rules() {
        let found = find(&points, &rule).unwrap();
        assert!(found.flags[500..].iter().all(|f| !f), "{}", rule.name());
        let same = PointCloud::new(vec![[1.0, 2.0, 3.0]; 100]);
        assert_eq!(find(same.positions(), &rule).unwrap().count(), 0, "{}", rule.name());
    }
}

#[test]
fn wrong_parameters_are_named() {
    let points = vec![[0.0; 3]; 30];
    let fault = |rule: Rule| find(&points, &rule).unwrap_err().to_string();
    let s = Statistical::default();
    assert!(fault(Statistical { neighbors: 0, ..s }.into()).contains("\"neighbors\" is 0"));
    assert!(fault(Statistical { ratio: f64::NAN, ..s }.into()).contains("\"ratio\""));
    assert!(fault(Radius { radius: -1.0, ..Radius::default() }.into()).contains("above 0"));
    assert!(fault(Radius { neighbors: 0, ..Radius::default() }.into()).contains("neighbors"));
    let i = Isolated::default();
    assert!(fault(Isolated { surroundings: 1, ..i }.into()).contains("\"surroundings\" is 1"));
    assert!(fault(Isolated { factor: 0.0, ..i }.into()).contains("1 or more"));
    let l = LocalOutlier::default();
    assert!(fault(LocalOutlier { factor: 0.5, ..l }.into()).contains("1 or more"));
    assert!(fault(LocalOutlier { neighbors: 30, ..l }.into()).contains("needs at least 31"));
}
