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
use pellucid::changes::{self, AttributeChange, Clouds, Displacement, DroppedItem};
use pellucid::cloud::Point;
use pellucid::cloud::attribute::names;
use pellucid::denoise::{self, Denoised};
use pellucid::io::{Document, Source, WriteOptions, Written};
use pellucid::steps::label;
use pellucid::{Denoiser, PointCloud, Run};

use crate::args::Denoise;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::report::{self, OutliersReport, PartReport, ReportFile, RunReport};
use crate::{interrupt, output};

use super::streams;

use super::jobs::{self, Job};
use parameters::ChosenMethod;

pub fn run(args: &Denoise) -> Result<(), Failure> {
    let chosen = ChosenMethod::new(args)?;
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
        return estimate::dry_run(args, &chosen, &jobs);
    }
    for job in jobs.iter().filter(|job| !streams::is_stream(&job.output)) {
        pellucid::io::check_output(&job.output, &options(args, job))?;
    }
    jobs::check_room(&jobs)?;
    let mut page = page::Builder::new(args, &jobs)?;
    let mut file = ReportFile::new();
    let outcome = jobs::each(&jobs, |job| {
        // The normals and the files are worked on in the same pool as the method.
        let done = denoise::install(args.threads, || match large::wanted(args, job)? {
            true => large::one(args, &chosen, job),
            false => one(args, &chosen, job, page.as_mut()),
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
    chosen: &ChosenMethod,
    job: &Job,
    page: Option<&mut page::Builder>,
) -> Result<RunReport, Failure> {
    let show = Show::new(args.quiet);
    let start = Instant::now();
    let input = Input::read(args, job, show)?;
    let selection = input.selection.as_deref();
    let method = chosen.restricted(selection, args.alone, input.viewpoints.as_deref());
    let mut result = denoised(args, chosen.method.name, &method, &input.noisy, input.name)?;
    let movement = movement(input.noisy.positions(), result.cloud.positions(), selection);
    let normals = finish(args, &input, &movement, &mut result, show)?;
    let (cloud, stop, iterations) = (result.cloud, result.stop, result.iterations);
    let document = Document { cloud, source: input.source };
    let before = input.original.as_ref().unwrap_or(&input.noisy);
    let file = write(args, job, &input.noisy, &document, &movement, show)?;
    let attributes = match args.report.is_some() || args.json {
        true => attribute_changes(args, job, before, &document, normals, &file),
        false => Vec::new(),
    };
    let run = RunReport {
        input: input.name.display().to_string(),
        output: streams::target_name(&job.output).display().to_string(),
        method: chosen.method.name,
        preset: chosen.preset.clone(),
        parameters: chosen.changes.clone(),
        seed: args.seed,
        threads: args.threads,
        points: document.cloud.len(),
        iterations,
        stop,
        seconds: start.elapsed().as_secs_f64(),
        displacement: Displacement::of(movement, result.report.spacing),
        normals,
        part: input.selection.map(|p| PartReport {
            conditions: select::conditions(&args.part),
            points: p.iter().filter(|x| **x).count(),
        }),
        viewpoints: input.viewpoints,
        outliers: input.outliers,
        attributes,
        dropped: file.dropped.iter().map(DroppedItem::from).collect(),
        report: result.report,
    };
    if let Some(page) = page {
        show.busy("making the page", || {
            page.add(&input.noisy, &document.cloud, &run, document.source.unit())
        })?;
    }
    Ok(run)
}

/// A cloud that is ready to be denoised.
struct Input<'a> {
    /// What messages call the file.
    name: &'a Path,
    noisy: PointCloud,
    source: Source,
    /// The cloud before outliers were labeled, if it has the same rows.
    original: Option<PointCloud>,
    outliers: Option<OutliersReport>,
    selection: Option<Vec<bool>>,
    viewpoints: Option<Vec<Point>>,
}

impl<'a> Input<'a> {
    fn read(args: &Denoise, job: &'a Job, show: Show) -> Result<Input<'a>, Failure> {
        select::check(&args.part, args.alone)?;
        streams::check(&job.input, &job.output, &job.streams, &options(args, job))?;
        let mut document = streams::read(&job.input, args.streams.in_format.as_deref(), show)?;
        let name = streams::source_name(&job.input);
        let target = job.target(Some(&document));
        let original = document.cloud.clone();
        let outliers = show
            .busy("finding outliers", || outliers::settle(args.outliers, &mut document, target))
            .map_err(|e| Failure::input(naming(name, e)))?;
        let selection = select::part(&args.part, &document.cloud, name)?;
        let viewpoints = viewpoints(args, &document, name)?;
        let Document { cloud: noisy, source } = document;
        // Rows that were removed have no counterpart.
        let original = Some(original).filter(|c| c.len() == noisy.len());
        Ok(Input { name, noisy, source, original, outliers, selection, viewpoints })
    }
}

/// Settles the normals and adds the attributes that were asked for; says what was done to normals.
fn finish(
    args: &Denoise,
    input: &Input,
    movement: &Movement,
    result: &mut Denoised,
    show: Show,
) -> Result<&'static str, Failure> {
    let failed = |e| Failure::work(naming(input.name, e));
    let selection = input.selection.as_deref();
    let normals = show.busy("normals", || {
        normals::settle(args.normals, &input.noisy, &mut result.cloud, movement, selection)
    });
    let normals = normals.map_err(failed)?;
    show.busy("attributes", || extras::add(&args.attributes, &input.noisy, result))
        .map_err(failed)?;
    Ok(normals)
}

/// Writes the result, with a warning if its format rounds more than points moved.
fn write(
    args: &Denoise,
    job: &Job,
    noisy: &PointCloud,
    document: &Document,
    movement: &Movement,
    show: Show,
) -> Result<Written, Failure> {
    let format = job.streams.format.as_deref();
    let written = streams::write(&job.output, format, document, &options(args, job), show)?;
    let (target, scale) = (job.target(Some(document)), args.streams.las_scale);
    if let Some(warning) = rounding::warning(noisy, document, movement, target, scale) {
        output::note(&naming(streams::target_name(&job.output), warning));
    }
    Ok(written)
}

/// How each attribute changed, judged by the file that was written.
fn attribute_changes(
    args: &Denoise,
    job: &Job,
    before: &PointCloud,
    after: &Document,
    normals: &str,
    written: &Written,
) -> Vec<AttributeChange> {
    let stored = changes::stored(&job.output);
    let clouds = Clouds { before, after: &after.cloud, stored: stored.as_ref() };
    let target = job.target(Some(after));
    let mut reasons = vec![(names::NORMAL, normals::reason(normals))];
    reasons.extend(args.attributes.iter().map(|e| (e.name(), "by --attributes".to_owned())));
    reasons.push((label::attribute(target), "by --outliers label".to_owned()));
    clouds.changes(&written.dropped, &reasons)
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
