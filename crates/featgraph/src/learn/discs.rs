//! The joint step: all rows of off-diagonal entries together with their diagonal entries, held by
//! their Gershgorin discs (the set of Eq. 15 and 16 for the whole matrix).

use super::params::Discs;
use super::problem::Problem;
use super::project::onto_trace;
use super::step::{Block, Descent, Limits, descend};
use crate::error::LearnError;
use crate::pass::{Sums, Want};
use nalgebra::{DMatrix, SymmetricEigen};

/// Rounds of the projection's searches at most; it needs a few dozen sweeps in all.
const ROUNDS: usize = 60;
/// Multipliers that change by less than this, relative to the trace limit, are settled.
const SETTLED: f64 = 1e-8;
/// Smallest eigenvalue that aligned discs are scaled by, relative to the mean one: it leaves
/// directions that the metric does not see yet a chance.
const LEAST_SCALE: f64 = 0.3;
/// Sums side by side, as wide instructions take them.
const LANES: usize = 8;

/// Lowers the objective over the whole matrix, from `m` in the set.
pub(super) fn joint_step(
    problem: &mut Problem<'_>,
    m: Vec<f64>,
    discs: Discs,
    limits: Limits,
) -> Result<Descent, LearnError> {
    let mut joint = Joint { problem, discs, frame: None };
    let found = descend(&mut joint, m, limits)?;
    problem.step = found.step;
    Ok(found)
}

/// The matrix with all entries free, each row held by its disc.
struct Joint<'p, 'e> {
    problem: &'p mut Problem<'e>,
    discs: Discs,
    frame: Option<Frame>,
}

/// Coordinates in which discs are taken: orthonormal columns, and a scale for each.
struct Frame {
    vectors: DMatrix<f64>,
    scale: Vec<f64>,
}

impl Frame {
    /// Aligned at `x`: in its eigenvectors every disc is a point, an eigenvalue.
    fn aligned(x: &[f64], k: usize, limit: f64) -> Result<Self, LearnError> {
        let matrix = DMatrix::from_row_slice(k, k, x);
        let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, 0).ok_or(LearnError::Eigen(k))?;
        let least = LEAST_SCALE * limit / k as f64;
        let scale = eigen.eigenvalues.iter().map(|l| 1.0 / l.max(least).sqrt()).collect();
        Ok(Self { vectors: eigen.eigenvectors, scale })
    }
}

impl Block for Joint<'_, '_> {
    fn evaluate(&mut self, x: &[f64], want: Want, gradient: &mut [f64]) -> Sums {
        self.problem.full(x, want, gradient)
    }

    fn project(&mut self, x: &mut [f64]) -> Result<(), LearnError> {
        let (k, margin, limit) = (self.problem.features, self.problem.margin, self.problem.limit);
        if self.discs == Discs::Plain {
            onto_discs(x, &vec![1.0; k], margin, limit);
            return Ok(());
        }
        let frame = match self.frame.take() {
            Some(frame) => frame,
            None => Frame::aligned(x, k, limit)?,
        };
        let v = &frame.vectors;
        let mut turned = v.transpose() * DMatrix::from_row_slice(k, k, x) * v;
        onto_discs(turned.as_mut_slice(), &frame.scale, margin, limit);
        let back = v * turned * v.transpose();
        for i in 0..k {
            for j in 0..=i {
                x[i * k + j] = back[(i, j)];
                x[j * k + i] = back[(i, j)];
            }
        }
        self.frame = Some(frame);
        Ok(())
    }

    fn reach(&self) -> f64 {
        self.problem.limit
    }

    fn long_steps(&self) -> bool {
        true
    }
}

/// Moves a symmetric matrix to the nearest one with
/// `m_ii >= sum over j of |m_ij| s_i / s_j + margin` in every row and a trace of at most `limit`.
///
/// With a multiplier ν for each row and λ for the trace, the nearest matrix has diagonal entries
/// `a_jj + ν_j - λ`, and off-diagonal ones brought towards zero by
/// `(ν_i s_i / s_j + ν_j s_j / s_i) / 2`. Each ν has a closed form given the others, so rows are
/// done in turns, each with its diagonal entry, for a λ that is found by false position. The
/// last digits, which this leaves open, are taken from the diagonal (Eq. 20), so that the result
/// is in the set.
pub(super) fn onto_discs(m: &mut [f64], scale: &[f64], margin: f64, limit: f64) {
    let k = scale.len();
    let mut rows = Rows {
        k,
        weight: (0..k * k).map(|n| scale[n / k] / scale[n % k]).collect(),
        back: (0..k * k).map(|n| scale[n % k] / scale[n / k]).collect(),
        size: m.iter().map(|v| v.abs()).collect(),
        diagonal: (0..k).map(|i| m[i * k + i] - margin).collect(),
        multipliers: vec![0.0; k],
        free: vec![0.0; k],
    };
    let tolerance = SETTLED * limit;
    let budget = limit - k as f64 * margin;
    let (mut low, mut high) = ((0.0, rows.settle(0.0, tolerance) - budget), None);
    let mut lambda = low.1 / k as f64;
    for _ in 0..ROUNDS {
        if low.1 <= tolerance {
            break;
        }
        let excess = rows.settle(lambda, tolerance) - budget;
        if excess.abs() <= tolerance {
            break;
        }
        if excess > 0.0 {
            low = (lambda, excess);
        } else {
            high = Some((lambda, excess));
        }
        lambda = match high {
            None => lambda + 2.0 * excess / k as f64,
            Some(high) => {
                let part = low.1 / (low.1 - high.1);
                low.0 + part.clamp(0.1, 0.9) * (high.0 - low.0)
            }
        };
    }
    rows.write(m, margin, limit);
}

/// The rows of a matrix that is being projected.
struct Rows {
    k: usize,
    /// `s_i / s_j`.
    weight: Vec<f64>,
    /// `s_j / s_i`.
    back: Vec<f64>,
    /// Absolute entries.
    size: Vec<f64>,
    /// Diagonal entries above the margin.
    diagonal: Vec<f64>,
    multipliers: Vec<f64>,
    /// Of the row at hand, what the other rows leave of the absolute entries; negative: nothing.
    free: Vec<f64>,
}

impl Rows {
    /// Half of what brings the entry (i, j) towards zero on behalf of row i.
    fn pull(&self, i: usize, j: usize) -> f64 {
        0.5 * self.multipliers[i] * self.weight[i * self.k + j]
    }

    /// Finds the multipliers of all rows for this λ; returns the trace above the margin.
    fn settle(&mut self, lambda: f64, tolerance: f64) -> f64 {
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for row in 0..self.k {
                let before = self.multipliers[row];
                let after = self.multiplier(row, lambda);
                self.multipliers[row] = after;
                change = change.max((after - before).abs());
            }
            if change <= tolerance {
                break;
            }
        }
        self.diagonal.iter().zip(&self.multipliers).map(|(d, m)| d + m - lambda).sum()
    }

    /// The multiplier of one row, the others given: the root of an increasing concave function of
    /// straight pieces, by Newton's method, or zero.
    fn multiplier(&mut self, row: usize, lambda: f64) -> f64 {
        let entries = row * self.k..(row + 1) * self.k;
        let (weight, back) = (&self.weight[entries.clone()], &self.back[entries.clone()]);
        let others = self.multipliers.iter().zip(back).zip(&self.size[entries]);
        for (free, ((multiplier, back), size)) in self.free.iter_mut().zip(others) {
            *free = size - 0.5 * multiplier * back;
        }
        // The diagonal entry is no entry of its own row.
        self.free[row] = -1.0;
        let mut nu = self.multipliers[row];
        for _ in 0..ROUNDS {
            let (off, bend) = cut(&self.free, weight, nu);
            let (value, slope) = (self.diagonal[row] - lambda + nu - off, 1.0 + bend);
            let next = (nu - value / slope).max(0.0);
            let same = (next - nu).abs() <= 1e-12 * next.max(nu);
            nu = next;
            if same {
                break;
            }
        }
        nu
    }

    /// Writes the matrix, its diagonal last.
    fn write(&self, m: &mut [f64], margin: f64, limit: f64) {
        let k = self.k;
        for i in 0..k {
            for j in 0..i {
                let left = (self.size[i * k + j] - self.pull(i, j) - self.pull(j, i)).max(0.0);
                m[i * k + j] = left.copysign(m[i * k + j]);
                m[j * k + i] = m[i * k + j];
            }
        }
        let radius = |m: &[f64], i: usize| -> f64 {
            let others = (0..k).filter(|&j| j != i);
            others.map(|j| m[i * k + j].abs() * self.weight[i * k + j]).sum()
        };
        let total: f64 = (0..k).map(|i| radius(m, i)).sum();
        let budget = (limit - k as f64 * margin) * (1.0 - 1e-12);
        let shrink = if total > budget { budget / total } else { 1.0 };
        let mut diagonal: Vec<f64> = (0..k).map(|i| m[i * k + i]).collect();
        m.iter_mut().for_each(|v| *v *= shrink);
        let lower: Vec<f64> = (0..k).map(|i| radius(m, i) + margin).collect();
        onto_trace(&mut diagonal, &lower, limit);
        for (i, d) in diagonal.into_iter().enumerate() {
            m[i * k + i] = d;
        }
    }
}

/// The weighted sum of what the multiplier `nu` leaves of a row, and how fast that falls as it grows.
fn cut(free: &[f64], weight: &[f64], nu: f64) -> (f64, f64) {
    let (mut off, mut bend) = ([0.0; LANES], [0.0; LANES]);
    for (free, weight) in free.chunks(LANES).zip(weight.chunks(LANES)) {
        for (lane, (free, weight)) in free.iter().zip(weight).enumerate() {
            let left = (free - 0.5 * nu * weight).max(0.0);
            off[lane] += weight * left;
            bend[lane] += if left > 0.0 { 0.5 * weight * weight } else { 0.0 };
        }
    }
    (off.iter().sum(), bend.iter().sum())
}
