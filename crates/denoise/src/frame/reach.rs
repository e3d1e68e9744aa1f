//! How far points may move: no farther than the others reach.

use pellucid_cloud::Point;
use pellucid_cloud::vec3;

/// The box around each point's others.
pub(super) struct Reach {
    /// The two lowest and the two highest values of each coordinate, from outside to inside.
    low: [[f64; 2]; 3],
    high: [[f64; 2]; 3],
}

impl Reach {
    pub fn of(points: impl Iterator<Item = Point>) -> Reach {
        let mut reach = Reach { low: [[f64::INFINITY; 2]; 3], high: [[f64::NEG_INFINITY; 2]; 3] };
        for p in points {
            for k in 0..3 {
                let [first, second] = reach.low[k];
                reach.low[k] = [first.min(p[k]), second.min(p[k].max(first))];
                let [first, second] = reach.high[k];
                reach.high[k] = [first.max(p[k]), second.max(p[k].min(first))];
            }
        }
        reach
    }

    /// Whether the point at `p` may move by `by`: at most the diagonal of the box around the
    /// others. Nothing is squared before it is brought to a common scale.
    pub fn allows(&self, p: Point, by: Point) -> bool {
        let sides = [0, 1, 2].map(|k| {
            // Without the point itself where it is the outermost.
            let low = self.low[k][usize::from(p[k] == self.low[k][0])];
            let high = self.high[k][usize::from(p[k] == self.high[k][0])];
            (high - low).clamp(0.0, f64::MAX)
        });
        let unit = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        vec3::norm(by.map(|c| c / unit)) <= vec3::norm(sides.map(|c| c / unit))
    }
}
