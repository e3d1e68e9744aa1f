//! Against nalgebra's dense Cholesky solution.

use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::laplacian::{Duplicate, EdgeLaplacian, Graph, Kind};

/// A dense symmetric matrix as an operator.
struct Dense(DMatrix<f64>);

impl<const R: usize> LinearOperator<R> for Dense {
    fn rows(&self) -> usize {
        self.0.nrows()
    }
    fn columns(&self) -> usize {
        self.0.ncols()
    }
    fn apply(&self, x: &[[f64; R]], y: &mut [[f64; R]]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = std::array::from_fn(|r| (0..x.len()).map(|j| self.0[(i, j)] * x[j][r]).sum());
        }
    }
    fn diagonal(&self, diagonal: &mut [f64]) {
        diagonal.copy_from_slice(self.0.diagonal().as_slice());
    }
}

fn definite(n: usize, seed: u64) -> DMatrix<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let b = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
    let mut a = &b * b.transpose() + DMatrix::identity(n, n) * 0.1;
    // Rows of very different size, which Jacobi preconditioning evens out.
    let scale = DVector::from_fn(n, |i, _| 10f64.powi(i as i32 % 3));
    for i in 0..n {
        for j in 0..n {
            a[(i, j)] *= scale[i] * scale[j];
        }
    }
    a
}

fn random<const R: usize>(n: usize, seed: u64) -> Vec<[f64; R]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0))).collect()
}

fn tight() -> CgParams {
    CgParams { tolerance: 1e-11, ..CgParams::default() }
}

#[test]
fn agrees_with_cholesky() {
    for n in [1, 2, 7, 40, 100] {
        let a = definite(n, n as u64);
        let cholesky = a.clone().cholesky().unwrap();
        let b = random::<3>(n, 5);
        let mut x = vec![[0.0; 3]; n];
        let info = conjugate_gradient(&Dense(a.clone()), &b, &mut x, &tight()).unwrap();
        assert!(info.converged(), "{info:?}");
        for r in 0..3 {
            let column = DVector::from_iterator(n, b.iter().map(|b| b[r]));
            let found = DVector::from_iterator(n, x.iter().map(|x| x[r]));
            let residual = (&a * &found - &column).norm() / column.norm();
            assert!((residual - info.residuals[r]).abs() < 1e-12 && residual <= 1.1e-11);
            let exact = cholesky.solve(&column);
            // Compared in the energy norm, which the residual bounds.
            let error = &found - &exact;
            let energy = error.dot(&(&a * &error)).max(0.0).sqrt();
            assert!(energy <= 1e-8 * exact.dot(&(&a * &exact)).sqrt(), "n {n}: {energy:e}");
        }
    }
}

fn ring(n: u32) -> (Vec<(u32, u32)>, Vec<f64>) {
    let pairs = (0..n).flat_map(|i| [(i, (i + 1) % n), (i, (i + 7) % n)]).collect();
    let weights = (0..2 * n).map(|i| 0.5 + f64::from(i % 11) / 11.0).collect();
    (pairs, weights)
}

#[test]
fn columns_do_not_disturb_each_other() {
    let (pairs, weights) = ring(500);
    let graph = Graph::from_pairs(500, &pairs, &weights, Duplicate::Add).unwrap();
    let l = graph.laplacian(Kind::Combinatorial);
    let system = Shifted { shift: 1.0, scale: 3.0, operator: &l };
    let mut b = random::<3>(500, 6);
    for (i, row) in b.iter_mut().enumerate() {
        row[1] *= 1e-150; // a tiny column
        row[2] = if i == 17 { 1e200 } else { 0.0 }; // a huge and rough one
    }
    let mut together = vec![[0.0; 3]; 500];
    let info = conjugate_gradient(&system, &b, &mut together, &tight()).unwrap();
    assert!(info.converged());
    for r in 0..3 {
        let alone_b: Vec<[f64; 1]> = b.iter().map(|b| [b[r]]).collect();
        let mut alone = vec![[0.0]; 500];
        conjugate_gradient(&system, &alone_b, &mut alone, &tight()).unwrap();
        let size = alone.iter().fold(0.0f64, |m, x| m.max(x[0].abs()));
        for i in 0..500 {
            assert!((alone[i][0] - together[i][r]).abs() <= 1e-10 * size);
        }
    }
}

#[test]
fn warm_start_at_the_solution_ends_at_once() {
    let (pairs, weights) = ring(300);
    let l = EdgeLaplacian::new(300, &pairs, &weights, Kind::Combinatorial).unwrap();
    let system = Shifted { shift: 0.5, scale: 1.0, operator: &l };
    let x_true = random::<2>(300, 7);
    let mut b = vec![[0.0; 2]; 300];
    system.apply(&x_true, &mut b);
    let mut x = x_true.clone();
    let info = conjugate_gradient(&system, &b, &mut x, &tight()).unwrap();
    assert_eq!((info.iterations, info.stop), (0, CgStop::Converged));
    assert_eq!(x, x_true);
    let mut cold = vec![[0.0; 2]; 300];
    let cold_info = conjugate_gradient(&system, &b, &mut cold, &tight()).unwrap();
    let mut near: Vec<[f64; 2]> = x_true.iter().map(|x| x.map(|x| x * (1.0 + 1e-9))).collect();
    let near_info = conjugate_gradient(&system, &b, &mut near, &tight()).unwrap();
    assert!(near_info.iterations < cold_info.iterations, "{near_info:?} {cold_info:?}");
}

#[test]
fn zero_right_hand_sides_give_zero() {
    let a = Dense(definite(10, 8));
    let mut b = random::<2>(10, 9);
    b.iter_mut().for_each(|b| b[0] = 0.0);
    let mut x = random::<2>(10, 10);
    let info = conjugate_gradient(&a, &b, &mut x, &CgParams::default()).unwrap();
    assert!(x.iter().all(|x| x[0] == 0.0) && x.iter().any(|x| x[1] != 0.0));
    assert!(info.converged() && info.residuals[0] == 0.0);
}

#[test]
fn semidefinite_system_with_a_solution() {
    // L alone has the constants in its null space; b without mean has a solution.
    let (pairs, weights) = ring(200);
    let graph = Graph::from_pairs(200, &pairs, &weights, Duplicate::Add).unwrap();
    let l = graph.laplacian(Kind::Combinatorial);
    let mut b = vec![[0.0]; 200];
    (b[3][0], b[120][0]) = (1.0, -1.0);
    let mut x = vec![[0.0]; 200];
    let info = conjugate_gradient(&l, &b, &mut x, &tight()).unwrap();
    assert!(info.converged(), "{info:?}");
}

#[test]
fn operators_that_are_not_definite_are_found() {
    let mut a = definite(6, 11);
    a[(2, 2)] = -1.0;
    let error = conjugate_gradient(&Dense(a), &random::<1>(6, 1), &mut [[0.0]; 6], &tight());
    assert!(matches!(error, Err(SolveError::NotPositiveDefinite { .. })));
    // Positive diagonal, yet indefinite.
    let a = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
    let error = conjugate_gradient(&Dense(a), &[[1.0], [-1.0]], &mut [[0.0]; 2], &tight());
    assert!(matches!(error, Err(SolveError::NotPositiveDefinite { column: 0, .. })));
    // Singular without a solution: the direction ends up in the null space.
    let a = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
    let error = conjugate_gradient(&Dense(a), &[[1.0], [1.0]], &mut [[0.0]; 2], &tight());
    assert!(matches!(error, Err(SolveError::NotPositiveDefinite { .. })));
}

#[test]
fn limits_and_rounding_are_reported() {
    let a = Dense(definite(60, 12));
    let b = random::<1>(60, 13);
    let mut x = vec![[0.0]; 60];
    let few = CgParams { max_iterations: 3, ..CgParams::default() };
    let info = conjugate_gradient(&a, &b, &mut x, &few).unwrap();
    assert_eq!((info.iterations, info.stop), (3, CgStop::IterationLimit));
    assert!(info.residuals[0] > few.tolerance);
    let none = CgParams { max_iterations: 0, ..CgParams::default() };
    let mut untouched = vec![[0.0]; 60];
    let info = conjugate_gradient(&a, &b, &mut untouched, &none).unwrap();
    assert_eq!((info.iterations, info.residuals[0]), (0, 1.0));
    let impossible = CgParams { tolerance: 1e-20, max_iterations: 2000 };
    let info = conjugate_gradient(&a, &b, &mut x, &impossible).unwrap();
    assert_ne!(info.stop, CgStop::Converged);
    assert!(info.residuals[0] < 1e-10, "{info:?}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (pairs, weights) = ring(9000);
    let graph = Graph::from_pairs(9000, &pairs, &weights, Duplicate::Add).unwrap();
    let l = graph.laplacian(Kind::Combinatorial);
    let b = random::<3>(9000, 14);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let system = Shifted { shift: 1.0, scale: 0.7, operator: &l };
            let mut x = vec![[0.0; 3]; 9000];
            let info = conjugate_gradient(&system, &b, &mut x, &CgParams::default()).unwrap();
            (x, info)
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

#[test]
fn wrong_input_is_named() {
    let a = Dense(definite(3, 15));
    let solve = |b: &[[f64; 1]], x: &mut [[f64; 1]]| conjugate_gradient(&a, b, x, &tight());
    let short = solve(&[[1.0]; 2], &mut [[0.0]; 3]).unwrap_err();
    assert_eq!(short, SolveError::Length { what: "b", expected: 3, found: 2 });
    let nan = solve(&[[1.0], [f64::NAN], [0.0]], &mut [[0.0]; 3]).unwrap_err();
    assert_eq!(nan, SolveError::NotFinite { what: "b", row: 1 });
    let wide = Dense(DMatrix::zeros(2, 3));
    let square = conjugate_gradient(&wide, &[[1.0]; 2], &mut [[0.0]; 3], &tight()).unwrap_err();
    assert_eq!(square, SolveError::NotSquare { rows: 2, columns: 3 });
    let broken = Dense(DMatrix::from_element(3, 3, f64::NAN));
    let error = conjugate_gradient(&broken, &[[1.0]; 3], &mut [[0.0]; 3], &tight()).unwrap_err();
    assert!(matches!(error, SolveError::NotFinite { what: "operator product", .. }));
    let params = CgParams { tolerance: -1.0, ..CgParams::default() };
    let error = conjugate_gradient(&a, &[[1.0]; 3], &mut [[0.0]; 3], &params).unwrap_err();
    assert!(error.to_string().contains("tolerance"));
}

#[test]
fn parameters_read_from_partial_text_keep_their_defaults() {
    assert_eq!(CgParams::default().tolerance, 1e-6);
    assert_eq!(LsqrParams::default().tolerance, 1e-6);
}
