use super::*;

fn line(n: u32) -> Vec<(u32, u32)> {
    (1..n).map(|i| (i - 1, i)).collect()
}

#[test]
fn rows_and_columns_give_the_same_edges() {
    let rows = [0.0, 1.0, 0.5, 1.5, 2.0, 0.0];
    let signal = [1.0, 1.5, 3.0];
    let a = Edges::builder(3).feature_rows(2, &rows).signal(&signal).pairs(line(3));
    let first = [0.0, 0.5, 2.0];
    let second = [1.0, 1.5, 0.0];
    let b = Edges::builder(3)
        .feature_column(&first)
        .feature_column(&second)
        .signal(&signal)
        .pairs(line(3));
    let columns = vec![vec![-0.5, -1.5], vec![-0.5, 1.5]];
    let c = Edges::from_columns(line(3), columns, vec![0.25, 2.25]).unwrap();
    let a = a.build().unwrap();
    assert_eq!(a, b.build().unwrap());
    assert_eq!((a.pairs(), a.distances()), (c.pairs(), c.distances()));
    (0..2).for_each(|e| assert_eq!(a.difference(e), c.difference(e)));
}

#[test]
fn gathered_tiles_are_the_stored_ones_to_the_last_bit() {
    let nodes = 90;
    for (k, special) in [(1, 0.0), (6, 0.0), (7, 0.0), (40, 0.0), (5, f64::NAN), (6, 1e300)] {
        let mut rows: Vec<f64> =
            (0..nodes * k).map(|i| (i as f64 * 0.7).sin() * (1.0 + i as f64)).collect();
        rows[3 * k] = special;
        let pairs: Vec<_> = (0..400).map(|e| (e * 7 % 90, e * 11 % 89)).collect();
        let signal: Vec<f64> = (0..nodes).map(|i| i as f64).collect();
        let built = Edges::builder(nodes).feature_rows(k, &rows).signal(&signal).pairs(pairs);
        let built = built.missing(Missing::ByEdge).build().unwrap();
        // Memory goes with the nodes.
        assert!(matches!(built.differences, Differences::Gathered(_)));
        let part = built.sample_edges(0.9, 1).unwrap();
        for edges in [built, part] {
            let column = |f: usize| (0..edges.len()).map(|e| edges.difference(e)[f]).collect();
            let columns: Vec<Vec<f64>> = (0..k).map(column).collect();
            let d = edges.distances().to_vec();
            let stored = Edges::from_columns(vec![], columns, d).unwrap();
            let (mut a, mut b) = (edges.scratch(), stored.scratch());
            for n in 0..edges.len().div_ceil(TILE) {
                assert_eq!(edges.tile(n, &mut a), stored.tile(n, &mut b), "K {k}, tile {n}");
            }
        }
    }
}

#[test]
fn observations_add_up() {
    let f = [0.0, 1.0, 3.0];
    let (s, t) = ([1.0, 2.0, 4.0], [0.0, 3.0, 3.5]);
    let edges = Edges::builder(3).feature_column(&f).signal(&s).signal(&t).pairs(line(3));
    assert_eq!(edges.build().unwrap().distances(), &[1.0 + 9.0, 4.0 + 0.25]);
}

#[test]
fn missing_features_reduce_to_the_present_ones() {
    let nan = f64::NAN;
    let (a, b, c) = ([1.0, 4.0, 2.0], [5.0, nan, 1.0], [2.0, 8.0, nan]);
    let s = [0.0, 1.0, 2.0];
    let build = |missing| {
        let columns = Edges::builder(3).feature_column(&a).feature_column(&b).feature_column(&c);
        columns.signal(&s).pairs(vec![(0, 1), (1, 2), (0, 2)]).missing(missing).build()
    };
    assert!(matches!(build(Missing::Refuse), Err(EdgesError::Feature { feature: 1, row: 1, .. })));
    let edges = build(Missing::ByEdge).unwrap();
    let (r, q) = (1.5_f64.sqrt(), 3.0_f64.sqrt());
    assert_eq!(edges.difference(0), vec![-3.0 * r, 0.0, -6.0 * r]);
    assert_eq!(edges.difference(1), vec![2.0 * q, 0.0, 0.0]);
    assert_eq!(edges.difference(2), vec![-r, 4.0 * r, 0.0]);
    // A node with no features at all: difference zero.
    let empty = [nan, nan];
    let edge = Edges::builder(2).feature_column(&empty).pairs(line(2));
    let edge = edge.missing(Missing::ByEdge).build().unwrap();
    assert_eq!(edge.difference(0), vec![0.0]);
    // Infinity is never a missing value.
    let infinite = [f64::INFINITY, 0.0];
    let edge = Edges::builder(2).feature_column(&infinite).pairs(line(2));
    assert!(edge.missing(Missing::ByEdge).build().is_err());
}

#[test]
fn signal_dependent_edges_use_the_signal_as_feature() {
    let signal = [0.0, 2.0, 5.0];
    let edges = Edges::signal_dependent(&signal, line(3)).unwrap();
    assert_eq!(edges.features(), 1);
    for e in 0..2 {
        assert_eq!(edges.difference(e)[0].powi(2), edges.distances()[e]);
    }
}

#[test]
fn samples_have_the_stated_size_and_repeat_with_their_seed() {
    let f: Vec<f64> = (0..1001).map(|i| f64::from(i).sin()).collect();
    let edges = Edges::builder(1001).feature_column(&f).signal(&f).pairs(line(1001));
    let edges = edges.build().unwrap();
    let part = edges.sample_edges(0.2, 7).unwrap();
    assert_eq!(part.len(), 200);
    assert_eq!(part, edges.sample_edges(0.2, 7).unwrap());
    assert_ne!(part, edges.sample_edges(0.2, 8).unwrap());
    for e in 0..part.len() {
        let (i, j) = part.pairs()[e];
        assert_eq!(part.difference(e)[0], f[i as usize] - f[j as usize]);
        assert_eq!(part.distances()[e], (f[i as usize] - f[j as usize]).powi(2));
    }
    assert_eq!(edges.sample_edges(1.0, 3).unwrap(), edges);
    assert_eq!(edges.sample_edges(1e-9, 3).unwrap().len(), 1);
    for bad in [0.0, -0.1, 1.1, f64::NAN] {
        assert!(matches!(edges.sample_edges(bad, 0), Err(EdgesError::Fraction(_))));
    }
}

#[test]
fn partial_observation_is_the_plain_problem_on_the_observed_nodes() {
    let f: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17)).collect();
    let z: Vec<f64> = (0..50).map(|i| f64::from(i * 7 % 11)).collect();
    let observed: Vec<bool> = (0..50).map(|i| i % 5 != 0).collect();
    let all = Edges::builder(50).feature_column(&f).signal(&z).pairs(line(50));
    let part = all.build().unwrap().between_nodes(&observed).unwrap();
    let kept = line(50)
        .into_iter()
        .filter(|&(i, j)| observed[i as usize] && observed[j as usize])
        .collect();
    let plain = Edges::builder(50).feature_column(&f).signal(&z).pairs(kept).build().unwrap();
    assert_eq!(part, plain);
    let sampled = part.sample_nodes(50, 0.5, 1).unwrap();
    assert!(sampled.len() < part.len());
}

#[test]
fn bad_input_is_named() {
    let f = [0.0, 1.0];
    let short = Edges::builder(3).feature_column(&f).pairs(line(3)).build();
    assert!(matches!(short, Err(EdgesError::Length { found: 2, expected: 3, .. })));
    let node = Edges::builder(2).feature_column(&f).pairs(vec![(0, 1), (1, 2)]).build();
    assert_eq!(node, Err(EdgesError::Node { edge: 1, node: 2, nodes: 2 }));
    assert_eq!(Edges::builder(2).pairs(line(2)).build(), Err(EdgesError::NoFeatures));
    let nan = [0.0, f64::NAN];
    let signal = Edges::builder(2).feature_column(&f).signal(&nan).pairs(line(2)).build();
    assert!(matches!(signal, Err(EdgesError::Signal { row: 1, .. })));
    let negative = Edges::from_columns(vec![], vec![vec![1.0]], vec![-1.0]);
    assert!(matches!(negative, Err(EdgesError::Distance { edge: 0, .. })));
    let infinite = Edges::from_columns(vec![], vec![vec![f64::INFINITY]], vec![1.0]);
    assert!(matches!(infinite, Err(EdgesError::Feature { feature: 0, row: 0, .. })));
    let total = Edges::from_columns(vec![], vec![vec![1.0; 2]], vec![1e308; 2]);
    assert_eq!(total, Err(EdgesError::TotalDistance));
}

#[test]
fn huge_differences_are_shortened_along_their_direction() {
    let (a, b) = ([1e308, -1e308], [1e308, 0.0]);
    let edges = Edges::builder(2).feature_column(&a).feature_column(&b).pairs(line(2));
    let g = edges.build().unwrap().difference(0);
    assert!(g.iter().all(|v| v.is_finite() && v.abs() <= 1.0001e70), "{g:?}");
}
