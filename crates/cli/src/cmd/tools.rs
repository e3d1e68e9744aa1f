//! Commands that make one cloud out of others: which points are kept, and what is added to them.

pub mod crop;
pub mod dedup;
pub mod distance;
pub mod merge;
pub mod normals;
pub mod thin;

use std::path::{Path, PathBuf};

use pellucid::denoise;
use pellucid::io::{Document, WriteOptions};

use super::streams;
use crate::args::{Common, Files};
use crate::failure::{Failure, naming};
use crate::progress::Show;

/// Reads, lets `work` choose rows of the cloud, and writes them with everything that belongs to
/// them; `what` says what happened to the others.
fn keep_rows(
    files: &Files,
    what: &str,
    work: impl FnOnce(&Document) -> Result<Vec<usize>, Failure> + Send,
) -> Result<(), Failure> {
    change(files, "choosing points", |document| {
        let before = document.cloud.len();
        let rows = work(document)?;
        if rows.is_empty() {
            let name = streams::source_name(&files.input);
            return Err(Failure::input(naming(
                name,
                "no point would be left; nothing was written",
            )));
        }
        document.cloud = document.cloud.select(&rows);
        let share = 100.0 * rows.len() as f64 / before as f64;
        Ok(format!("{before} points, {} kept ({share:.1} %), {what}", rows.len()))
    })
}

/// Reads, lets `work` change the document and say what it did, and writes.
fn change(
    files: &Files,
    title: &str,
    work: impl FnOnce(&mut Document) -> Result<String, Failure> + Send,
) -> Result<(), Failure> {
    let common = &files.common;
    let forbid = vec![files.input.clone()];
    check(&files.input, &files.output, common, &forbid)?;
    let show = Show::new(common.quiet);
    let mut document = streams::read(&files.input, common.streams.in_format.as_deref(), show)?;
    let said = show.busy(title, || denoise::install(common.threads, || work(&mut document)))?;
    let input = streams::source_name(&files.input).display().to_string();
    write(&document, &input, &files.output, common, forbid, &said)
}

fn options(common: &Common, forbid: Vec<PathBuf>) -> WriteOptions {
    WriteOptions {
        overwrite: common.overwrite,
        forbid,
        las_scale: common.streams.las_scale,
        ..WriteOptions::default()
    }
}

fn check(input: &Path, output: &Path, common: &Common, forbid: &[PathBuf]) -> Result<(), Failure> {
    streams::check(input, output, &common.streams, &options(common, forbid.to_vec()))
}

/// Writes a document and says what was done.
fn write(
    document: &Document,
    input: &str,
    output: &Path,
    common: &Common,
    forbid: Vec<PathBuf>,
    said: &str,
) -> Result<(), Failure> {
    let show = Show::new(common.quiet);
    let format = common.streams.format.as_deref();
    streams::write(output, format, document, &options(common, forbid), show)?;
    let line = format!("{input} -> {}: {said}\n", streams::target_name(output).display());
    streams::say(output, common.quiet, &line)
}
