//! How outliers are marked in a cloud, and where they are.

use std::collections::BTreeMap;

use pellucid_cloud::attribute::names;
use pellucid_cloud::outliers::{self, OutlierFlags};
use pellucid_cloud::{Attribute, Point, PointCloud, Values, bounds};
use pellucid_io::{Document, Format, las_class_in_words};
use serde::Serialize;

/// The attribute that labels go to where the format has no flag for them.
pub const LABEL: &str = "outlier";
/// The flag of LAS for points that are not to be used.
pub const WITHHELD: &str = "withheld";
/// Class of noise in LAS, and below the surface where there is one for noise above it.
const LOW_NOISE: u8 = 7;
/// Class of noise above the surface, which LAS has from point format 6 on.
const HIGH_NOISE: u8 = 18;
/// First point format with that class.
const HIGH_NOISE_SINCE: u8 = 6;

/// The attribute that marks outliers in files of this format.
pub fn attribute(format: Option<Format>) -> &'static str {
    if matches!(format, Some(Format::Las | Format::Laz)) { WITHHELD } else { LABEL }
}

/// Marks outliers in a cloud that will be written in this format; points that were withheld before
/// stay so. Says how they are marked.
pub fn mark(
    cloud: &mut PointCloud,
    flags: &[bool],
    format: Option<Format>,
) -> Result<&'static str, String> {
    if let Some(format) = format.filter(|f| !f.holds_attributes()) {
        let fault = "cannot store labels; write another format such as .ply, or remove outliers";
        return Err(format!("{} {fault}", format.name()));
    }
    let name = attribute(format);
    let is_las = name == WITHHELD;
    let before = cloud.attribute(WITHHELD).filter(|a| a.width() == 1).map(|a| a.values().clone());
    let was = |row: usize| before.as_ref().and_then(|v| v.get_f64(row)).is_some_and(|x| x == 1.0);
    let flag = |row: usize| u8::from(flags[row] || is_las && was(row));
    let values = Values::U8((0..cloud.len()).map(flag).collect());
    cloud.set_attribute(Attribute::scalar(name, values)).map_err(|e| e.to_string())?;
    Ok(match is_las {
        true => "marked as withheld",
        false => "marked in the attribute \"outlier\"",
    })
}

/// So many outliers, in words.
pub fn counted(count: usize) -> String {
    if count == 1 { "1 outlier".to_owned() } else { format!("{count} outliers") }
}

/// Where outliers are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Place {
    /// How many lie above the surface next to them.
    pub above_surface: usize,
    /// The lowest and the highest corner of their box.
    pub bounds: Option<(Point, Point)>,
    /// How many there are of each class, where points have classes.
    pub classes: BTreeMap<u8, usize>,
}

impl Place {
    /// Where those of a cloud are; `above` tells of each row whether it is an outlier above the surface.
    pub fn of(cloud: &PointCloud, found: &OutlierFlags, above: &[bool]) -> Place {
        let rows = || (0..cloud.len()).filter(|&row| found.flags[row]);
        let points: Vec<Point> = rows().map(|row| cloud.positions()[row]).collect();
        let mut counts = BTreeMap::new();
        if let Some(classes) = cloud.attribute(names::CLASSIFICATION).and(of_las(cloud)) {
            rows().for_each(|row| *counts.entry(classes[row]).or_default() += 1);
        }
        let above_surface = above.iter().filter(|a| **a).count();
        Place { above_surface, bounds: bounds(&points), classes: counts }
    }

    /// Adds those of another piece.
    pub fn add(&mut self, other: Place) {
        self.above_surface += other.above_surface;
        self.bounds = match (self.bounds, other.bounds) {
            (Some((a, b)), Some((c, d))) => bounds(&[a, b, c, d]),
            (own, other) => own.or(other),
        };
        for (class, n) in other.classes {
            *self.classes.entry(class).or_default() += n;
        }
    }

    /// One line for people, if there are any outliers.
    pub fn line(&self, count: usize) -> Option<String> {
        let (lo, hi) = self.bounds?;
        let axes = ["x", "y", "z"].iter().zip(lo.iter().zip(&hi));
        // A hundredth of the box, which may be that of a room in meters or of a city in feet.
        let size = (0..3).map(|a| hi[a] - lo[a]).fold(0.0, f64::max);
        let places = if size > 0.0 { (2.0 - size.log10().floor()).clamp(0.0, 9.0) } else { 6.0 };
        let places = places as usize;
        let digits = |x: f64| {
            if x.abs() < 1e15 { format!("{x:.places$}") } else { format!("{x:e}") }
        };
        let range =
            |(a, (l, h)): (&&str, (&f64, &f64))| format!("{a} {} to {}", digits(*l), digits(*h));
        let ranges: Vec<String> = axes.map(range).collect();
        let (above, below) = (self.above_surface, count - self.above_surface);
        let mut line = format!("  {above} above the surface next to them, {below} not above it; ");
        line.push_str(&ranges.join(", "));
        for (class, n) in &self.classes {
            line.push_str(&format!("; {n} {}", las_class_in_words(*class)));
        }
        Some(line + "\n")
    }
}

/// A cloud whose outliers are marked.
#[derive(Debug)]
pub struct Marked {
    /// The cloud.
    pub cloud: PointCloud,
    /// How they are marked.
    pub done: &'static str,
    /// The attribute that marks them.
    pub attribute: &'static str,
}

/// A cloud whose outliers are marked for a file in format `target`: by their class if `classify`,
/// else by the flag of LAS or an attribute.
pub fn marked(
    classify: bool,
    document: &Document,
    target: Option<Format>,
    found: &OutlierFlags,
    above: &[bool],
) -> Result<Marked, String> {
    let mut cloud = document.cloud.clone();
    if !classify {
        let done = mark(&mut cloud, &found.flags, target)?;
        return Ok(Marked { cloud, done, attribute: attribute(target) });
    }
    let (values, done) = classified(document, found, above)?;
    let attribute = names::CLASSIFICATION;
    cloud
        .set_attribute(Attribute::scalar(attribute, Values::U8(values)))
        .map_err(|e| e.to_string())?;
    Ok(Marked { cloud, done, attribute })
}

fn classified(
    document: &Document,
    found: &OutlierFlags,
    above: &[bool],
) -> Result<(Vec<u8>, &'static str), String> {
    let fault = "the attribute \"classification\" holds no classes from 0 to 255";
    let mut classes = of_las(&document.cloud).ok_or(fault)?;
    // Clouds from other formats are written in point format 6.
    let point_format = document.source.point_format().unwrap_or(HIGH_NOISE_SINCE);
    let two = point_format >= HIGH_NOISE_SINCE;
    for (row, class) in classes.iter_mut().enumerate().filter(|(row, _)| found.flags[*row]) {
        *class = if two && above[row] { HIGH_NOISE } else { LOW_NOISE };
    }
    let done = match two {
        true => "marked as class 7 (noise), 18 if above the surface",
        false => "marked as class 7 (noise)",
    };
    Ok((classes, done))
}

/// The classes of the points, zero where there are none; `None` if they are not such as LAS has.
fn of_las(cloud: &PointCloud) -> Option<Vec<u8>> {
    let Some(a) = cloud.attribute(names::CLASSIFICATION) else {
        return Some(vec![0; cloud.len()]);
    };
    let class = |x: f64| (x.fract() == 0.0 && (0.0..=255.0).contains(&x)).then_some(x as u8);
    let classes: Option<Vec<u8>> = a.component(0)?.into_iter().map(class).collect();
    classes.filter(|_| a.width() == 1)
}

/// Which outliers lie above the surface next to them.
pub fn above(cloud: &PointCloud, found: &OutlierFlags) -> Vec<bool> {
    outliers::above_surface(cloud.positions(), &found.flags)
}
