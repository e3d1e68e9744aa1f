//! Weights of links, `exp(-g'Mg)`, and the metric M that is learned from a sample of them.

use featgraph::edges::Edges;
use featgraph::exp::exp_each;
use featgraph::learn::{self, LearnParams, Solver};
use featgraph::metric::Metric;
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use crate::DenoiseError;
use crate::graph::scramble;
use crate::patch::{Apart, NONE, PatchGraph, Patches};

/// Features: position and normal.
pub const FEATURES: usize = 6;
/// What they are called.
pub const NAMES: [&str; FEATURES] =
    ["position x", "position y", "position z", "normal x", "normal y", "normal z"];
/// Positions as features are spacings times this, so that one trace limit suits both kinds.
pub const POSITION_SCALE: f64 = 0.45;
/// Patches that the metric is learned from.
const LEARN_FROM: f64 = 600.0;
/// Patches a task.
const PATCHES: usize = 64;

/// A metric, row after row.
pub type Matrix = [f64; FEATURES * FEATURES];

/// The difference g of the features of two points.
#[inline]
fn difference(y: &[Point], apart: Apart, p: usize, q: usize) -> [f64; FEATURES] {
    let d = vec3::scale(vec3::sub(y[p], y[q]), POSITION_SCALE);
    let n = apart.difference(p, q);
    [d[0], d[1], d[2], n[0], n[1], n[2]]
}

/// `g'Mg` (Eq. 6) for an M with no entries between positions and normals.
#[inline]
fn quadratic_form(m: &Matrix, g: &[f64; FEATURES]) -> f64 {
    let part = |at: usize| {
        let m = |i: usize, j: usize| m[FEATURES * (at + i) + at + j];
        let [x, y, z] = [g[at], g[at + 1], g[at + 2]];
        x * (m(0, 0) * x + 2.0 * (m(0, 1) * y + m(0, 2) * z))
            + y * (m(1, 1) * y + 2.0 * m(1, 2) * z)
            + z * m(2, 2) * z
    };
    part(0) + part(FEATURES / 2)
}

/// The weight of every point of every link; zero where a patch has fewer neighbors.
pub fn weights(
    y: &[Point],
    patches: &Patches,
    graph: &PatchGraph,
    apart: Apart,
    m: &Matrix,
) -> Vec<f32> {
    let size = patches.size();
    let (links, degree) = graph.links();
    let mut weights = vec![0.0; links.len() * size];
    let task = |exponents: &mut Vec<f64>, s: usize, weights: &mut [f32]| {
        let own = patches.members(s);
        exponents.clear();
        for link in s * degree..(s + 1) * degree {
            if links[link] == NONE {
                exponents.extend(own.iter().map(|_| f64::NEG_INFINITY));
                continue;
            }
            let other = patches.members(links[link] as usize);
            exponents.extend(own.iter().zip(graph.slots(link)).map(|(&p, &slot)| {
                let q = other[slot as usize];
                -quadratic_form(m, &difference(y, apart, p as usize, q as usize))
            }));
        }
        exp_each(exponents);
        weights.iter_mut().zip(&*exponents).for_each(|(w, &e)| *w = e as f32);
    };
    weights
        .par_chunks_mut(degree * size)
        .enumerate()
        .with_min_len(PATCHES)
        .for_each_init(Vec::new, |exponents, (s, weights)| task(exponents, s, weights));
    weights
}

/// The metric that takes all features alike.
pub fn fixed(trace_limit: f64) -> Result<Matrix, DenoiseError> {
    let metric = Metric::identity_scaled(FEATURES, trace_limit);
    matrix(metric.map_err(|e| failed(e.to_string()))?.values())
}

/// The same with `floor` under its entries of normals.
pub fn raised(mut m: Matrix, floor: f64) -> Matrix {
    (FEATURES / 2..FEATURES).for_each(|i| m[(FEATURES + 1) * i] += floor);
    m
}

/// As many values as a metric has.
pub fn matrix(values: &[f64]) -> Result<Matrix, DenoiseError> {
    values.try_into().map_err(|_| failed("the metric has another size".into()))
}

fn failed(detail: String) -> DenoiseError {
    DenoiseError::Numerical { step: "learning", detail }
}

/// Learns M (Eq. 11) from the links of some patches, drawn by the numbers of their centers.
pub fn learn(
    y: &[Point],
    numbers: &[u32],
    patches: &Patches,
    graph: &PatchGraph,
    apart: Apart,
    trace_limit: f64,
) -> Result<Matrix, DenoiseError> {
    let share = (LEARN_FROM / patches.len().max(1) as f64).min(1.0);
    let drawn = |s: usize| {
        let number = u64::from(numbers[patches.centers()[s] as usize]);
        scramble(number) as f64 <= share * 2.0_f64.powi(64)
    };
    let (links, degree) = graph.links();
    let mut columns = vec![Vec::new(); FEATURES];
    let mut distances = Vec::new();
    for s in (0..patches.len()).filter(|&s| drawn(s)) {
        for link in (s * degree..(s + 1) * degree).filter(|&link| links[link] != NONE) {
            let other = patches.members(links[link] as usize);
            for (&p, &slot) in patches.members(s).iter().zip(graph.slots(link)) {
                let (p, q) = (p as usize, other[slot as usize] as usize);
                // The sign of a difference of normals means nothing beside that of positions, so
                // both go in, and M has no entry between the two kinds.
                let mut g = difference(y, apart, p, q);
                for _ in 0..2 {
                    columns.iter_mut().zip(g).for_each(|(column, g)| column.push(g));
                    distances.push(vec3::distance2(y[p], y[q]));
                    g[FEATURES / 2..].iter_mut().for_each(|g| *g = -*g);
                }
            }
        }
    }
    let edges =
        Edges::from_columns(Vec::new(), columns, distances).map_err(|e| failed(e.to_string()))?;
    let metric = if edges.is_empty() {
        return fixed(trace_limit);
    } else {
        // To the last digits, so that turning the cloud turns the metric.
        let params = LearnParams {
            trace_limit,
            solver: Solver::Full,
            tolerance: 1e-13,
            max_passes: 100,
            ..LearnParams::default()
        };
        learn::learn(&edges, &params).map_err(|e| failed(e.to_string()))?.metric
    };
    let mut m = matrix(metric.values())?;
    let is_normal = |i: usize| i >= FEATURES / 2;
    for (entry, m) in m.iter_mut().enumerate() {
        // Zero but for rounding.
        if is_normal(entry / FEATURES) != is_normal(entry % FEATURES) {
            *m = 0.0;
        }
    }
    Ok(m)
}
