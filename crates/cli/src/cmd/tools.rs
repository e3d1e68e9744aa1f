//! Commands that make clouds out of others: which points are kept, and what is added to them.

pub mod crop;
pub mod dedup;
pub mod distance;
pub mod merge;
pub mod normals;
pub mod pieces;
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
use pieces::Prepare;

/// Reads, lets `work` choose rows of each cloud, and writes them with everything that belongs to
/// them; `what` says what happened to the others.
fn keep_rows(
    files: &Files,
    what: &str,
    pieces: Prepare,
    work: impl Fn(&Document, &Path) -> Result<Vec<usize>, Failure> + Sync,
) -> Result<(), Failure> {
    change(files, "choosing points", pieces, |document, name| {
        let before = document.cloud.len();
        let rows = work(document, name)?;
        if rows.is_empty() {
            let fault = "no point would be left; nothing was written";
            return Err(Failure::input(naming(name, fault)));
        }
        document.cloud = document.cloud.select(&rows);
        Ok(kept(before, rows.len(), what))
    })
}

/// How many points were kept, in words.
fn kept(before: usize, after: usize, what: &str) -> String {
    let share = 100.0 * after as f64 / before as f64;
    format!("{before} points, {after} kept ({share:.1} %), {what}")
}

/// Reads each cloud, lets `work` change it and say what it did, and writes it.
pub(super) fn change(
    files: &Files,
    title: &str,
    pieces: Prepare,
    work: impl Fn(&mut Document, &Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    each(&Request::of(files), &files.common, title, pieces, work)
}

/// Does the same with every file of a command.
fn each(
    request: &Request,
    common: &Common,
    title: &str,
    pieces: Prepare,
    work: impl Fn(&mut Document, &Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    each_of(&checked(request, common)?, common, title, pieces, work)
}

/// What goes where, if all of it can be read and written.
fn checked(request: &Request, common: &Common) -> Result<Vec<Job>, Failure> {
    let jobs = jobs::plan(request)?;
    for job in &jobs {
        streams::check(&job.input, &job.output, &job.streams, &options(common, &job.forbid))?;
    }
    Ok(jobs)
}

/// The same for jobs that were checked.
fn each_of(
    jobs: &[Job],
    common: &Common,
    title: &str,
    pieces: Prepare,
    work: impl Fn(&mut Document, &Path) -> Result<String, Failure> + Sync,
) -> Result<(), Failure> {
    let show = Show::new(common.quiet);
    jobs::each(jobs, |job| {
        if let Some(memory) = pieces::wanted(common.memory, &[&job.input], &job.output)? {
            let piece_run = pieces::PieceRun::new(common, &job.forbid, memory);
            let said = pieces::change(&piece_run, &job.input, &job.output, pieces)?;
            return say(&job.input.display().to_string(), &job.output, common, &said);
        }
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
    say(input, &job.output, common, said)
}

/// Says what was done with an input.
fn say(input: &str, output: &Path, common: &Common, said: &str) -> Result<(), Failure> {
    let line = format!("{input} -> {}: {said}\n", streams::target_name(output).display());
    streams::say(output, common.quiet, &line)
}
