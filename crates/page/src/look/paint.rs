//! What the points of a cloud are colored by.

use pellucid::PointCloud;
use pellucid::cloud::KdTree;

use super::{Look, Numbers, Rgb, colors, displacement, distance_to, normal_color};

/// The colors of a cloud.
pub enum Paint {
    /// None of its own.
    Plain,
    /// One color a point.
    Own(Vec<Rgb>),
    /// One number a point, for a color map.
    Numbers(Numbers),
}

impl Paint {
    /// What `name` asks for: `plain`, `auto` (the colors of the cloud, if any), `original`, `normal`, `displacement`
    /// from the cloud `first`, `distance` to `truth`, or the name of an attribute. An error says why there is no
    /// such thing.
    pub fn of(
        name: &str,
        cloud: &PointCloud,
        look: &Look,
        first: &PointCloud,
        truth: Option<&KdTree>,
    ) -> Result<Paint, String> {
        let points = cloud.positions();
        Ok(match name {
            "plain" => Paint::Plain,
            "auto" => colors(cloud).map_or(Paint::Plain, Paint::Own),
            "original" => Paint::Own(colors(cloud).ok_or("the file has no colors")?),
            "normal" => Paint::Own(look.normals.iter().map(|&n| normal_color(n)).collect()),
            "displacement" if first.len() != cloud.len() => {
                return Err(format!(
                    "the first cloud has {} points, this one {}; they must be the same points, moved",
                    first.len(),
                    cloud.len()
                ));
            }
            "displacement" => {
                Paint::Numbers(displacement(first.positions(), points, &look.normals))
            }
            "distance" => {
                let tree = truth.ok_or("there is no clean cloud to measure the distance to")?;
                Paint::Numbers(distance_to(points, tree))
            }
            name => Paint::Numbers(Numbers::of(cloud, name).ok_or_else(|| {
                let known = Numbers::names(cloud).join(", ");
                let known = if known.is_empty() { "none" } else { &known };
                format!("there is no attribute of that name with numbers; there are {known}")
            })?),
        })
    }
}
