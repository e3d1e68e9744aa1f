//! How far points moved.

/// Distances of which the median is taken, at most.
const SAMPLES: usize = 1 << 19;

/// How far points moved, in file units.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Movement {
    /// Points that moved at all.
    pub moved: usize,
    /// Mean over all.
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

    pub fn add(&mut self, length: f64) {
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
            let i = (part * self.sample.len() as f64) as usize;
            self.sample.get(i.min(self.sample.len().saturating_sub(1))).copied().unwrap_or(0.0)
        };
        let m = self.so_far;
        let (median, p95) = (at(0.5), at(0.95));
        Movement { mean: m.mean / n, rms: (m.rms / n).sqrt(), median, p95, ..m }
    }
}
