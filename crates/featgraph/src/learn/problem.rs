//! The objective of learning over a set of edges, counting its evaluations.

use super::params::{Info, LearnParams, Stop};
use super::project::{onto_ball, onto_spectrum, onto_trace, onto_trace_published};
use super::step::Block;
use crate::edges::Edges;
use crate::error::LearnError;
use crate::pass::{Entries, Pass, Sums, Want};

/// Edges, bounds and counters shared by the solvers.
pub(crate) struct Problem<'e> {
    pub pass: Pass<'e>,
    pub features: usize,
    /// C.
    pub limit: f64,
    /// Lower bound of the eigenvalues.
    pub margin: f64,
    /// Total distance; objectives are divided by it.
    pub total: f64,
    pub passes: usize,
    pub restricted: usize,
    pub rejected: usize,
    pub empty_sets: usize,
    pub without_room: usize,
    /// The last accepted step, for the divided objective.
    pub step: f64,
    packed: Vec<f64>,
}

impl<'e> Problem<'e> {
    pub fn new(edges: &'e Edges, params: &LearnParams) -> Self {
        let k = edges.features();
        Self {
            pass: Pass::new(edges),
            features: k,
            limit: params.trace_limit,
            margin: params.margin * params.trace_limit,
            // Never zero, as objectives are divided by it.
            total: edges.total_distance().max(f64::MIN_POSITIVE),
            passes: 0,
            restricted: 0,
            rejected: 0,
            empty_sets: 0,
            without_room: 0,
            step: 0.0,
            packed: vec![0.0; k * (k + 1) / 2],
        }
    }

    /// Objective (divided) and full symmetric gradient.
    pub fn full(&mut self, m: &[f64], want: Want, gradient: &mut [f64]) -> Sums {
        self.passes += 1;
        let sums = self.pass.full(m, want, &mut self.packed);
        if want != Want::Objective {
            let k = self.features;
            let mut packed = self.packed.iter();
            for i in 0..k {
                for (j, v) in (0..=i).zip(&mut packed) {
                    gradient[i * k + j] = v / self.total;
                    gradient[j * k + i] = v / self.total;
                }
            }
        }
        self.divided(sums)
    }

    fn divided(&self, sums: Sums) -> Sums {
        Sums { objective: sums.objective / self.total, curvature: sums.curvature / self.total }
    }

    /// The report, from divided objectives.
    pub fn info(&self, history: Vec<f64>, stop: Stop) -> Info {
        let raw: Vec<f64> = history.iter().map(|f| f * self.total).collect();
        Info {
            objective: raw.iter().copied().fold(f64::INFINITY, f64::min),
            iterations: raw.len().saturating_sub(1),
            history: raw,
            passes: self.passes,
            restricted_passes: self.restricted,
            step_size: self.step / self.total,
            stop,
            margin: self.margin,
            edges: self.pass.edges().len(),
            rejected_blocks: self.rejected,
            empty_diagonal_sets: self.empty_sets,
            rows_without_room: self.without_room,
        }
    }
}

/// All entries free, eigenvalues bounded.
pub(crate) struct Whole<'p, 'e>(pub &'p mut Problem<'e>);

impl Block for Whole<'_, '_> {
    fn evaluate(&mut self, x: &[f64], want: Want, gradient: &mut [f64]) -> Sums {
        self.0.full(x, want, gradient)
    }

    fn project(&mut self, x: &mut [f64]) -> Result<(), LearnError> {
        onto_spectrum(x, self.0.features, self.0.margin, self.0.limit)
    }

    fn reach(&self) -> f64 {
        self.0.limit
    }
}

/// The set that some entries are kept in.
pub(crate) enum Bounds {
    /// Eq. 16: at least `lower` each, adding up to at most C.
    Trace { lower: Vec<f64> },
    /// The same, with the published program's projection.
    Published { lower: Vec<f64> },
    /// Eq. 29: a ball.
    Ball { radius: f64 },
}

/// Only the diagonal, or one row and column, free.
pub(crate) struct Part<'p, 'e> {
    pub problem: &'p mut Problem<'e>,
    pub which: Entries,
    /// The exponents where the entries have the values `origin`; empty for all zero.
    pub base: &'p [f64],
    pub origin: Vec<f64>,
    pub bounds: Bounds,
}

impl Block for Part<'_, '_> {
    fn evaluate(&mut self, x: &[f64], want: Want, gradient: &mut [f64]) -> Sums {
        let p = &mut *self.problem;
        p.passes += 1;
        p.restricted += 1;
        let change: Vec<f64> = x.iter().zip(&self.origin).map(|(x, o)| x - o).collect();
        let sums = p.pass.linear(self.base, self.which, &change, want, gradient);
        if want != Want::Objective {
            gradient.iter_mut().for_each(|g| *g /= p.total);
        }
        p.divided(sums)
    }

    fn project(&mut self, x: &mut [f64]) -> Result<(), LearnError> {
        let limit = self.problem.limit;
        match &self.bounds {
            Bounds::Trace { lower } => {
                onto_trace(x, lower, limit);
            }
            Bounds::Published { lower } => onto_trace_published(x, lower, limit),
            Bounds::Ball { radius } => onto_ball(x, *radius),
        }
        Ok(())
    }

    fn reach(&self) -> f64 {
        self.problem.limit
    }
}
