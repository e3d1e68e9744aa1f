//! One fused pass over all edges: objective, gradient and curvature bound.
//!
//! Edges are read tile by tile (128 edges, column-wise); a fixed number of tiles, which depends
//! only on the problem's size, makes a chunk; chunks run in parallel and their partial sums are
//! added in chunk order, so that any number of threads gives the same bits. The arithmetic is
//! plain (no fused multiply-add) in lanes of fixed width, so that every instruction set does too.

mod kernel;

use crate::edges::{Edges, TILE};
use crate::wide::Inlined;
use rayon::prelude::*;

/// Which entries of M are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// The diagonal: `q_j = g_j^2`.
    Diagonal,
    /// The off-diagonal entries of one row and column: `q_j = 2 g_r g_j` for `j != r`.
    Row(usize),
}

/// What a pass returns beside the gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sums {
    /// Q(M).
    pub objective: f64,
    /// An upper bound of the largest eigenvalue of the Hessian (zero if not asked for).
    pub curvature: f64,
}

/// What to compute beside the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Objective,
    Gradient,
    GradientAndCurvature,
}

/// A pass over a set of edges, with the memory it works in.
pub(crate) struct Pass<'e> {
    edges: &'e Edges,
    simd: pulp::Arch,
    /// Tiles per chunk.
    span: usize,
    /// Per chunk: objective, curvature, gradient.
    partial: Vec<f64>,
    /// Coefficients of the quadratic form, padded.
    coefficients: Vec<f64>,
}

impl<'e> Pass<'e> {
    pub fn new(edges: &'e Edges) -> Self {
        let tiles = edges.len().div_ceil(TILE);
        // Fewer, longer chunks when a partial gradient is large.
        let most = if edges.features() > 32 { 32 } else { 256 };
        let span = tiles.div_ceil(most).max(1);
        let (k, p) = (edges.features(), edges.padded_features());
        Self {
            edges,
            simd: pulp::Arch::new(),
            span,
            partial: vec![0.0; tiles.div_ceil(span) * (2 + k * (k + 1) / 2)],
            coefficients: vec![0.0; p * p],
        }
    }

    pub fn edges(&self) -> &'e Edges {
        self.edges
    }

    /// Runs without run-time selection of instructions, to compare.
    #[cfg(test)]
    pub fn scalar(mut self) -> Self {
        self.simd = pulp::Arch::Scalar;
        self
    }

    /// The objective at the matrix `m` (row-major); the gradient, if wanted, as the lower
    /// triangle row by row: entry (i, j) is `-sum w d g_i g_j`, the derivative with respect to
    /// the symmetric matrix in the Frobenius product.
    pub fn full(&mut self, m: &[f64], want: Want, gradient: &mut [f64]) -> Sums {
        let k = self.edges.features();
        let p = self.edges.padded_features();
        fill_coefficients(m, k, p, &mut self.coefficients);
        let width = k * (k + 1) / 2;
        let c = &self.coefficients;
        let (edges, simd, span) = (self.edges, self.simd, self.span);
        chunks(edges, span, width, &mut self.partial, |chunk, d, partial| {
            let mut tiles = Tiles::new(edges, chunk * span);
            simd.dispatch(Inlined(
                #[inline(always)]
                || kernel::full(&mut tiles, d, c, k, p, want, partial),
            ));
        });
        self.collect(width, want, gradient)
    }

    /// The objective when the entries of `which` change by `change` (K values; the row's own is
    /// ignored) from where the exponents are `base`; the gradient with respect to them (a row's
    /// entry counts once, as in the paper's Eq. 30).
    pub fn linear(
        &mut self,
        base: &[f64],
        which: Entries,
        change: &[f64],
        want: Want,
        gradient: &mut [f64],
    ) -> Sums {
        let k = self.edges.features();
        let (edges, simd, span) = (self.edges, self.simd, self.span);
        let with_base = !base.is_empty();
        chunks(edges, span, k, &mut self.partial, |chunk, d, partial| {
            let mut tiles = Tiles::new(edges, chunk * span);
            let first = chunk * span * TILE;
            let base = if with_base { &base[first..first + d.len()] } else { base };
            simd.dispatch(Inlined(
                #[inline(always)]
                || kernel::linear(&mut tiles, d, base, which, change, want, partial),
            ));
        });
        let sums = self.collect(k, want, gradient);
        if let (Entries::Row(r), true) = (which, want != Want::Objective) {
            gradient[r] = 0.0;
        }
        sums
    }

    /// Adds the partial sums in chunk order.
    fn collect(&self, width: usize, want: Want, gradient: &mut [f64]) -> Sums {
        let mut sums = Sums { objective: 0.0, curvature: 0.0 };
        if want != Want::Objective {
            gradient[..width].fill(0.0);
        }
        let count = self.edges.len().div_ceil(TILE).div_ceil(self.span);
        for partial in self.partial.chunks_exact(width + 2).take(count) {
            sums.objective += partial[0];
            sums.curvature += partial[1];
            if want != Want::Objective {
                for (sum, part) in gradient.iter_mut().zip(&partial[2..]) {
                    *sum -= part;
                }
            }
        }
        sums
    }

    /// Writes the exponents `g' M g` of all edges (padded to whole tiles).
    pub fn exponents(&mut self, m: &[f64], out: &mut [f64]) {
        self.map(m, out, false);
    }

    /// Writes the weights `exp(-g' M g)` of all edges (padded to whole tiles).
    pub fn weights(&mut self, m: &[f64], out: &mut [f64]) {
        self.map(m, out, true);
    }

    fn map(&mut self, m: &[f64], out: &mut [f64], weights: bool) {
        let k = self.edges.features();
        let p = self.edges.padded_features();
        fill_coefficients(m, k, p, &mut self.coefficients);
        let (c, simd) = (&self.coefficients, self.simd);
        out.par_chunks_mut(self.span * TILE).enumerate().for_each(|(chunk, out)| {
            let mut tiles = Tiles::new(self.edges, chunk * self.span);
            simd.dispatch(Inlined(
                #[inline(always)]
                || kernel::map(&mut tiles, c, p, weights, out),
            ));
        });
    }

    /// Adds to the exponents what a change of some entries adds to `g' M g`.
    pub fn shift_exponents(&self, which: Entries, change: &[f64], exponents: &mut [f64]) {
        let simd = self.simd;
        exponents.par_chunks_mut(self.span * TILE).enumerate().for_each(|(chunk, out)| {
            let mut tiles = Tiles::new(self.edges, chunk * self.span);
            simd.dispatch(Inlined(
                #[inline(always)]
                || kernel::shift(&mut tiles, which, change, out),
            ));
        });
    }
}

/// Runs `work` on every chunk with its own part of `partial`.
fn chunks(
    edges: &Edges,
    span: usize,
    width: usize,
    partial: &mut [f64],
    work: impl Fn(usize, &[f64], &mut [f64]) + Sync,
) {
    let distances = edges.padded_distances().par_chunks(span * TILE);
    let parts = distances.zip(partial.par_chunks_mut(width + 2)).enumerate();
    parts.for_each(|(chunk, (d, partial))| {
        partial.fill(0.0);
        work(chunk, d, partial);
    });
}

/// The tiles of a chunk, one after the other.
struct Tiles<'e> {
    edges: &'e Edges,
    next: usize,
    scratch: Vec<f64>,
}

impl<'e> Tiles<'e> {
    fn new(edges: &'e Edges, first: usize) -> Self {
        Self { edges, next: first, scratch: edges.scratch() }
    }

    #[inline(always)]
    fn next(&mut self) -> &[f64] {
        self.next += 1;
        self.edges.tile(self.next - 1, &mut self.scratch)
    }
}

/// Lower triangle with the off-diagonal entries doubled: `g'Mg = sum_i g_i sum_{j<=i} c_ij g_j`.
fn fill_coefficients(m: &[f64], k: usize, p: usize, c: &mut [f64]) {
    for i in 0..k {
        for j in 0..i {
            c[i * p + j] = m[i * k + j] + m[j * k + i];
        }
        c[i * p + i] = m[i * k + i];
    }
}

#[cfg(test)]
mod tests;
