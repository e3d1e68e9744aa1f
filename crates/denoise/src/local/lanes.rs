//! Two numbers at a time: what the registers of every machine hold.
//!
//! The compiler does not change the order of additions, so sums over many points run as fast as one
//! register allows only if they are written as two sums side by side.

use std::ops::{Add, Mul, Neg, Sub};

/// Two numbers that are worked on alike.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pair(pub [f64; 2]);

/// Three of them: two points.
pub type Points = [Pair; 3];

impl Pair {
    /// The same number twice.
    #[inline(always)]
    pub fn both(x: f64) -> Pair {
        Pair([x, x])
    }

    /// A function of each.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Pair {
        Pair([f(self.0[0]), f(self.0[1])])
    }

    /// One where the number is below `limit`, zero elsewhere.
    #[inline(always)]
    pub fn below(self, limit: f64) -> Pair {
        self.map(|x| if x < limit { 1.0 } else { 0.0 })
    }

    /// The sum of the two.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        self.0[0] + self.0[1]
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline(always)]
    fn add(self, b: Pair) -> Pair {
        Pair([self.0[0] + b.0[0], self.0[1] + b.0[1]])
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline(always)]
    fn sub(self, b: Pair) -> Pair {
        Pair([self.0[0] - b.0[0], self.0[1] - b.0[1]])
    }
}

impl Mul for Pair {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, b: Pair) -> Pair {
        Pair([self.0[0] * b.0[0], self.0[1] * b.0[1]])
    }
}

impl Neg for Pair {
    type Output = Pair;
    #[inline(always)]
    fn neg(self) -> Pair {
        Pair([-self.0[0], -self.0[1]])
    }
}

/// The inner product of each of two points with its partner.
#[inline(always)]
pub fn dot(a: Points, b: Points) -> Pair {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Calls `f` with two points at a time, of slices of one coordinate each; an odd one out comes with
/// `spare` as its partner.
#[inline(always)]
pub fn each_two<const N: usize>(slices: [&[f64]; N], spare: f64, mut f: impl FnMut([Pair; N])) {
    let n = slices.iter().map(|s| s.len()).min().unwrap_or(0);
    let mut i = 0;
    while i + 2 <= n {
        let mut pairs = [Pair::default(); N];
        for (pair, s) in pairs.iter_mut().zip(slices) {
            *pair = Pair([s[i], s[i + 1]]);
        }
        f(pairs);
        i += 2;
    }
    if i < n {
        let mut pairs = [Pair::default(); N];
        for (pair, s) in pairs.iter_mut().zip(slices) {
            *pair = Pair([s[i], spare]);
        }
        f(pairs);
    }
}
