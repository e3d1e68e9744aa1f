//! The structured low-rank factorization of a matrix of height maps.
//!
//! With the heights h of patch p at scattered places, H z their bilinear interpolation from a map
//! z, the maps Z minimize `½ Σ |H z - h|² + τ Σ_r θ(d_r) |a_r|` over factorizations `Z = D A`, where
//! `θ(d)² = d'Qd` with `Q = I + ν L'L` prefers smooth atoms (L the grid Laplacian). The sum over
//! factors is the nuclear norm of `Q^½ Z`, and is minimized by iterative reweighting: each round
//! solves every map with the quadratic `z'Kz`, `K = τ Q^½ (Q^½ Z Z' Q^½)^-½ Q^½`.
//!
//! An affine model has a mean map m: `Z = m + D A`, and coefficients are sparse, by l1 in place of
//! squares.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use pellucid_cloud::Point;
use rayon::prelude::*;

use crate::patch::{Grid, HeightFrame};

/// Rounds of reweighting; the spectrum changes little after these.
const ROUNDS: usize = 4;
/// Sweeps over the coefficients of a patch that make them sparse.
const SWEEPS: usize = 20;
/// Singular values below this part of the noise are none.
const NOTHING: f64 = 0.02;
/// Patches per task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 64;

/// One patch to learn from: its frame and the points in it.
pub struct Example {
    /// The frame.
    pub frame: HeightFrame,
    /// The points.
    pub members: Vec<Point>,
}

/// What is learned from the examples, and how.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Values of a map.
    pub grid: Grid,
    /// Most atoms.
    pub rank: usize,
    /// Noise of the heights.
    pub sigma: f64,
    /// τ in units of the largest singular value of pure noise.
    pub strength: f64,
    /// ν.
    pub smoothness: f64,
    /// Whether there are a mean map and sparse coefficients.
    pub affine: bool,
}

/// Atoms of height maps and how large their coefficients usually are.
pub struct Dictionary {
    grid: Grid,
    /// The map that all patches have in common; zero for a linear model.
    mean: Vec<f64>,
    /// The l1 penalty on coefficients over the quadratic one; `None` for the latter.
    sparse: Option<f64>,
    /// Atom after atom within a grid value: `atoms[value * rank + r]`.
    atoms: Vec<f64>,
    /// The quadratic penalty on each coefficient.
    penalty: Vec<f64>,
}

impl Dictionary {
    /// Learns from examples.
    pub fn learn(examples: &[Example], model: &Model) -> Dictionary {
        let &Model { grid, rank, sigma, strength, smoothness, affine } = model;
        let m = grid.len();
        let q = structure(grid, smoothness);
        let eigen = SymmetricEigen::new(q);
        let root = power(&eigen, 0.5);
        let inverse_root = power(&eigen, -0.5);
        // Before anything is known all maps are as large as the noise.
        let mut k = &root * &root * strength;
        let mut spectrum = None;
        let mean = if affine { mean_map(grid, examples, &k) } else { vec![0.0; m] };
        for _ in 0..ROUNDS {
            let moments = second_moments(grid, examples, &k, &mean);
            let inner = SymmetricEigen::new(&root * moments * &root);
            let floor = (NOTHING * sigma).powi(2);
            let weights = DVector::from_fn(m, |i, _| {
                strength * sigma / inner.eigenvalues[i].max(floor).sqrt()
            });
            let half = &root * &inner.eigenvectors;
            k = &half * DMatrix::from_diagonal(&weights) * half.transpose();
            spectrum = Some((inner, weights));
        }
        let mut atoms = Vec::new();
        let mut penalty = Vec::new();
        if let Some((inner, weights)) = spectrum {
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(a.cmp(&b)));
            order.truncate(rank);
            let d = inverse_root * &inner.eigenvectors;
            penalty = order.iter().map(|&i| weights[i]).collect();
            for value in 0..m {
                atoms.extend(order.iter().map(|&i| d[(value, i)]));
            }
        }
        // With l1 the most likely coefficients are those of a Laplace distribution that varies as much.
        let sparse = affine.then_some(sigma * std::f64::consts::SQRT_2);
        Dictionary { grid, mean, sparse, atoms, penalty }
    }

    /// How many atoms there are.
    pub fn rank(&self) -> usize {
        self.penalty.len()
    }

    /// The value of each atom at a place of the map; `false` off the map.
    #[inline]
    fn at(&self, place: [f64; 2], out: &mut [f64]) -> bool {
        let Some(corners) = self.grid.corners(place) else { return false };
        let r = self.rank();
        out.fill(0.0);
        for (value, w) in corners {
            for (o, a) in out.iter_mut().zip(&self.atoms[value * r..(value + 1) * r]) {
                *o += w * a;
            }
        }
        true
    }

    /// The height of the mean map at a place; zero off the map, and for a linear model.
    #[inline]
    fn mean_at(&self, place: [f64; 2]) -> f64 {
        if self.sparse.is_none() {
            return 0.0;
        }
        self.grid.corners(place).map_or(0.0, |corners| between(&self.mean, &corners))
    }

    /// The coefficients of the patch of `members`, into `out`; all zero where there are none.
    pub fn code(
        &self,
        frame: &HeightFrame,
        members: impl Iterator<Item = Point>,
        scratch: &mut Scratch,
        out: &mut [f64],
    ) {
        let r = self.rank();
        let Scratch { matrix, values } = scratch;
        matrix.clear();
        matrix.resize(r * r, 0.0);
        values.resize(r, 0.0);
        out.fill(0.0);
        for x in members {
            let (place, height) = frame.local(x);
            if !self.at(place, values) {
                continue;
            }
            let height = height - self.mean_at(place);
            for i in 0..r {
                out[i] += height * values[i];
                for j in 0..=i {
                    matrix[i * r + j] += values[i] * values[j];
                }
            }
        }
        if let Some(factor) = self.sparse {
            let thresholds = self.penalty.iter().map(|p| factor * p);
            values.clear();
            values.extend(thresholds);
            lasso(matrix, out, values);
            return;
        }
        for i in 0..r {
            matrix[i * r + i] += self.penalty[i];
        }
        if !cholesky_solve(matrix, out) {
            out.fill(0.0);
        }
    }

    /// Height of the map with these coefficients above its plane at a place; `None` off the map.
    #[inline]
    pub fn height(&self, place: [f64; 2], code: &[f64]) -> Option<f64> {
        let corners = self.grid.corners(place)?;
        let r = self.rank();
        let mut sum = self.mean_at(place);
        for (value, w) in corners {
            let atoms = &self.atoms[value * r..(value + 1) * r];
            let mut inner = 0.0;
            for (a, c) in atoms.iter().zip(code) {
                inner += a * c;
            }
            sum += w * inner;
        }
        Some(sum)
    }
}

/// Buffers of one worker.
#[derive(Default)]
pub struct Scratch {
    matrix: Vec<f64>,
    values: Vec<f64>,
}

/// `Q = I + ν L'L`, L the Laplacian of the grid with free borders.
fn structure(grid: Grid, smoothness: f64) -> DMatrix<f64> {
    let m = grid.len();
    let mut l = DMatrix::zeros(m, m);
    for i in 0..grid.side {
        for j in 0..grid.side {
            let at = i * grid.side + j;
            // Second differences along each side, where there are both neighbors.
            if (1..grid.side - 1).contains(&i) {
                l[(at, at)] -= 2.0;
                l[(at, at - grid.side)] += 1.0;
                l[(at, at + grid.side)] += 1.0;
            }
            if (1..grid.side - 1).contains(&j) {
                l[(at, at)] -= 2.0;
                l[(at, at - 1)] += 1.0;
                l[(at, at + 1)] += 1.0;
            }
        }
    }
    DMatrix::identity(m, m) + l.transpose() * &l * smoothness
}

fn power(eigen: &SymmetricEigen<f64, nalgebra::Dyn>, exponent: f64) -> DMatrix<f64> {
    let values = eigen.eigenvalues.map(|v| v.powf(exponent));
    &eigen.eigenvectors * DMatrix::from_diagonal(&values) * eigen.eigenvectors.transpose()
}

/// The value between the corners of a map.
#[inline]
fn between(map: &[f64], corners: &[(usize, f64); 4]) -> f64 {
    corners.iter().map(|&(value, w)| w * map[value]).sum()
}

/// The other place on the grid that is `at` in the mirror image number `how`, from 0 to 3.
fn flip(grid: Grid, at: usize, how: usize) -> usize {
    let side = grid.side;
    let (i, j) = (at / side, at % side);
    let i = if how & 1 == 0 { i } else { side - 1 - i };
    let j = if how & 2 == 0 { j } else { side - 1 - j };
    i * side + j
}

/// The one map that fits all examples best, the same as its mirror images; the penalty of a single
/// example fills in what no point is near.
fn mean_map(grid: Grid, examples: &[Example], penalty: &DMatrix<f64>) -> Vec<f64> {
    let m = grid.len();
    let mut a = penalty.as_slice().to_vec();
    let mut z = vec![0.0; m];
    for example in examples {
        for &x in &example.members {
            let (place, height) = example.frame.local(x);
            let Some(corners) = grid.corners(place) else { continue };
            for how in 0..4 {
                let corners = corners.map(|(value, w)| (flip(grid, value, how), w));
                for (i, wi) in corners {
                    z[i] += 0.25 * height * wi;
                    corners.iter().for_each(|&(j, wj)| a[i * m + j] += 0.25 * wi * wj);
                }
            }
        }
    }
    if !cholesky_solve(&mut a, &mut z) {
        z.fill(0.0);
    }
    z
}

/// The mean of `zz'` over the maps that fit the examples, less the map `mean`, under the penalty
/// `z'Kz`, the same for all mirror images: the signs of a frame's axes mean nothing.
fn second_moments(
    grid: Grid,
    examples: &[Example],
    k: &DMatrix<f64>,
    mean: &[f64],
) -> DMatrix<f64> {
    let m = grid.len();
    let parts: Vec<DMatrix<f64>> = examples
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut sum = DMatrix::zeros(m, m);
            let mut a = vec![0.0; m * m];
            let mut z = vec![0.0; m];
            for example in chunk {
                a.copy_from_slice(k.as_slice());
                z.fill(0.0);
                for &x in &example.members {
                    let (place, height) = example.frame.local(x);
                    let Some(corners) = grid.corners(place) else { continue };
                    let height = height - between(mean, &corners);
                    for (i, wi) in corners {
                        z[i] += height * wi;
                        for (j, wj) in corners {
                            a[i * m + j] += wi * wj;
                        }
                    }
                }
                if cholesky_solve(&mut a, &mut z) {
                    for j in 0..m {
                        for i in 0..m {
                            sum[(i, j)] += z[i] * z[j];
                        }
                    }
                }
            }
            sum
        })
        .collect();
    let mut sum = DMatrix::zeros(m, m);
    parts.iter().for_each(|part| sum += part);
    let share = 0.25 / examples.len().max(1) as f64;
    DMatrix::from_fn(m, m, |a, b| {
        let mirrored = |how| sum[(flip(grid, a, how), flip(grid, b, how))];
        share * (0..4).map(mirrored).sum::<f64>()
    })
}

/// The least `½ x'Ax - b'x + Σ κ |x|` by coordinate descent, for `A` given by its lower triangle, `b` in
/// `x` and the thresholds κ; the result is in `x`.
fn lasso(a: &[f64], x: &mut [f64], thresholds: &[f64]) {
    let n = x.len();
    let right = x.to_vec();
    let entry = |i: usize, j: usize| a[i.max(j) * n + i.min(j)];
    x.fill(0.0);
    for _ in 0..SWEEPS {
        for i in 0..n {
            let others: f64 = (0..n).filter(|&j| j != i).map(|j| entry(i, j) * x[j]).sum();
            let rest = right[i] - others;
            let moved = (rest.abs() - thresholds[i]).max(0.0) * rest.signum() / entry(i, i);
            // Atoms that no point samples stay out.
            x[i] = if moved.is_finite() { moved } else { 0.0 };
        }
    }
}

/// Solves `Ax = b` in place for a positive definite `A` given row by row, of which the lower
/// triangle is read and overwritten; `false` if it is not positive definite.
fn cholesky_solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            let mut s = row[j];
            for (x, y) in row[..j].iter().zip(other) {
                s -= x * y;
            }
            row[j] = s / other[j];
        }
        let s = row[i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        // Not `s <= 0`, so that NaN ends here too.
        if !(s > 0.0 && s.is_finite()) {
            return false;
        }
        row[i] = s.sqrt();
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] /= a[i * n + i];
        let x = b[i];
        for k in 0..i {
            b[k] -= a[i * n + k] * x;
        }
    }
    b.iter().all(|x| x.is_finite())
}

#[cfg(test)]
#[path = "dictionary_tests.rs"]
mod tests;
