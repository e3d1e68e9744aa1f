//! The linear system of the MAP step (Eq. 50 and 51), on points.
//!
//! It is solved for the displacement from the observation, `(I + γA) Δ = γ T'L(C - TP)` with
//! `A = T'LT`: the same equation, but free of the size of the coordinates.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use featgraph::solve::{LinearOperator, TransposeOperator};
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use crate::DenoiseError;
use crate::parameters::choices;
use crate::patch::{End, PatchGraph, Patches};

mod moving;

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

/// The graph of one iteration with its weights: one a directed edge, zero where there is none.
pub struct WeightedGraph<'a> {
    /// The patches.
    pub patches: &'a Patches,
    /// How they are linked.
    pub graph: &'a PatchGraph,
    /// Weight of each directed edge.
    pub weights: Vec<f64>,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// `1 / sqrt(degree)` of every node, zero without edges; all ones for the combinatorial one.
    factors: Vec<f64>,
}

impl<'a> WeightedGraph<'a> {
    /// A graph with one weight for each directed edge.
    pub fn new(
        patches: &'a Patches,
        graph: &'a PatchGraph,
        weights: Vec<f64>,
        laplacian: Laplacian,
    ) -> WeightedGraph<'a> {
        let mut weighted = WeightedGraph { patches, graph, weights, laplacian, factors: vec![] };
        weighted.factors = weighted.node_factors();
        weighted
    }

    /// Edges with a weight.
    pub fn len(&self) -> usize {
        self.weights.par_iter().filter(|&&w| w > 0.0).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` with the ends and the weight of every edge that leaves patches `range`.
    fn for_each_edge(&self, range: Range<usize>, mut f: impl FnMut(usize, End, End, f64)) {
        let per_patch = self.graph.per_patch();
        for edge in range.start * per_patch..range.end * per_patch {
            let w = self.weights[edge];
            if w > 0.0
                && let Some((i, j)) = self.graph.edge(self.patches, edge)
            {
                f(edge, i, j, w);
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
            return vec![1.0; nodes];
        }
        let mut degree = vec![0.0; nodes];
        self.for_each_edge(0..self.patches.len(), |_, i, j, w| {
            degree[i.node] += w;
            degree[j.node] += w;
        });
        degree.iter_mut().for_each(|d| *d = if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 });
        degree
    }

    /// A node's place relative to its patch: a row of V = TY - C (Eq. 37).
    #[inline]
    fn relative(&self, y: &[Point], end: End) -> Point {
        vec3::sub(y[end.point], self.patches.origin_at(end.patch, y))
    }

    /// `tr(V'LV)` at `y`: the regularizer of Eq. (49).
    pub fn regularizer(&self, y: &[Point]) -> f64 {
        let (size, factors) = (self.patches.size(), &self.factors);
        let sums: Vec<f64> = self
            .runs()
            .map(|run| {
                let mut sum = 0.0;
                self.for_each_edge(run.clone(), |_, i, j, w| {
                    let (vi, vj) = (self.relative(y, i), self.relative(y, j));
                    sum += match self.laplacian {
                        Laplacian::Combinatorial => w * vec3::distance2(vi, vj),
                        Laplacian::Normalized => {
                            -2.0 * w * factors[i.node] * factors[j.node] * vec3::dot(vi, vj)
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
        check_edges(self.weights.len())?;
        let rows = self.rows_of_edges(observed.len());
        // Row by row, in parallel: entries of one column lie side by side and are added up in
        // the order of their edges.
        let chunks: Vec<Chunk> = (0..observed.len().div_ceil(ROWS))
            .into_par_iter()
            .map(|chunk| {
                let mut out = Chunk::default();
                let mut entries = Vec::new();
                for p in chunk * ROWS..((chunk + 1) * ROWS).min(observed.len()) {
                    entries.clear();
                    entries.extend(rows.row(p));
                    entries.sort_unstable();
                    self.finish_row(p, &entries, observed, &mut out);
                }
                out
            })
            .collect();
        let mut system = PointSystem::gather(chunks);
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

    /// For each point, the edges that end at it, as (other point, edge) packed in one number.
    fn rows_of_edges(&self, points: usize) -> EdgeRows {
        // Counts are sums of whole numbers and rows are sorted later, so the order in which
        // threads get here leaves no trace.
        let cursor: Vec<AtomicU32> = (0..points).map(|_| AtomicU32::new(0)).collect();
        let count = |p: usize| cursor[p].fetch_add(1, Ordering::Relaxed);
        self.runs().for_each(|run| {
            self.for_each_edge(run, |_, i, j, _| {
                count(i.point);
                if i.point != j.point {
                    count(j.point);
                }
            });
        });
        let mut starts = Vec::with_capacity(points + 1);
        starts.push(0);
        for c in &cursor {
            let next = starts[starts.len() - 1] + c.swap(0, Ordering::Relaxed) as usize;
            starts.push(next);
        }
        let packed: Vec<AtomicU64> = (0..starts[points]).map(|_| AtomicU64::new(0)).collect();
        let put = |p: usize, q: usize, edge: usize| {
            let slot = starts[p] + count(p) as usize;
            packed[slot].store((q as u64) << 32 | edge as u64, Ordering::Relaxed);
        };
        self.runs().for_each(|run| {
            self.for_each_edge(run, |edge, i, j, _| {
                put(i.point, j.point, edge);
                if i.point != j.point {
                    put(j.point, i.point, edge);
                }
            });
        });
        EdgeRows { starts, packed }
    }

    fn finish_row(&self, p: usize, entries: &[u64], observed: &[Point], out: &mut Chunk) {
        let factors = &self.factors;
        let (mut diagonal, mut pull) = (0.0, [0.0; 3]);
        let start = out.columns.len();
        for &entry in entries {
            let (q, edge) = ((entry >> 32) as u32, (entry & 0xffff_ffff) as usize);
            let Some((i, j)) = self.graph.edge(self.patches, edge) else { continue };
            let (own, other) = if i.point == p { (i, j) } else { (j, i) };
            let w = self.weights[edge] * factors[i.node] * factors[j.node];
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
            match out.columns[start..].last() {
                Some(&last) if last == q => {
                    if let Some(value) = out.values.last_mut() {
                        *value += w;
                    }
                }
                _ => {
                    out.columns.push(q);
                    out.values.push(w);
                }
            }
        }
        out.lengths.push(out.columns.len() - start);
        out.diagonal.push(diagonal);
        out.pull.push(pull);
    }
}

/// An error if edges cannot be numbered in 32 bits, which is how [`EdgeRows`] packs them.
fn check_edges(edges: usize) -> Result<(), DenoiseError> {
    match u32::try_from(edges) {
        Ok(_) => Ok(()),
        Err(_) => Err(DenoiseError::TooManyEdges { edges }),
    }
}

/// Edges by the points at their ends.
struct EdgeRows {
    starts: Vec<usize>,
    packed: Vec<AtomicU64>,
}

impl EdgeRows {
    fn row(&self, p: usize) -> impl Iterator<Item = u64> {
        self.packed[self.starts[p]..self.starts[p + 1]].iter().map(|e| e.load(Ordering::Relaxed))
    }
}

/// Finished rows of one task.
#[derive(Default)]
struct Chunk {
    lengths: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    pull: Vec<Point>,
}

/// A = T'LT in rows, and the pull T'L(C - TP).
pub struct PointSystem {
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// Entries off the diagonal, negated.
    values: Vec<f64>,
    diagonal: Vec<f64>,
    pull: Vec<Point>,
}

impl PointSystem {
    fn gather(chunks: Vec<Chunk>) -> PointSystem {
        let mut starts = vec![0];
        for length in chunks.iter().flat_map(|c| &c.lengths) {
            starts.push(starts[starts.len() - 1] + length);
        }
        PointSystem {
            starts,
            columns: chunks.iter().flat_map(|c| &c.columns).copied().collect(),
            values: chunks.iter().flat_map(|c| &c.values).copied().collect(),
            diagonal: chunks.iter().flat_map(|c| &c.diagonal).copied().collect(),
            pull: chunks.iter().flat_map(|c| &c.pull).copied().collect(),
        }
    }

    /// T'L(C - TP): where the regularizer pulls each point.
    pub fn pull(&self) -> &[Point] {
        &self.pull
    }

    /// Diagonal of A.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// `out = (I + gamma A) x`.
    pub fn apply(&self, gamma: f64, x: &[Point], out: &mut [Point]) {
        out.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, out)| {
            for (offset, out) in out.iter_mut().enumerate() {
                let i = chunk * ROWS + offset;
                let row = self.starts[i]..self.starts[i + 1];
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
