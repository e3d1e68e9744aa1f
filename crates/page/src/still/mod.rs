//! Pictures of point clouds without a GPU.
//!
//! Each point is a small disk that lies in the surface. A first pass finds the nearest depth at
//! every sample, a second blends the disks that lie there, so that the surface looks closed; gaps
//! that are left are filled from around them; then light, and darkening where the surroundings are nearer to the eye. Three samples a pixel each
//! way are averaged at the end.

mod camera;
mod capitals;
mod fill;
mod image;
mod raster;
mod shade;
mod strip;
mod text;

#[cfg(test)]
mod tests;

pub use camera::{Camera, near_the_middle};
pub use image::{Image, Rgb};
pub use strip::{Legend, Panel, Strip};
pub use text::{Align, draw_text};

use pellucid::cloud::Point;

/// Samples a pixel, each way.
const SAMPLES: usize = 3;

/// What is drawn: one disk a point.
pub struct Splats<'a> {
    /// Where the points are; those that are not finite are left out.
    pub points: &'a [Point],
    /// The surface there, outwards if known; without them the disks face the eye.
    pub normals: Option<&'a [Point]>,
    /// The surface's own colors; without them a neutral gray.
    pub colors: Option<&'a [Rgb]>,
    /// Radius of each disk; about the distance to the neighbors closes the surface.
    pub radii: &'a [f64],
}

/// Draws `splats` as `camera` sees them, on `width` by `height` pixels.
pub fn render(splats: &Splats, camera: &Camera, (width, height): (usize, usize)) -> Image {
    let size = (width * SAMPLES, height * SAMPLES);
    let mut surface = raster::rasterize(splats, camera, size);
    // Dots without a surface have gaps between them.
    if splats.normals.is_some() {
        fill::fill(&mut surface, size.0, raster::typical(splats, camera, size));
    }
    let fine = shade::shade(&surface, camera, size);
    fine.shrink(SAMPLES)
}
