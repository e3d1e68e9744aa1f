//! What the methods are run on: files of bare points, the same for every program.

use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::io::{self, Document, WriteOptions};

use pellucid_cli::failure::{Failure, naming};

/// Waves of several lengths, as of a terrain: no size of it has a part that is thinner than its noise.
const SHAPE: Shape = Shape::Relief;

/// A cloud in a file.
pub struct Cloud {
    pub points: usize,
    pub file: PathBuf,
    /// What it is, for people.
    pub about: String,
}

impl Cloud {
    /// Points at random places of a surface, with noise of one spacing: the side of the square that a
    /// point has for itself.
    pub fn make(points: usize, seed: u64, folder: &Path) -> Result<Cloud, Failure> {
        let clean = SHAPE.sample(points, seed).without_attributes();
        let sigma = (SHAPE.area() / points as f64).sqrt();
        // Another stream of numbers than the one the points came from.
        let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, seed.wrapping_add(1))
            .map_err(Failure::work)?;
        let about = format!(
            "{points} random points of the shape `{}`, noise of one spacing on each axis",
            SHAPE.name()
        );
        Cloud::keep(noisy, about, folder)
    }

    /// The points of a file that are finite, since not every program can do with others.
    pub fn read(file: &Path, folder: &Path) -> Result<Cloud, Failure> {
        let cloud = io::read(file)?.cloud;
        let finite = |p: &&[f64; 3]| p.iter().all(|c| c.is_finite());
        let points: Vec<_> = cloud.positions().iter().filter(finite).copied().collect();
        if points.is_empty() {
            return Err(Failure::input(naming(file, "holds no points")));
        }
        let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let about = format!("`{name}`, {} points", points.len());
        Cloud::keep(PointCloud::new(points), about, folder)
    }

    fn keep(cloud: PointCloud, about: String, folder: &Path) -> Result<Cloud, Failure> {
        let points = cloud.len();
        let file = folder.join(format!("{points}.ply"));
        io::write(&file, &Document::from(cloud), &WriteOptions::default())?;
        Ok(Cloud { points, file, about })
    }
}

/// A number of points as it is typed.
pub fn short(points: usize) -> String {
    match points {
        n if n >= 1_000_000 && n.is_multiple_of(100_000) => format!("{}M", n as f64 / 1e6),
        n if n >= 1_000 && n.is_multiple_of(100) => format!("{}k", n as f64 / 1e3),
        n => n.to_string(),
    }
}
