//! The linear system of the MAP step (Eq. 50 and 51), on points.
//!
//! It is solved for the displacement from the observation, `(I + γA) Δ = γ T'L(C - TP)` with
//! `A = T'LT`: the same equation, but free of the size of the coordinates.

use std::ops::Range;

use featgraph::solve::{LinearOperator, TransposeOperator};
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use crate::DenoiseError;
use crate::parameters::choices;
use crate::patch::{End, PatchGraph, Patches};

mod moving;
mod rows;

use rows::{EdgesOfPoints, Row, Seen};

pub use moving::MovingCenters;

choices! {
    /// Which graph Laplacian.
    pub enum Laplacian {
        /// `D - W`, as in the paper's text.
        Combinatorial = "combinatorial",
        /// `I - D^-1/2 W D^-1/2` on patch nodes, as in the published runs; nodes without edges keep
        /// a one on the diagonal, which pulls them to the origin of their patch.
        Normalized = "normalized",
    }
}

/// Rows handled by one task; fixed, so that sums do not depend on the number of threads.
const ROWS: usize = 1024;

/// Patches handled by one task, for the same reason.
const PATCHES: usize = 256;

/// Weights of directed edges, zero where there is none.
pub enum Weights {
    /// One for each edge.
    OfEdges(Vec<f64>),
    /// One for each link of two patches, which all of its edges have.
    OfLinks(Vec<f64>),
}

impl Weights {
    /// The weight of an edge of that link.
    #[inline]
    fn of(&self, link: usize, edge: usize) -> f64 {
        match self {
            Weights::OfEdges(weights) => weights[edge],
            Weights::OfLinks(weights) => weights[link],
        }
    }
}

/// The graph of one iteration with its weights.
pub struct WeightedGraph<'a> {
    /// The patches.
    pub patches: &'a Patches,
    /// How they are linked.
    pub graph: &'a PatchGraph,
    /// Weights of the directed edges.
    pub weights: Weights,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// `1 / sqrt(degree)` of every node, zero without edges; empty for the combinatorial Laplacian.
    factors: Vec<f64>,
}

impl<'a> WeightedGraph<'a> {
    /// A graph with these weights.
    pub fn new(
        patches: &'a Patches,
        graph: &'a PatchGraph,
        weights: Weights,
        laplacian: Laplacian,
    ) -> WeightedGraph<'a> {
        let mut weighted = WeightedGraph { patches, graph, weights, laplacian, factors: vec![] };
        weighted.factors = weighted.node_factors();
        weighted
    }

    /// Edges with a weight.
    pub fn len(&self) -> usize {
        let count = |run| {
            let mut count = 0;
            self.for_each_edge(run, |_, _, _, _| count += 1);
            count
        };
        self.runs().map(count).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` with the ends and the weight of every edge that leaves patches `range`.
    fn for_each_edge(&self, range: Range<usize>, mut f: impl FnMut(usize, End, End, f64)) {
        let (_, degree) = self.graph.links();
        let size = self.patches.size();
        for link in range.start * degree..range.end * degree {
            for edge in link * size..(link + 1) * size {
                let w = self.weights.of(link, edge);
                if w > 0.0
                    && let Some((i, j)) = self.graph.edge(self.patches, edge)
                {
                    f(edge, i, j, w);
                }
            }
        }
    }

    /// Fixed runs of patches for tasks.
    fn runs(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let patches = self.patches.len();
        (0..patches.div_ceil(PATCHES))
            .into_par_iter()
            .map(move |run| run * PATCHES..((run + 1) * PATCHES).min(patches))
    }

    fn node_factors(&self) -> Vec<f64> {
        let nodes = self.patches.points_of_nodes().len();
        if self.laplacian == Laplacian::Combinatorial {
            return vec![];
        }
        let mut degree = vec![0.0; nodes];
        self.for_each_edge(0..self.patches.len(), |_, i, j, w| {
            degree[i.node] += w;
            degree[j.node] += w;
        });
        degree.iter_mut().for_each(|d| *d = if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 });
        degree
    }

    /// What the weight of an edge at this node is multiplied by.
    #[inline]
    fn factor(&self, node: usize) -> f64 {
        match self.laplacian {
            Laplacian::Combinatorial => 1.0,
            Laplacian::Normalized => self.factors[node],
        }
    }

    /// A node's place relative to its patch: a row of V = TY - C (Eq. 37).
    #[inline]
    fn relative(&self, y: &[Point], end: End) -> Point {
        vec3::sub(y[end.point], self.patches.origin_at(end.patch, y))
    }

    /// `tr(V'LV)` at `y`: the regularizer of Eq. (49).
    pub fn regularizer(&self, y: &[Point]) -> f64 {
        let size = self.patches.size();
        let sums: Vec<f64> = self
            .runs()
            .map(|run| {
                let mut sum = 0.0;
                self.for_each_edge(run.clone(), |_, i, j, w| {
                    let (vi, vj) = (self.relative(y, i), self.relative(y, j));
                    sum += match self.laplacian {
                        Laplacian::Combinatorial => w * vec3::distance2(vi, vj),
                        Laplacian::Normalized => {
                            -2.0 * w * self.factor(i.node) * self.factor(j.node) * vec3::dot(vi, vj)
                        }
                    };
                });
                if self.laplacian == Laplacian::Normalized {
                    for node in run.start * size..run.end * size {
                        let point = self.patches.points_of_nodes()[node] as usize;
                        let v = self.relative(y, End { patch: node / size, node, point });
                        sum += vec3::dot(v, v);
                    }
                }
                sum
            })
            .collect();
        sums.iter().sum()
    }

    /// The objective of Eq. (50).
    pub fn energy(&self, y: &[Point], observed: &[Point], gamma: f64) -> f64 {
        let fit: f64 = y.iter().zip(observed).map(|(&y, &p)| vec3::distance2(y, p)).sum();
        fit + gamma * self.regularizer(y)
    }

    /// A = T'LT and the pull T'L(C - TP), for origins that stay where they are.
    pub fn assemble(&self, observed: &[Point]) -> Result<PointSystem, DenoiseError> {
        check_edges(self.graph.capacity())?;
        let edges = EdgesOfPoints::new(self.patches, self.graph, observed.len());
        let mut system = PointSystem::unfilled(edges.most(ROWS), observed.len());
        // Row by row, in parallel: entries of one column lie side by side and are added up in
        // the order of their edges.
        system.chunks().into_par_iter().enumerate().for_each_init(
            Row::default,
            |row, (number, mut chunk)| {
                for offset in 0..chunk.ends.len() {
                    let p = number * ROWS + offset;
                    edges.find(p, |link, edge| self.weights.of(link, edge), row);
                    self.finish_row(p, row, observed, &mut chunk);
                    chunk.ends[offset] = chunk.filled as u32;
                }
            },
        );
        if self.laplacian == Laplacian::Normalized {
            for (node, &point) in self.patches.points_of_nodes().iter().enumerate() {
                let p = point as usize;
                let origin = self.patches.origins()[node / self.patches.size()];
                system.diagonal[p] += 1.0;
                system.pull[p] = vec3::sub(system.pull[p], vec3::sub(observed[p], origin));
            }
        }
        Ok(system)
    }

    /// Adds the entries of row `p` to the chunk, and its diagonal and pull.
    fn finish_row(&self, p: usize, row: &Row, observed: &[Point], chunk: &mut Chunk) {
        let (mut diagonal, mut pull) = (0.0, [0.0; 3]);
        let start = chunk.filled;
        for &(entry, place) in &row.order {
            let q = (entry >> 32) as u32;
            let Seen { own, other, weight } = row.seen[place as usize];
            let w = weight * self.factor(own.node) * self.factor(other.node);
            let (v_own, v_other) = (self.relative(observed, own), self.relative(observed, other));
            match self.laplacian {
                // An edge of a point to itself cancels.
                Laplacian::Combinatorial if q as usize == p => continue,
                Laplacian::Combinatorial => {
                    diagonal += w;
                    pull = vec3::add(pull, vec3::scale(vec3::sub(v_other, v_own), w));
                }
                Laplacian::Normalized if q as usize == p => {
                    diagonal -= 2.0 * w;
                    pull = vec3::add(pull, vec3::scale(vec3::add(v_own, v_other), w));
                    continue;
                }
                Laplacian::Normalized => pull = vec3::add(pull, vec3::scale(v_other, w)),
            }
            let last = chunk.filled.wrapping_sub(1);
            if chunk.filled > start && chunk.columns[last] == q {
                chunk.values[last] += w;
            } else {
                (chunk.columns[chunk.filled], chunk.values[chunk.filled]) = (q, w);
                chunk.filled += 1;
            }
        }
        (chunk.diagonal[p % ROWS], chunk.pull[p % ROWS]) = (diagonal, pull);
    }
}

/// An error if edges cannot be numbered in 32 bits, which is how a [`Row`] packs them.
fn check_edges(edges: usize) -> Result<(), DenoiseError> {
    match u32::try_from(edges) {
        Ok(_) => Ok(()),
        Err(_) => Err(DenoiseError::TooManyEdges { edges }),
    }
}

/// The rows of one task, to be filled.
struct Chunk<'a> {
    /// Entries so far.
    filled: usize,
    columns: &'a mut [u32],
    values: &'a mut [f64],
    ends: &'a mut [u32],
    diagonal: &'a mut [f64],
    pull: &'a mut [Point],
}

/// A = T'LT in rows, and the pull T'L(C - TP).
pub struct PointSystem {
    /// Where the entries of each chunk of [`ROWS`] rows start, and where the last one ends. There is
    /// more room than entries: what is never written to takes no memory.
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// Entries off the diagonal, negated.
    values: Vec<f64>,
    /// Where each row ends in its chunk.
    ends: Vec<u32>,
    diagonal: Vec<f64>,
    pull: Vec<Point>,
}

impl PointSystem {
    /// So many rows, with room for so many entries in each chunk of them.
    fn unfilled(most: Vec<usize>, rows: usize) -> PointSystem {
        let mut starts = vec![0];
        for most in most {
            starts.push(starts[starts.len() - 1] + most);
        }
        let room = starts[starts.len() - 1];
        PointSystem {
            starts,
            columns: vec![0; room],
            values: vec![0.0; room],
            ends: vec![0; rows],
            diagonal: vec![0.0; rows],
            pull: vec![[0.0; 3]; rows],
        }
    }

    /// The chunks, to be filled side by side.
    fn chunks(&mut self) -> Vec<Chunk<'_>> {
        let (mut columns, mut values) = (&mut self.columns[..], &mut self.values[..]);
        let rows = self.ends.chunks_mut(ROWS).zip(self.diagonal.chunks_mut(ROWS));
        let rows = rows.zip(self.pull.chunks_mut(ROWS)).zip(self.starts.windows(2));
        let mut chunks = Vec::new();
        for (((ends, diagonal), pull), range) in rows {
            let room = range[1] - range[0];
            let (own_columns, rest) = std::mem::take(&mut columns).split_at_mut(room);
            columns = rest;
            let (own_values, rest) = std::mem::take(&mut values).split_at_mut(room);
            values = rest;
            let (columns, values) = (own_columns, own_values);
            chunks.push(Chunk { filled: 0, columns, values, ends, diagonal, pull });
        }
        chunks
    }

    /// T'L(C - TP): where the regularizer pulls each point.
    pub fn pull(&self) -> &[Point] {
        &self.pull
    }

    /// Takes the pull out, so that it need not be there twice.
    pub fn take_pull(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.pull)
    }

    /// Diagonal of A.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// `out = (I + gamma A) x`.
    pub fn apply(&self, gamma: f64, x: &[Point], out: &mut [Point]) {
        let chunks = out.par_chunks_mut(ROWS).zip(self.ends.par_chunks(ROWS));
        chunks.enumerate().for_each(|(number, (out, ends))| {
            let first = self.starts[number];
            let mut start = first;
            for (offset, (out, &end)) in out.iter_mut().zip(ends).enumerate() {
                let i = number * ROWS + offset;
                let row = start..first + end as usize;
                start = row.end;
                let mut sum = [0.0; 3];
                for (&j, &v) in self.columns[row.clone()].iter().zip(&self.values[row]) {
                    let xj = x[j as usize];
                    sum[0] += v * xj[0];
                    sum[1] += v * xj[1];
                    sum[2] += v * xj[2];
                }
                let own = vec3::scale(x[i], 1.0 + gamma * self.diagonal[i]);
                *out = vec3::sub(own, vec3::scale(sum, gamma));
            }
        });
    }
}

/// `I + γA`, for solvers.
pub struct Damped<'a> {
    /// A.
    pub system: &'a PointSystem,
    /// γ.
    pub gamma: f64,
}

impl LinearOperator<3> for Damped<'_> {
    fn rows(&self) -> usize {
        self.system.diagonal().len()
    }

    fn columns(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &[Point], y: &mut [Point]) {
        self.system.apply(self.gamma, x, y);
    }

    fn diagonal(&self, out: &mut [f64]) {
        for (out, a) in out.iter_mut().zip(self.system.diagonal()) {
            *out = 1.0 + self.gamma * a;
        }
    }
}

impl TransposeOperator<3> for Damped<'_> {
    fn apply_transpose(&self, x: &[Point], y: &mut [Point]) {
        self.apply(x, y);
    }
}

#[cfg(test)]
#[path = "system_tests.rs"]
mod tests;
