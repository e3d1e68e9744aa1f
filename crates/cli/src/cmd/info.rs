//! `pellucid info`.

use std::path::Path;

use pellucid::cloud::Point;
use pellucid::facts::Facts;
use pellucid::io::las_class_in_words;
use serde::Serialize;

use super::compare::number;
use super::jobs;
use super::streams;
use crate::args::Info;
use crate::failure::Failure;
use crate::output;
use crate::progress::Show;

/// What is in a file of that name.
#[derive(Serialize)]
struct Named {
    file: String,
    #[serde(flatten)]
    facts: Facts,
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

fn one(args: &Info, file: &Path) -> Result<Named, Failure> {
    let show = Show::new(args.quiet);
    let document = streams::read(file, args.stdin.in_format.as_deref(), show)?;
    let facts = show.busy("looking", || Facts::of(&document));
    Ok(Named { file: streams::source_name(file).display().to_string(), facts })
}

/// Whole numbers as they are, others with the digits that count.
fn short(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x}") } else { number(x) }
}

fn table(Named { file, facts }: &Named) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut push = |name: &str, value: String| rows.push((name.to_owned(), value));
    push("file", file.clone());
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
        push("class", format!("{}: {count} points", las_class_in_words(*class)));
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
    let sigma = |x: f64| match (facts.steps, facts.lowest_noise) {
        (Some(steps), _) => format!("coordinates in steps of {}", length(steps)),
        (_, Some(low)) => format!("{} to {} (standard deviation)", number(low), length(x)),
        _ => format!("{} (standard deviation)", length(x)),
    };
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
