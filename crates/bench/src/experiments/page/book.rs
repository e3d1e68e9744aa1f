//! The rows, looked up by what a table asks for.

use std::collections::HashSet;

use super::super::item::label;
use super::super::published::{self, Measure};
use super::super::results::{IterationRow, Row, Stopped};
use super::super::views::Pages;
use super::super::{cells, data::Kind};
use pellucid_cli::failure::Failure;

/// A number in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Mse,
    Snr,
    Chamfer,
    Mesh,
}

impl What {
    /// The number as it is printed.
    pub fn of(self, row: &Row) -> Option<f64> {
        match self {
            What::Mse => Some(row.mse),
            What::Snr => row.snr,
            // As in print: times ten thousand.
            What::Chamfer => Some(row.chamfer * 1e4),
            What::Mesh => row.point_to_mesh.map(|d| d * 1e4),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            What::Mse => "MSE",
            What::Snr => "SNR",
            What::Chamfer => "Chamfer x 1e4",
            What::Mesh => "Point to mesh x 1e4",
        }
    }

    pub fn digits(self) -> usize {
        match self {
            What::Mse => 4,
            What::Snr => 2,
            What::Chamfer | What::Mesh => 3,
        }
    }

    /// Which of two is better.
    pub fn better(self, a: f64, b: f64) -> bool {
        if self == What::Snr { a > b } else { a < b }
    }

    /// The published number for a column of the paper.
    pub fn published(self, column: &str, model: &str, level: f64) -> Option<f64> {
        match self {
            What::Mse => published::table(Measure::Mse, column, model, level),
            What::Snr => published::table(Measure::Snr, column, model, level),
            What::Chamfer | What::Mesh => None,
        }
    }
}

/// A line of a table: an item, or the noisy cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub method: String,
    pub preset: Option<String>,
    pub label: String,
}

impl Line {
    /// The column of the paper to hold it against.
    pub fn column(&self) -> Option<&'static str> {
        published::column_of(&self.method, self.preset.as_deref())
    }
}

/// Everything measured so far.
pub struct Book {
    pub rows: Vec<Row>,
    pub iterations: Vec<IterationRow>,
    pub kind: Kind,
    /// Items in the order in which they were asked for.
    pub order: Vec<String>,
    /// The pages that show clouds.
    pub pages: Pages,
}

impl Book {
    /// Models that have a row, in the paper's order or by name.
    pub fn models(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for row in &self.rows {
            if !all.contains(&row.model) {
                all.push(row.model.clone());
            }
        }
        all.sort_by_key(|m| {
            let place = published::MODELS.iter().position(|p| p == m);
            (place.unwrap_or(published::MODELS.len()), m.clone())
        });
        all
    }

    /// Levels that have a row.
    pub fn levels(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.rows.iter().map(|r| r.level).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// The lines of the main tables: the noisy cloud, what was asked for, what earlier runs left.
    /// A grid's rows make one line together, and the searches have tables of their own.
    pub fn lines(&self) -> Result<Vec<Line>, Failure> {
        let mut apart: HashSet<String> = HashSet::new();
        apart.extend(cells::partial_items()?.iter().map(ToString::to_string));
        apart.extend(cells::whole_items()?.iter().map(ToString::to_string));
        apart.extend(cells::trace_items()?.iter().map(ToString::to_string));
        let mut lines: Vec<Line> = Vec::new();
        for row in &self.rows {
            let line = line_of(row);
            if !apart.contains(&line.label) && !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines.sort_by_key(|line| {
            let place = self.order.iter().position(|o| *o == line.label);
            (line.method != "noisy", place.unwrap_or(self.order.len()))
        });
        Ok(lines)
    }

    /// The row that counts for a line: `oracle` may be the best of a grid, or, where a method has
    /// nothing to choose, the default.
    pub fn find(&self, line: &Line, model: &str, level: f64, stop: Stopped) -> Option<&Row> {
        let here = |r: &&Row| r.model == model && r.level == level && line_of(r) == *line;
        let with = |s: Stopped| self.rows.iter().filter(here).find(move |r| r.stop == s);
        if line.method == "noisy" {
            return with(Stopped::None);
        }
        let exact = with(stop);
        if exact.is_some() || stop != Stopped::Oracle {
            return exact;
        }
        let tried = self.rows.iter().filter(here);
        tried
            .filter(|r| matches!(r.stop, Stopped::Grid | Stopped::Blind))
            .min_by(|a, b| a.mse.total_cmp(&b.mse))
    }

    /// Which parameters the numbers of a line come from, where that is not plain.
    pub fn used(&self, line: &Line, stop: Stopped) -> &'static str {
        let has = |s| self.rows.iter().any(|r| r.stop == s && line_of(r) == *line);
        match stop {
            Stopped::Oracle if has(Stopped::Oracle) => "",
            Stopped::Oracle if has(Stopped::Grid) => " (best of grid)",
            Stopped::Oracle => " (nothing to choose: default)",
            _ => "",
        }
    }

    /// One number.
    pub fn value(
        &self,
        line: &Line,
        model: &str,
        level: f64,
        stop: Stopped,
        what: What,
    ) -> Option<f64> {
        what.of(self.find(line, model, level, stop)?)
    }

    /// The page that shows the clouds behind a number.
    pub fn view(&self, line: &Line, model: &str, level: f64, stop: Stopped) -> Option<String> {
        self.pages.link(&self.find(line, model, level, stop)?.key())
    }

    /// The mean over models; only if all of them are there.
    pub fn average(
        &self,
        line: &Line,
        models: &[String],
        level: f64,
        stop: Stopped,
        what: What,
    ) -> Option<f64> {
        mean(models.iter().map(|m| self.value(line, m, level, stop, what)))
    }
}

fn line_of(row: &Row) -> Line {
    let (method, preset) = (row.method.clone(), row.preset.clone());
    let label = match row.stop {
        Stopped::Grid => label(&method, preset.as_deref(), &Default::default()),
        _ => row.label(),
    };
    Line { method, preset, label }
}

/// The mean; nothing if one is missing.
pub fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let all = values.collect::<Option<Vec<f64>>>()?;
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
