//! Axes: a range, and where its marks are.

/// A range with round marks.
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    scale: Scale,
}

enum Scale {
    /// Marks this far apart.
    Even(f64),
    Log,
}

impl Axis {
    /// Even marks.
    pub fn of(values: impl Iterator<Item = f64>) -> Axis {
        let (mut low, mut high) = range(values).unwrap_or((0.0, 1.0));
        if high - low < 1e-12 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        // One, two or five times a power of ten, about six of them.
        let rough = (high - low) / 6.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|f| f * power)
            .find(|s| *s >= rough)
            .unwrap_or(10.0 * power);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let ticks: Vec<f64> = (first..=last).map(|i| i as f64 * step).collect();
        let scale = Scale::Even(step);
        Axis { low: first as f64 * step, high: last as f64 * step, ticks, scale }
    }

    /// Marks at powers of ten, and between them where there are few; values must be above zero.
    pub fn log(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = range(values.filter(|v| *v > 0.0)).unwrap_or((1.0, 10.0));
        let first = low.log10().floor() as i32;
        let last = (high.log10().ceil() as i32).max(first + 1);
        let between: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks: Vec<f64> =
            (first..last).flat_map(|e| between.iter().map(move |f| f * 10_f64.powi(e))).collect();
        let (low, high) = (10_f64.powi(first), 10_f64.powi(last));
        ticks.push(high);
        Axis { low, high, ticks, scale: Scale::Log }
    }

    /// Where a value lies between the ends.
    pub fn share(&self, v: f64) -> f64 {
        match self.scale {
            Scale::Even(_) => (v - self.low) / (self.high - self.low),
            Scale::Log => (v / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// A mark in words.
    pub fn print(&self, v: f64) -> String {
        match self.scale {
            Scale::Even(step) => {
                let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
                format!("{v:.digits$}")
            }
            Scale::Log if v >= 0.999e6 => format!("{:.0}M", v / 1e6),
            Scale::Log if v >= 0.999e3 => format!("{:.0}k", v / 1e3),
            Scale::Log => {
                // Powers of ten are not exact below one.
                let digits = (-(v * 1.001).log10().floor()).clamp(0.0, 9.0) as usize;
                format!("{v:.digits$}")
            }
        }
    }
}

/// The least and the greatest that are finite.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .filter(|v| v.is_finite())
        .map(|v| (v, v))
        .reduce(|(low, high), (v, _)| (low.min(v), high.max(v)))
}
