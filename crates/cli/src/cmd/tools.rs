//! Commands that make clouds out of others: which points are kept, and what is added to them.

pub mod crop;
pub mod dedup;
pub mod distance;
pub mod merge;
pub mod normals;
pub mod split;
pub mod thin;

use std::path::{Path, PathBuf};

use pellucid::denoise;
use pellucid::io::{Document, WriteOptions};

use super::jobs::{self, Job, Request};
use super::streams;
use crate::args::{Common, Files};
use crate::failure::{Failure, naming};
use crate::progress::Show;

/// Reads, lets `work` choose rows of each cloud, and writes them with everything that belongs to
/// them; `what` says what happened to the others.
fn keep_rows(
    files: &Files,
    what: &str,
    work: impl Fn(&Document, &Path) -> Result<Vec<usize>, Failure> + Sync,
) -> Result<(), Failure> {
    change(files, "choosing points", |document, name| {
        let before = document.cloud.len();
        let rows = work(document, name)?;
        if rows.is_empty() {
            let fault = "no point would be left; nothing was written";
            return Err(Failure::input(naming(name, fault)));
        }
        document.cloud = document.cloud.select(&rows);
        let share = 100.0 * rows.len() as f64 / before as f64;
        Ok(format!("{before} points, {} kept ({share:.1} %), {what}", rows.len()))
    })
}

/// Reads each cloud, lets `work` change it and say what it did, and writes it.
pub(super) fn change(
    files: &Files,
    title: &str,
    work: impl Fn(&mut Document, &Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    each(&Request::of(files), &files.common, title, work)
}

/// Does the same with every file of a command.
fn each(
    request: &Request,
    common: &Common,
    title: &str,
    work: impl Fn(&mut Document, &Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    let jobs = jobs::plan(request)?;
    for job in &jobs {
        streams::check(&job.input, &job.output, &job.streams, &options(common, &job.forbid))?;
    }
    let show = Show::new(common.quiet);
    jobs::each(&jobs, |job| {
        let mut document = streams::read(&job.input, job.streams.in_format.as_deref(), show)?;
        let name = streams::source_name(&job.input);
        let said =
            show.busy(title, || denoise::install(common.threads, || work(&mut document, name)))?;
        write(&document, &name.display().to_string(), job, common, &said)
    })
}

pub(super) fn options(common: &Common, forbid: &[PathBuf]) -> WriteOptions {
    WriteOptions {
        overwrite: common.overwrite,
        forbid: forbid.to_vec(),
        las_scale: common.streams.las_scale,
        ..WriteOptions::default()
    }
}

/// Writes a document and says what was done.
fn write(
    document: &Document,
    input: &str,
    job: &Job,
    common: &Common,
    said: &str,
) -> Result<(), Failure> {
    let show = Show::new(common.quiet);
    let format = job.streams.format.as_deref();
    streams::write(&job.output, format, document, &options(common, &job.forbid), show)?;
    let line = format!("{input} -> {}: {said}\n", streams::target_name(&job.output).display());
    streams::say(&job.output, common.quiet, &line)
}
