//! A wavy height field over a square.

use rand::{Rng, RngExt};

use crate::vec3::{Point, distance2, scale};

/// Cells per axis for the area, by the midpoint rule.
const AREA_CELLS: usize = 512;
/// Distance between starts of the search for the closest point; a small part of a wave.
const START_STEP: f64 = 0.05;
const NEWTON_STEPS: usize = 60;

/// `z = Σ amplitude · sin(kx·x + ky·y + phase)` over the square `|x|, |y| <= half`.
#[derive(Debug, Clone)]
pub(super) struct Relief {
    half: f64,
    /// Amplitude, kx, ky, phase.
    waves: Vec<[f64; 4]>,
    area: f64,
}

/// Height, its first derivatives (x, y) and its second ones (xx, xy, yy).
type Jet = (f64, [f64; 2], [f64; 3]);

impl Relief {
    pub fn new(half: f64, waves: Vec<[f64; 4]>) -> Self {
        let mut relief = Relief { half, waves, area: 0.0 };
        let cell = 2.0 * half / AREA_CELLS as f64;
        let middle = |i: usize| -half + (i as f64 + 0.5) * cell;
        let stretch: f64 = (0..AREA_CELLS * AREA_CELLS)
            .map(|i| relief.stretch(middle(i / AREA_CELLS), middle(i % AREA_CELLS)))
            .sum();
        relief.area = stretch * cell * cell;
        relief
    }

    pub fn area(&self) -> f64 {
        self.area
    }

    pub fn normal(&self, on: Point) -> Point {
        let (_, [hx, hy], _) = self.jet(on[0], on[1]);
        scale([-hx, -hy, 1.0], 1.0 / (1.0 + hx * hx + hy * hy).sqrt())
    }

    pub fn sample(&self, rng: &mut impl Rng) -> Point {
        // No slope is steeper than all waves' steepest slopes together.
        let steepest: f64 = self.waves.iter().map(|w| (w[0] * w[1].hypot(w[2])).abs()).sum();
        let most = 1.0_f64.hypot(steepest);
        loop {
            let [x, y] = [0, 1].map(|_| self.half * (2.0 * rng.random::<f64>() - 1.0));
            if rng.random::<f64>() * most <= self.stretch(x, y) {
                return self.at(x, y);
            }
        }
    }

    /// Newton's method from every local minimum of the distance on a grid. The grid covers the
    /// only part of the square that can be closer than the point straight above or below.
    pub fn closest(&self, p: Point) -> Point {
        let clamp = |x: f64| x.clamp(-self.half, self.half);
        let mut best = self.at(clamp(p[0]), clamp(p[1]));
        let reach = distance2(p, best).sqrt();
        let lo = [0, 1].map(|c| clamp(p[c] - reach));
        let hi = [0, 1].map(|c| clamp(p[c] + reach));
        let cells = [0, 1].map(|c| ((hi[c] - lo[c]) / START_STEP).ceil().max(1.0) as usize);
        let at = |i: usize, j: usize| {
            let step = |c: usize, k: usize| lo[c] + (hi[c] - lo[c]) * (k as f64 / cells[c] as f64);
            self.at(step(0, i), step(1, j))
        };
        let [nx, ny] = cells.map(|n| n + 1);
        let grid: Vec<f64> = (0..nx * ny).map(|k| distance2(p, at(k / ny, k % ny))).collect();
        for i in 0..nx {
            for j in 0..ny {
                let near = |i: usize| i.saturating_sub(1)..;
                let lowest = near(i)
                    .take_while(|&a| a <= i + 1 && a < nx)
                    .flat_map(|a| {
                        near(j).take_while(move |&b| b <= j + 1 && b < ny).map(move |b| (a, b))
                    })
                    .all(|(a, b)| grid[i * ny + j] <= grid[a * ny + b]);
                if lowest {
                    let found = self.descend(p, at(i, j));
                    if distance2(p, found) < distance2(p, best) {
                        best = found;
                    }
                }
            }
        }
        best
    }

    /// Minimizes half the squared distance over (x, y) in the square: Newton's step where the
    /// second derivatives allow it, else down the slope; halved until the distance falls.
    fn descend(&self, p: Point, start: Point) -> Point {
        let mut on = start;
        for _ in 0..NEWTON_STEPS {
            let (h, [hx, hy], [hxx, hxy, hyy]) = self.jet(on[0], on[1]);
            let rise = h - p[2];
            let mut g = [on[0] - p[0] + rise * hx, on[1] - p[1] + rise * hy];
            let (a, c) = (1.0 + hx * hx + rise * hxx, 1.0 + hy * hy + rise * hyy);
            let mut b = hx * hy + rise * hxy;
            // At the border a coordinate that would leave the square is held.
            for k in 0..2 {
                let out = (on[k] >= self.half && g[k] < 0.0) || (on[k] <= -self.half && g[k] > 0.0);
                if out {
                    g[k] = 0.0;
                    b = 0.0;
                }
            }
            let det = a * c - b * b;
            let step = if a > 0.0 && c > 0.0 && det > 0.0 {
                [(b * g[1] - c * g[0]) / det, (b * g[0] - a * g[1]) / det]
            } else {
                [-g[0], -g[1]]
            };
            let mut length = 1.0;
            let next = loop {
                let clamp = |x: f64| x.clamp(-self.half, self.half);
                let q = self.at(clamp(on[0] + length * step[0]), clamp(on[1] + length * step[1]));
                if distance2(p, q) < distance2(p, on) {
                    break Some(q);
                }
                length *= 0.5;
                if length < 1e-12 {
                    break None;
                }
            };
            match next {
                Some(q) => on = q,
                None => break,
            }
        }
        on
    }

    fn at(&self, x: f64, y: f64) -> Point {
        let z =
            self.waves.iter().map(|[a, kx, ky, phase]| a * (kx * x + ky * y + phase).sin()).sum();
        [x, y, z]
    }

    fn jet(&self, x: f64, y: f64) -> Jet {
        let mut jet: Jet = (0.0, [0.0; 2], [0.0; 3]);
        for [a, kx, ky, phase] in &self.waves {
            let (sin, cos) = (kx * x + ky * y + phase).sin_cos();
            jet.0 += a * sin;
            jet.1[0] += a * kx * cos;
            jet.1[1] += a * ky * cos;
            jet.2[0] -= a * kx * kx * sin;
            jet.2[1] -= a * kx * ky * sin;
            jet.2[2] -= a * ky * ky * sin;
        }
        jet
    }

    /// How much larger a small piece of the surface is than its shadow.
    fn stretch(&self, x: f64, y: f64) -> f64 {
        let (_, [hx, hy], _) = self.jet(x, y);
        (1.0 + hx * hx + hy * hy).sqrt()
    }
}
