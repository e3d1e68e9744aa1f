//! The main tables: every model and level.

use super::super::data::{Kind, level_name};
use super::super::published::{self, COLUMNS};
use super::super::results::Stopped;
use super::{Book, Line, What, beside, linked, markdown, mean};
use pellucid_cli::failure::Failure;

/// Averages over the models by level: oracle, blind, and what blind costs.
pub fn summary(book: &Book, what: What) -> Result<String, Failure> {
    let (models, levels) = (book.models(), book.levels());
    let mut rows = Vec::new();
    for line in book.lines()? {
        let published: Vec<Option<f64>> =
            levels.iter().map(|&l| published_mean(&line, &models, l, what)).collect();
        let stops: &[Stopped] = match line.method.as_str() {
            "noisy" => &[Stopped::None],
            _ => &[Stopped::Oracle, Stopped::Blind],
        };
        for &stop in stops {
            let there = |&l: &f64| book.average(&line, &models, l, stop, what).is_some();
            if !levels.iter().any(there) {
                continue;
            }
            let used = format!("{}{}", stop.name(), book.used(&line, stop));
            let mut cells = vec![line.label.clone(), used];
            for (&level, &p) in levels.iter().zip(&published) {
                let ours = book.average(&line, &models, level, stop, what);
                let mut cell = beside(ours, p, what.digits(), false);
                let oracle = book.average(&line, &models, level, Stopped::Oracle, what);
                if let (Stopped::Blind, Some(a), Some(b), false) =
                    (stop, ours, oracle, what == What::Snr)
                {
                    cell += &format!(" {:+.1} %", 100.0 * (a / b - 1.0));
                }
                cells.push(cell);
            }
            rows.push(cells);
        }
    }
    let mut head = vec!["method".to_owned(), "stop".to_owned()];
    head.extend(levels.iter().map(|&l| level_name(l)));
    let names: Vec<&str> = models.iter().map(|m| published::printed(m)).collect();
    let names = names.join(", ");
    let percent = if what == What::Snr { "" } else { " The percentage is blind against oracle." };
    Ok(format!(
        "## {}, averages by noise level\n\nOver {names}. An average stands only where no \
         model is missing.{percent}\n\n{}",
        what.name(),
        markdown(&head, &rows)
    ))
}

/// One level, all models, one way of stopping.
pub fn level(book: &Book, what: What, level: f64, stop: Stopped) -> Result<String, Failure> {
    let models = book.models();
    let lines = book.lines()?;
    let ours = |line: &Line, m: &str| book.value(line, m, level, stop, what);
    let methods = lines.iter().filter(|l| l.method != "noisy");
    if !methods.clone().any(|l| models.iter().any(|m| ours(l, m).is_some())) {
        return Ok(String::new());
    }
    let best_of = |values: &mut dyn Iterator<Item = Option<f64>>| {
        values.flatten().reduce(|a, b| if what.better(b, a) { b } else { a })
    };
    let average = |l: &Line| book.average(l, &models, level, stop, what);
    let best: Vec<Option<f64>> = models
        .iter()
        .map(|m| best_of(&mut methods.clone().map(|l| ours(l, m))))
        .chain([best_of(&mut methods.clone().map(average))])
        .collect();

    let mut rows = Vec::new();
    for line in &lines {
        let column = line.column();
        let paper = |m: &str| what.published(column?, m, level);
        let mut values: Vec<_> = models.iter().map(|m| (ours(line, m), paper(m))).collect();
        if values.iter().all(|v| v.0.is_none()) {
            continue;
        }
        values.push((average(line), published_mean(line, &models, level, what)));
        let used = if line.method == "noisy" { "" } else { book.used(line, stop) };
        let mut cells = vec![format!("{}{used}", line.label)];
        // The average has no clouds of its own.
        let views = models.iter().map(|m| book.view(line, m, level, stop)).chain([None]);
        for (((ours, paper), best), view) in values.into_iter().zip(&best).zip(views) {
            let is_best = ours.is_some() && ours == *best && line.method != "noisy";
            cells.push(linked(ours, paper, what.digits(), is_best, view));
        }
        rows.push(cells);
    }
    if book.kind == Kind::Paper && stop == Stopped::Oracle {
        rows.extend(only_published(&lines, &models, level, what));
    }
    let mut head = vec!["method".to_owned()];
    head.extend(models.iter().map(|m| published::printed(m).to_owned()));
    head.push("average".to_owned());
    let title = format!("## {} at {}, {} stop\n\n", what.name(), level_name(level), stop.name());
    Ok(title + &markdown(&head, &rows))
}

/// Columns of the paper that no method here stands for.
fn only_published(lines: &[Line], models: &[String], level: f64, what: What) -> Vec<Vec<String>> {
    let ours: Vec<&str> = lines.iter().filter_map(Line::column).collect();
    let missing = COLUMNS.into_iter().filter(|c| !ours.contains(c));
    let row = |column: &str| {
        let values: Vec<_> = models.iter().map(|m| what.published(column, m, level)).collect();
        let average = mean(values.iter().copied());
        let numbers = values.into_iter().chain([average]);
        let cells = numbers.map(|p| beside(None, p, what.digits(), false));
        [format!("{column} (paper)")].into_iter().chain(cells).collect()
    };
    missing.map(row).filter(|r: &Vec<String>| r[1] != "–").collect()
}

fn published_mean(line: &Line, models: &[String], level: f64, what: What) -> Option<f64> {
    let column = line.column()?;
    mean(models.iter().map(|m| what.published(column, m, level)))
}

/// CPU seconds of each method.
pub fn time(book: &Book) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for line in book.lines()?.iter().filter(|l| l.method != "noisy") {
        for stop in [Stopped::Oracle, Stopped::Blind] {
            let of = |r: &&super::super::results::Row| r.stop == stop && r.label() == line.label;
            let all: Vec<_> = book.rows.iter().filter(of).collect();
            if all.is_empty() {
                continue;
            }
            let n = all.len() as f64;
            let cpu = all.iter().map(|r| r.cpu_seconds);
            let (sum, most) = (cpu.clone().sum::<f64>(), cpu.fold(0.0, f64::max));
            let iterations = all.iter().map(|r| r.iterations).sum::<usize>() as f64 / n;
            let peak = all.iter().filter_map(|r| r.peak_mb).reduce(f64::max);
            rows.push(vec![
                line.label.clone(),
                stop.name().to_owned(),
                format!("{:.1}", sum / n),
                format!("{most:.1}"),
                format!("{iterations:.1}"),
                peak.map_or("–".to_owned(), |p| format!("{p:.0}")),
            ]);
        }
    }
    let head = ["method", "stop", "mean CPU s", "most", "mean iterations", "peak MB"];
    let text = "The method alone, to where it was stopped, without reading and comparing. The \
                oracle's iterations are those to the best state. Memory is that of the \
                whole process from the start of the method.";
    Ok(format!("## Time\n\n{text}\n\n{}", markdown(&head.map(str::to_owned), &rows)))
}

/// Which parameters the best of each grid had.
pub fn chosen(book: &Book) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for line in book.lines()? {
        for level in book.levels() {
            for model in book.models() {
                let found = book.find(&line, &model, level, Stopped::Oracle);
                if let Some(row) = found.filter(|r| r.stop == Stopped::Grid) {
                    rows.push(vec![
                        line.label.clone(),
                        published::printed(&model).to_owned(),
                        level_name(level),
                        format!("`{}`", row.parameters),
                    ]);
                }
            }
        }
    }
    if rows.is_empty() {
        return Ok(String::new());
    }
    let head = ["method", "model", "level", "parameters"].map(str::to_owned);
    Ok(format!("## Best of each grid\n\n{}", markdown(&head, &rows)))
}
