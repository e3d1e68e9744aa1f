//! `speed.md`, `speed.csv` and the plots.

use std::fmt::Write;
use std::path::Path;

use super::super::page::{made_by, markdown};
use super::super::svg::{self, Labels, Series};
use super::clouds::{Cloud, short};
use super::run::UNIT_NEIGHBORS;
use super::table::{self, Row};
use pellucid_cli::failure::Failure;
use pellucid_cli::output;

/// The page's file name.
pub const PAGE: &str = "speed.md";
const CSV: &str = "speed.csv";
const TIME: &str = "speed-time.svg";
const MEMORY: &str = "speed-memory.svg";

/// How the rows came about.
pub struct About<'a> {
    pub clouds: &'a [Cloud],
    pub notes: Vec<String>,
    pub repeat: usize,
}

/// Writes everything into the folder.
pub fn write(folder: &Path, rows: &[Row], about: &About) -> Result<(), Failure> {
    let table = table::csv(rows).map_err(Failure::work)?;
    let files = [
        (CSV, table),
        (TIME, time_plot(rows).into_bytes()),
        (MEMORY, memory_plot(rows).into_bytes()),
        (PAGE, text(rows, about).into_bytes()),
    ];
    for (name, bytes) in files {
        output::write_file(&folder.join(name), &bytes, true, &[])?;
    }
    Ok(())
}

/// In words.
pub fn threads(n: usize) -> String {
    if n == 1 { "1 thread".to_owned() } else { format!("{n} threads") }
}

fn text(rows: &[Row], about: &About) -> String {
    let mut out = format!(
        "# Speed\n\n{}\n\nSeconds of the call alone, without reading and writing. A *kNN unit* is the \
         wall time of a kd-tree and the {UNIT_NEIGHBORS} nearest neighbors of every point, on the same \
         points and threads and in the same process; \"(CPU)\" compares CPU seconds instead, which \
         other work on the machine disturbs less. Memory is the highest resident use of the whole \
         process, the program and the points included; bytes are per point.",
        made_by()
    );
    if about.repeat > 1 {
        let _ = write!(
            out,
            " Everything ran {} times in turn; the quickest counts, for the unit too.",
            about.repeat
        );
    }
    out += "\n\n";
    for cloud in about.clouds {
        let _ = writeln!(out, "- {}", cloud.about);
    }
    for note in &about.notes {
        let _ = writeln!(out, "- Note: {note}");
    }
    out += "\n";
    out += &summary(rows);
    let _ = write!(out, "![time]({TIME})\n\n![memory]({MEMORY})\n\n");
    out += &growth(rows);
    for method in methods(rows) {
        let own: Vec<&Row> = rows.iter().filter(|r| r.key.method == method).collect();
        if own.iter().any(|r| !r.best.steps.is_empty()) {
            let _ = write!(
                out,
                "## {method}\n\nWall seconds of each step, and share of the whole.\n\n"
            );
            out += &split(&own);
        }
    }
    out
}

/// Heads of the columns that [`figures`] fills.
const FIGURES: [&str; 5] =
    ["CPU s", "wall s", "kNN units", "kNN units (CPU)", "peak bytes per point"];

fn summary(rows: &[Row]) -> String {
    let head = [&["points", "method", "threads"][..], &FIGURES].concat();
    let cells = |r: &Row| {
        let mut cells = vec![short(r.key.points), r.key.method.clone(), r.key.threads.to_string()];
        cells.extend(figures(r));
        cells
    };
    table::listed(&head, &rows.iter().collect::<Vec<_>>(), cells)
}

fn figures(r: &Row) -> [String; 5] {
    [
        format!("{:.2}", r.best.cpu),
        format!("{:.2}", r.best.wall),
        r.units.map_or_else(none, |u| format!("{u:.1}")),
        r.cpu_units.map_or_else(none, |u| format!("{u:.1}")),
        r.bytes_per_point().map_or_else(none, |b| format!("{b:.0}")),
    ]
}

/// One method, split by step.
fn split(rows: &[&Row]) -> String {
    let steps = table::steps(rows);
    let mut head = [&["points", "threads"][..], &FIGURES].concat();
    head.extend(steps.iter().map(String::as_str));
    head.push("rest");
    let cells = |r: &Row| {
        let mut cells = vec![short(r.key.points), r.key.threads.to_string()];
        cells.extend(figures(r));
        let share = |s: f64| format!("{s:.2} ({:.0} %)", 100.0 * s / r.best.wall.max(1e-12));
        cells.extend(steps.iter().map(|s| r.best.steps.get(s).map_or_else(none, |s| share(*s))));
        cells.push(share(r.rest()));
        cells
    };
    table::listed(&head, rows, cells)
}

/// How time grows with size, and what more threads bring.
fn growth(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for r in rows {
        let same = |o: &&Row| o.key.method == r.key.method;
        let smaller = rows
            .iter()
            .filter(same)
            .filter(|o| o.key.threads == r.key.threads && o.key.points < r.key.points)
            .max_by_key(|o| o.key.points);
        let fewer = rows
            .iter()
            .filter(same)
            .filter(|o| o.key.points == r.key.points && o.key.threads < r.key.threads)
            .min_by_key(|o| o.key.threads);
        if smaller.is_none() && fewer.is_none() {
            continue;
        }
        let grown = |o: &Row| {
            let points = r.key.points as f64 / o.key.points as f64;
            format!("{:.1}x for {points:.1}x the points", r.best.wall / o.best.wall)
        };
        let quicker = |o: &Row| {
            format!("{:.2}x as quick as with {}", o.best.wall / r.best.wall, threads(o.key.threads))
        };
        lines.push(vec![
            r.key.method.clone(),
            short(r.key.points),
            r.key.threads.to_string(),
            smaller.map_or_else(none, grown),
            fewer.map_or_else(none, quicker),
        ]);
    }
    if lines.is_empty() {
        return String::new();
    }
    let head = ["method", "points", "threads", "wall time", "threads bring"].map(str::to_owned);
    format!("## Growth\n\n{}", markdown(&head, &lines))
}

fn none() -> String {
    "–".to_owned()
}

fn methods(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for r in rows {
        if !names.contains(&r.key.method) {
            names.push(r.key.method.clone());
        }
    }
    names
}

fn time_plot(rows: &[Row]) -> String {
    let labels = Labels { title: "Time against size", x: "points", y: "wall seconds" };
    svg::log_lines(&labels, series(rows, |r| Some(r.best.wall)))
}

fn memory_plot(rows: &[Row]) -> String {
    let labels = Labels { title: "Memory against size", x: "points", y: "peak megabytes" };
    let largest = rows.iter().map(|r| r.key.threads).max();
    // More threads need hardly more memory: one line a method is enough.
    let few: Vec<Row> = rows.iter().filter(|r| Some(r.key.threads) == largest).cloned().collect();
    svg::log_lines(&labels, series(&few, |r| r.best.peak.map(|b| b / 1e6)))
}

/// A line for each method and number of threads.
fn series(rows: &[Row], value: impl Fn(&Row) -> Option<f64>) -> Vec<Series> {
    let mut all: Vec<((&str, usize), Series)> = Vec::new();
    for r in rows {
        let Some(v) = value(r) else { continue };
        let key = (r.key.method.as_str(), r.key.threads);
        let point = (r.key.points as f64, v);
        match all.iter_mut().find(|(k, _)| *k == key) {
            Some((_, s)) => s.points.push(point),
            None => {
                let name = format!("{}, {}", key.0, threads(key.1));
                all.push((key, Series { name, points: vec![point] }));
            }
        }
    }
    all.into_iter().map(|(_, s)| s).collect()
}
