//! Closed forms: paths, complete graphs, trees; and the identity of Eq. (2).

use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::eigen::EigenStop;
use crate::laplacian::{Duplicate, Isolated, Kind};

fn graph(nodes: usize, pairs: &[(u32, u32)], weights: &[f64]) -> Graph {
    Graph::from_pairs(nodes, pairs, weights, Duplicate::Add).unwrap()
}

fn random_graph(nodes: u32, edges: usize, seed: u64) -> Graph {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let pairs: Vec<(u32, u32)> =
        (0..edges).map(|_| (rng.random_range(0..nodes), rng.random_range(0..nodes))).collect();
    let weights: Vec<f64> = (0..edges).map(|_| rng.random_range(0.1..1.0)).collect();
    graph(nodes as usize, &pairs, &weights)
}

fn path(n: u32) -> Graph {
    let pairs: Vec<(u32, u32)> = (1..n).map(|i| (i - 1, i)).collect();
    graph(n as usize, &pairs, &vec![1.0; n as usize - 1])
}

#[test]
fn all_pairs_give_the_quadratic_form() {
    // Eq. (2): z'Lz = Σ λ α², for both Laplacians.
    let g = random_graph(40, 120, 1);
    let z: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.7).sin() + 2.0).collect();
    for kind in [Kind::Combinatorial, Kind::Normalized(Isolated::KeepOne)] {
        let l = g.laplacian(kind);
        let all = lowest_frequencies(&l, 40, &laplacian_params()).unwrap();
        let alpha = coefficients(&all.vectors, &z);
        let sum: f64 = all.values.iter().zip(&alpha).map(|(l, a)| l * a * a).sum();
        let form = l.quadratic_form(&z).unwrap();
        assert!((sum - form).abs() < 1e-12 * form, "{sum} {form}");
        let energy: f64 = alpha.iter().map(|a| a * a).sum();
        let length: f64 = z.iter().map(|z| z * z).sum();
        assert!((energy - length).abs() < 1e-12 * length);
    }
}

#[test]
fn path_frequencies_are_cosines() {
    let n = 200;
    let l = path(n).laplacian(Kind::Combinatorial);
    let found = lowest_frequencies(&l, 5, &laplacian_params()).unwrap();
    assert_eq!(found.stop, EigenStop::Converged);
    for (k, value) in found.values.iter().enumerate() {
        let exact = 2.0 - 2.0 * (PI * k as f64 / f64::from(n)).cos();
        assert!((value - exact).abs() < 1e-9, "{k}: {value} {exact}");
    }
    // A low-pass signal has its energy there.
    let wave: Vec<f64> =
        (0..n).map(|i| (PI * 2.0 * (f64::from(i) + 0.5) / f64::from(n)).cos()).collect();
    let alpha = coefficients(&found.vectors, &wave);
    let length: f64 = wave.iter().map(|w| w * w).sum();
    assert!((alpha[2] * alpha[2] - length).abs() < 1e-6 * length, "{alpha:?}");
}

#[test]
fn zero_frequencies_count_components() {
    // Two random graphs side by side and three lonely nodes.
    let (a, b) = (random_graph(60, 400, 2), random_graph(50, 400, 3));
    let (mut pairs, mut weights) = (Vec::new(), Vec::new());
    for (g, shift) in [(&a, 0), (&b, 60)] {
        for i in 0..g.nodes() {
            let (columns, values) = g.weights().row(i);
            for (&j, &w) in columns.iter().zip(values).filter(|(j, _)| (**j as usize) < i) {
                pairs.push((i as u32 + shift, j + shift));
                weights.push(w);
            }
        }
    }
    let g = graph(113, &pairs, &weights);
    let found = components(&g);
    assert_eq!(found.count, 5);
    assert!((0..60).all(|i| found.labels[i] == 0) && (60..110).all(|i| found.labels[i] == 1));
    assert_eq!(found.labels[110..], [2, 3, 4]);
    let low =
        lowest_frequencies(&g.laplacian(Kind::Combinatorial), 7, &laplacian_params()).unwrap();
    assert!(low.values[..5].iter().all(|v| v.abs() < 1e-8), "{:?}", low.values);
    assert!(low.values[5] > 0.1, "{:?}", low.values);
    // A zero weight is no edge.
    assert_eq!(components(&graph(2, &[(0, 1)], &[0.0])).count, 2);
    assert_eq!(components(&graph(0, &[], &[])).count, 0);
}

#[test]
fn field_has_the_precision_and_rank_of_the_paper() {
    let pairs = [(0, 1), (1, 2), (3, 4)];
    let g = graph(6, &pairs, &[0.5, 2.0, 1.0]);
    let field = Igmrf::new(&g, 3.0).unwrap();
    assert_eq!((field.rank(), field.order()), (3, 3)); // {0,1,2}, {3,4}, {5}
    let q = field.precision();
    assert_eq!((q.get(1, 1), q.get(0, 1), q.get(0, 2), q.get(5, 5)), (7.5, -1.5, 0.0, 0.0));
    assert_eq!(field.increment_variance(1, 2), 1.0 / 6.0);
    assert_eq!(field.increment_variance(0, 2), f64::INFINITY);
    let x = [1.0, 3.0, 2.0, 0.0, 2.0, 7.0];
    let by_hand = -0.5 * 3.0 * (0.5 * 4.0 + 2.0 * 1.0 + 1.0 * 4.0);
    assert!((field.log_kernel(&x).unwrap() - by_hand).abs() < 1e-14);
    // A constant on each component changes nothing.
    let moved = [11.0, 13.0, 12.0, -5.0, -3.0, 0.0];
    assert!((field.log_kernel(&moved).unwrap() - by_hand).abs() < 1e-13);
    assert!(Igmrf::new(&g, 0.0).is_none() && Igmrf::new(&g, f64::NAN).is_none());
    assert!(field.log_kernel(&[0.0]).is_err() && field.log_density(&[0.0]).is_err());
}

#[test]
fn generalized_determinant_counts_spanning_trees() {
    // Matrix-tree theorem: |L|* = n times the weighted number of spanning trees. A path has one
    // tree, the product of its weights; a complete graph has n^(n-2).
    let weights = [0.5, 2.0, 3.0, 0.1];
    let tree = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], &weights);
    let kappa: f64 = 1.7;
    let field = Igmrf::new(&tree, kappa).unwrap();
    let product: f64 = weights.iter().product();
    let exact = (5.0 * product).ln() + 4.0 * kappa.ln();
    assert!((field.log_generalized_determinant().unwrap() - exact).abs() < 1e-12);
    let pairs: Vec<(u32, u32)> = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let complete = graph(6, &pairs, &[1.0; 15]);
    let found = Igmrf::new(&complete, 1.0).unwrap().log_generalized_determinant().unwrap();
    assert!((found - (6.0 * 6f64.powi(4)).ln()).abs() < 1e-12);
}

#[test]
fn density_on_two_nodes_is_the_normal_one() {
    // The field lives on x'1 = 0, where (x_0 - x_1) / √2 ~ N(0, 1 / (2 w κ)).
    let (w, kappa) = (0.8, 2.5);
    let g = graph(2, &[(0, 1)], &[w]);
    let field = Igmrf::new(&g, kappa).unwrap();
    let x = [0.3, -0.3];
    let (t, variance) = ((x[0] - x[1]) / 2f64.sqrt(), 1.0 / (2.0 * w * kappa));
    let exact = -0.5 * (2.0 * PI * variance).ln() - t * t / (2.0 * variance);
    assert!((field.log_density(&x).unwrap() - exact).abs() < 1e-13);
}

mod signals {
    use crate::construct::grid_graph;
    use crate::laplacian::{Csr, Duplicate, Graph, Isolated, Kind};
    use crate::solve::{CgParams, LinearOperator};
    use crate::spectrum::{ChebyshevFilter, interpolate};

    fn laplacian(kind: Kind) -> Csr {
        let pairs = grid_graph(&[6, 7], true).unwrap();
        let weights: Vec<f64> = (0..pairs.len()).map(|n| 0.2 + (n * 7 % 11) as f64 / 9.0).collect();
        Graph::from_pairs(42, &pairs, &weights, Duplicate::Add).unwrap().laplacian(kind)
    }

    fn signal(channels: usize) -> Vec<f64> {
        (0..42 * channels).map(|i| (i as f64 * 1.7).sin()).collect()
    }

    #[test]
    fn filters_are_functions_of_the_eigenvalues() {
        for kind in [Kind::Combinatorial, Kind::Normalized(Isolated::Zero)] {
            let l = laplacian(kind);
            let dense = nalgebra::DMatrix::from_fn(42, 42, |i, j| l.get(i, j));
            let eigen = nalgebra::SymmetricEigen::new(dense);
            let kernel = |f: f64| 1.0 / (1.0 + 2.0 * f);
            for channels in [1, 3, 4, 9] {
                let z = signal(channels);
                let filter = ChebyshevFilter::new(&l, 60, kernel);
                let ours = filter.apply(&l, channels, &z).unwrap();
                let z = nalgebra::DMatrix::from_row_slice(42, channels, &z);
                let values = eigen.eigenvalues.map(kernel);
                let v = &eigen.eigenvectors;
                let exact = v * nalgebra::DMatrix::from_diagonal(&values) * v.transpose() * z;
                for (n, x) in ours.iter().enumerate() {
                    let expected = exact[(n / channels, n % channels)];
                    assert!((x - expected).abs() < 1e-7, "{kind:?} {channels}: {x} {expected}");
                }
            }
            assert!(ChebyshevFilter::new(&l, 3, kernel).apply(&l, 2, &[0.0; 42]).is_err());
        }
    }

    #[test]
    fn interpolated_values_are_means_of_their_neighbors_or_minimize_the_sum() {
        let l = laplacian(Kind::Combinatorial);
        let known: Vec<bool> = (0..42).map(|i| i % 5 == 0).collect();
        let params = CgParams { tolerance: 1e-12, ..CgParams::default() };
        for channels in [1, 5] {
            let mut z = signal(channels);
            for (row, &known) in z.chunks_exact_mut(channels).zip(&known) {
                row.iter_mut().for_each(|v| *v = if known { *v } else { f64::NAN });
            }
            for smoothing in [0.0, 0.7] {
                let x = interpolate(&l, &known, channels, &z, smoothing, &params).unwrap();
                for c in 0..channels {
                    let column: Vec<[f64; 1]> = (0..42).map(|i| [x[i * channels + c]]).collect();
                    let mut lx = vec![[0.0]; 42];
                    l.apply(&column, &mut lx);
                    for i in 0..42 {
                        let off = column[i][0] - z[i * channels + c];
                        let wrong = match (known[i], smoothing > 0.0) {
                            (true, false) => off,
                            (true, true) => off + smoothing * lx[i][0],
                            (false, _) => lx[i][0],
                        };
                        assert!(wrong.abs() < 1e-8, "{smoothing} node {i}: {wrong}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_without_a_value_get_zero_and_bad_input_is_named() {
        let graph = Graph::from_pairs(5, &[(0, 1), (2, 3)], &[1.0; 2], Duplicate::Add).unwrap();
        let l = graph.laplacian(Kind::Combinatorial);
        let known = [true, false, false, false, false];
        let run =
            |known: &[bool], z: &[f64], g| interpolate(&l, known, 1, z, g, &CgParams::default());
        for smoothing in [0.0, 0.1] {
            let x = run(&known, &[2.0; 5], smoothing).unwrap();
            assert!((x[1] - x[0]).abs() < 1e-5 && x[2..] == [0.0; 3], "{x:?}");
        }
        assert!(run(&known[..3], &[2.0; 5], 0.0).is_err());
        assert!(run(&known, &[2.0; 4], 0.0).is_err());
        assert!(run(&known, &[2.0; 5], -1.0).is_err());
        assert!(run(&known, &[f64::NAN; 5], 0.0).is_err());
    }
}
