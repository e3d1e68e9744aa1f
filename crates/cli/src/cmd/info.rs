//! `pellucid info`.

use std::collections::BTreeMap;
use std::path::Path;

use pellucid::cloud::attribute::names;
use pellucid::cloud::{Attribute, DistinctRows, Point, PointCloud, noise, vec3};
use pellucid::io::{Document, Source};
use serde::Serialize;

use super::compare::number;
use super::jobs;
use super::streams;
use crate::args::Info;
use crate::classes;
use crate::failure::Failure;
use crate::output;
use crate::progress::Show;

/// What is in a file.
#[derive(Debug, Serialize)]
struct Facts {
    file: String,
    format: &'static str,
    encoding: Option<String>,
    points: usize,
    attributes: Vec<Column>,
    /// How many points there are of each class.
    classes: BTreeMap<u8, usize>,
    las: Option<Las>,
    coordinate_system: Option<String>,
    /// Columns and rows of an organized cloud.
    grid: Option<(usize, usize)>,
    /// Where the scanners stood.
    viewpoints: Vec<Point>,
    other_elements: Vec<(String, usize)>,
    comments: Vec<String>,
    bounds: Option<Bounds>,
    spacing: Option<f64>,
    noise: Option<f64>,
    nan_rows: usize,
    duplicates: usize,
    /// Rows at the origin that stand for missing measurements.
    missing_rows: usize,
    /// Rows farther than 2^40 spacings from the others.
    far_rows: usize,
}

#[derive(Debug, Serialize)]
struct Column {
    name: String,
    r#type: &'static str,
    width: usize,
    /// The smallest and the largest finite value of each component.
    range: Vec<Option<(f64, f64)>>,
}

#[derive(Debug, Serialize)]
struct Las {
    version: String,
    point_format: u8,
    scale: [f64; 3],
    offset: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: Point,
    max: Point,
}

pub fn run(args: &Info) -> Result<(), Failure> {
    for file in &args.files {
        streams::check_input(file, args.stdin.in_format.as_deref())?;
    }
    let files = jobs::files(&args.files, args.recursive, args.quiet)?;
    if let [file] = files.as_slice() {
        let facts = one(args, file)?;
        return if args.json { output::print_json(&facts) } else { output::print(&table(&facts)) };
    }
    let mut all = Vec::new();
    let outcome = jobs::each(&files, |file| {
        let facts = one(args, file)?;
        if !args.json {
            let gap = if all.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{}", table(&facts)))?;
        }
        all.push(facts);
        Ok(())
    });
    if args.json {
        output::print_json(&all)?;
    }
    outcome
}

fn one(args: &Info, file: &Path) -> Result<Facts, Failure> {
    let show = Show::new(args.quiet);
    let document = streams::read(file, args.stdin.in_format.as_deref(), show)?;
    Ok(show.busy("looking", || facts(file, &document)))
}

fn facts(file: &Path, document: &Document) -> Facts {
    let cloud = &document.cloud;
    let mut distinct = DistinctRows::of(cloud.positions());
    // Of missing measurements, too, all but the first repeat an earlier row.
    let duplicates = distinct.copies.len() + distinct.missing.saturating_sub(1);
    let (spacing, noise) = scales(&mut distinct, cloud.positions());
    Facts {
        file: streams::source_name(file).display().to_string(),
        format: super::format_name(&document.source),
        encoding: document.source.encoding().map(|e| format!("{e:?}")),
        points: cloud.len(),
        attributes: columns(cloud),
        classes: classes(cloud),
        las: las(&document.source),
        coordinate_system: document.source.coordinate_system(),
        grid: document.source.grid(),
        viewpoints: document.source.viewpoints(),
        other_elements: document.source.other_elements(),
        comments: document.source.comments().to_vec(),
        bounds: cloud.bounds().map(|(min, max)| Bounds { min, max }),
        spacing,
        noise,
        nan_rows: distinct.not_finite,
        duplicates,
        missing_rows: distinct.missing,
        far_rows: distinct.far,
    }
}

fn columns(cloud: &PointCloud) -> Vec<Column> {
    let column = |a: &Attribute| Column {
        name: a.name().to_owned(),
        r#type: a.values().type_name(),
        width: a.width(),
        range: (0..a.width()).map(|c| range(a, c)).collect(),
    };
    cloud.attributes().map(column).collect()
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

/// Spacing and noise of the distinct rows, where there are enough points; takes the far
/// ones out.
fn scales(distinct: &mut DistinctRows, points: &[Point]) -> (Option<f64>, Option<f64>) {
    let extent = distinct.drop_far(points);
    if distinct.rows.len() < 2 {
        return (None, None);
    }
    // In spacings, so that it holds for coordinates of any size.
    let (center, unit) = (extent.center, extent.spacing);
    let local = |&row: &u32| vec3::sub(points[row as usize], center).map(|c| c / unit);
    let found = noise::estimate_noise(&distinct.rows.iter().map(local).collect::<Vec<_>>());
    (Some(unit), found.reliable.then_some(found.sigma * unit))
}

/// Whole numbers as they are, others with the digits that count.
fn short(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x}") } else { number(x) }
}

fn table(facts: &Facts) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut push = |name: &str, value: String| rows.push((name.to_owned(), value));
    push("file", facts.file.clone());
    push("format", format!("{} {}", facts.format, facts.encoding.as_deref().unwrap_or_default()));
    push("points", facts.points.to_string());
    if let Some(las) = &facts.las {
        push("LAS", format!("version {}, point format {}", las.version, las.point_format));
        push("scale", las.scale.map(|x| x.to_string()).join(" "));
        push("offset", las.offset.map(|x| (x + 0.0).to_string()).join(" "));
    }
    let crs = facts.coordinate_system.clone();
    if crs.is_some() || facts.las.is_some() {
        push("coordinates", crs.unwrap_or_else(|| "the file names no coordinate system".into()));
    }
    for a in &facts.attributes {
        let width = if a.width > 1 { format!(" x {}", a.width) } else { String::new() };
        let from_to = |(lo, hi): &(f64, f64)| format!("{} to {}", short(*lo), short(*hi));
        let ranges: Vec<String> = a.range.iter().flatten().map(from_to).collect();
        push("attribute", format!("{} ({}{width}) {}", a.name, a.r#type, ranges.join(", ")));
    }
    for (class, count) in &facts.classes {
        push("class", format!("{}: {count} points", classes::in_words(*class)));
    }
    if let Some((columns, rows)) = facts.grid {
        push("grid", format!("{columns} columns, {rows} rows"));
    }
    let place = |p: Point| coordinates(p, facts.spacing);
    for (i, p) in facts.viewpoints.iter().enumerate() {
        push("scanner", format!("{} at {}", i, place(*p)));
    }
    for (name, count) in &facts.other_elements {
        push("also holds", format!("{count} {name}"));
    }
    if let Some(b) = &facts.bounds {
        push("from", place(b.min));
        push("to", place(b.max));
        let size = [0, 1, 2].map(|a| b.max[a] - b.min[a]);
        push("size", format!("{} file units", place(size).replace(' ', " x ")));
    }
    push_scales(facts, push);
    super::columns(&rows)
}

/// Coordinates with as many digits as tell neighbors apart.
fn coordinates(p: Point, spacing: Option<f64>) -> String {
    let places = spacing
        .filter(|s| *s > 0.0)
        .map_or(6, |s| (2.0 - s.log10().floor()).clamp(0.0, 12.0) as usize);
    let far = |c: f64| c.abs() >= 1e15;
    p.map(|c| if far(c) { format!("{c:e}") } else { format!("{c:.places$}") }).join(" ")
}

/// Spacing, noise, and rows that are of no use.
fn push_scales(facts: &Facts, mut push: impl FnMut(&str, String)) {
    let unknown = || "cannot be estimated from these points".to_owned();
    let length = |x: f64| format!("{} file units", number(x));
    push("spacing", facts.spacing.map_or_else(unknown, length));
    let sigma = |x: f64| format!("{} (standard deviation)", length(x));
    push("noise", facts.noise.map_or_else(unknown, sigma));
    push("not finite", format!("{} rows", facts.nan_rows));
    push("duplicates", facts.duplicates.to_string());
    if facts.missing_rows > 0 {
        push("missing", format!("{} rows at exactly 0 0 0", facts.missing_rows));
    }
    if facts.far_rows > 0 {
        push(
            "far away",
            format!("{} rows, more than 2^40 spacings from the others", facts.far_rows),
        );
    }
}
