//! `pellucid run`: the steps of a pipeline file.

use std::path::{Path, PathBuf};

use pellucid::Run;
use pellucid::changes::DroppedItem;
use pellucid::denoise;
use pellucid::io::WriteOptions;
use pellucid::steps::{Done, Pipeline, StepError};
use serde::Serialize;

use super::denoise::parameters::read_text;
use super::jobs::{self, Job, Request};
use super::streams;
use crate::args::RunCommand;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::report::Head;
use crate::{interrupt, output};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    files: Vec<FileReport>,
}

#[derive(Debug, Serialize)]
struct FileReport {
    input: String,
    output: String,
    steps: Vec<Done>,
    dropped: Vec<DroppedItem>,
}

pub fn run(args: &RunCommand) -> Result<(), Failure> {
    let pipeline = Pipeline::from_toml(&read_text(&args.pipeline)?)
        .map_err(|e| Failure::input(naming(&args.pipeline, e)))?;
    let (inputs, output) = files(args, &pipeline)?;
    let jobs = jobs::plan(&Request {
        inputs: &inputs,
        output: &output,
        recursive: args.recursive,
        streams: &args.streams,
        quiet: args.quiet,
        makes_folders: !args.dry_run,
        forbid: vec![args.pipeline.clone()],
    })?;
    streams::check_json(&output, args.json)?;
    for job in &jobs {
        let folder = job.output.parent().is_none_or(|p| p.as_os_str().is_empty() || p.is_dir());
        if folder || !args.dry_run {
            streams::check(&job.input, &job.output, &job.streams, &options(args, &pipeline, job))?;
        }
    }
    if args.dry_run {
        return dry_run(args, &pipeline, &jobs);
    }
    let mut report = Report { head: Head::of_command(), files: Vec::new() };
    let outcome = jobs::each(&jobs, |job| {
        let done = denoise::install(args.threads, || one(args, &pipeline, job))?;
        if !args.json {
            streams::say(&job.output, args.quiet, &lines(&done))?;
        }
        report.files.push(done);
        Ok(())
    });
    if args.json && (outcome.is_ok() || jobs.len() > 1) {
        output::print_json(&report)?;
    }
    outcome
}

/// What is read and written: by the command line, or else by the file.
fn files(args: &RunCommand, pipeline: &Pipeline) -> Result<(Vec<PathBuf>, PathBuf), Failure> {
    if let [inputs @ .., output] = args.paths.as_slice() {
        return Ok((inputs.to_vec(), output.clone()));
    }
    let fault = |what: &str| Failure::input(naming(&args.pipeline, what));
    let write = pipeline.write.clone();
    let output = write.ok_or_else(|| {
        fault("it does not say what to write; add write = \"FILE\", or name IN and OUT behind it")
    })?;
    if pipeline.read.is_empty() {
        return Err(fault(
            "it does not say what to read; add read = \"FILE\", or name IN and OUT behind it",
        ));
    }
    Ok((pipeline.read.clone(), output))
}

fn options(args: &RunCommand, pipeline: &Pipeline, job: &Job) -> WriteOptions {
    WriteOptions {
        overwrite: args.overwrite || pipeline.overwrite,
        forbid: job.forbid.clone(),
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    }
}

fn dry_run(args: &RunCommand, pipeline: &Pipeline, jobs: &[Job]) -> Result<(), Failure> {
    let steps: Vec<&str> = pipeline.steps.iter().map(|s| s.name()).collect();
    let line = |job: &Job| {
        let (input, output) = (streams::source_name(&job.input), streams::target_name(&job.output));
        format!("{} -> {}: {}\n", input.display(), output.display(), steps.join(", "))
    };
    let lines: String = jobs.iter().map(line).collect();
    if args.quiet { Ok(()) } else { output::print(&lines) }
}

/// One file, from reading to writing.
fn one(args: &RunCommand, pipeline: &Pipeline, job: &Job) -> Result<FileReport, Failure> {
    let show = Show::new(args.quiet);
    let name = streams::source_name(&job.input);
    let mut document = streams::read(&job.input, job.streams.in_format.as_deref(), show)?;
    let format = job.streams.format.as_deref();
    let target = streams::format_of(&job.output, format, Some(&document));
    let meter = show.meter("pipeline");
    let steps = interrupt::listening(|flag| {
        let mut run =
            Run::default().with_seed(pipeline.seed).with_observer(meter).with_cancel(flag);
        pipeline.apply(&mut document, target, &mut run)
    });
    let steps = steps.map_err(|e| failure(&args.pipeline, name, e))?;
    let options = options(args, pipeline, job);
    let written = streams::write(&job.output, format, &document, &options, show)?;
    Ok(FileReport {
        input: name.display().to_string(),
        output: streams::target_name(&job.output).display().to_string(),
        steps,
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
    })
}

fn failure(pipeline: &Path, input: &Path, error: StepError) -> Failure {
    match error {
        StepError::Cancelled => Failure::Interrupted,
        e => Failure::input(naming(input, format!("{}: {e}", pipeline.display()))),
    }
}

fn lines(done: &FileReport) -> String {
    let points = done.steps.last().map_or(0, |s| s.points);
    let mut text = format!("{} -> {}: {points} points\n", done.input, done.output);
    for step in &done.steps {
        text.push_str(&format!("  {}: {}\n", step.name, step.said));
    }
    text
}
