//! The demo's picture: three clouds side by side.

use pellucid::PointCloud;

use crate::render::{Camera, Image, Panel, Splats, Strip};
use pellucid_page::look::Look;

/// Width and height of one cloud's picture.
const PANEL: (usize, usize) = (460, 420);
/// Where the eye is: degrees around the vertical, and above the ground.
const VIEW: (f64, f64) = (-52.0, 28.0);
/// Share of the picture left free.
const MARGIN: f64 = 0.08;

/// Draws the clouds as seen from one place, each with its caption.
pub fn side_by_side(clouds: &[&PointCloud], captions: &[String]) -> Image {
    let looks: Vec<Look> = clouds.iter().map(|c| Look::of(c)).collect();
    let panels: Vec<Panel> = clouds
        .iter()
        .zip(&looks)
        .zip(captions)
        .map(|((cloud, look), caption)| Panel {
            splats: Splats {
                points: cloud.positions(),
                normals: Some(&look.normals),
                colors: None,
                radii: &look.sizes,
            },
            caption: caption.clone(),
        })
        .collect();
    let points = clouds.first().map_or(&[][..], |c| c.positions());
    let camera = Camera::fit(points, VIEW, PANEL.0 as f64 / PANEL.1 as f64, MARGIN);
    Strip { panel: PANEL, columns: clouds.len() }.draw(&panels, &camera, None)
}
