//! The arithmetic of a pass over one chunk. Loops run over arrays of fixed length so that they
//! compile to SIMD code for whatever instruction set the caller has selected.

use super::{Entries, Tiles, Want};
use crate::edges::TILE;
use crate::exp::exp;

/// Lanes of a gradient sum.
const LANES: usize = 8;
/// Lanes of an exponent block.
const WIDE: usize = 16;

type Tile = [f64; TILE];

/// Column `j` of a tile.
#[inline(always)]
fn column(tile: &[f64], j: usize) -> &Tile {
    // A tile holds whole columns, so there always is one.
    tile[j * TILE..].first_chunk().unwrap_or(&[0.0; TILE])
}

#[inline(always)]
fn add_product(sum: &mut [f64; WIDE], c: f64, x: &[f64; WIDE]) {
    for l in 0..WIDE {
        sum[l] += c * x[l];
    }
}

/// Exponents of a tile: sum over i of g_i * (sum over j <= i of c_ij g_j), two rows at a time.
#[inline(always)]
fn quadratic(tile: &[f64], c: &[f64], p: usize) -> Tile {
    let mut delta = [0.0; TILE];
    let (out, _) = delta.as_chunks_mut::<WIDE>();
    for (block, out) in out.iter_mut().enumerate() {
        let at = |j: usize| &column(tile, j).as_chunks::<WIDE>().0[block];
        let mut sum = [0.0; WIDE];
        for i in (0..p).step_by(2) {
            let (mut h0, mut h1) = ([0.0; WIDE], [0.0; WIDE]);
            let row0 = &c[i * p..i * p + i + 2];
            let row1 = &c[(i + 1) * p..(i + 1) * p + i + 2];
            for (j, (&c0, &c1)) in row0.iter().zip(row1).enumerate() {
                let x = at(j);
                add_product(&mut h0, c0, x);
                add_product(&mut h1, c1, x);
            }
            let (x0, x1) = (at(i), at(i + 1));
            for l in 0..WIDE {
                sum[l] += h0[l] * x0[l] + h1[l] * x1[l];
            }
        }
        *out = sum;
    }
    delta
}

/// Replaces exponents by weighted distances `exp(-max(delta, 0)) d`; returns their sum. M is
/// positive definite, so an exponent below zero is rounding.
#[inline(always)]
fn weigh(delta: &mut Tile, d: &Tile) -> f64 {
    let mut sums = [0.0; LANES];
    let (deltas, _) = delta.as_chunks_mut::<LANES>();
    let (ds, _) = d.as_chunks::<LANES>();
    for (x, d) in deltas.iter_mut().zip(ds) {
        for l in 0..LANES {
            let positive = if x[l] > 0.0 { x[l] } else { 0.0 };
            x[l] = exp(-positive) * d[l];
        }
        for l in 0..LANES {
            sums[l] += x[l];
        }
    }
    fold(&sums)
}

/// Adds the lanes in a fixed order.
#[inline(always)]
fn fold(s: &[f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

#[inline(always)]
fn dot(a: &Tile, b: &Tile) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    fold(&std::hint::black_box(sums))
}

/// Four inner products at once, so that the additions of one hide the latency of the others.
#[inline(always)]
fn dot_2x2(a: [&Tile; 2], b: [&Tile; 2]) -> [f64; 4] {
    let mut s = [[0.0; LANES]; 4];
    let a = a.map(|t| t.as_chunks::<LANES>().0);
    let b = b.map(|t| t.as_chunks::<LANES>().0);
    for n in 0..TILE / LANES {
        let (a0, a1, b0, b1) = (&a[0][n], &a[1][n], &b[0][n], &b[1][n]);
        for l in 0..LANES {
            s[0][l] += a0[l] * b0[l];
        }
        for l in 0..LANES {
            s[1][l] += a0[l] * b1[l];
        }
        for l in 0..LANES {
            s[2][l] += a1[l] * b0[l];
        }
        for l in 0..LANES {
            s[3][l] += a1[l] * b1[l];
        }
    }
    // Through memory: seen together with the loop, the folding makes the compiler reorder lanes at
    // every turn (three times slower).
    std::hint::black_box(s).map(|s| fold(&s))
}

#[inline(always)]
fn product(a: &Tile, b: &Tile) -> Tile {
    let mut out = [0.0; TILE];
    for e in 0..TILE {
        out[e] = a[e] * b[e];
    }
    out
}

/// Sum over the tile of w d |q|^2, where |q|^2 comes per edge.
#[inline(always)]
fn squared_length(tile: &[f64], p: usize) -> Tile {
    let mut length = [0.0; TILE];
    for j in 0..p {
        let x = column(tile, j);
        for e in 0..TILE {
            length[e] += x[e] * x[e];
        }
    }
    length
}

/// Objective, curvature and packed lower-triangle gradient (without its sign) of a chunk.
#[inline(always)]
pub(super) fn full(
    tiles: &mut Tiles,
    d: &[f64],
    c: &[f64],
    k: usize,
    p: usize,
    want: Want,
    partial: &mut [f64],
) {
    let (ds, _) = d.as_chunks::<TILE>();
    for d in ds {
        let tile = tiles.next();
        let mut wd = quadratic(tile, c, p);
        partial[0] += weigh(&mut wd, d);
        if want == Want::Objective {
            continue;
        }
        if want == Want::GradientAndCurvature {
            let length = squared_length(tile, p);
            partial[1] += dot(&wd, &product(&length, &length));
        }
        for i in (0..p).step_by(2) {
            let rows = [product(&wd, column(tile, i)), product(&wd, column(tile, i + 1))];
            for j in (0..=i).step_by(2) {
                let s = dot_2x2([&rows[0], &rows[1]], [column(tile, j), column(tile, j + 1)]);
                let first = 2 + i * (i + 1) / 2 + j;
                let second = first + i + 1;
                partial[first] += s[0];
                if j < i {
                    partial[first + 1] += s[1];
                }
                if i + 1 < k {
                    partial[second] += s[2];
                    partial[second + 1] += s[3];
                }
            }
        }
    }
}

/// Adds `sum_j change_j q_j` to the exponents.
#[inline(always)]
fn add_linear(tile: &[f64], which: Entries, change: &[f64], delta: &mut Tile) {
    match which {
        Entries::Diagonal => {
            for (j, &c) in change.iter().enumerate() {
                let x = column(tile, j);
                for e in 0..TILE {
                    delta[e] += c * x[e] * x[e];
                }
            }
        }
        Entries::Row(r) => {
            let mut inner = [0.0; TILE];
            for (j, &c) in change.iter().enumerate() {
                if j != r {
                    let x = column(tile, j);
                    for e in 0..TILE {
                        inner[e] += c * x[e];
                    }
                }
            }
            let x = column(tile, r);
            for e in 0..TILE {
                delta[e] += 2.0 * x[e] * inner[e];
            }
        }
    }
}

/// Objective, curvature and gradient (without its sign) in some entries only.
#[inline(always)]
pub(super) fn linear(
    tiles: &mut Tiles,
    d: &[f64],
    base: &[f64],
    which: Entries,
    change: &[f64],
    want: Want,
    partial: &mut [f64],
) {
    let (ds, _) = d.as_chunks::<TILE>();
    let (bases, _) = base.as_chunks::<TILE>();
    for (n, d) in ds.iter().enumerate() {
        let tile = tiles.next();
        let mut wd = if bases.is_empty() { [0.0; TILE] } else { bases[n] };
        add_linear(tile, which, change, &mut wd);
        partial[0] += weigh(&mut wd, d);
        if want == Want::Objective {
            continue;
        }
        let common = match which {
            Entries::Diagonal => wd,
            Entries::Row(r) => {
                let mut common = product(&wd, column(tile, r));
                common.iter_mut().for_each(|v| *v *= 2.0);
                common
            }
        };
        let mut length = [0.0; TILE];
        for j in 0..change.len() {
            let x = column(tile, j);
            let q = if which == Entries::Diagonal { product(x, x) } else { *x };
            partial[2 + j] += dot(&common, &q);
            if want == Want::GradientAndCurvature && which != Entries::Row(j) {
                for e in 0..TILE {
                    length[e] += q[e] * q[e];
                }
            }
        }
        if want == Want::GradientAndCurvature {
            if let Entries::Row(r) = which {
                let x = column(tile, r);
                for e in 0..TILE {
                    length[e] *= 4.0 * x[e] * x[e];
                }
            }
            partial[1] += dot(&wd, &length);
        }
    }
}

/// Exponents, or weights, of a chunk.
#[inline(always)]
pub(super) fn map(tiles: &mut Tiles, c: &[f64], p: usize, weights: bool, out: &mut [f64]) {
    let (outs, _) = out.as_chunks_mut::<TILE>();
    for out in outs {
        *out = quadratic(tiles.next(), c, p);
        if weights {
            weigh(out, &[1.0; TILE]);
        }
    }
}

/// Exponents of a chunk after a change of some entries.
#[inline(always)]
pub(super) fn shift(tiles: &mut Tiles, which: Entries, change: &[f64], out: &mut [f64]) {
    let (outs, _) = out.as_chunks_mut::<TILE>();
    for out in outs {
        add_linear(tiles.next(), which, change, out);
    }
}
