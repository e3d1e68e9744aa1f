//! `results.csv` and `iterations.csv`: rows are added as cells finish and are never run again.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pellucid::denoise::registry::ParameterMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::item::label;
use pellucid_cli::failure::{Failure, naming};
use pellucid_cli::interrupt;

/// Who ended the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stopped {
    /// Nothing ran: the noisy cloud itself.
    None,
    /// The clean cloud.
    Oracle,
    /// The method.
    Blind,
    /// The method, with parameters of a grid; the best by the clean cloud counts as oracle.
    Grid,
}

impl Stopped {
    /// As it stands in the file.
    pub fn name(self) -> &'static str {
        match self {
            Stopped::None => "none",
            Stopped::Oracle => "oracle",
            Stopped::Blind => "blind",
            Stopped::Grid => "grid",
        }
    }
}

/// One row of `results.csv`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub method: String,
    pub preset: Option<String>,
    pub model: String,
    pub level: f64,
    pub stop: Stopped,
    /// Iterations to the reported state.
    pub iterations: usize,
    pub mse: f64,
    pub snr: Option<f64>,
    pub chamfer: f64,
    pub point_to_plane: Option<f64>,
    pub point_to_mesh: Option<f64>,
    pub uniformity: Option<f64>,
    /// Wall time of the method alone, to where it was stopped.
    pub seconds: f64,
    /// The same in CPU time.
    pub cpu_seconds: f64,
    /// Highest memory of the process, the cloud and the clean one included; empty where the
    /// system does not tell.
    pub peak_mb: Option<f64>,
    pub input: String,
    /// What differs from the preset or the defaults, as JSON.
    pub parameters: String,
    pub seed: u64,
    pub version: String,
    /// Of every parameter and of the data.
    pub fingerprint: String,
}

impl Row {
    /// The item as it is typed.
    pub fn label(&self) -> String {
        label(&self.method, self.preset.as_deref(), &self.changes())
    }

    /// What differs from the preset or the defaults.
    pub fn changes(&self) -> ParameterMap {
        serde_json::from_str(&self.parameters).unwrap_or_default()
    }

    /// What makes it another cell.
    pub fn key(&self) -> Key {
        Key {
            label: self.label(),
            model: self.model.clone(),
            level: self.level.to_string(),
            stop: self.stop,
            seed: self.seed,
            version: self.version.clone(),
            fingerprint: self.fingerprint.clone(),
        }
    }
}

/// What makes it another cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub label: String,
    pub model: String,
    pub level: String,
    pub stop: Stopped,
    pub seed: u64,
    pub version: String,
    pub fingerprint: String,
}

/// One row of `iterations.csv`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IterationRow {
    pub method: String,
    pub preset: Option<String>,
    pub parameters: String,
    pub model: String,
    pub level: f64,
    pub iteration: usize,
    pub mse: f64,
}

impl IterationRow {
    /// The item as it is typed.
    pub fn label(&self) -> String {
        let changes = serde_json::from_str(&self.parameters).unwrap_or_default();
        label(&self.method, self.preset.as_deref(), &changes)
    }
}

/// The two files.
pub struct Results {
    rows_file: PathBuf,
    iterations_file: PathBuf,
    writing: Mutex<()>,
}

impl Results {
    /// The files in a folder, made if need be; `fresh` forgets what they held.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, Failure> {
        let fault = |e| Failure::work(naming(folder, format!("cannot be made: {e}")));
        fs::create_dir_all(folder).map_err(fault)?;
        let at = |name: &str| folder.join(name);
        let files = [at("results.csv"), at("iterations.csv")];
        if fresh {
            for file in &files {
                if file.exists() {
                    fs::remove_file(file).map_err(|e| Failure::work(naming(file, e)))?;
                }
            }
        }
        let [rows_file, iterations_file] = files;
        Ok(Results { rows_file, iterations_file, writing: Mutex::new(()) })
    }

    /// All rows so far; of two for the same cell the later.
    pub fn rows(&self) -> Result<Vec<Row>, Failure> {
        let mut rows: Vec<Row> = read(&self.rows_file)?;
        let mut seen = HashSet::new();
        rows.reverse();
        rows.retain(|r| seen.insert((r.label(), r.model.clone(), r.level.to_bits(), r.stop)));
        rows.reverse();
        Ok(rows)
    }

    /// The errors after each iteration; of two runs of the same cell the later.
    pub fn iterations(&self) -> Result<Vec<IterationRow>, Failure> {
        let mut rows: Vec<IterationRow> = read(&self.iterations_file)?;
        let mut seen = HashSet::new();
        rows.reverse();
        rows.retain(|r| seen.insert((r.label(), r.model.clone(), r.level.to_bits(), r.iteration)));
        rows.reverse();
        Ok(rows)
    }

    /// Adds a finished cell: all of it or nothing.
    pub fn add(&self, rows: &[Row], iterations: &[IterationRow]) -> Result<(), Failure> {
        let _held = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        interrupt::writing(|| {
            append(&self.iterations_file, iterations)?;
            append(&self.rows_file, rows)
        })
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let fault = |e: csv::Error| {
        let fix = "delete the file or give --fresh";
        Failure::input(naming(path, format!("is not what this program writes: {e}; {fix}")))
    };
    let mut reader = csv::Reader::from_path(path).map_err(fault)?;
    reader.deserialize().map(|row| row.map_err(fault)).collect()
}

fn append<T: Serialize>(path: &Path, rows: &[T]) -> Result<(), Failure> {
    let fault =
        |e: &dyn std::fmt::Display| Failure::work(naming(path, format!("cannot be written: {e}")));
    let mut file: File =
        OpenOptions::new().create(true).append(true).open(path).map_err(|e| fault(&e))?;
    let empty = file.metadata().map_err(|e| fault(&e))?.len() == 0;
    let mut writer = csv::WriterBuilder::new().has_headers(empty).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|e| fault(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| fault(&e))?;
    // One write, so that an end in the middle cannot leave half a row.
    file.write_all(&bytes).and_then(|()| file.flush()).map_err(|e| fault(&e))
}
