//! What a picture of a cloud needs beyond the cloud: the surface at each point, how far its
//! neighbors are, and numbers to color by. Used for stills and for the page.

pub mod maps;
mod numbers;
mod paint;

#[cfg(test)]
mod tests;

pub use numbers::{Numbers, Range, displacement, distance_to, range};
pub use paint::Paint;

use pellucid::PointCloud;
use pellucid::cloud::attribute::names;
use pellucid::cloud::normals::{estimate_normals, orient_consistently};
use pellucid::cloud::spacing::mean_spacing;
use pellucid::cloud::{KdTree, NeighborTable, Point, vec3};
use rayon::prelude::*;

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Neighbors that a normal is estimated from where none is stored, the point itself included.
const NORMAL_NEIGHBORS: usize = 13;
/// Neighbors whose mean distance is the size of a point, the point itself included.
const SIZE_NEIGHBORS: usize = 7;
/// Sizes are at most so many mean spacings: an outlier is not a big disk.
const LARGEST: f64 = 3.0;

/// The surface of a cloud as far as its points tell it; one entry a row.
pub struct Look {
    /// Unit normals; zero where there is no surface, such as at rows that are not finite.
    pub normals: Vec<Point>,
    /// Mean distance to the nearest neighbors.
    pub sizes: Vec<f64>,
    /// Mean distance to the nearest neighbor, over the cloud.
    pub spacing: f64,
}

impl Look {
    /// Prepares a cloud; stored normals are taken, others estimated and turned outwards.
    pub fn of(cloud: &PointCloud) -> Look {
        let points = cloud.positions();
        let table = KdTree::new(points).knn_table(NORMAL_NEIGHBORS);
        let mut normals = cloud.normals().map(unit).unwrap_or_else(|| {
            let mut normals = estimate_normals(points, &table);
            orient_consistently(points, &mut normals, &table);
            normals
        });
        let spacing = mean_spacing(&table);
        let mut sizes = sizes(&table, spacing);
        // A cloud without any finite point has no table.
        normals.resize(points.len(), [0.0; 3]);
        sizes.resize(points.len(), spacing);
        Look { normals, sizes, spacing }
    }
}

fn unit(normals: Vec<Point>) -> Vec<Point> {
    normals.into_iter().map(|n| vec3::normalized(n).unwrap_or_default()).collect()
}

fn sizes(table: &NeighborTable, spacing: f64) -> Vec<f64> {
    (0..table.len())
        .into_par_iter()
        .map(|i| {
            let others = table.distances2(i).iter().take(SIZE_NEIGHBORS).skip(1);
            let (mut sum, mut n) = (0.0, 0.0);
            for d2 in others.filter(|d| d.is_finite()) {
                sum += d2.sqrt();
                n += 1.0;
            }
            let mean = if n > 0.0 { sum / n } else { spacing };
            mean.clamp(0.3 * spacing, LARGEST * spacing)
        })
        .collect()
}

/// The cloud's own colors as bytes, if it has any. Wider types count from 0 to their largest
/// value, or to 255 if nothing is larger; fractions from 0 to 1. LAS points have black in their
/// color fields if nobody filled them, so that black alone is no color.
pub fn colors(cloud: &PointCloud) -> Option<Vec<Rgb>> {
    let a = cloud.attribute(names::COLOR).filter(|a| a.width() >= 3)?;
    let v = a.values();
    let largest = (0..v.len()).filter_map(|i| v.get_f64(i)).filter(|x| x.is_finite());
    let largest = largest.fold(0.0, f64::max);
    let full = match v.type_name() {
        "f32" | "f64" if largest <= 1.0 => 1.0,
        _ if largest <= 255.0 => 255.0,
        _ => 65535.0,
    };
    let byte = |i: usize| Some((v.get_f64(i)? / full * 255.0).clamp(0.0, 255.0).round() as u8);
    let colors: Option<Vec<Rgb>> = (0..cloud.len())
        .map(|i| a.width() * i)
        .map(|i| Some([byte(i)?, byte(i + 1)?, byte(i + 2)?]))
        .collect();
    colors.filter(|all| all.iter().any(|c| *c != [0; 3]))
}

/// A color for each direction.
pub fn normal_color(n: Point) -> Rgb {
    n.map(|x| ((0.5 + 0.5 * x).clamp(0.0, 1.0) * 255.0).round() as u8)
}
