//! Which nodes to join: nearest neighbors, all within a radius, or a grid.
//!
//! Every pair is listed once, the smaller node first, in ascending order.
//!
//! ```
//! use featgraph::construct::{grid_graph, knn_graph, radius_graph};
//!
//! let places = [0.0, 1.0, 1.5, 4.0]; // one feature each
//! assert_eq!(knn_graph(1, &places, 1)?, [(0, 1), (1, 2), (2, 3)]);
//! assert_eq!(radius_graph(1, &places, 1.5)?, [(0, 1), (0, 2), (1, 2)]);
//! assert_eq!(grid_graph(&[2, 2], false)?, [(0, 1), (0, 2), (1, 3), (2, 3)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::edges::check_length;
use crate::error::EdgesError;
use crate::laplacian::GraphError;
use rayon::prelude::*;

/// Joins each node with the `neighbors` nodes whose features are nearest to its own, ties by
/// number. `rows` are the features node after node.
///
/// All distances are computed, which takes nodes² times K operations: a second for some 20,000
/// nodes. For many more in few dimensions use a spatial index and give its pairs to the edges.
///
/// # Errors
/// When `rows` is not a whole number of nodes or a value is not finite.
pub fn knn_graph(
    features: usize,
    rows: &[f64],
    neighbors: usize,
) -> Result<Vec<(u32, u32)>, EdgesError> {
    let nodes = check_rows(features, rows)?;
    let neighbors = neighbors.min(nodes.saturating_sub(1));
    if neighbors == 0 {
        return Ok(Vec::new());
    }
    let near = |i: usize| {
        let mut order: Vec<(f64, u32)> = (0..nodes)
            .filter(|&j| j != i)
            .map(|j| (distance2(features, rows, i, j), j as u32))
            .collect();
        let by = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        order.select_nth_unstable_by(neighbors - 1, by);
        order.truncate(neighbors);
        order.into_iter().map(move |(_, j)| (j.min(i as u32), j.max(i as u32))).collect()
    };
    let mut pairs: Vec<(u32, u32)> =
        (0..nodes).into_par_iter().map(near).collect::<Vec<Vec<_>>>().concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// Joins all nodes whose features are at most `radius` apart; see [`knn_graph`].
///
/// # Errors
/// When `rows` is not a whole number of nodes or a value is not finite.
pub fn radius_graph(
    features: usize,
    rows: &[f64],
    radius: f64,
) -> Result<Vec<(u32, u32)>, EdgesError> {
    let nodes = check_rows(features, rows)?;
    let near = |i: usize| -> Vec<(u32, u32)> {
        (i + 1..nodes)
            .filter(|&j| distance2(features, rows, i, j).sqrt() <= radius)
            .map(|j| (i as u32, j as u32))
            .collect()
    };
    Ok((0..nodes).into_par_iter().map(near).collect::<Vec<_>>().concat())
}

/// Joins the nodes of a grid, numbered with the last axis running fastest, with the next along each
/// axis and, if `diagonals`, with all that differ by at most one along every axis.
///
/// # Errors
/// When there are more nodes than 32-bit indices can name.
pub fn grid_graph(shape: &[usize], diagonals: bool) -> Result<Vec<(u32, u32)>, GraphError> {
    let nodes = shape.iter().try_fold(1_usize, |n, &s| n.checked_mul(s));
    let nodes = nodes.filter(|&n| u32::try_from(n).is_ok());
    let nodes = nodes.ok_or(GraphError::TooMany { what: "nodes", count: usize::MAX })?;
    let steps = grid_steps(shape.len(), diagonals);
    let mut pairs = Vec::new();
    let mut place = vec![0_usize; shape.len()];
    for node in 0..nodes {
        let mut rest = node;
        for (at, &size) in place.iter_mut().zip(shape).rev() {
            (rest, *at) = (rest / size, rest % size);
        }
        for step in &steps {
            let moved = place.iter().zip(step).zip(shape).try_fold(0, |number, ((&at, s), &n)| {
                let to = at.checked_add_signed(*s).filter(|&to| to < n)?;
                Some(number * n + to)
            });
            pairs.extend(moved.map(|to| (node as u32, to as u32)));
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Steps to the neighbors of a node that come after it.
fn grid_steps(axes: usize, diagonals: bool) -> Vec<Vec<isize>> {
    if !diagonals {
        return (0..axes).map(|a| (0..axes).map(|b| isize::from(a == b)).collect()).collect();
    }
    let all = 3_usize.pow(axes as u32);
    // In base three with digits -1, 0, 1, those above the middle one are positive.
    (all / 2 + 1..all)
        .map(|n| {
            let digit = |axis: usize| n / 3_usize.pow((axes - 1 - axis) as u32) % 3;
            (0..axes).map(|axis| digit(axis) as isize - 1).collect()
        })
        .collect()
}

fn check_rows(features: usize, rows: &[f64]) -> Result<usize, EdgesError> {
    if features == 0 {
        return Err(EdgesError::NoFeatures);
    }
    let nodes = rows.len() / features;
    check_length(rows.len(), nodes * features, || "the feature matrix".into())?;
    match rows.iter().position(|v| !v.is_finite()) {
        Some(n) => {
            let (row, feature) = (n / features, n % features);
            Err(EdgesError::Feature { feature, row, value: rows[n] })
        }
        None => Ok(nodes),
    }
}

fn distance2(features: usize, rows: &[f64], i: usize, j: usize) -> f64 {
    let (a, b) = (&rows[i * features..][..features], &rows[j * features..][..features]);
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
#[path = "construct_tests.rs"]
mod tests;
