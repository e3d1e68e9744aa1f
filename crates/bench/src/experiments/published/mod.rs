//! The numbers printed in W. Hu, X. Gao, G. Cheung, Z. Guo, "Feature graph learning for 3D point
//! cloud denoising", IEEE Trans. Signal Processing 68, 2020, DOI 10.1109/TSP.2020.2978617.

mod mse;
mod snr;

use pellucid::denoise::registry;

/// File names of the models, in the order of the tables' rows.
pub const MODELS: [&str; 5] = ["anchor", "daratech", "dc", "gargoyle", "lordquas"];

/// The models' names in print.
pub const PRINTED: [&str; 5] = ["Anchor", "Daratech", "DC", "Gargoyle", "Quasimoto"];

/// The tables' columns.
pub const COLUMNS: [&str; 12] = [
    "Noisy",
    "APSS",
    "RIMLS",
    "AWLOP",
    "NLD",
    "MRPCA",
    "LR",
    "GLR",
    "Diagonal",
    "Baseline1",
    "Baseline2",
    "Ours",
];

/// Noise levels of the tables.
pub const LEVELS: [f64; 5] = [0.02, 0.03, 0.04, 0.05, 0.10];

/// The level of the partial, vanilla and trace experiments.
pub const MAIN_LEVEL: f64 = 0.05;

/// One level of a table: five models and the printed average.
pub struct Level {
    pub level: f64,
    pub rows: [[f64; 12]; 6],
}

/// What a number measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Mse,
    Snr,
}

/// Learning from 20 % of the points at 0.05: full metric, diagonal metric.
const PARTIAL_MSE: [[f64; 5]; 2] =
    [[0.240, 0.301, 0.223, 0.256, 0.197], [0.251, 0.339, 0.241, 0.275, 0.205]];
const PARTIAL_SNR: [[f64; 5]; 2] =
    [[48.17, 43.78, 47.04, 46.93, 47.87], [47.72, 42.59, 46.23, 46.20, 47.50]];
/// Vanilla PG at 0.05, MSE.
const VANILLA_MSE: [f64; 5] = [0.240, 0.301, 0.222, 0.256, 0.191];

/// The printed number of a column of the main tables.
pub fn table(measure: Measure, column: &str, model: &str, level: f64) -> Option<f64> {
    let row = MODELS.iter().position(|m| *m == model)?;
    at(measure, column, row, level)
}

/// The printed average of a column over the five models.
#[cfg(test)]
pub fn average(measure: Measure, column: &str, level: f64) -> Option<f64> {
    at(measure, column, MODELS.len(), level)
}

fn at(measure: Measure, column: &str, row: usize, level: f64) -> Option<f64> {
    let table = match measure {
        Measure::Mse => &mse::TABLE,
        Measure::Snr => &snr::TABLE,
    };
    let column = COLUMNS.iter().position(|c| *c == column)?;
    table.iter().find(|l| l.level == level).map(|l| l.rows[row][column])
}

/// The printed number of the experiment on 20 % of the points.
pub fn partial(measure: Measure, preset: &str, model: &str) -> Option<f64> {
    let model = MODELS.iter().position(|m| *m == model)?;
    let table = match measure {
        Measure::Mse => &PARTIAL_MSE,
        Measure::Snr => &PARTIAL_SNR,
    };
    match preset {
        "reference" => Some(table[0][model]),
        "diagonal" => Some(table[1][model]),
        _ => None,
    }
}

/// The printed MSE of Vanilla PG.
pub fn vanilla(model: &str) -> Option<f64> {
    MODELS.iter().position(|m| *m == model).map(|i| VANILLA_MSE[i])
}

/// The column that a method and preset is to be compared with.
pub fn column_of(method: &str, preset: Option<&str>) -> Option<&'static str> {
    Some(match (method, preset) {
        ("noisy", _) => "Noisy",
        ("fgl", Some("diagonal")) => "Diagonal",
        ("fgl", Some("baseline1")) => "Baseline1",
        ("fgl", Some("baseline2")) => "Baseline2",
        ("fgl", _) => "Ours",
        (name, preset) if preset == as_published(name) => {
            COLUMNS.into_iter().find(|c| c.to_lowercase() == name)?
        }
        _ => return None,
    })
}

/// The preset that follows a competitor's own paper: `paper` where there is one, else the default does.
fn as_published(method: &str) -> Option<&'static str> {
    let presets = registry::find(method).map_or(&[][..], |m| m.presets);
    presets.iter().map(|p| p.name).find(|name| *name == "paper")
}

/// A model's name in print.
pub fn printed(model: &str) -> &str {
    MODELS.iter().position(|m| *m == model).map_or(model, |i| PRINTED[i])
}
