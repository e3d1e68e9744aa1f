//! What is in a file, and what its points are like.

use std::collections::BTreeMap;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, DistinctRows, Point, PointCloud};
use pellucid_denoise::CloudEstimate;
use pellucid_io::{Document, Encoding, Source};
use serde::Serialize;

mod table;

/// What is known of a cloud and of the file that it came from.
///
/// ```
/// use pellucid::cloud::synth::Shape;
/// use pellucid::facts::Facts;
///
/// let facts = Facts::of(&Shape::Sphere.sample(1_000, 1).into());
/// assert_eq!((facts.points, facts.nan_rows, facts.duplicates), (1_000, 0, 0));
/// assert!(facts.spacing.is_some_and(|s| (0.05..0.1).contains(&s)));
/// assert_eq!(facts.attributes[0].name, "normal");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// Name of the format; "memory" for a cloud that is not from a file.
    pub format: &'static str,
    /// How numbers are written there, for formats with several ways.
    pub encoding: Option<String>,
    #[serde(skip)]
    stored: Option<Encoding>,
    /// Rows of the cloud.
    pub points: usize,
    /// What it has besides positions.
    pub attributes: Vec<Column>,
    /// How many points there are of each class.
    pub classes: BTreeMap<u8, usize>,
    /// What only LAS files have.
    pub las: Option<Las>,
    /// The coordinate system, where the file names one.
    pub coordinate_system: Option<String>,
    /// The unit of coordinates in short, where the format or the file says.
    pub unit: Option<&'static str>,
    /// Columns and rows of an organized cloud.
    pub grid: Option<(usize, usize)>,
    /// Where the scanners stood.
    pub viewpoints: Vec<Point>,
    /// What the file holds besides points, such as faces, and how many.
    pub other_elements: Vec<(String, usize)>,
    /// Comments of the file.
    pub comments: Vec<String>,
    /// The box around the finite points.
    pub bounds: Option<Bounds>,
    /// The mean spacing, in the unit of the file.
    pub spacing: Option<f64>,
    /// The noise as the default method estimates it, in file units.
    pub noise: Option<f64>,
    /// The noise of the quietest places, where it differs from place to place.
    pub lowest_noise: Option<f64>,
    /// The steps in which a coordinate was recorded, in file units, where these are the noise.
    pub steps: Option<f64>,
    /// Rows that are not finite.
    pub nan_rows: usize,
    /// Rows that repeat an earlier one.
    pub duplicates: usize,
    /// Rows at the origin that stand for missing measurements.
    pub missing_rows: usize,
    /// Rows farther than 2^40 spacings from the others.
    pub far_rows: usize,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub r#type: &'static str,
    /// Values a point.
    pub width: usize,
    /// The smallest and the largest finite value of each component.
    pub range: Vec<Option<(f64, f64)>>,
}

/// What only LAS files have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Las {
    /// Version of the format.
    pub version: String,
    /// Number of the point format.
    pub point_format: u8,
    /// The step of each coordinate.
    pub scale: [f64; 3],
    /// What is added to each coordinate.
    pub offset: [f64; 3],
}

/// A box.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Its lowest corner.
    pub min: Point,
    /// Its highest corner.
    pub max: Point,
}

impl Facts {
    /// Looks at all points.
    pub fn of(document: &Document) -> Facts {
        let (cloud, source) = (&document.cloud, &document.source);
        let mut distinct = DistinctRows::of(cloud.positions());
        // Of missing measurements, too, all but the first repeat an earlier row.
        let duplicates = distinct.copies.len() + distinct.missing.saturating_sub(1);
        distinct.drop_far(cloud.positions());
        let estimate = CloudEstimate::of(cloud);
        Facts {
            format: source.format().map_or("memory", |f| f.name()),
            encoding: source.encoding().map(|e| format!("{e:?}")),
            stored: source.encoding(),
            points: cloud.len(),
            attributes: cloud.attributes().map(column).collect(),
            classes: classes(cloud),
            las: las(source),
            coordinate_system: source.coordinate_system(),
            unit: source.unit(),
            grid: source.grid(),
            viewpoints: source.viewpoints(),
            other_elements: source.other_elements(),
            comments: source.comments().to_vec(),
            bounds: cloud.bounds().map(|(min, max)| Bounds { min, max }),
            spacing: estimate.map(|e| e.spacing),
            noise: estimate.and_then(|e| e.noise),
            lowest_noise: estimate.and_then(|e| e.lowest_noise),
            steps: estimate.and_then(|e| e.steps),
            nan_rows: distinct.not_finite,
            duplicates,
            missing_rows: distinct.missing,
            far_rows: distinct.far,
        }
    }
}

fn column(a: &Attribute) -> Column {
    let range = (0..a.width()).map(|c| range(a, c)).collect();
    Column { name: a.name().to_owned(), r#type: a.values().type_name(), width: a.width(), range }
}

fn range(a: &Attribute, component: usize) -> Option<(f64, f64)> {
    let values = a.component(component)?.into_iter().filter(|x| x.is_finite());
    values.fold(None, |range, x| {
        let (lo, hi) = range.unwrap_or((x, x));
        Some((lo.min(x), hi.max(x)))
    })
}

fn classes(cloud: &PointCloud) -> BTreeMap<u8, usize> {
    let mut counts = BTreeMap::new();
    let a = cloud.attribute(names::CLASSIFICATION).filter(|a| a.width() == 1);
    for x in a.and_then(|a| a.component(0)).unwrap_or_default() {
        if x.fract() == 0.0 && (0.0..=255.0).contains(&x) {
            *counts.entry(x as u8).or_default() += 1;
        }
    }
    counts
}

fn las(source: &Source) -> Option<Las> {
    let (scale, offset) = source.las_grid()?;
    let (version, point_format) = (source.las_version()?, source.point_format()?);
    Some(Las { version, point_format, scale, offset })
}
