use super::*;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Random edges and a random positive-definite matrix.
fn problem(k: usize, count: usize, seed: u64) -> (Edges, Vec<f64>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut value = || random.random::<f64>() * 2.0 - 1.0;
    let columns = (0..k).map(|_| (0..count).map(|_| value()).collect()).collect();
    let distances = (0..count).map(|_| value().powi(2)).collect();
    let root: Vec<f64> = (0..k * k).map(|_| value() / (k as f64).sqrt()).collect();
    let mut m = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..k {
            m[i * k + j] = (0..k).map(|l| root[i * k + l] * root[j * k + l]).sum();
        }
        m[i * k + i] += 0.1;
    }
    (Edges::from_columns(vec![], columns, distances).unwrap(), m)
}

/// The objective by its definition.
fn plain(edges: &Edges, m: &[f64]) -> f64 {
    let k = edges.features();
    let term = |e: usize| {
        let g = edges.difference(e);
        let delta: f64 = (0..k * k).map(|n| g[n / k] * m[n] * g[n % k]).sum();
        (-delta).exp() * edges.distances()[e]
    };
    (0..edges.len()).map(term).sum()
}

#[test]
fn objective_agrees_with_its_definition() {
    for (k, count) in [(1, 1), (1, 129), (2, 500), (5, 127), (6, 3000), (33, 300)] {
        let (edges, m) = problem(k, count, 3);
        let sums = Pass::new(&edges).full(&m, Want::Objective, &mut []);
        let expected = plain(&edges, &m);
        assert!((sums.objective - expected).abs() <= 1e-13 * expected, "k {k}");
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    let h = 1e-5;
    for k in 1..=12 {
        let (edges, m) = problem(k, 400, k as u64);
        let mut pass = Pass::new(&edges);
        let mut gradient = vec![0.0; k * (k + 1) / 2];
        let at = pass.full(&m, Want::Gradient, &mut gradient);
        assert_eq!(at, pass.full(&m, Want::Objective, &mut []));
        let scale = gradient.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let mut base = vec![0.0; edges.padded_distances().len()];
        pass.exponents(&m, &mut base);
        let mut diagonal = vec![0.0; k];
        let zero = vec![0.0; k];
        let d = pass.linear(&base, Entries::Diagonal, &zero, Want::Gradient, &mut diagonal);
        assert!((d.objective - at.objective).abs() < 1e-14 * at.objective);
        for i in 0..k {
            let mut row = vec![0.0; k];
            pass.linear(&base, Entries::Row(i), &zero, Want::Gradient, &mut row);
            assert_eq!(row[i], 0.0);
            for j in 0..=i {
                let mut moved = |step: f64| {
                    let mut m = m.clone();
                    m[i * k + j] += step;
                    if i != j {
                        m[j * k + i] += step;
                    }
                    pass.full(&m, Want::Objective, &mut []).objective
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                let ours = gradient[i * (i + 1) / 2 + j];
                // Both mirrored entries move together, hence the factor two.
                let full = if i == j { ours } else { 2.0 * ours };
                assert!((slope - full).abs() < 1e-6 * scale, "k {k}: {slope} {full}");
                let part = if i == j { diagonal[i] } else { row[j] };
                assert!((slope - part).abs() < 1e-6 * scale, "k {k}: {slope} {part}");
            }
        }
    }
}

#[test]
fn linear_change_equals_the_full_pass_at_the_changed_matrix() {
    let k = 5;
    let (edges, m) = problem(k, 1000, 9);
    let mut pass = Pass::new(&edges);
    let mut base = vec![0.0; edges.padded_distances().len()];
    pass.exponents(&m, &mut base);
    let change = [0.1, -0.02, 0.03, 0.05, -0.01];
    for which in [Entries::Diagonal, Entries::Row(0), Entries::Row(3)] {
        let mut n = m.clone();
        for j in 0..k {
            match which {
                Entries::Diagonal => n[j * k + j] += change[j],
                Entries::Row(r) if r != j => {
                    n[r * k + j] += change[j];
                    n[j * k + r] += change[j];
                }
                Entries::Row(_) => {}
            }
        }
        let expected = pass.full(&n, Want::Objective, &mut []).objective;
        let found = pass.linear(&base, which, &change, Want::Objective, &mut []).objective;
        assert!((found - expected).abs() < 1e-13 * expected);
        let mut shifted = base.clone();
        pass.shift_exponents(which, &change, &mut shifted);
        let mut direct = base.clone();
        pass.exponents(&n, &mut direct);
        for (a, b) in shifted.iter().zip(&direct) {
            assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()));
        }
    }
}

#[test]
fn curvature_bounds_the_second_derivative() {
    let k = 4;
    let (edges, m) = problem(k, 300, 5);
    let mut pass = Pass::new(&edges);
    let mut gradient = vec![0.0; 10];
    let bound = pass.full(&m, Want::GradientAndCurvature, &mut gradient).curvature;
    let mut direction = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            direction[i * k + j] = gradient[i * (i + 1) / 2 + j];
            direction[j * k + i] = direction[i * k + j];
        }
    }
    let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut at = |t: f64| {
        let n: Vec<f64> = m.iter().zip(&direction).map(|(a, b)| a + t * b / length).collect();
        pass.full(&n, Want::Objective, &mut []).objective
    };
    let h = 1e-3;
    let second = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
    assert!(second > 0.0 && second <= bound, "{second} {bound}");
    assert!(bound < 20.0 * second, "{second} {bound}");
}

#[test]
fn instruction_set_and_threads_do_not_change_a_bit() {
    for k in [1, 6, 7, 40] {
        let (edges, m) = problem(k, 40_000, 2);
        let width = k * (k + 1) / 2;
        let run = |pass: Pass<'_>| {
            let mut pass = pass;
            let mut gradient = vec![0.0; width];
            let sums = pass.full(&m, Want::GradientAndCurvature, &mut gradient);
            let mut weights = vec![0.0; edges.padded_distances().len()];
            pass.weights(&m, &mut weights);
            (sums, gradient, weights)
        };
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let one = pool(1).install(|| run(Pass::new(&edges)));
        let two = pool(2).install(|| run(Pass::new(&edges)));
        let scalar = pool(3).install(|| run(Pass::new(&edges).scalar()));
        assert!(one == two && one == scalar, "k {k}");
    }
}
