use super::*;

fn rows(nodes: usize, k: usize) -> Vec<f64> {
    (0..nodes * k).map(|i| (i as f64 * 12.9898).sin() * 43.7).map(|v| v - v.floor()).collect()
}

#[test]
fn nearest_neighbors_and_radii_are_those_of_all_distances() {
    let (n, k) = (60, 3);
    let rows = rows(n, k);
    let (joined, close) = (knn_graph(k, &rows, 5).unwrap(), radius_graph(k, &rows, 0.3).unwrap());
    let rank = |i: usize, j: usize| {
        let d = distance2(k, &rows, i, j);
        (0..n).filter(|&m| m != i && distance2(k, &rows, i, m) < d).count()
    };
    for i in 0..n {
        for j in i + 1..n {
            let pair = (i as u32, j as u32);
            assert_eq!(joined.contains(&pair), rank(i, j) < 5 || rank(j, i) < 5, "{pair:?}");
            assert_eq!(close.contains(&pair), distance2(k, &rows, i, j) <= 0.09, "{pair:?}");
        }
    }
    assert!(joined.is_sorted() && close.is_sorted());
    // More neighbors than there are nodes: all of them.
    assert_eq!(knn_graph(k, &rows, 1000).unwrap().len(), n * (n - 1) / 2);
    assert_eq!(knn_graph(k, &rows, 0).unwrap(), []);
    assert_eq!(knn_graph(k, &[], 3).unwrap(), []);
}

#[test]
fn bad_features_are_named() {
    assert!(matches!(knn_graph(2, &[0.0; 5], 1), Err(EdgesError::Length { found: 5, .. })));
    assert!(matches!(knn_graph(0, &[], 1), Err(EdgesError::NoFeatures)));
    let nan = radius_graph(2, &[0.0, 1.0, f64::NAN, 0.0], 1.0);
    assert!(matches!(nan, Err(EdgesError::Feature { feature: 0, row: 1, .. })));
}

#[test]
fn grids_have_the_edges_that_can_be_counted() {
    // Along each axis one edge fewer than nodes, times the other axes.
    assert_eq!(grid_graph(&[3, 4, 5], false).unwrap().len(), 2 * 20 + 3 * 15 + 4 * 12);
    // All unordered pairs within one step: ((3·3-2)(3·4-2) - 12) / 2 in the plane.
    assert_eq!(grid_graph(&[3, 4], true).unwrap().len(), (7 * 10 - 12) / 2);
    for (i, j) in grid_graph(&[3, 4], true).unwrap() {
        assert!(i < j && (i / 4).abs_diff(j / 4) <= 1 && (i % 4).abs_diff(j % 4) <= 1);
    }
    assert_eq!(grid_graph(&[], false).unwrap(), []);
    assert_eq!(grid_graph(&[0, 3], true).unwrap(), []);
    assert!(grid_graph(&[1 << 20, 1 << 20], false).is_err());
}
