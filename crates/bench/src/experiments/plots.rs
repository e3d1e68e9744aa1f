//! The pictures of the page.

use super::data::Kind;
use super::page::{Book, Line, What, courses};
use super::results::Stopped;
use super::svg::{self, Labels, Series};
use pellucid_cli::failure::Failure;

/// File names and contents.
pub fn all(book: &Book) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut out = Vec::new();
    let what = match book.kind {
        Kind::Paper => What::Mse,
        Kind::Shapes => What::Chamfer,
    };
    for (name, stop) in
        [("levels-oracle.svg", Stopped::Oracle), ("levels-blind.svg", Stopped::Blind)]
    {
        let series = by_level(book, stop, what)?;
        if series.iter().any(|s| s.name != "noisy") {
            let title = format!("{} against noise level, {} stop", what.name(), stop.name());
            let y = format!("{}, mean over models", what.name());
            let labels = Labels { title: &title, x: "noise level", y: &y };
            out.push((name, svg::lines(&labels, &series)));
        }
    }
    let courses: Vec<Series> = courses(book)?
        .into_iter()
        .map(|(name, course)| Series {
            name,
            points: course.into_iter().map(|(i, mse)| (i as f64, mse)).collect(),
        })
        .collect();
    if !courses.is_empty() {
        let labels = Labels { title: "MSE per iteration at 0.05", x: "iteration", y: "MSE" };
        out.push(("iterations.svg", svg::lines(&labels, &courses)));
    }
    let times = times(book)?;
    if !times.is_empty() {
        let labels = Labels { title: "Time per cloud", x: "mean CPU seconds", y: "" };
        out.push(("time.svg", svg::bars(&labels, &times)));
    }
    Ok(out)
}

fn by_level(book: &Book, stop: Stopped, what: What) -> Result<Vec<Series>, Failure> {
    let (models, levels) = (book.models(), book.levels());
    let series = |line: Line| {
        let at = |&l: &f64| Some((l, book.average(&line, &models, l, stop, what)?));
        Series { points: levels.iter().filter_map(at).collect(), name: line.label.clone() }
    };
    Ok(book.lines()?.into_iter().map(series).filter(|s| !s.points.is_empty()).collect())
}

/// Mean CPU seconds of the blind runs, or of the oracle's where there is nothing else.
fn times(book: &Book) -> Result<Vec<(String, f64)>, Failure> {
    let mut out = Vec::new();
    for line in book.lines()?.into_iter().filter(|l| l.method != "noisy") {
        for stop in [Stopped::Blind, Stopped::Oracle] {
            let of = |r: &&super::results::Row| r.stop == stop && r.label() == line.label;
            let all: Vec<f64> = book.rows.iter().filter(of).map(|r| r.cpu_seconds).collect();
            if !all.is_empty() {
                let mean = all.iter().sum::<f64>() / all.len() as f64;
                out.push((format!("{} ({})", line.label, stop.name()), mean));
                break;
            }
        }
    }
    Ok(out)
}
