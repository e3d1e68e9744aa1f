use super::super::discs::onto_discs;
use super::super::*;
use super::rays::optimum;
use super::{generator, normal};
use crate::metric::cholesky;
use crate::weights::objective;

/// Half of the features are correlated and carry the signal along a random direction; the others
/// are nuisance, half of them correlated with the first kind.
fn problem(k: usize, count: usize, seed: u64) -> Edges {
    let mut random = generator(seed);
    let direction: Vec<f64> = (0..k / 2).map(|_| normal(&mut random)).collect();
    let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
    let mut columns = vec![vec![]; k];
    let mut distances = vec![];
    for _ in 0..count {
        let common = normal(&mut random);
        let g: Vec<f64> = (0..k)
            .map(|i| {
                let rho = if i < 3 * k / 4 { 0.5_f64 } else { 0.0 };
                rho.sqrt() * common + (1.0 - rho).sqrt() * normal(&mut random)
            })
            .collect();
        let along = direction.iter().zip(&g).map(|(d, g)| d * g).sum::<f64>() / length;
        distances.push((along + 0.5 * normal(&mut random)).powi(2));
        columns.iter_mut().zip(g).for_each(|(c, g)| c.push(g));
    }
    Edges::from_columns(vec![], columns, distances).unwrap()
}

fn alternate(discs: Discs, trace_limit: f64) -> LearnParams {
    let solver = Solver::Alternate(AlternateParams { discs, ..AlternateParams::default() });
    LearnParams { solver, trace_limit, ..LearnParams::default() }
}

fn off_diagonal(m: &[f64], k: usize) -> impl Iterator<Item = (usize, f64)> {
    m.iter().copied().enumerate().filter(move |(n, _)| n / k != n % k)
}

#[test]
fn alternate_comes_within_two_percent_of_the_optimum_over_the_discs() {
    for (k, count) in [(6, 2000), (8, 2000), (20, 1500), (50, 1500)] {
        let edges = problem(k, count, k as u64);
        for limit in [0.3, 1.0, 3.0] {
            let found = learn(&edges, &alternate(Discs::Plain, limit)).unwrap();
            let best = optimum(&edges, found.info.margin, limit, 0.005);
            let start = found.info.history[0];
            let excess = (found.info.objective - best.bound) / (start - best.bound);
            assert!(excess < 0.02, "K {k}, C {limit}: {excess}");
            let m = found.metric.values();
            let largest = off_diagonal(&best.matrix, k).fold(0.0, |l: f64, (_, v)| l.max(v.abs()));
            assert!(largest > 0.01 * limit / k as f64, "K {k}, C {limit}: {largest}");
            for (n, v) in off_diagonal(&best.matrix, k) {
                assert!(v.abs() < 0.1 * largest || m[n] * v > 0.0, "K {k}, C {limit}: {n} {v}");
            }
        }
    }
}

#[test]
fn aligned_discs_come_within_five_percent_of_full() {
    for (k, count) in [(6, 2000), (8, 2000), (20, 1500), (50, 1500)] {
        let edges = problem(k, count, k as u64);
        for limit in [0.3, 1.0, 3.0] {
            let full = LearnParams { trace_limit: limit, ..LearnParams::default() };
            let full = learn(&edges, &full).unwrap().info;
            let found = learn(&edges, &alternate(Discs::Aligned, limit)).unwrap().info;
            let start = full.history[0];
            let share = (start - found.objective) / (start - full.objective);
            assert!(share > 0.95, "K {k}, C {limit}: {share}");
            // Each pass costs what a pass of `full` does.
            assert!(found.passes <= 3 * full.passes, "{} {}", found.passes, full.passes);
        }
    }
}

/// Processor seconds of this thread; zero where the system does not tell.
fn processor_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) * 1e-9
}

#[test]
fn fifty_features_take_at_most_three_times_as_long_as_full() {
    let edges = problem(50, 8000, 1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for limit in [0.3, 1.0, 3.0] {
        let full = LearnParams { trace_limit: limit, ..LearnParams::default() };
        let all = [full, alternate(Discs::Plain, limit), alternate(Discs::Aligned, limit)];
        let mut least = [f64::INFINITY; 3];
        for _ in 0..3 {
            for (least, params) in least.iter_mut().zip(&all) {
                *least = least.min(pool.install(|| {
                    let start = processor_seconds();
                    std::hint::black_box(learn(&edges, params).unwrap());
                    processor_seconds() - start
                }));
            }
        }
        assert!(least[1..].iter().all(|&t| t <= 3.0 * least[0]), "C {limit}: {least:?}");
    }
}

#[test]
fn weak_features_leave_rows_without_room_and_say_so() {
    let edges = problem(6, 2000, 6);
    let params = alternate(Discs::Plain, 0.3);
    let found = learn(&edges, &params).unwrap();
    assert_eq!((found.info.stop, found.info.rows_without_room), (Stop::NoRoom, 6));
    let diagonal = LearnParams { solver: Solver::Diagonal, ..params };
    let diagonal = learn(&edges, &diagonal).unwrap().metric;
    let (ours, theirs) = (found.info.objective, objective(&edges, &diagonal));
    assert!(ours < 0.95 * theirs, "{ours} {theirs}");
}

#[test]
fn the_projection_is_in_the_set_idempotent_and_nearest() {
    let mut random = generator(31);
    let (margin, limit) = (1e-6, 2.0);
    for k in [1, 2, 3, 8, 30] {
        for scaled in [false, true] {
            let scale: Vec<f64> = (0..k)
                .map(|_| if scaled { (0.5 * normal(&mut random)).exp() } else { 1.0 })
                .collect();
            let mut a = vec![0.0; k * k];
            for i in 0..k {
                for j in 0..=i {
                    a[i * k + j] = normal(&mut random);
                    a[j * k + i] = a[i * k + j];
                }
            }
            let mut x = a.clone();
            onto_discs(&mut x, &scale, margin, limit);
            let trace: f64 = (0..k).map(|i| x[i * k + i]).sum();
            assert!(trace <= limit * (1.0 + 1e-14));
            for i in 0..k {
                let radius: f64 = (0..k)
                    .filter(|&j| j != i)
                    .map(|j| x[i * k + j].abs() * scale[i] / scale[j])
                    .sum();
                assert!(x[i * k + i] >= radius + margin - 1e-12, "row {i} of {k}");
            }
            assert!(cholesky(&x, k, 0.99 * margin).is_ok());
            // Nearest: the direction back to `a` makes no acute angle with that to any corner.
            let slope = |i: usize, j: usize| a[i * k + j] - x[i * k + j];
            let along: f64 = (0..k * k).map(|n| (a[n] - x[n]) * x[n]).sum();
            let own: f64 = (0..k).map(|i| slope(i, i) * margin).sum();
            let budget = limit - k as f64 * margin;
            for i in 0..k {
                for j in 0..=i {
                    // b b' with b = s_i e_i ± s_j e_j, of trace one.
                    let (u, v) = (scale[i], if i == j { 0.0 } else { scale[j] });
                    let both = slope(i, i) * u * u + slope(j, j) * v * v;
                    let best = both + 2.0 * u * v * slope(i, j).abs();
                    let corner = budget * best / (u * u + v * v) + own;
                    assert!(corner.max(own) <= along + 1e-5, "{k}: ({i}, {j}) {corner} {along}");
                }
            }
            let before = x.clone();
            onto_discs(&mut x, &scale, margin, limit);
            assert!(x.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
}
