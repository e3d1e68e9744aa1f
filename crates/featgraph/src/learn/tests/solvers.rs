use super::super::*;
use super::problem;
use crate::weights::objective;

fn params(solver: Solver, tolerance: f64) -> LearnParams {
    LearnParams { solver, tolerance, trace_limit: 5.0, max_passes: 5000, ..LearnParams::default() }
}

fn alternate() -> Solver {
    Solver::Alternate(AlternateParams::default())
}

#[test]
fn one_feature_takes_the_whole_trace() {
    let edges = problem(1, 200, 0.0, 1);
    for solver in [Solver::Full, Solver::Diagonal, alternate()] {
        let m = learn(&edges, &params(solver, 1e-9)).unwrap().metric;
        assert!((m.entry(0, 0) - 5.0).abs() < 1e-9);
    }
}

#[test]
fn rules_agree_on_the_optimum_and_histories_never_rise() {
    let edges = problem(5, 2000, 0.6, 2);
    let tight = learn(&edges, &params(Solver::Full, 1e-12)).unwrap().info.objective;
    for step in [StepRule::Accelerated, StepRule::Fixed { size: 2e-3 }] {
        let p = LearnParams { step, ..params(Solver::Full, 1e-9) };
        let found = learn(&edges, &p).unwrap();
        assert!(
            (found.info.objective / tight - 1.0).abs() < 1e-3,
            "{step:?} {:?}",
            found.info.stop
        );
        assert!(found.info.objective >= tight * (1.0 - 1e-9));
        assert!(found.info.history.windows(2).all(|w| w[1] <= w[0]));
        let again = objective(&edges, &found.metric);
        assert!((again / found.info.objective - 1.0).abs() < 1e-9);
    }
}

#[test]
fn alternate_stops_at_the_limit_of_passes_within_a_sweep() {
    let edges = problem(20, 4000, 0.3, 8);
    let a = AlternateParams::default();
    let free = learn(&edges, &params(alternate(), 1e-9)).unwrap();
    for limit in [5, 10, 20, 40] {
        assert!(free.info.passes > limit);
        let p = LearnParams { max_passes: limit, ..params(alternate(), 1e-9) };
        let cut = learn(&edges, &p).unwrap();
        assert_eq!(cut.info.stop, Stop::Limit);
        // The blocks begun before the limit are finished, and the objective computed again.
        let most = limit + a.diagonal_passes + a.row_passes + 2;
        assert!((limit..=most).contains(&cut.info.passes), "{}", cut.info.passes);
        assert!(cut.info.history.windows(2).all(|w| w[1] < w[0]));
        assert!((objective(&edges, &cut.metric) / cut.info.objective - 1.0).abs() < 1e-9);
    }
}

#[test]
fn full_satisfies_the_optimality_conditions() {
    // At the optimum over {λ >= μ, tr = C}: <∇Q, Z - M> >= 0 for feasible Z; the extreme Z put
    // all free trace on one direction.
    let edges = problem(4, 1500, 0.3, 3);
    let found = learn(&edges, &params(Solver::Full, 1e-13)).unwrap();
    let k = 4;
    let m = found.metric.values();
    let mut gradient = vec![0.0; k * k];
    for e in 0..edges.len() {
        let g = edges.difference(e);
        let w = (-found.metric.distance(&g)).exp() * edges.distances()[e];
        for n in 0..k * k {
            gradient[n] -= w * g[n / k] * g[n % k];
        }
    }
    let at: f64 = gradient.iter().zip(m).map(|(g, m)| g * m).sum();
    let values = nalgebra::DMatrix::from_row_slice(k, k, &gradient).symmetric_eigenvalues();
    let steepest = 5.0 * values.min();
    assert!(at - steepest < 1e-3 * steepest.abs(), "{at} {steepest}");
}

#[test]
fn alternate_is_never_above_diagonal_and_never_below_full() {
    for (seed, rho) in [(1, 0.0), (2, 0.3), (3, 0.6), (4, 0.9), (5, 0.9)] {
        let edges = problem(6, 2000, rho, seed);
        let full = learn(&edges, &params(Solver::Full, 1e-10)).unwrap().info.objective;
        let diagonal = learn(&edges, &params(Solver::Diagonal, 1e-9)).unwrap();
        let start = Start::Metric(diagonal.metric.clone());
        let p = LearnParams { start, ..params(alternate(), 1e-6) };
        let found = learn(&edges, &p).unwrap();
        let bound = objective(&edges, &diagonal.metric);
        assert!(found.info.objective <= bound * (1.0 + 1e-14), "{seed}");
        assert!(found.info.objective >= full * (1.0 - 1e-6), "{seed}");
        assert!(found.info.history.windows(2).all(|w| w[1] < w[0]));
    }
}

#[test]
fn alternate_reaches_full_where_the_optimum_is_diagonally_dominant() {
    let mut dominant = 0;
    for seed in 0..20 {
        // Independent features that all matter: the optimum leans little.
        let mut random = super::generator(seed);
        let mut columns = vec![vec![]; 4];
        let mut distances = vec![];
        for _ in 0..1500 {
            let g: Vec<f64> = (0..4).map(|_| super::normal(&mut random)).collect();
            let lean = 0.4 * g[0] * g[1] - 0.3 * g[2] * g[3];
            distances.push(g.iter().map(|v| v * v).sum::<f64>() + lean);
            columns.iter_mut().zip(g).for_each(|(c, g)| c.push(g));
        }
        let edges = Edges::from_columns(vec![], columns, distances).unwrap();
        let full = learn(&edges, &params(Solver::Full, 1e-11)).unwrap();
        let m = &full.metric;
        let radii = super::super::diagonal::row_sums(m.values(), 4);
        if (0..4).any(|i| m.entry(i, i) <= 1.05 * radii[i]) {
            continue;
        }
        dominant += 1;
        let found = learn(&edges, &params(alternate(), 1e-8)).unwrap();
        let ratio = found.info.objective / full.info.objective;
        assert!(ratio < 1.01, "seed {seed}: {ratio}");
    }
    assert!(dominant >= 5, "{dominant} problems were of the kind");
}

#[test]
fn an_empty_diagonal_set_is_reported() {
    let edges = problem(3, 500, 0.3, 5);
    let p = params(alternate(), 1e-6);
    let mut problem = Problem::new(&edges, &p);
    let limits = Limits { rule: p.step, tolerance: 1e-6, evaluations: 8 };
    // Row sums of 6 are above C = 5.
    let found =
        diagonal::diagonal_step(&mut problem, &[], vec![0.0; 3], &[1.0; 3], &[2.0; 3], limits);
    assert!(found.unwrap().is_none());
}

#[test]
fn a_start_outside_the_discs_is_improved_as_any_other() {
    // Positive definite, but rows add up to 2 * 3 * 0.8 = 4.8, above C = 4.5.
    let k = 3;
    let mut m = vec![0.8; k * k];
    for i in 0..k {
        m[i * k + i] = 1.5;
    }
    let start = Metric::from_matrix(k, m, 4.5).unwrap();
    let edges = problem(k, 500, 0.3, 5);
    let p = LearnParams { trace_limit: 4.5, ..params(alternate(), 1e-6) };
    let usual = learn(&edges, &p).unwrap();
    let found = LearnParams { start: Start::Metric(start.clone()), ..p };
    let found = learn(&edges, &found).unwrap();
    assert!(found.info.objective < objective(&edges, &start));
    assert!(found.info.objective < 1.01 * usual.info.objective);
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    let edges = problem(6, 40_000, 0.3, 9);
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    for solver in [Solver::Full, alternate(), Solver::Diagonal] {
        let p = params(solver, 1e-5);
        let one = pool(1).install(|| learn(&edges, &p).unwrap());
        let two = pool(2).install(|| learn(&edges, &p).unwrap());
        assert_eq!(one, two);
    }
}

#[test]
fn the_default_converges_within_sixty_passes() {
    for (seed, rho) in [(1, 0.0), (2, 0.6), (3, 0.9)] {
        let edges = problem(6, 20_000, rho, seed);
        let p = LearnParams { trace_limit: 5.0, ..LearnParams::default() };
        let found = learn(&edges, &p).unwrap();
        assert!(matches!(found.info.stop, Stop::Converged | Stop::Stationary));
        assert!(found.info.passes <= 60, "{}", found.info.passes);
        let tight = learn(&edges, &params(Solver::Full, 1e-12)).unwrap();
        let ratio = found.info.objective / tight.info.objective;
        assert!(ratio < 1.0 + 1e-3, "{ratio}");
    }
}

#[test]
fn a_warm_start_needs_fewer_passes() {
    let edges = problem(6, 5000, 0.6, 12);
    let cold = learn(&edges, &params(Solver::Full, 1e-6)).unwrap();
    let start = Start::Metric(cold.metric.clone());
    let warm = learn(&edges, &LearnParams { start, ..params(Solver::Full, 1e-6) }).unwrap();
    assert!(warm.info.passes < cold.info.passes);
    assert!(warm.info.objective <= cold.info.objective * (1.0 + 1e-12));
}

#[test]
fn published_schedule_lowers_the_objective_and_owns_its_trace() {
    let edges = problem(6, 20_000, 0.3, 13);
    let found = learn(&edges, &LearnParams::published()).unwrap();
    assert_eq!(found.info.iterations, 10);
    // 10 alternations of 6 rows and the diagonal with 10 steps each, and the checks between.
    assert_eq!(found.info.restricted_passes, 700);
    assert!(found.info.objective < found.info.history[0]);
    let lowest = found.info.history.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(found.info.objective, lowest);
    let again = objective(&edges, &found.metric);
    assert!((again / lowest - 1.0).abs() < 1e-9);
    assert!(found.metric.trace() < 5.5);
}
