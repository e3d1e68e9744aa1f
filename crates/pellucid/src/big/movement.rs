//! How far points moved.

use pellucid_cloud::{Point, vec3};
use serde::Serialize;

/// Distances of which the median is taken, at most.
const SAMPLES: usize = 1 << 19;

/// How far points moved, in file units.
///
/// ```
/// use pellucid::big::Movement;
///
/// let before = [[0.0; 3], [1.0; 3], [f64::NAN; 3]];
/// let after = [[0.0, 3.0, 4.0], [1.0; 3], [f64::NAN; 3]];
/// let movement = Movement::between(&before, &after);
/// assert_eq!((movement.moved, movement.mean, movement.max), (1, 2.5, 5.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Movement {
    /// Points that moved at all.
    pub moved: usize,
    /// Mean over the finite points.
    pub mean: f64,
    /// Root of the mean square.
    pub rms: f64,
    /// Half of them moved less; from an even sample of a large cloud.
    pub median: f64,
    /// 95 % of them moved less; from the same sample.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Movement {
    /// The displacement from `before` to `after`, row by row.
    pub fn between(before: &[Point], after: &[Point]) -> Movement {
        let mut lengths = Lengths { stride: 1, ..Lengths::of(0) };
        for (&a, &b) in before.iter().zip(after) {
            lengths.add(vec3::distance2(a, b).sqrt());
        }
        lengths.finish()
    }
}

/// Distances as they come.
pub(super) struct Lengths {
    so_far: Movement,
    seen: usize,
    stride: usize,
    sample: Vec<f64>,
}

impl Lengths {
    /// For that many points.
    pub fn of(points: usize) -> Lengths {
        let stride = points.div_ceil(SAMPLES).max(1);
        Lengths { so_far: Movement::default(), seen: 0, stride, sample: Vec::new() }
    }

    /// One more, unless it is not finite.
    pub fn add(&mut self, length: f64) {
        if !length.is_finite() {
            return;
        }
        let m = &mut self.so_far;
        m.moved += usize::from(length > 0.0);
        m.mean += length;
        m.rms += length * length;
        m.max = m.max.max(length);
        if self.seen.is_multiple_of(self.stride) {
            self.sample.push(length);
        }
        self.seen += 1;
    }

    pub fn finish(mut self) -> Movement {
        let n = self.seen.max(1) as f64;
        self.sample.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| {
            let rank = (part * self.sample.len() as f64).ceil() as usize;
            self.sample.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let m = self.so_far;
        let (median, p95) = (at(0.5), at(0.95));
        Movement { mean: m.mean / n, rms: (m.rms / n).sqrt(), median, p95, ..m }
    }
}
