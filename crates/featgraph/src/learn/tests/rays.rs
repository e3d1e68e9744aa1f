//! The optimum over the discs by another method, to compare with: no code of the solvers.
//!
//! A matrix whose discs are right of the margin is `margin I` plus a sum, with weights of at least
//! zero, of `e_i e_i'` and `(e_i ± e_j)(e_i ± e_j)'` (Barker and Carlson 1975). Divided by their
//! traces, these rays turn the set into a simplex of K² corners.

use crate::edges::Edges;

/// The best that is known over the discs: a matrix, and a bound that no matrix of the set goes
/// below.
pub(super) struct Optimum {
    pub matrix: Vec<f64>,
    pub bound: f64,
}

struct Problem<'a> {
    edges: &'a Edges,
    k: usize,
    margin: f64,
    budget: f64,
}

impl Problem<'_> {
    /// Corners: K single features, then sums and differences of pairs.
    fn corners(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let k = self.k;
        let pairs = (0..k).flat_map(move |i| (0..i).map(move |j| (i, j)));
        let signs = pairs.flat_map(|(i, j)| [(i, j, 1.0), (i, j, -1.0)]);
        (0..k).map(|i| (i, i, 0.0)).chain(signs)
    }

    fn matrix(&self, x: &[f64]) -> Vec<f64> {
        let k = self.k;
        let mut m = vec![0.0; k * k];
        (0..k).for_each(|i| m[i * k + i] = self.margin);
        for ((i, j, sign), x) in self.corners().zip(x) {
            if i == j {
                m[i * k + i] += x;
            } else {
                m[i * k + i] += 0.5 * x;
                m[j * k + j] += 0.5 * x;
                m[i * k + j] += 0.5 * sign * x;
                m[j * k + i] += 0.5 * sign * x;
            }
        }
        m
    }

    /// The objective and its slope towards each corner.
    fn evaluate(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let (k, m) = (self.k, self.matrix(x));
        let mut gradient = vec![0.0; k * k];
        let mut objective = 0.0;
        for e in 0..self.edges.len() {
            let g = self.edges.difference(e);
            let row = |i: usize| m[i * k..][..k].iter().zip(&g).map(|(m, g)| m * g).sum::<f64>();
            let exponent: f64 = (0..k).map(|i| g[i] * row(i)).sum();
            let weighted = (-exponent).exp() * self.edges.distances()[e];
            objective += weighted;
            for i in 0..k {
                for j in 0..k {
                    gradient[i * k + j] -= weighted * g[i] * g[j];
                }
            }
        }
        let at = |i: usize, j: usize| gradient[i * k + j];
        let slope = |(i, j, sign): (usize, usize, f64)| match i == j {
            true => at(i, i),
            false => 0.5 * (at(i, i) + at(j, j)) + sign * at(i, j),
        };
        (objective, self.corners().map(slope).collect())
    }

    /// Nearest point of `{x >= 0, sum x <= budget}`, by bisection.
    fn project(&self, x: &mut [f64]) {
        let sum = |shift: f64| x.iter().map(|v| (v - shift).max(0.0)).sum::<f64>();
        let (mut low, mut high) = (0.0, x.iter().fold(0.0_f64, |m, v| m.max(*v)));
        if sum(0.0) > self.budget {
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if sum(middle) > self.budget { low = middle } else { high = middle }
            }
        } else {
            high = 0.0;
        }
        x.iter_mut().for_each(|v| *v = (*v - high).max(0.0));
    }
}

/// Accelerated projected gradient with restarts, until the bound is within `accuracy` of what was
/// gained.
pub(super) fn optimum(edges: &Edges, margin: f64, limit: f64, accuracy: f64) -> Optimum {
    let k = edges.features();
    let problem = Problem { edges, k, margin, budget: limit - k as f64 * margin };
    let mut x = vec![0.0; k * k];
    x[..k].fill(problem.budget / k as f64);
    let start = problem.evaluate(&x).0;
    let (mut y, mut momentum, mut step) = (x.clone(), 1.0_f64, problem.budget / start);
    let (mut f, mut bound) = (start, 0.0_f64);
    for _ in 0..5000 {
        let (f_y, slope) = problem.evaluate(&y);
        // A convex function lies above its tangent: its least value over the corners is a bound.
        let steepest = slope.iter().fold(0.0_f64, |m, s| m.min(*s));
        let along: f64 = slope.iter().zip(&y).map(|(s, y)| s * y).sum();
        bound = bound.max(f_y + problem.budget * steepest - along);
        if f - bound <= accuracy * (start - f) {
            break;
        }
        let (next, f_next) = loop {
            let mut next: Vec<f64> = y.iter().zip(&slope).map(|(y, s)| y - step * s).collect();
            problem.project(&mut next);
            let change: Vec<f64> = next.iter().zip(&y).map(|(a, b)| a - b).collect();
            let square: f64 = change.iter().map(|c| c * c).sum();
            let linear: f64 = change.iter().zip(&slope).map(|(c, s)| c * s).sum();
            let f_next = problem.evaluate(&next).0;
            if f_next <= f_y + linear + square / (2.0 * step) + 1e-14 * start {
                break (next, f_next);
            }
            step *= 0.5;
        };
        if f_next > f {
            (momentum, y) = (1.0, x.clone());
            continue;
        }
        let after = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let push = (momentum - 1.0) / after;
        // Momentum may leave the simplex; its nearest point is as good a start.
        y = next.iter().zip(&x).map(|(n, x)| n + push * (n - x)).collect();
        problem.project(&mut y);
        (x, f, momentum) = (next, f_next, after);
        step *= 1.2;
    }
    Optimum { matrix: problem.matrix(&x), bound }
}
