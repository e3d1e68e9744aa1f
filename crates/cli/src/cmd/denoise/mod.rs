//! `pellucid denoise`.

mod estimate;
mod extras;
pub mod large;
mod normals;
mod outliers;
pub mod page;
pub mod parameters;
mod rounding;
pub mod select;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use pellucid::big::Movement;
use pellucid::cloud::Point;
use pellucid::cloud::attribute::names;
use pellucid::denoise::{self, Denoised};
use pellucid::io::{Document, WriteOptions, Written};
use pellucid::steps::label;
use pellucid::{Denoiser, PointCloud, Run};

use crate::args::Denoise;
use crate::failure::{Failure, naming};
use crate::fates::{self, Clouds, Fate};
use crate::progress::Show;
use crate::report::{self, Displacement, DroppedItem, PartReport, ReportFile, RunReport};
use crate::{interrupt, output};

use super::streams;

use super::jobs::{self, Job};
use parameters::Plan;

pub fn run(args: &Denoise) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    let jobs = jobs::plan(&jobs::Request {
        inputs: &args.inputs,
        output: &args.output,
        recursive: args.recursive,
        streams: &args.streams,
        quiet: args.quiet,
        makes_folders: !args.dry_run,
        forbid: args.params.iter().cloned().collect(),
    })?;
    let clouds: Vec<&Path> = jobs.iter().flat_map(|j| [&*j.input, &*j.output]).collect();
    report::check(args.report.as_deref(), true, args.overwrite, &clouds)?;
    streams::check_json(&args.output, args.json && !args.dry_run)?;
    if args.dry_run && args.large.memory.is_none() {
        return estimate::dry_run(args, &plan, &jobs);
    }
    for job in jobs.iter().filter(|job| !streams::is_stream(&job.output)) {
        pellucid::io::check_output(&job.output, &options(args, job))?;
    }
    let mut page = page::Builder::new(args, &jobs)?;
    let mut file = ReportFile::new();
    let outcome = jobs::each(&jobs, |job| {
        // The normals and the files are worked on in the same pool as the method.
        let done = denoise::install(args.threads, || match large::wanted(args, job)? {
            true => large::one(args, &plan, job),
            false => one(args, &plan, job, page.as_mut()),
        })?;
        if !args.json {
            streams::say(&job.output, args.quiet, &done.line())?;
        }
        if args.explain {
            done.report.notes.iter().for_each(|n| output::note(&format!("  {n}")));
        }
        file.runs.push(done);
        Ok(())
    });
    // Of several files, those that could be read are reported.
    let stopped = |f: &Failure| !matches!(f, Failure::Input(_) | Failure::Work(_));
    if outcome.as_ref().is_err_and(|f| jobs.len() == 1 || stopped(f)) {
        return outcome;
    }
    match (&args.report, page) {
        (Some(path), Some(page)) => page.write(path, args)?,
        (Some(path), None) => {
            let text = output::json(&file)? + "\n";
            output::write_file(path, text.as_bytes(), args.overwrite, &args.inputs)?;
        }
        (None, _) => {}
    }
    if args.json {
        output::print_json(&file)?;
    }
    outcome
}

/// One file, from reading to writing.
fn one(
    args: &Denoise,
    plan: &Plan,
    job: &Job,
    page: Option<&mut page::Builder>,
) -> Result<RunReport, Failure> {
    let show = Show::new(args.quiet);
    let start = Instant::now();
    let options = options(args, job);
    select::check(&args.part, args.alone)?;
    streams::check(&job.input, &job.output, &job.streams, &options)?;
    let mut document = streams::read(&job.input, args.streams.in_format.as_deref(), show)?;
    let name = streams::source_name(&job.input);
    let format = job.streams.format.as_deref();
    let target = streams::format_of(&job.output, format, Some(&document));
    let original = document.cloud.clone();
    let outliers = show
        .busy("looking for outliers", || outliers::settle(args.outliers, &mut document, target));
    let outliers = outliers.map_err(|e| Failure::input(naming(name, e)))?;
    let part = select::part(&args.part, &document.cloud, name)?;
    let viewpoints = viewpoints(args, &document, name)?;
    let Document { cloud: noisy, source } = document;

    let method = plan.restricted(part.as_deref(), args.alone, viewpoints.as_deref());
    let mut result = denoised(args, plan.method.name, &method, &noisy, name)?;
    let spacing = result.report.spacing;
    let movement = movement(noisy.positions(), result.cloud.positions(), part.as_deref());
    let displacement = Displacement::of(movement, spacing);
    let normals = show.busy("normals", || {
        normals::settle(args.normals, &noisy, &mut result.cloud, &movement, part.as_deref())
    });
    let normals = normals.map_err(|e| Failure::work(naming(name, e)))?;
    show.busy("attributes", || extras::add(&args.attributes, &noisy, &mut result))
        .map_err(|e| Failure::work(naming(name, e)))?;

    let points = result.cloud.len();
    let document = Document { cloud: result.cloud, source };
    let written = streams::write(&job.output, format, &document, &options, show)?;
    let scale = args.streams.las_scale;
    if let Some(warning) = rounding::warning(&noisy, &document, &movement, target, scale) {
        output::note(&naming(streams::target_name(&job.output), warning));
    }
    // Rows that were removed have no counterpart.
    let before = if original.len() == noisy.len() { &original } else { &noisy };
    let attributes = match args.report.is_some() || args.json {
        true => attribute_changes(args, job, before, &document, normals, &written),
        false => Vec::new(),
    };
    let run = RunReport {
        input: name.display().to_string(),
        output: streams::target_name(&job.output).display().to_string(),
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
        part: part.map(|p| PartReport {
            conditions: select::conditions(&args.part),
            points: p.iter().filter(|x| **x).count(),
        }),
        viewpoints,
        outliers,
        attributes,
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
        report: result.report,
    };
    if let Some(page) = page {
        show.busy("making the page", || {
            page.add(&noisy, &document.cloud, &run, document.source.unit())
        })?;
    }
    Ok(run)
}

/// What became of each attribute, judged by the file that was written.
fn attribute_changes(
    args: &Denoise,
    job: &Job,
    before: &PointCloud,
    after: &Document,
    normals: &str,
    written: &Written,
) -> Vec<Fate> {
    let stored = fates::stored(&job.output);
    let clouds = Clouds { before, after: &after.cloud, stored: stored.as_ref() };
    let target = streams::format_of(&job.output, job.streams.format.as_deref(), Some(after));
    let mut reasons = vec![(names::NORMAL, normals::reason(normals))];
    reasons.extend(args.attributes.iter().map(|e| (e.name(), "by --attributes".to_owned())));
    reasons.push((label::attribute(target), "by --outliers label".to_owned()));
    clouds.fates(&written.dropped, &reasons)
}

/// How far the points of the selection moved, or all without one.
fn movement(before: &[Point], after: &[Point], selection: Option<&[bool]>) -> Movement {
    let Some(selection) = selection else { return Movement::between(before, after) };
    let chosen = |points: &[Point]| -> Vec<Point> {
        points.iter().zip(selection).filter(|(_, s)| **s).map(|(p, _)| *p).collect()
    };
    Movement::between(&chosen(before), &chosen(after))
}

/// Where the scanner stood, if points are to move along lines of sight.
fn viewpoints(
    args: &Denoise,
    document: &Document,
    file: &Path,
) -> Result<Option<Vec<Point>>, Failure> {
    if !args.sight.along_ray {
        return Ok(None);
    }
    let found = match args.sight.viewpoint {
        Some(v) => vec![v.0],
        None => document.source.viewpoints(),
    };
    if found.is_empty() {
        let fault = "--along-ray: the file does not say where the scanner stood; give \
                     --viewpoint X,Y,Z (0,0,0 for a scanner at the origin)";
        return Err(Failure::input(naming(file, fault)));
    }
    Ok(Some(found))
}

fn denoised(
    args: &Denoise,
    name: &str,
    method: &dyn Denoiser,
    noisy: &PointCloud,
    file: &Path,
) -> Result<Denoised, Failure> {
    let meter = Show::new(args.quiet).meter(name);
    interrupt::listening(|flag| {
        let mut run = Run::default().with_seed(args.seed).with_observer(meter).with_cancel(flag);
        method.denoise(noisy, &mut run)
    })
    .map_err(|e| Failure::denoise(file, e))
}

fn options(args: &Denoise, job: &Job) -> WriteOptions {
    WriteOptions {
        overwrite: args.overwrite,
        forbid: job.forbid.clone(),
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    }
}
