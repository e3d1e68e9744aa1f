//! Noisy clouds of surfaces that are known exactly, sampled as scanners and people do.

use std::fmt;

use pellucid_cloud::synth::{NoiseError, NoiseModel, Shape, add_noise};
use pellucid_cloud::{Point, PointCloud, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Distance between scan rows over the distance of points along a row.
const ROWS: f64 = 10.0;
/// Width of a row, as a share of the distance between rows.
const ROW_WIDTH: f64 = 0.04;
/// The direction across scan rows; along no face of any shape.
const ACROSS: Point = [0.48, 0.36, 0.8];
/// Density at one end of the cloud over that at the other.
const DENSITIES: f64 = 100.0;

/// How points are spread over a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// As far apart as possible.
    Even,
    /// Independent, uniform by area.
    Random,
    /// In rows that are ten times as far apart as their points.
    Rows,
    /// A hundred times as dense at one end of the cloud as at the other.
    Varying,
}

impl Sampling {
    pub const ALL: [Sampling; 4] =
        [Sampling::Even, Sampling::Random, Sampling::Rows, Sampling::Varying];

    /// `count` points of a shape.
    pub fn sample(self, shape: Shape, count: usize, seed: u64) -> PointCloud {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        match self {
            Sampling::Even => shape.sample_even(count, seed),
            Sampling::Random => shape.sample(count, seed),
            Sampling::Rows => {
                let apart = side(shape, count) * ROWS.sqrt();
                let many = shape.sample((1.3 * count as f64 / ROW_WIDTH) as usize, seed);
                first(&many, count, |p| {
                    let rows = vec3::dot(p, ACROSS) / apart;
                    (rows - rows.round()).abs() < 0.5 * ROW_WIDTH
                })
            }
            Sampling::Varying => first(&shape.sample(8 * count, seed), count, |p| {
                rng.random::<f64>() < DENSITIES.powf(-0.5 * (p[0].clamp(-1.0, 1.0) + 1.0))
            }),
        }
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sampling::Even => "even",
            Sampling::Random => "random",
            Sampling::Rows => "rows",
            Sampling::Varying => "varying",
        })
    }
}

/// The first `count` points that are wanted.
fn first(cloud: &PointCloud, count: usize, mut wanted: impl FnMut(Point) -> bool) -> PointCloud {
    let positions = cloud.positions();
    let rows = (0..cloud.len()).filter(|&i| wanted(positions[i])).take(count);
    PointCloud::new(rows.map(|i| positions[i]).collect())
}

/// The side of the square that each of `count` points has on the surface, h.
pub fn side(shape: Shape, count: usize) -> f64 {
    (shape.area() / count as f64).sqrt()
}

/// One cloud of the sweep.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub shape: Shape,
    pub sampling: Sampling,
    /// How many points.
    pub points: usize,
    /// The noise, in file units.
    pub sigma: f64,
    pub seed: u64,
}

impl Case {
    pub fn clean(&self) -> PointCloud {
        self.sampling.sample(self.shape, self.points, self.seed)
    }

    pub fn noisy(&self) -> Result<PointCloud, NoiseError> {
        add_noise(&self.clean(), NoiseModel::Gaussian, self.sigma, self.seed + 1)
    }

    /// Root mean square distance to the surface.
    pub fn error(&self, points: &[Point]) -> f64 {
        let sum: f64 = points.iter().map(|&p| self.shape.distance(p).powi(2)).sum();
        (sum / points.len() as f64).sqrt()
    }
}
