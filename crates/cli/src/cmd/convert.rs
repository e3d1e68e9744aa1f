//! `pellucid convert`.

use std::path::Path;

use pellucid::changes::{self, AttributeChange, Clouds, DroppedItem};
use pellucid::io::WriteOptions;
use serde::Serialize;

use super::jobs::{self, Job, Request};
use super::{streams, tools};
use crate::args::Convert;
use crate::failure::Failure;
use crate::output;
use crate::progress::Show;
use crate::report::{self, Head};

/// What `--report` writes.
#[derive(Debug, Serialize)]
struct Converted {
    #[serde(flatten)]
    head: Head,
    input: String,
    output: String,
    points: usize,
    attributes: Vec<AttributeChange>,
    dropped: Vec<DroppedItem>,
}

/// The document for several files.
#[derive(Debug, Serialize)]
struct Reports {
    #[serde(flatten)]
    head: Head,
    files: Vec<Converted>,
}

pub fn run(args: &Convert) -> Result<(), Failure> {
    let jobs = jobs::plan(&Request::of(&args.files))?;
    if jobs.len() > 1 && args.files.common.streams.format.is_none() && args.encoding.is_none() {
        let fault =
            "choose the format of the files in the folder: --format FORMAT, such as --format laz";
        return Err(Failure::input(fault));
    }
    for job in &jobs {
        streams::check(&job.input, &job.output, &job.streams, &options(args, job))?;
    }
    let clouds: Vec<&Path> = jobs.iter().flat_map(|j| [&*j.input, &*j.output]).collect();
    report::check(args.report.as_deref(), false, args.files.common.overwrite, &clouds)?;
    let mut reports = Vec::new();
    let outcome = jobs::each(&jobs, |job| {
        reports.extend(one(args, job)?);
        Ok(())
    });
    let Some(path) = args.report.as_deref().filter(|_| !reports.is_empty()) else {
        return outcome;
    };
    let text = match reports.as_slice() {
        [report] if jobs.len() == 1 => output::json(report)?,
        _ => output::json(&Reports { head: Head::of_command(), files: reports })?,
    };
    output::write_file(
        path,
        (text + "\n").as_bytes(),
        args.files.common.overwrite,
        &args.files.inputs,
    )?;
    outcome
}

fn options(args: &Convert, job: &Job) -> WriteOptions {
    let encoding = args.encoding.map(Into::into);
    WriteOptions { encoding, ..tools::options(&args.files.common, &job.forbid) }
}

/// One file; what a report holds, if one is wanted.
fn one(args: &Convert, job: &Job) -> Result<Option<Converted>, Failure> {
    let show = Show::new(args.files.common.quiet);
    let format = job.streams.format.as_deref();
    let document = streams::read(&job.input, job.streams.in_format.as_deref(), show)?;
    let written = streams::write(&job.output, format, &document, &options(args, job), show)?;
    if args.report.is_none() {
        return Ok(None);
    }
    let stored = show.busy("checking the output", || changes::stored(&job.output));
    let cloud = &document.cloud;
    let clouds = Clouds { before: cloud, after: cloud, stored: stored.as_ref() };
    Ok(Some(Converted {
        head: Head::of_command(),
        input: streams::source_name(&job.input).display().to_string(),
        output: streams::target_name(&job.output).display().to_string(),
        points: cloud.len(),
        attributes: clouds.changes(&written.dropped, &[]),
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
    }))
}
