//! Against nalgebra's dense least squares.

use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::laplacian::{Csr, Duplicate, Graph, Isolated, Kind};

fn random_matrix(m: usize, n: usize, seed: u64) -> (Csr, DMatrix<f64>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let dense = DMatrix::from_fn(m, n, |i, j| {
        let v: f64 = rng.random_range(-1.0..1.0);
        if v.abs() > 0.6 || i % n == j { v } else { 0.0 }
    });
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..m {
        for j in (0..n).filter(|&j| dense[(i, j)] != 0.0) {
            columns.push(j as u32);
            values.push(dense[(i, j)]);
        }
        offsets.push(columns.len());
    }
    (Csr::from_parts(n, offsets, columns, values).unwrap(), dense)
}

fn random_b(m: usize) -> Vec<[f64; 2]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(99);
    (0..m).map(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0))).collect()
}

fn column(v: &[[f64; 2]], r: usize) -> DVector<f64> {
    DVector::from_iterator(v.len(), v.iter().map(|v| v[r]))
}

fn tight() -> LsqrParams {
    LsqrParams { tolerance: 1e-13, ..LsqrParams::default() }
}

#[test]
fn least_squares_agree_with_a_dense_solver() {
    for (m, n) in [(1, 1), (30, 30), (60, 25), (25, 60)] {
        let (a, dense) = random_matrix(m, n, 1);
        let b = random_b(m);
        let (x, info) = lsqr(&a, &b, &tight()).unwrap();
        let svd = dense.clone().svd(true, true);
        for r in 0..2 {
            assert_ne!(info.stop[r], LsqrStop::IterationLimit);
            // LSQR from zero gives the shortest of all solutions, as the pseudo-inverse does.
            let exact = svd.solve(&column(&b, r), 1e-12).unwrap();
            let error = (column(&x, r) - &exact).norm() / exact.norm();
            assert!(error < 1e-8, "{m} x {n}: {error:e} {info:?}");
            let residual = (&dense * column(&x, r) - column(&b, r)).norm() / column(&b, r).norm();
            assert!((residual - info.residuals[r]).abs() < 1e-9);
        }
    }
}

#[test]
fn damping_is_ridge_regression() {
    let (a, dense) = random_matrix(40, 20, 2);
    let b = random_b(40);
    let lambda = 0.7;
    let params = LsqrParams { damping: lambda, ..tight() };
    let (x, info) = lsqr(&a, &b, &params).unwrap();
    let normal = dense.transpose() * &dense + DMatrix::identity(20, 20) * (lambda * lambda);
    for r in 0..2 {
        let right = dense.transpose() * column(&b, r);
        let exact = normal.clone().cholesky().unwrap().solve(&right);
        assert!((column(&x, r) - &exact).norm() < 1e-10 * exact.norm());
        let plain = (&dense * &exact - column(&b, r)).norm_squared();
        let whole = (plain + lambda * lambda * exact.norm_squared()).sqrt();
        assert!((info.residuals[r] - whole / column(&b, r).norm()).abs() < 1e-10);
    }
}

#[test]
fn symmetric_systems_agree_with_conjugate_gradient() {
    let pairs: Vec<(u32, u32)> = (0..199).map(|i| (i, i + 1)).collect();
    let weights: Vec<f64> = (0..199).map(|i| 0.2 + f64::from(i % 5)).collect();
    let graph = Graph::from_pairs(200, &pairs, &weights, Duplicate::Add).unwrap();
    let l = graph.laplacian(Kind::Normalized(Isolated::KeepOne));
    let system = Shifted { shift: 1.28, scale: 1.0, operator: &l };
    let b = random_b(200);
    let (x, info) = lsqr(&system, &b, &tight()).unwrap();
    assert_eq!(info.stop, [LsqrStop::Solved; 2]);
    let mut y = vec![[0.0; 2]; 200];
    let params = CgParams { tolerance: 1e-13, ..CgParams::default() };
    conjugate_gradient(&system, &b, &mut y, &params).unwrap();
    for (x, y) in x.iter().flatten().zip(y.iter().flatten()) {
        assert!((x - y).abs() < 1e-11);
    }
    // The published tolerance is met by the true residual.
    let (x, info) = lsqr(&system, &b, &LsqrParams::default()).unwrap();
    let mut product = vec![[0.0; 2]; 200];
    system.apply(&x, &mut product);
    for r in 0..2 {
        let residual = (column(&product, r) - column(&b, r)).norm() / column(&b, r).norm();
        assert!(residual <= 1e-6 * (1.0 + 1e-6) && (residual - info.residuals[r]).abs() < 1e-12);
    }
}

#[test]
fn breakdowns_are_ordinary_ends() {
    let (a, _) = random_matrix(6, 4, 3);
    // b = 0
    let (x, info) = lsqr(&a, &[[0.0; 2]; 6], &LsqrParams::default()).unwrap();
    assert_eq!((info.iterations, info.stop), (0, [LsqrStop::Solved; 2]));
    assert!(x.iter().flatten().all(|v| *v == 0.0));
    // A'b = 0: the last row of A is empty and b lives there.
    let empty = Csr::from_parts(2, vec![0, 1, 2, 2], vec![0, 1], vec![1.0, 2.0]).unwrap();
    let (x, info) = lsqr(&empty, &[[0.0], [0.0], [5.0]], &LsqrParams::default()).unwrap();
    assert_eq!((info.iterations, info.stop), (0, [LsqrStop::LeastSquares]));
    assert_eq!((x, info.residuals), (vec![[0.0]; 2], [1.0]));
    // One step solves a multiple of the identity exactly; the other column is an eigenvector.
    let two = Csr::from_parts(2, vec![0, 1, 2], vec![0, 1], vec![2.0, 2.0]).unwrap();
    let (x, info) = lsqr(&two, &[[4.0, 0.0], [6.0, 1e-170]], &LsqrParams::default()).unwrap();
    assert_eq!((info.iterations, info.stop), (1, [LsqrStop::Solved; 2]));
    assert!((x[0][0] - 2.0).abs() < 1e-14 && (x[1][0] - 3.0).abs() < 1e-14);
    assert!((x[1][1] / 5e-171 - 1.0).abs() < 1e-14);
    // Zero matrix.
    let zero = Csr::from_parts(2, vec![0, 0], vec![], vec![]).unwrap();
    let (x, info) = lsqr(&zero, &[[1.0]], &LsqrParams::default()).unwrap();
    assert_eq!((x, info.stop), (vec![[0.0]; 2], [LsqrStop::LeastSquares]));
}

#[test]
fn limits_and_wrong_input() {
    let (a, _) = random_matrix(30, 30, 4);
    let few = LsqrParams { max_iterations: 2, ..LsqrParams::default() };
    let (_, info) = lsqr(&a, &random_b(30), &few).unwrap();
    assert_eq!((info.iterations, info.stop), (2, [LsqrStop::IterationLimit; 2]));
    let short = lsqr(&a, &random_b(29), &few).unwrap_err();
    assert_eq!(short, SolveError::Length { what: "b", expected: 30, found: 29 });
    let nan = Csr::from_parts(1, vec![0, 1], vec![0], vec![f64::NAN]).unwrap();
    let error = lsqr(&nan, &[[1.0]], &few).unwrap_err();
    assert!(matches!(error, SolveError::NotFinite { .. }));
    let bad = LsqrParams { damping: f64::NAN, ..LsqrParams::default() };
    assert!(lsqr(&a, &random_b(30), &bad).unwrap_err().to_string().contains("damping"));
}
