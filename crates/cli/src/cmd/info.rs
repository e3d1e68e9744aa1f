//! `pellucid info`.

use pellucid::cloud::{DistinctRows, Point, PointCloud, noise, vec3};
use pellucid::io::Document;
use serde::Serialize;

use super::streams;
use crate::args::Info;
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
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: Point,
    max: Point,
}

pub fn run(args: &Info) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    streams::check_input(&args.file, args.stdin.in_format.as_deref())?;
    let document = streams::read(&args.file, args.stdin.in_format.as_deref(), show)?;
    let facts = show.busy("looking", || facts(args, &document));
    if args.json { output::print_json(&facts) } else { output::print(&table(&facts)) }
}

fn facts(args: &Info, document: &Document) -> Facts {
    let cloud = &document.cloud;
    let mut distinct = DistinctRows::of(cloud.positions());
    // Of missing measurements, too, all but the first repeat an earlier row.
    let duplicates = distinct.copies.len() + distinct.missing.saturating_sub(1);
    let (spacing, noise) = scales(&mut distinct, cloud.positions());
    Facts {
        file: streams::source_name(&args.file).display().to_string(),
        format: super::format_name(&document.source),
        encoding: document.source.encoding().map(|e| format!("{e:?}")),
        points: cloud.len(),
        attributes: columns(cloud),
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
    let column = |a: &pellucid::cloud::Attribute| Column {
        name: a.name().to_owned(),
        r#type: a.values().type_name(),
        width: a.width(),
    };
    cloud.attributes().map(column).collect()
}

/// Spacing and noise of the distinct rows, where there are points enough to tell; takes the far
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

fn table(facts: &Facts) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut push = |name: &str, value: String| rows.push((name.to_owned(), value));
    push("file", facts.file.clone());
    push("format", format!("{} {}", facts.format, facts.encoding.as_deref().unwrap_or_default()));
    push("points", facts.points.to_string());
    for a in &facts.attributes {
        let width = if a.width > 1 { format!(" x {}", a.width) } else { String::new() };
        push("attribute", format!("{} ({}{width})", a.name, a.r#type));
    }
    for (name, count) in &facts.other_elements {
        push("also holds", format!("{count} {name}"));
    }
    if let Some(b) = &facts.bounds {
        push("from", b.min.map(|c| c.to_string()).join(" "));
        push("to", b.max.map(|c| c.to_string()).join(" "));
    }
    let unknown = || "cannot be estimated from these points".to_owned();
    push("spacing", facts.spacing.map_or_else(unknown, |s| format!("{s:.6}")));
    push("noise", facts.noise.map_or_else(unknown, |s| format!("{s:.6} (standard deviation)")));
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
    super::columns(&rows)
}
