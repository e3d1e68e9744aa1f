//! `pellucid denoise`.

mod estimate;
mod jobs;
mod normals;
pub mod parameters;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use pellucid::denoise::{self, Denoised};
use pellucid::io::{self, Document, WriteOptions};
use pellucid::{PointCloud, Run};

use crate::args::Denoise;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::report::{Displacement, DroppedItem, ReportFile, RunReport};
use crate::{interrupt, output};

use jobs::Job;
use parameters::Plan;

pub fn run(args: &Denoise) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    let jobs = jobs::plan(args)?;
    check_report(args, &jobs)?;
    if args.dry_run {
        return estimate::dry_run(args, &plan, &jobs);
    }
    let several = jobs.len() > 1;
    let mut file = ReportFile::new();
    let mut failures = Vec::new();
    for job in &jobs {
        // The normals and the files are worked on in the same pool as the method.
        match denoise::install(args.threads, || one(args, &plan, job)) {
            Ok(done) => {
                if !args.json {
                    super::say(args.quiet, &done.line())?;
                }
                file.runs.push(done);
            }
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) if several => {
                output::note(&format!("error: {}", failure.message().unwrap_or_default()));
                failures.push(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    if let Some(path) = &args.report {
        output::write_file(path, (output::json(&file)? + "\n").as_bytes(), args.overwrite)?;
    }
    if args.json {
        output::print_json(&file)?;
    }
    // A failure of the work outweighs one of the input.
    match failures.iter().map(Failure::code).min() {
        None => Ok(()),
        Some(code) => {
            let message = format!("{} of {} files failed", failures.len(), jobs.len());
            Err(if code == 1 { Failure::Work(message) } else { Failure::Input(message) })
        }
    }
}

/// An error unless the report can be written, as far as can be told beforehand.
fn check_report(args: &Denoise, jobs: &[Job]) -> Result<(), Failure> {
    let Some(path) = &args.report else { return Ok(()) };
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("json")) {
        return Err(Failure::input(naming(path, "reports are written as .json; name it so")));
    }
    let same = |other: &Path| {
        other == path
            || matches!((other.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b)
    };
    if jobs.iter().any(|j| same(&j.input) || same(&j.output)) {
        return Err(Failure::input(naming(path, "the report would replace a cloud")));
    }
    output::check_free(path, args.overwrite)
}

/// One file, from reading to writing.
fn one(args: &Denoise, plan: &Plan, job: &Job) -> Result<RunReport, Failure> {
    let show = Show::new(args.quiet);
    let start = Instant::now();
    let options = options(args, job);
    io::check_output(&job.output, &options)?;
    let Document { cloud: noisy, source } = super::read(&job.input, show)?;

    let mut result = denoised(args, plan, &noisy, &job.input)?;
    let spacing = result.report.spacing;
    let displacement = Displacement::between(noisy.positions(), result.cloud.positions(), spacing);
    let normals = show.busy("normals", || {
        normals::settle(args.normals, &noisy, &mut result.cloud, &displacement)
    });
    let normals = normals.map_err(|e| Failure::work(naming(&job.input, e)))?;

    let points = result.cloud.len();
    let document = Document { cloud: result.cloud, source };
    let written = super::write(&job.output, &document, &options, show)?;
    Ok(RunReport {
        input: job.input.display().to_string(),
        output: job.output.display().to_string(),
        method: plan.method.name,
        preset: plan.preset.clone(),
        parameters: plan.changes.clone(),
        seed: args.seed,
        threads: args.threads,
        points,
        iterations: result.iterations,
        stop: result.stop,
        seconds: start.elapsed().as_secs_f64(),
        displacement,
        normals,
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
        report: result.report,
    })
}

fn denoised(
    args: &Denoise,
    plan: &Plan,
    noisy: &PointCloud,
    file: &Path,
) -> Result<Denoised, Failure> {
    let meter = Show::new(args.quiet).meter(plan.method.name);
    interrupt::listening(|flag| {
        let mut run = Run::default().with_seed(args.seed).with_observer(meter).with_cancel(flag);
        plan.denoiser.denoise(noisy, &mut run)
    })
    .map_err(|e| Failure::denoise(file, e))
}

fn options(args: &Denoise, job: &Job) -> WriteOptions {
    WriteOptions {
        overwrite: args.overwrite,
        forbid: job.forbid.clone(),
        ..WriteOptions::default()
    }
}
