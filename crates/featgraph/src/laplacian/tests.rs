//! Against dense matrices written down from the definitions.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::solve::{LinearOperator, TransposeOperator};

fn random_pairs(nodes: u32, count: usize, seed: u64) -> (Vec<(u32, u32)>, Vec<f64>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let pairs =
        (0..count).map(|_| (rng.random_range(0..nodes), rng.random_range(0..nodes))).collect();
    let weights = (0..count).map(|_| rng.random_range(0.0..1.0)).collect();
    (pairs, weights)
}

/// W from its definition, duplicates added.
fn dense_weights(nodes: usize, pairs: &[(u32, u32)], weights: &[f64]) -> DMatrix<f64> {
    let mut w = DMatrix::zeros(nodes, nodes);
    for (&(i, j), weight) in pairs.iter().zip(weights).filter(|(p, _)| p.0 != p.1) {
        w[(i as usize, j as usize)] += weight;
        w[(j as usize, i as usize)] += weight;
    }
    w
}

fn dense_laplacian(w: &DMatrix<f64>, kind: Kind) -> DMatrix<f64> {
    let n = w.nrows();
    let degree = |i: usize| w.row(i).sum();
    DMatrix::from_fn(n, n, |i, j| match kind {
        Kind::Combinatorial if i == j => degree(i),
        Kind::Combinatorial => -w[(i, j)],
        Kind::Normalized(isolated) if i == j => {
            if degree(i) > 0.0 || isolated == Isolated::KeepOne { 1.0 } else { 0.0 }
        }
        Kind::Normalized(_) if w[(i, j)] == 0.0 => 0.0,
        Kind::Normalized(_) => -w[(i, j)] / (degree(i) * degree(j)).sqrt(),
    })
}

fn to_dense(a: &Csr) -> DMatrix<f64> {
    DMatrix::from_fn(a.rows(), a.width(), |i, j| a.get(i, j))
}

const KINDS: [Kind; 3] =
    [Kind::Combinatorial, Kind::Normalized(Isolated::Zero), Kind::Normalized(Isolated::KeepOne)];

#[test]
fn csr_and_edges_agree_with_the_definition() {
    // 60 nodes of which the last ten have no edges; duplicates, self pairs and both directions.
    let (pairs, weights) = random_pairs(50, 300, 1);
    let n = 60;
    let w = dense_weights(n, &pairs, &weights);
    let graph = Graph::from_pairs(n, &pairs, &weights, Duplicate::Add).unwrap();
    assert!((to_dense(graph.weights()) - &w).amax() < 1e-14);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let x: Vec<[f64; 3]> =
        (0..n).map(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0))).collect();
    for kind in KINDS {
        let expected = dense_laplacian(&w, kind);
        let csr = graph.laplacian(kind);
        let edge = EdgeLaplacian::new(n, &pairs, &weights, kind).unwrap();
        assert!((to_dense(&csr) - &expected).amax() < 1e-14, "{kind:?}");
        let (mut y, mut z) = (vec![[0.0; 3]; n], vec![[f64::NAN; 3]; n]);
        csr.product(&x, &mut y).unwrap();
        edge.apply(&x, &mut z);
        let mut t = vec![[f64::NAN; 3]; n];
        csr.apply_transpose(&x, &mut t);
        for r in 0..3 {
            let column = DVector::from_iterator(n, x.iter().map(|x| x[r]));
            let product = &expected * &column;
            for i in 0..n {
                assert!((y[i][r] - product[i]).abs() < 1e-13);
                assert!((z[i][r] - product[i]).abs() < 1e-13);
                assert!((t[i][r] - product[i]).abs() < 1e-13);
            }
            let form = column.dot(&product);
            assert!((csr.quadratic_form(column.as_slice()).unwrap() - form).abs() < 1e-12);
            assert!((edge.quadratic_form(column.as_slice()).unwrap() - form).abs() < 1e-12);
            if kind == Kind::Combinatorial {
                assert!((graph.smoothness(column.as_slice()).unwrap() - form).abs() < 1e-12);
            }
        }
        let (mut d, mut e) = (vec![0.0; n], vec![0.0; n]);
        LinearOperator::<1>::diagonal(&csr, &mut d);
        LinearOperator::<1>::diagonal(&edge, &mut e);
        for i in 0..n {
            assert!((d[i] - expected[(i, i)]).abs() < 1e-14 && (e[i] - d[i]).abs() < 1e-14);
        }
    }
}

#[test]
fn rows_sum_to_zero_and_the_spectrum_is_bounded() {
    for seed in 0..10 {
        let (pairs, weights) = random_pairs(25, 60, seed);
        let graph = Graph::from_pairs(25, &pairs, &weights, Duplicate::Add).unwrap();
        let l = to_dense(&graph.laplacian(Kind::Combinatorial));
        assert!(l.column_sum().amax() < 1e-14 && l == l.transpose());
        assert!(SymmetricEigen::new(l).eigenvalues.min() > -1e-13);
        for isolated in [Isolated::Zero, Isolated::KeepOne] {
            let l = to_dense(&graph.laplacian(Kind::Normalized(isolated)));
            assert_eq!(l, l.transpose());
            let values = SymmetricEigen::new(l).eigenvalues;
            assert!(values.min() > -1e-13 && values.max() < 2.0 + 1e-13);
        }
    }
}

#[test]
fn duplicates_follow_the_stated_rule() {
    let pairs = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 0), (0, 2), (1, 3), (1, 3), (3, 3)];
    let weights = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.25, 9.0];
    let weight = |duplicate, i, j| {
        let graph = Graph::from_pairs(4, &pairs, &weights, duplicate).unwrap();
        assert_eq!(graph.weights().get(i, j), graph.weights().get(j, i));
        assert_eq!(graph.weights().get(3, 3), 0.0);
        assert_eq!(graph.edges(), 4);
        graph.weights().get(i, j)
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
    for (duplicate, expected) in [
        (Duplicate::Add, [0.3, 0.3, 1.5, 0.95]),
        (Duplicate::KeepLower, [0.2, 0.3, 0.9, 0.95]),
        (Duplicate::Max, [0.2, 0.3, 0.6, 0.7]),
    ] {
        for ((i, j), e) in [(0, 1), (1, 2), (0, 2), (1, 3)].into_iter().zip(expected) {
            close(weight(duplicate, i, j), e);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (pairs, weights) = random_pairs(5000, 60_000, 3);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let graph = Graph::from_pairs(5000, &pairs, &weights, Duplicate::Add).unwrap();
            let l = graph.laplacian(Kind::Normalized(Isolated::KeepOne));
            let z: Vec<f64> = (0..5000).map(|i| (i as f64).sin()).collect();
            let x: Vec<[f64; 2]> = z.iter().map(|&z| [z, 1.0 - z]).collect();
            let mut y = vec![[0.0; 2]; 5000];
            l.product(&x, &mut y).unwrap();
            let form = l.quadratic_form(&z).unwrap().to_bits();
            let smooth = graph.smoothness(&z).unwrap().to_bits();
            (graph, l, y, form, smooth)
        })
    };
    let one = run(1);
    for threads in [2, 3, 5] {
        assert_eq!(one, run(threads));
    }
}

#[test]
fn quadratic_forms_keep_their_digits_under_a_large_mean() {
    let graph = Graph::from_pairs(2, &[(0, 1)], &[1.0], Duplicate::Add).unwrap();
    let z = [1e9, 1e9 + 0.5];
    assert_eq!(graph.smoothness(&z).unwrap(), 0.25);
}

#[test]
fn transposed_and_parts() {
    let a = Csr::from_parts(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0]).unwrap();
    assert_eq!(to_dense(&a.transposed()), to_dense(&a).transpose());
    assert_eq!(a.transposed().transposed(), a);
    assert_eq!((a.get(0, 2), a.get(1, 1), a.get(9, 9)), (2.0, 0.0, 0.0));
    for (width, offsets, columns, values) in [
        (3, vec![0, 2], vec![0], vec![1.0]),
        (3, vec![1, 1], vec![0], vec![1.0]),
        (3, vec![0, 1], vec![0], vec![]),
        (3, vec![0, 1], vec![3], vec![1.0]),
        (3, vec![0, 2], vec![1, 1], vec![1.0, 1.0]),
        (3, vec![0, 2, 1, 2], vec![0, 1], vec![1.0, 1.0]),
        (3, vec![], vec![], vec![]),
    ] {
        let parts = Csr::from_parts(width, offsets, columns, values);
        assert!(matches!(parts, Err(GraphError::Parts { .. })));
    }
}

#[test]
fn empty_graphs_are_graphs() {
    for n in [0, 1, 5] {
        let graph = Graph::from_pairs(n, &[], &[], Duplicate::Add).unwrap();
        let l = graph.laplacian(Kind::Normalized(Isolated::KeepOne));
        assert_eq!((graph.edges(), l.entries()), (0, n));
        assert_eq!(l.quadratic_form(&vec![2.0; n]).unwrap(), 4.0 * n as f64);
        assert_eq!(graph.smoothness(&vec![2.0; n]).unwrap(), 0.0);
    }
}

#[test]
fn wrong_input_is_named() {
    let make = |pairs: &[(u32, u32)], weights: &[f64]| {
        let kind = Kind::Combinatorial;
        let edge = EdgeLaplacian::new(3, pairs, weights, kind).unwrap_err();
        let graph = Graph::from_pairs(3, pairs, weights, Duplicate::Add).unwrap_err();
        assert_eq!(edge.to_string(), graph.to_string());
        graph
    };
    assert_eq!(make(&[(0, 1)], &[]), GraphError::Lengths { pairs: 1, weights: 0 });
    assert_eq!(make(&[(0, 3)], &[1.0]), GraphError::Node { pair: 0, node: 3, nodes: 3 });
    assert_eq!(make(&[(0, 1)], &[-1.0]), GraphError::Weight { pair: 0, weight: -1.0 });
    assert!(matches!(make(&[(0, 1)], &[f64::NAN]), GraphError::Weight { pair: 0, .. }));
    let graph = Graph::from_pairs(3, &[(0, 1)], &[1.0], Duplicate::Add).unwrap();
    assert_eq!(graph.smoothness(&[1.0]), Err(GraphError::Vector { expected: 3, found: 1 }));
    let l = graph.laplacian(Kind::Combinatorial);
    assert_eq!(l.quadratic_form(&[1.0]), Err(GraphError::Vector { expected: 3, found: 1 }));
    let short = l.product(&[[0.0]; 3], &mut [[0.0]; 2]);
    assert_eq!(short, Err(GraphError::Vector { expected: 3, found: 2 }));
}
