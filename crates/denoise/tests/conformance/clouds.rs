//! Small noisy clouds with a known surface, made once.

use pellucid_cloud::stats::root_mean_square;
use std::sync::LazyLock;

use pellucid_cloud::synth::{NoiseModel, add_noise};
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Attribute, PointCloud, Values};

/// Points in the larger clouds.
const POINTS: usize = 2000;

/// A noisy cloud and the distance to the surface it was made from.
pub struct Scan {
    pub cloud: PointCloud,
    /// Standard deviation of the noise per axis, one spacing of the clean points.
    pub sigma: f64,
    distance: fn(Point) -> f64,
}

impl Scan {
    fn new(clean: Vec<Point>, area: f64, distance: fn(Point) -> f64) -> Scan {
        let sigma = (area / clean.len() as f64).sqrt();
        let clean = PointCloud::new(clean);
        let cloud = add_noise(&clean, NoiseModel::Gaussian, sigma, 5).unwrap();
        Scan { cloud, sigma, distance }
    }

    /// Root mean square distance of a cloud's points from the exact surface.
    pub fn rms(&self, cloud: &PointCloud) -> f64 {
        root_mean_square(cloud.positions().iter().map(|&p| (self.distance)(p)))
    }
}

/// The `i`-th point of an even sequence in the unit square (Roberts' R2 sequence).
pub fn even(i: usize) -> [f64; 2] {
    const G: f64 = 1.324_717_957_244_746;
    [(0.5 + i as f64 / G).fract(), (0.5 + i as f64 / (G * G)).fract()]
}

const TAU: f64 = std::f64::consts::TAU;

/// Radius ten.
pub static SPHERE: LazyLock<Scan> = LazyLock::new(|| {
    let clean = (0..POINTS).map(even).map(|[a, b]| {
        let z = 2.0 * a - 1.0;
        let r = (1.0 - z * z).sqrt();
        [10.0 * r * (TAU * b).cos(), 10.0 * r * (TAU * b).sin(), 10.0 * z]
    });
    Scan::new(clean.collect(), 2.0 * TAU * 100.0, |p| vec3::norm(p) - 10.0)
});

/// Radii ten and five.
pub static TORUS: LazyLock<Scan> = LazyLock::new(|| {
    // Rejection keeps the density even: the inner side has less area.
    let clean = (0..).map(|i| (even(i), (i as f64 * 0.618_033_988_749_895).fract()));
    let clean = clean.filter_map(|([a, b], keep)| {
        let r = 10.0 + 5.0 * (TAU * a).cos();
        (keep < r / 15.0).then(|| [r * (TAU * b).cos(), r * (TAU * b).sin(), 5.0 * (TAU * a).sin()])
    });
    let clean = clean.take(2 * POINTS).collect();
    Scan::new(clean, TAU * TAU * 50.0, |p| (p[0].hypot(p[1]) - 10.0).hypot(p[2]) - 5.0)
});

/// The square of side ten at height three.
pub static PLANE: LazyLock<Scan> = LazyLock::new(|| {
    let clean = (0..POINTS).map(even).map(|[a, b]| [10.0 * a, 10.0 * b, 3.0]);
    Scan::new(clean.collect(), 100.0, |p| p[2] - 3.0)
});

/// The sphere with columns of several types and rows that are not finite.
pub static DRESSED: LazyLock<PointCloud> = LazyLock::new(|| {
    let mut positions = SPHERE.cloud.positions().to_vec();
    positions[3][1] = f64::NAN;
    positions[700] = [f64::INFINITY, 1.0, -0.0];
    positions[1999][2] = f64::NEG_INFINITY;
    let n = positions.len();
    let mut cloud = PointCloud::new(positions);
    for attribute in [
        Attribute::vector("normal", 3, Values::F32((0..3 * n).map(|i| i as f32).collect())),
        Attribute::scalar("intensity", Values::U16((0..n).map(|i| i as u16).collect())),
        Attribute::scalar("time", Values::F64((0..n).map(|i| 0.1 * i as f64).collect())),
    ] {
        cloud.set_attribute(attribute).unwrap();
    }
    cloud
});

/// The bits of all coordinates, to compare what `==` cannot.
pub fn bits(points: &[Point]) -> Vec<[u64; 3]> {
    points.iter().map(|p| p.map(f64::to_bits)).collect()
}
