//! Spatial order: neighbors in space become neighbors in memory.

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use crate::vec3::Point;

/// A permutation that sorts points along a space-filling curve, and its inverse.
///
/// Used inside methods only; what a user sees is always in the order of the input.
///
/// ```
/// use pellucid_cloud::SpatialOrder;
///
/// let order = SpatialOrder::new(&[[0.0; 3], [9.0; 3], [1.0; 3]]);
/// assert_eq!(order.indices(), [0, 2, 1]);
/// assert_eq!(order.sort(&['a', 'b', 'c']), ['a', 'c', 'b']);
/// assert_eq!(order.unsort(&['a', 'c', 'b']), ['a', 'b', 'c']);
/// ```
#[derive(Debug, Clone)]
pub struct SpatialOrder {
    /// `forward[new] = old`.
    forward: Vec<u32>,
}

impl SpatialOrder {
    /// The Morton order of `points` (ties and non-finite points by index, the latter last).
    pub fn new(points: &[Point]) -> Self {
        let Some(around) = crate::bounds(points) else {
            return SpatialOrder { forward: (0..points.len() as u32).collect() };
        };
        Self::in_box(points, around, |i| i)
    }

    /// The Morton order of `points` within a box `(low, high)` that may be that of a larger cloud.
    /// Ties go by `number`, which must differ from point to point: so the points of a piece stand
    /// to each other as they do in the whole.
    pub fn in_box(
        points: &[Point],
        (lo, hi): (Point, Point),
        number: impl Fn(u32) -> u32 + Sync,
    ) -> Self {
        let extent = (0..3).map(|c| hi[c] - lo[c]).fold(0.0, f64::max);
        let scale = if extent > 0.0 { ((1u64 << 21) - 1) as f64 / extent } else { 0.0 };
        let mut keyed: Vec<(u64, u32, u32)> = points
            .par_iter()
            .enumerate()
            .map(|(i, p)| {
                let key = if crate::vec3::is_finite(*p) {
                    let step = |c: usize| (((p[c] - lo[c]) * scale) as u64).min((1 << 21) - 1);
                    (0..3).fold(0, |k, c| k | spread(step(c)) << c)
                } else {
                    u64::MAX
                };
                (key, number(i as u32), i as u32)
            })
            .collect();
        keyed.par_sort_unstable();
        SpatialOrder { forward: keyed.into_iter().map(|(_, _, i)| i).collect() }
    }

    /// `old` index of each place in the new order.
    pub fn indices(&self) -> &[u32] {
        &self.forward
    }

    /// The values in spatial order.
    pub fn sort<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.forward.iter().map(|&i| values[i as usize]).collect()
    }

    /// Undoes [`sort`](Self::sort).
    pub fn unsort<T: Copy + Default>(&self, sorted: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); sorted.len()];
        for (&i, &v) in self.forward.iter().zip(sorted) {
            out[i as usize] = v;
        }
        out
    }
}

/// Puts two zero bits behind each of the low 21 bits.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    x = (x | x << 32) & 0x1f_0000_0000_ffff;
    x = (x | x << 16) & 0x1f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
