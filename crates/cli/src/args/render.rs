//! The flags of `render`.

use std::path::PathBuf;

use pellucid::cloud::Point;

use super::flags::{Viewpoint, viewpoint};
use super::known;

const EXAMPLES: &str = "Examples:
  pellucid render scan.ply scan.png
  pellucid render scan.las scan.png --color intensity --view top --size 1600x1200
  pellucid render noisy.ply clean.ply both.png --color displacement
  pellucid render noisy.ply clean.ply both.png --color distance --truth truth.ply";

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Render {
    /// Draw these clouds side by side, from one viewpoint
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write this picture
    #[arg(value_name = "OUT.png", required = true)]
    pub output: PathBuf,
    /// Color points by: auto (the cloud's own colors, if any), plain, original, normal, displacement
    /// (from the first cloud to this one), distance (to --truth), x, y, z, or an attribute;
    /// NAME.2 is the third value of an attribute that has several
    #[arg(short, long, value_name = "WHAT", default_value = "auto")]
    #[arg(value_parser = known::color(), hide_possible_values = true)]
    pub color: String,
    /// Set the values at the ends of the color map [default: the range of nearly all values]
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, value_parser = ends)]
    pub range: Option<Ends>,
    /// Measure --color distance to this clean cloud
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Set the size of one cloud's picture in pixels [default: 960x720, or 560x480 for several]
    #[arg(short, long, value_name = "WxH", value_parser = size)]
    pub size: Option<Size>,
    /// View from iso, front, back, left, right, top, bottom, or AZIMUTH,ELEVATION in degrees
    #[arg(long, value_name = "VIEW", default_value = "iso", allow_hyphen_values = true)]
    #[arg(value_parser = view)]
    pub view: View,
    /// Set the axis that points up: x, y, z, -x, -y or -z
    #[arg(long, value_name = "AXIS", default_value = "z", value_parser = up)]
    #[arg(allow_hyphen_values = true)]
    pub up: Up,
    /// Zoom in by this factor
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = zoom)]
    pub zoom: f64,
    /// Set the point in the middle of the picture [default: the middle of the cloud]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = viewpoint)]
    pub focus: Option<Viewpoint>,
    /// Set the size of a point, in distances to its neighbors
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = zoom)]
    pub point_size: f64,
    /// Draw plain dots without shading, for vegetation and other clouds without a surface
    #[arg(long)]
    pub points: bool,
    /// Set the captions in order [default: file names, none for a single cloud]
    #[arg(long, value_name = "TEXT,…", value_delimiter = ',')]
    pub caption: Option<Vec<String>>,
    /// Draw this many clouds in a row
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub columns: usize,
    /// Replace an existing file
    #[arg(long)]
    pub overwrite: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize, pub usize);

/// Where the eye is: degrees around the vertical, and above the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View(pub f64, pub f64);

/// An axis that points up, or the other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Up {
    pub axis: usize,
    pub down: bool,
}

impl Up {
    /// Turns a place or direction so that up is the third axis.
    pub fn upright(self, p: Point) -> Point {
        match (self.axis, self.down) {
            (0, false) => [p[1], p[2], p[0]],
            (0, true) => [p[1], -p[2], -p[0]],
            (1, false) => [p[0], -p[2], p[1]],
            (1, true) => [p[0], p[2], -p[1]],
            (_, false) => p,
            (_, true) => [p[0], -p[1], -p[2]],
        }
    }
}

/// Two numbers, the smaller one first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends(pub f64, pub f64);

fn size(text: &str) -> Result<Size, String> {
    let usage = "give width and height in pixels, such as 1200x900, each from 16 to 8192";
    let (w, h) = text.split_once(['x', 'X']).ok_or(usage)?;
    let side = |t: &str| t.trim().parse::<usize>().ok().filter(|n| (16..=8192).contains(n));
    match (side(w), side(h)) {
        (Some(w), Some(h)) => Ok(Size(w, h)),
        _ => Err(usage.to_owned()),
    }
}

fn view(text: &str) -> Result<View, String> {
    Ok(match text.trim().to_ascii_lowercase().as_str() {
        "iso" => View(-52.0, 28.0),
        "front" => View(-90.0, 0.0),
        "back" => View(90.0, 0.0),
        "left" => View(180.0, 0.0),
        "right" => View(0.0, 0.0),
        "top" => View(-90.0, 90.0),
        "bottom" => View(-90.0, -90.0),
        other => {
            let [azimuth, elevation] = super::flags::numbers(other).ok_or(
                "give iso, front, back, left, right, top, bottom, or two angles in degrees such \
                 as 30,20",
            )?;
            if !(-90.0..=90.0).contains(&elevation) {
                return Err("the second angle is between -90 (below) and 90 (above)".to_owned());
            }
            View(azimuth, elevation)
        }
    })
}

fn up(text: &str) -> Result<Up, String> {
    let (down, name) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let axis = ["x", "y", "z"].iter().position(|a| a.eq_ignore_ascii_case(name));
    axis.map(|axis| Up { axis, down }).ok_or_else(|| "give x, y, z, -x, -y or -z".to_owned())
}

fn zoom(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.01..=1000.0).contains(&x) => Ok(x),
        _ => Err("give a number between 0.01 and 1000".to_owned()),
    }
}

fn ends(text: &str) -> Result<Ends, String> {
    match super::flags::numbers(text) {
        Some([lo, hi]) if lo < hi => Ok(Ends(lo, hi)),
        _ => Err("give two numbers with a comma between, the smaller one first".to_owned()),
    }
}
