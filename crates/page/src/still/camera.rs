//! Where the eye is.

use pellucid::cloud::{Point, bounds, vec3};

/// Half the angle of view, as a tangent: a long lens, so that shapes keep their proportions.
const HALF_VIEW: f64 = 0.22;

/// A pinhole camera.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    eye: Point,
    right: Point,
    up: Point,
    forward: Point,
    /// Size of a thing one unit across and one unit away, in halves of the picture's height.
    focal: f64,
}

impl Camera {
    /// Sees all of `points` from the side given in degrees: `azimuth` around the vertical z axis,
    /// `elevation` above the ground. `aspect` is width by height, `margin` the share left free.
    pub fn fit(
        points: &[Point],
        (azimuth, elevation): (f64, f64),
        aspect: f64,
        margin: f64,
    ) -> Self {
        let (a, e) = (azimuth.to_radians(), elevation.to_radians());
        let toward = [e.cos() * a.cos(), e.cos() * a.sin(), e.sin()];
        let forward = vec3::scale(toward, -1.0);
        let right = [-a.sin(), a.cos(), 0.0];
        let up = vec3::cross(right, forward);
        let (lo, hi) = bounds(points).unwrap_or(([0.0; 3], [1.0; 3]));
        let middle = vec3::scale(vec3::add(lo, hi), 0.5);
        let reach = (0.5 * vec3::norm(vec3::sub(hi, lo))).max(f64::MIN_POSITIVE.sqrt());

        let mut camera =
            Camera { eye: middle, right, up, forward, focal: (1.0 - margin) / HALF_VIEW };
        let eye_at = |shift: Point, distance: f64| {
            vec3::add(vec3::add(middle, shift), vec3::scale(toward, distance))
        };
        let mut distance = 3.0 * reach / HALF_VIEW;
        let mut shift = [0.0; 3];
        // The extent on screen hardly changes with the distance: a few rounds settle it.
        for _ in 0..6 {
            camera.eye = eye_at(shift, distance);
            let Some((lo, hi)) = camera.extent(points) else { break };
            let half = (0.5 * (hi[0] - lo[0]) / aspect).max(0.5 * (hi[1] - lo[1]));
            let unit = distance / camera.focal;
            let move_by = vec3::add(
                vec3::scale(right, 0.5 * (lo[0] + hi[0]) * unit),
                vec3::scale(up, 0.5 * (lo[1] + hi[1]) * unit),
            );
            shift = vec3::add(shift, move_by);
            distance = (distance * half / (1.0 - margin)).max(1.5 * reach);
        }
        camera.eye = eye_at(shift, distance);
        camera
    }

    /// The same view with `focus` in the middle, if given, and everything `zoom` times as large.
    pub fn closer(mut self, focus: Option<Point>, zoom: f64) -> Self {
        if let Some(focus) = focus {
            let [across, up, _] = self.local(focus);
            let shift = vec3::add(vec3::scale(self.right, across), vec3::scale(self.up, up));
            self.eye = vec3::add(self.eye, shift);
        }
        self.focal *= zoom;
        self
    }

    /// Smallest and largest screen coordinates of the points.
    fn extent(&self, points: &[Point]) -> Option<([f64; 2], [f64; 2])> {
        let mut found: Option<([f64; 2], [f64; 2])> = None;
        for &p in points.iter().filter(|&&p| vec3::is_finite(p)) {
            let q = self.local(p);
            if q[2] <= 0.0 {
                continue;
            }
            let s = [q[0] / q[2] * self.focal, q[1] / q[2] * self.focal];
            let (lo, hi) = found.get_or_insert((s, s));
            for c in 0..2 {
                lo[c] = lo[c].min(s[c]);
                hi[c] = hi[c].max(s[c]);
            }
        }
        found
    }

    /// A place seen from the eye: right, up, away.
    pub(super) fn local(&self, p: Point) -> Point {
        self.turn(vec3::sub(p, self.eye))
    }

    /// A direction in the eye's axes.
    pub(super) fn turn(&self, d: Point) -> Point {
        [vec3::dot(d, self.right), vec3::dot(d, self.up), vec3::dot(d, self.forward)]
    }

    /// Samples per unit at distance one, for a picture that many samples high.
    pub(super) fn scale(&self, height: usize) -> f64 {
        0.5 * self.focal * height as f64
    }
}

/// Points farther from the middle than this many times the distance of nearly all do not count for
/// what the picture shows.
const FAR: f64 = 4.0;

/// The points that a picture should show, all but a few that lie far away from the others, and how many these are.
pub fn near_the_middle(points: &[Point]) -> (Vec<Point>, usize) {
    let finite: Vec<Point> = points.iter().copied().filter(|p| vec3::is_finite(*p)).collect();
    let center = [0, 1, 2].map(|a| quantile(finite.iter().map(|p| p[a]).collect(), 0.5));
    let distance = |p: &Point| vec3::norm(vec3::sub(*p, center));
    let near = FAR * quantile(finite.iter().map(distance).collect(), 0.99);
    let shown: Vec<Point> = finite.iter().copied().filter(|p| distance(p) <= near).collect();
    let far = finite.len() - shown.len();
    (shown, far)
}

/// The value that a share of them is below; zero without any.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let at = ((values.len() - 1) as f64 * share) as usize;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}
