//! The demo's picture: three clouds side by side.

use pellucid::PointCloud;
use pellucid::cloud::normals::estimate_normals_k;

use crate::render::{Align, Camera, Image, Rgb, Splats, draw_text, render};

/// Width and height of one cloud's picture, and of the line below.
const PANEL: (usize, usize) = (460, 420);
const CAPTION: usize = 44;
const GAP: usize = 4;
const PAPER: Rgb = [250, 250, 250];
const INK: Rgb = [52, 56, 62];
/// Where the eye is: degrees around the vertical, and above the ground.
const VIEW: (f64, f64) = (-52.0, 28.0);
/// Radius of a disk in spacings: wide enough to close the gaps that points leave when they move.
const RADIUS: f64 = 1.3;
/// Neighbours that a normal is estimated from where none is stored.
const NEIGHBORS: usize = 12;

/// Draws the clouds as seen from one place, each with its caption.
pub fn side_by_side(clouds: &[&PointCloud], captions: &[String], spacing: f64) -> Image {
    let n = clouds.len();
    let width = n * PANEL.0 + n.saturating_sub(1) * GAP;
    let mut out = Image::new(width, PANEL.1 + CAPTION, PAPER);
    let Some(first) = clouds.first() else { return out };
    let aspect = PANEL.0 as f64 / PANEL.1 as f64;
    let camera = Camera::fit(first.positions(), VIEW, aspect, 0.1);
    for (i, (cloud, caption)) in clouds.iter().zip(captions).enumerate() {
        let stored = cloud.normals();
        let oriented = stored.is_some();
        let normals = stored.unwrap_or_else(|| estimate_normals_k(cloud.positions(), NEIGHBORS));
        let splats = Splats {
            points: cloud.positions(),
            normals: Some(&normals),
            oriented,
            colors: None,
            radius: RADIUS * spacing,
        };
        let left = i * (PANEL.0 + GAP);
        out.paste(&render(&splats, &camera, PANEL), left, 0);
        let at = ((left + PANEL.0 / 2) as f64, (PANEL.1 + CAPTION / 2 + 6) as f64);
        draw_text(&mut out, caption, at, 18.0, Align::Centre, INK);
    }
    out
}
