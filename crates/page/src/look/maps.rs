//! Color maps: even steps of the number look like even steps of lightness.

use serde::Serialize;

use super::Rgb;

/// A color map, as colors at even steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Map {
    /// Its name.
    pub name: &'static str,
    /// At least two colors.
    pub stops: &'static [Rgb],
}

/// From dark blue over green to yellow: for amounts (viridis by van der Walt and Smith, CC0).
pub const AMOUNT: Map = Map {
    name: "amount",
    stops: &[
        [68, 1, 84],
        [72, 40, 120],
        [62, 74, 137],
        [49, 104, 142],
        [38, 130, 142],
        [31, 158, 137],
        [53, 183, 121],
        [110, 206, 88],
        [181, 222, 43],
        [253, 231, 37],
    ],
};

/// From blue over light gray to red: for numbers with a sign, zero in the middle.
pub const SIGNED: Map = Map {
    name: "signed",
    stops: &[
        [18, 48, 107],
        [30, 88, 158],
        [70, 134, 194],
        [138, 182, 220],
        [203, 220, 233],
        [238, 236, 232],
        [245, 212, 188],
        [233, 160, 122],
        [210, 100, 72],
        [172, 45, 42],
        [108, 15, 30],
    ],
};

impl Map {
    /// The color at `t` between 0 and 1; other numbers take the nearer end.
    pub fn at(&self, t: f64) -> Rgb {
        let last = self.stops.len() - 1;
        let x = t.clamp(0.0, 1.0) * last as f64;
        let i = (x as usize).min(last.saturating_sub(1));
        let (a, b) = (self.stops[i], self.stops[(i + 1).min(last)]);
        let share = x - i as f64;
        [0, 1, 2].map(|c| (f64::from(a[c]) * (1.0 - share) + f64::from(b[c]) * share).round() as u8)
    }
}
