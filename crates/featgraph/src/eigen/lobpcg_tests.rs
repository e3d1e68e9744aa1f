//! Against nalgebra's dense solver, on the matrices that break eigenvalue iterations.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Q diag(values) Q' with a random orthogonal Q.
fn with_spectrum(values: &[f64], seed: u64) -> DMatrix<f64> {
    let (n, mut rng) = (values.len(), rng(seed));
    let q = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0)).qr().q();
    let a = &q * DMatrix::from_diagonal(&DVector::from_column_slice(values)) * q.transpose();
    (&a + a.transpose()) * 0.5
}

fn product(a: &DMatrix<f64>) -> impl Fn(&[f64], &mut [f64]) {
    |x: &[f64], y: &mut [f64]| {
        let n = x.len();
        let rows = a.as_slice().chunks_exact(n);
        y.iter_mut()
            .zip(rows)
            .for_each(|(y, row)| *y = row.iter().zip(x).map(|(a, x)| a * x).sum());
    }
}

/// Runs with and without preconditioner and holds both to the promised accuracy.
fn check(name: &str, a: &DMatrix<f64>) {
    let n = a.nrows();
    let mut dense: Vec<f64> = SymmetricEigen::new(a.clone()).eigenvalues.iter().copied().collect();
    dense.sort_by(f64::total_cmp);
    let (low, high) = (dense[0], dense[n - 1]);
    let diagonal: Vec<f64> = a.diagonal().iter().copied().collect();
    for preconditioner in [None, Some(diagonal.as_slice())] {
        let found =
            smallest_eigenvalue(&product(a), n, preconditioner, &LobpcgParams::default()).unwrap();
        let error = (found.value - low).abs();
        assert!(
            error <= 1e-8 * low.abs() + 1e-13 * high.abs(),
            "{name}, n = {n}: {} against {low}, {:?} after {} products, residual {:e}",
            found.value,
            found.stop,
            found.products,
            found.residual
        );
        let x = DVector::from_column_slice(&found.vector);
        assert!((x.norm() - 1.0).abs() < 1e-12, "{name}: length");
        let residual = (a * &x - &x * found.value).norm();
        assert!(residual <= 1e-7 * low.abs() + 1e-12 * high.abs(), "{name}: {residual:e}");
        assert!(n > 1024 || found.products <= 4 * n + 40, "{name}: {} products", found.products);
    }
}

const SIZES: [usize; 8] = [1, 2, 3, 5, 17, 50, 120, 300];

#[test]
fn random_definite_matrices() {
    for n in SIZES {
        let mut rng = rng(n as u64);
        let b = DMatrix::from_fn(n, n + 3, |_, _| rng.random_range(-1.0..1.0));
        check("Wishart", &(&b * b.transpose()));
        let values: Vec<f64> = (0..n).map(|_| rng.random_range(0.5..2.0)).collect();
        check("well conditioned", &with_spectrum(&values, 7));
    }
}

#[test]
fn nearly_singular_matrices() {
    for n in SIZES {
        for smallest in [1e-6, 1e-10, 1e-13, 1e-16, 0.0] {
            let mut values: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            values[0] = smallest;
            check("one tiny", &with_spectrum(&values, 11));
            let log: Vec<f64> =
                (0..n).map(|i| 10f64.powf(-12.0 * i as f64 / n as f64) + smallest).collect();
            check("logarithmic", &with_spectrum(&log, 12));
        }
    }
}

#[test]
fn repeated_and_clustered_eigenvalues() {
    for n in SIZES {
        check("all equal", &with_spectrum(&vec![3.0; n], 13));
        check("identity", &DMatrix::identity(n, n));
        let pairs: Vec<f64> = (0..n).map(|i| 1.0 + (i / 4) as f64).collect();
        check("repeated", &with_spectrum(&pairs, 14));
        for gap in [1e-4, 1e-7, 1e-9, 1e-12] {
            let cluster: Vec<f64> = (0..n)
                .map(|i| if i < n / 2 + 1 { 1.0 + gap * i as f64 } else { 5.0 + i as f64 })
                .collect();
            check("cluster", &with_spectrum(&cluster, 15));
        }
    }
}

#[test]
fn diagonal_matrices_in_any_order() {
    for n in SIZES {
        for lowest_at in [0, n / 2, n - 1] {
            let mut d: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
            d[lowest_at] = 1e-3;
            check("diagonal", &DMatrix::from_diagonal(&DVector::from_column_slice(&d)));
        }
    }
}

#[test]
fn scales_far_from_one() {
    for scale in [1e-200, 1e-30, 1e30, 1e150] {
        for n in [2, 30, 80] {
            let values: Vec<f64> = (0..n).map(|i| scale * (1.0 + i as f64)).collect();
            check("scaled", &with_spectrum(&values, 16));
        }
    }
}

#[test]
fn zero_matrix_and_indefinite_matrix() {
    for n in SIZES {
        check("zero", &DMatrix::zeros(n, n));
        let values: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
        check("indefinite", &with_spectrum(&values, 17));
    }
}

#[test]
fn coupled_rows_as_in_a_learned_metric() {
    for n in [5, 29, 99, 299] {
        let mut rng = rng(3);
        // Off-diagonal rows sum to just under the diagonal, as the Gershgorin rule leaves them.
        let mut a = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        a = (&a + a.transpose()) * 0.5;
        for i in 0..n {
            a[(i, i)] = 0.0;
            a[(i, i)] = a.row(i).iter().map(|v: &f64| v.abs()).sum::<f64>() * 1.0001;
        }
        check("dominant", &a);
        check(
            "all coupled",
            &(DMatrix::from_element(n, n, 0.999) + DMatrix::identity(n, n) * 1e-3),
        );
    }
}

#[test]
fn several_pairs_agree_with_the_dense_solver() {
    for (n, count) in [(1, 1), (7, 7), (40, 5), (150, 6), (300, 10)] {
        let values: Vec<f64> = (0..n).map(|i| 0.1 + ((i / 2) as f64).powf(1.3)).collect();
        let a = with_spectrum(&values, 18);
        let d: Vec<f64> = a.diagonal().iter().copied().collect();
        let params = LobpcgParams { absolute_tolerance: 1e-13, ..LobpcgParams::default() };
        let found = lowest_eigenpairs(&product(&a), n, count, Some(&d), &params).unwrap();
        assert_ne!(found.stop, EigenStop::IterationLimit);
        for k in 0..count {
            assert!((found.values[k] - values[k]).abs() < 1e-8 * values[k] + 1e-12 * values[n - 1]);
            for l in 0..=k {
                let x = &found.vectors[k * n..(k + 1) * n];
                let y = &found.vectors[l * n..(l + 1) * n];
                let dot: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(k == l))).abs() < 1e-10, "{k} {l} {dot}");
            }
        }
    }
}

#[test]
fn large_sparse_operator() {
    // Five-point stencil with fixed edges: lowest eigenvalue 4 - 4 cos(pi / (side + 1)). Larger
    // than the size up to which the whole Krylov space is kept.
    let side = 48;
    let op = |x: &[f64], y: &mut [f64]| {
        for i in 0..side * side {
            let (row, column) = (i / side, i % side);
            y[i] = 4.0 * x[i];
            y[i] -= if column > 0 { x[i - 1] } else { 0.0 };
            y[i] -= if column + 1 < side { x[i + 1] } else { 0.0 };
            y[i] -= if row > 0 { x[i - side] } else { 0.0 };
            y[i] -= if row + 1 < side { x[i + side] } else { 0.0 };
        }
    };
    let exact = 4.0 - 4.0 * (std::f64::consts::PI / (side as f64 + 1.0)).cos();
    let found = smallest_eigenvalue(&op, side * side, None, &LobpcgParams::default()).unwrap();
    assert_eq!(found.stop, EigenStop::Converged);
    assert!((found.value - exact).abs() < 1e-8 * exact, "{} {exact}", found.value);
    // A limit that is too low is said, with a residual that bounds the error.
    let params = LobpcgParams { max_iterations: 12, ..LobpcgParams::default() };
    let early = smallest_eigenvalue(&op, side * side, None, &params).unwrap();
    assert_eq!((early.stop, early.iterations), (EigenStop::IterationLimit, 12));
    assert!((early.value - exact).abs() <= early.residual);
}

#[test]
fn same_seed_same_bits() {
    let a = with_spectrum(&(1..=60).map(f64::from).collect::<Vec<_>>(), 19);
    let run = || smallest_eigenvalue(&product(&a), 60, None, &LobpcgParams::default()).unwrap();
    assert_eq!(run(), run());
}

#[test]
fn wrong_input_is_named() {
    let nothing = |_: &[f64], _: &mut [f64]| {};
    let params = LobpcgParams::default();
    assert_eq!(smallest_eigenvalue(&nothing, 0, None, &params), Err(EigenError::Empty));
    let short = smallest_eigenvalue(&nothing, 3, Some(&[1.0]), &params);
    assert_eq!(short, Err(EigenError::Length { what: "diagonal", expected: 3, found: 1 }));
    let many = lowest_eigenpairs(&nothing, 3, 4, None, &params);
    assert_eq!(many, Err(EigenError::Count { wanted: 4, n: 3 }));
    let nan = |_: &[f64], y: &mut [f64]| y[2] = f64::NAN;
    for n in [3, 100] {
        let found = smallest_eigenvalue(&nan, n, None, &params);
        assert_eq!(found, Err(EigenError::NotFinite { row: 2 }));
    }
    let params = LobpcgParams { relative_tolerance: f64::NAN, ..params };
    let bad = smallest_eigenvalue(&nothing, 3, None, &params).unwrap_err();
    assert!(bad.to_string().contains("relative_tolerance"));
}

#[test]
fn dense_eigenpairs_rebuild_the_matrix() {
    for n in [1, 2, 6, 25] {
        let values: Vec<f64> = (0..n).map(|i| (i as f64 - 3.0) * 0.7).collect();
        let a = with_spectrum(&values, 20);
        let found = symmetric_eigen(a.as_slice(), n).unwrap();
        let v = DMatrix::from_column_slice(n, n, &found.vectors);
        let d = DMatrix::from_diagonal(&DVector::from_column_slice(&found.values));
        assert!((&v * d * v.transpose() - &a).norm() < 1e-13 * a.norm().max(1.0));
        assert!((v.transpose() * &v - DMatrix::identity(n, n)).norm() < 1e-13);
    }
}
