use super::super::*;
use super::problem;
use crate::edges::Missing;

const SOLVERS: [fn() -> Solver; 4] = [
    || Solver::Full,
    || Solver::Alternate(AlternateParams::default()),
    || Solver::Diagonal,
    || Solver::Fixed,
];

/// Runs every solver and rule; the metric's own constructor has checked it again.
fn all_sound(edges: &Edges) {
    let rules = [StepRule::Backtracking, StepRule::Accelerated, StepRule::Fixed { size: 1e-3 }];
    for solver in SOLVERS {
        for step in rules {
            for trace_limit in [5.0, 1e-6, 1e6] {
                let params =
                    LearnParams { solver: solver(), step, trace_limit, ..LearnParams::default() };
                let learned = learn(edges, &params).unwrap();
                let m = &learned.metric;
                assert!(crate::metric::cholesky(m.values(), m.features(), 0.0).is_ok());
                assert!(m.trace() <= trace_limit * (1.0 + 1e-12), "{params:?}");
                assert!(learned.info.objective.is_finite());
                let history = &learned.info.history;
                assert!(history.windows(2).all(|w| w[1] <= w[0]), "{params:?}: {history:?}");
            }
        }
    }
    let published = learn(edges, &LearnParams::published()).unwrap();
    assert!(published.metric.trace().is_finite());
}

#[test]
fn every_metric_is_sound_whatever_the_data() {
    let columns = |c: Vec<Vec<f64>>, d: Vec<f64>| Edges::from_columns(vec![], c, d).unwrap();
    all_sound(&columns(vec![vec![0.0; 50]; 3], vec![1.0; 50]));
    all_sound(&columns(vec![vec![0.4]; 3], vec![1.0]));
    all_sound(&columns(vec![vec![0.4, -2.0]], vec![1.0, 0.5]));
    all_sound(&columns(vec![vec![0.4, -2.0]; 2], vec![0.0, 0.0]));
    for size in [1e-200, 1e-20, 1e20, 1e150, 1e308] {
        let big = vec![vec![size, -size, 0.5 * size], vec![1.0, 0.5, 0.0], vec![0.0, size, size]];
        all_sound(&columns(big.clone(), vec![1.0, 2.0, 3.0]));
        all_sound(&columns(big, vec![1e-300, 1e300, 1e-310]));
    }
    all_sound(&columns(vec![vec![1.0, 0.5]; 2], vec![1e-320, 1e-321]));
    // Duplicated features: the optimum is not unique.
    let one: Vec<f64> = (0..200).map(|i| f64::from(i * 37 % 101) / 50.0 - 1.0).collect();
    let d = one.iter().map(|v| v * v).collect();
    all_sound(&columns(vec![one.clone(), one.clone(), one], d));
    all_sound(&problem(7, 300, 0.95, 4));
}

#[test]
fn bad_parameters_are_named() {
    let edges = problem(2, 10, 0.0, 1);
    let check = |change: fn(&mut LearnParams), name: &str| {
        let mut params = LearnParams::default();
        change(&mut params);
        match learn(&edges, &params) {
            Err(LearnError::Parameter { field, .. }) => assert_eq!(field, name),
            other => panic!("{name}: {other:?}"),
        }
    };
    check(|p| p.trace_limit = 0.0, "trace_limit");
    check(|p| p.trace_limit = f64::NAN, "trace_limit");
    check(|p| p.tolerance = -1.0, "tolerance");
    check(|p| p.max_passes = 0, "max_passes");
    check(|p| p.margin = 0.0, "margin");
    check(|p| p.sample_fraction = 0.0, "sample_fraction");
    check(|p| p.step = StepRule::Fixed { size: -1.0 }, "step.size");
    check(|p| p.solver = Solver::Alternate(AlternateParams::published()), "as_published");
    let none = Edges::from_columns(vec![], vec![vec![]], vec![]).unwrap();
    assert_eq!(learn(&none, &LearnParams::default()), Err(LearnError::NoEdges));
    let start = Start::Metric(Metric::identity_scaled(3, 1.0).unwrap());
    let params = LearnParams { start, ..LearnParams::default() };
    let refused = learn(&edges, &params);
    assert_eq!(refused, Err(LearnError::StartFeatures { found: 3, expected: 2 }));
}

#[test]
fn a_feature_without_variance_changes_nothing_else() {
    let edges = problem(3, 500, 0.3, 6);
    let column = |k: usize| (0..500).map(|e| edges.difference(e)[k]).collect::<Vec<_>>();
    let columns = vec![column(0), column(1), column(2), vec![0.0; 500]];
    let more = Edges::from_columns(vec![], columns, edges.distances().to_vec()).unwrap();
    let params = LearnParams { tolerance: 1e-12, ..LearnParams::default() };
    let (plain, wide) = (learn(&edges, &params).unwrap(), learn(&more, &params).unwrap());
    assert!((wide.info.objective / plain.info.objective - 1.0).abs() < 1e-6);
    assert!(wide.metric.entry(3, 3) < 1e-3);
    for i in 0..3 {
        for j in 0..3 {
            assert!((wide.metric.entry(i, j) - plain.metric.entry(i, j)).abs() < 5e-3);
        }
    }
}

#[test]
fn missing_features_are_the_plain_problem_with_scaled_differences() {
    let n = 60;
    let a: Vec<f64> = (0..n).map(|i| f64::from(i * 7 % 13) / 6.0).collect();
    let mut b: Vec<f64> = (0..n).map(|i| f64::from(i * 5 % 11) / 5.0).collect();
    let z: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - 0.3 * b).collect();
    let pairs: Vec<(u32, u32)> = (0..n as u32 - 1).map(|i| (i, i + 1)).collect();
    let full_b = b.clone();
    for i in (0..n as usize).step_by(4) {
        b[i] = f64::NAN;
    }
    let builder = Edges::builder(n as usize).feature_column(&a).feature_column(&b).signal(&z);
    let missing = builder.pairs(pairs.clone()).missing(Missing::ByEdge).build().unwrap();
    let (mut first, mut second, mut d) = (vec![], vec![], vec![]);
    for (i, j) in pairs {
        let (i, j) = (i as usize, j as usize);
        let both = i % 4 != 0 && j % 4 != 0;
        first.push((a[i] - a[j]) * if both { 1.0 } else { 2.0_f64.sqrt() });
        second.push(if both { full_b[i] - full_b[j] } else { 0.0 });
        d.push((z[i] - z[j]).powi(2));
    }
    let plain = Edges::from_columns(vec![], vec![first, second], d).unwrap();
    let params = LearnParams::default();
    let (m, p) = (learn(&missing, &params).unwrap(), learn(&plain, &params).unwrap());
    assert_eq!(m.metric, p.metric);
}

#[test]
fn several_observations_are_the_problem_with_added_distances() {
    let f: Vec<f64> = (0..80).map(|i| f64::from(i * 11 % 17) / 9.0).collect();
    let g: Vec<f64> = (0..80).map(|i| f64::from(i * 3 % 19) / 9.0).collect();
    let y: Vec<f64> = f.iter().map(|v| v * v).collect();
    let pairs: Vec<(u32, u32)> = (0..79).map(|i| (i, i + 1)).collect();
    let builder = || Edges::builder(80).feature_column(&f).feature_column(&g).pairs(pairs.clone());
    let both = builder().signal(&f).signal(&y).build().unwrap();
    let (one, two) = (builder().signal(&f).build().unwrap(), builder().signal(&y).build().unwrap());
    let sum = one.distances().iter().zip(two.distances()).map(|(a, b)| a + b).collect();
    let column = |k: usize| (0..79).map(|e| one.difference(e)[k]).collect();
    let plain = Edges::from_columns(vec![], vec![column(0), column(1)], sum).unwrap();
    let params = LearnParams::default();
    assert_eq!(learn(&both, &params).unwrap().metric, learn(&plain, &params).unwrap().metric);
}

#[test]
fn a_sample_is_the_plain_problem_on_the_sampled_edges() {
    let edges = problem(4, 3000, 0.3, 8);
    let params = LearnParams { sample_fraction: 0.2, seed: 5, ..LearnParams::default() };
    let sampled = learn(&edges, &params).unwrap();
    assert_eq!(sampled.info.edges, 600);
    let part = edges.sample_edges(0.2, 5).unwrap();
    assert_eq!(sampled, learn(&part, &LearnParams::default()).unwrap());
}
