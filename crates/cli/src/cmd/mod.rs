//! One file for each command.

pub mod compare;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod denoise;
pub mod info;
mod jobs;
pub mod labels;
pub mod man;
pub mod methods;
pub mod noise;
pub mod outliers;
pub mod render;
pub mod run;
mod streams;
pub mod tools;
pub mod view;

use std::path::PathBuf;

use crate::failure::Failure;
use crate::output;

/// Files with folders replaced by the clouds in them; other paths stay as they are, for the command to judge.
pub fn in_folders(paths: &[PathBuf], quiet: bool) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => all.extend(jobs::files(std::slice::from_ref(path), false, quiet)?),
            false => all.push(path.clone()),
        }
    }
    Ok(all)
}

/// Two columns with the first padded, one line each.
fn columns(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// Prints a table unless `quiet` is given.
fn say(quiet: bool, text: &str) -> Result<(), Failure> {
    if quiet { Ok(()) } else { output::print(text) }
}
