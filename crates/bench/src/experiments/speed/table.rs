//! What was measured, and the quickest of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::page::markdown;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// CPU seconds of the call.
    pub cpu: f64,
    /// Wall seconds of the call.
    pub wall: f64,
    /// The kNN unit in the same process, if it was measured there.
    pub unit: Option<Unit>,
    /// Highest memory use of the process in bytes, where the system tells.
    pub peak: Option<f64>,
    /// Wall seconds of each step, as the method reports them.
    pub steps: BTreeMap<String, f64>,
}

/// What a search for the nearest neighbors of every point took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// CPU seconds.
    pub cpu: f64,
    /// Wall seconds.
    pub wall: f64,
}

impl Unit {
    /// The least of both.
    pub fn least(self, other: Unit) -> Unit {
        Unit { cpu: self.cpu.min(other.cpu), wall: self.wall.min(other.wall) }
    }
}

/// Whose run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub method: String,
    pub points: usize,
    pub threads: usize,
}

/// A line of the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub key: Key,
    pub best: Measured,
    /// Wall seconds over those of the kNN unit.
    pub units: Option<f64>,
    /// CPU seconds over those of the kNN unit: what other work on the machine changes least.
    pub cpu_units: Option<f64>,
}

impl Row {
    pub fn bytes_per_point(&self) -> Option<f64> {
        self.best.peak.map(|p| p / self.key.points as f64)
    }

    /// Wall seconds that the method reports under no step.
    pub fn rest(&self) -> f64 {
        (self.best.wall - self.best.steps.values().sum::<f64>()).max(0.0)
    }
}

/// Runs by what was run, in the order of the plan.
pub struct Table {
    runs: Vec<(Key, Vec<Measured>)>,
}

impl Table {
    pub fn new(keys: impl Iterator<Item = Key>) -> Self {
        Table { runs: keys.map(|k| (k, Vec::new())).collect() }
    }

    pub fn add(&mut self, key: &Key, measured: Measured) {
        if let Some((_, runs)) = self.runs.iter_mut().find(|(k, _)| k == key) {
            runs.push(measured);
        }
    }

    /// The quickest run of each, against its quickest unit; other programs', which measure none,
    /// against the quickest on the same points and threads.
    pub fn rows(&self) -> Vec<Row> {
        let row = |(key, runs): &(Key, Vec<Measured>)| {
            let best = runs.iter().min_by(|a, b| a.wall.total_cmp(&b.wall))?.clone();
            let unit = least_unit(runs).or_else(|| self.unit_of(key));
            let over = |a: f64, b: f64| (b > 0.0).then(|| a / b);
            let units = unit.and_then(|u| over(best.wall, u.wall));
            let cpu_units = unit.and_then(|u| over(best.cpu, u.cpu));
            Some(Row { key: key.clone(), units, cpu_units, best })
        };
        self.runs.iter().filter_map(row).collect()
    }

    fn unit_of(&self, key: &Key) -> Option<Unit> {
        let like = |k: &Key| k.points == key.points && k.threads == key.threads;
        least_unit(self.runs.iter().filter(|(k, _)| like(k)).flat_map(|(_, runs)| runs))
    }
}

fn least_unit<'a>(runs: impl IntoIterator<Item = &'a Measured>) -> Option<Unit> {
    runs.into_iter().filter_map(|r| r.unit).reduce(Unit::least)
}

/// The steps of all rows.
pub fn steps(rows: &[&Row]) -> Vec<String> {
    let names: BTreeSet<&String> = rows.iter().flat_map(|r| r.best.steps.keys()).collect();
    names.into_iter().cloned().collect()
}

/// `speed.csv`.
pub fn csv(rows: &[Row]) -> Result<Vec<u8>, csv::Error> {
    let steps = steps(&rows.iter().collect::<Vec<_>>());
    let fixed = [
        "method",
        "points",
        "threads",
        "cpu_seconds",
        "wall_seconds",
        "knn_units",
        "peak_bytes_per_point",
    ];
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(fixed.into_iter().chain(steps.iter().map(String::as_str)))?;
    let number = |v: Option<f64>, digits| v.map_or_else(String::new, |v| format!("{v:.digits$}"));
    for r in rows {
        let mut cells = vec![
            r.key.method.clone(),
            r.key.points.to_string(),
            r.key.threads.to_string(),
            number(Some(r.best.cpu), 4),
            number(Some(r.best.wall), 4),
            number(r.units, 3),
            number(r.bytes_per_point(), 1),
        ];
        cells.extend(steps.iter().map(|s| number(r.best.steps.get(s).copied(), 4)));
        out.write_record(cells)?;
    }
    out.into_inner().map_err(|e| e.into_error().into())
}

/// A table with a line for each of the rows.
pub fn listed(head: &[&str], rows: &[&Row], cells: impl Fn(&Row) -> Vec<String>) -> String {
    let head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    markdown(&head, &rows.iter().map(|r| cells(r)).collect::<Vec<_>>())
}
