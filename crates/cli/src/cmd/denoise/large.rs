//! `--memory`: files larger than memory, tile by tile.

use std::path::Path;
use std::time::Instant;

use pellucid::Run;
use pellucid::big::{self, BigError, Memory, Outcome, Work};
use pellucid::changes::{Displacement, DroppedItem};
use pellucid::denoise::tiles::{AutoParameters, Learned};
use pellucid::denoise::{Report, registry};
use pellucid::io::{Compression, Format};
use serde_json::Value;

use super::super::jobs::Job;
use super::parameters::ChosenMethod;
use crate::args::{Denoise, Normals, OutliersWish};
use crate::cmd::streams::is_stream;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::report::{RunReport, has_extension};
use crate::{interrupt, output};

/// Memory that a cloud read as a whole takes, in bytes of its file: text is three times as short
/// as what it becomes, and the method takes ten times the positions.
const PER_BYTE: u64 = 40;
/// How much longer a compressed file becomes, about.
const PACKED: u64 = 8;

/// Whether the file is to be worked on in tiles: not if it is read as a whole only and small.
pub fn wanted(args: &Denoise, job: &Job) -> Result<bool, Failure> {
    let Some(memory) = args.large.memory else { return Ok(false) };
    check(args)?;
    if is_stream(&job.input) || is_stream(&job.output) {
        return Err(Failure::input("--memory needs files, not stdin or stdout"));
    }
    let tiled = |f: Option<Format>| {
        matches!(f, Some(Format::Las | Format::Laz | Format::Ply | Format::E57))
    };
    let packed = Compression::from_path(&job.input).is_some();
    if tiled(Format::from_path(&job.input)) && !packed || args.large.resume {
        return Ok(true);
    }
    let needed = read_as_whole(&job.input);
    if needed <= memory {
        return Ok(false);
    }
    let fault = format!(
        "--memory {memory}: files of this format are read as a whole, which may take {needed}; \
         convert it to LAS, LAZ, E57 or PLY first (without .gz or .zst)"
    );
    Err(Failure::input(naming(&job.input, fault)))
}

/// Memory that a file may take when it is read as a whole.
pub fn read_as_whole(input: &Path) -> Memory {
    let size = std::fs::metadata(input).map_or(0, |m| m.len());
    let packed = Compression::from_path(input).is_some();
    Memory(size.saturating_mul(if packed { PER_BYTE * PACKED } else { PER_BYTE }))
}

/// Refuses what needs the whole cloud at once.
fn check(args: &Denoise) -> Result<(), Failure> {
    let part = &args.part;
    let flag = if !part.class.is_empty() || part.within.is_some() || !part.select.is_empty() {
        "--class, --box and --select"
    } else if args.sight.along_ray {
        "--along-ray"
    } else if args.streams.las_scale.is_some() {
        "--las-scale"
    } else if args.outliers != OutliersWish::Keep {
        "--outliers"
    } else if !args.attributes.is_empty() {
        "--attributes"
    } else if args.dry_run {
        "--dry-run"
    } else if args.report.as_deref().is_some_and(|r| has_extension(r, "html")) {
        "--report FILE.html"
    } else if matches!(args.normals, Normals::Drop | Normals::File) {
        "--normals drop and --normals file"
    } else {
        return Ok(());
    };
    Err(Failure::input(format!("{flag} cannot be used with --memory")))
}

/// One file, tile by tile.
pub fn one(args: &Denoise, chosen: &ChosenMethod, job: &Job) -> Result<RunReport, Failure> {
    let start = Instant::now();
    let memory = args.large.memory.unwrap_or(Memory(u64::MAX));
    let work = big::TiledJob {
        input: job.input.clone(),
        output: job.output.clone(),
        memory,
        parameters: parameters(chosen)?,
        resume: args.large.resume,
        write: super::options(args, job),
    };
    let meter = Show::new(args.quiet).meter(chosen.method.name);
    let done = interrupt::listening(|flag| {
        let mut run = Run::default()
            .with_seed(args.seed)
            .with_threads(args.threads)
            .with_observer(meter)
            .with_cancel(flag);
        let work = Work::start(&work, &mut run)?;
        work.denoise_tiles(&mut run)?;
        let learned = work.learned().clone();
        Ok((work.finish(&mut run)?, learned))
    });
    let (outcome, learned) = done.map_err(|e| failure(&job.input, &job.output, e))?;
    if outcome.has_normals && args.normals == Normals::Update {
        output::note("note: stored normals are kept as they are; --memory does not estimate them");
    }
    Ok(report(args, chosen, job, &outcome, &learned, start.elapsed().as_secs_f64()))
}

fn parameters(chosen: &ChosenMethod) -> Result<AutoParameters, Failure> {
    if chosen.method.name != registry::DEFAULT {
        return Err(Failure::input(format!(
            "--memory works with the method \"{}\" only, not with \"{}\"",
            registry::DEFAULT,
            chosen.method.name
        )));
    }
    let mut values = chosen.method.values(chosen.preset.as_deref())?;
    values.extend(chosen.changes.clone());
    serde_json::from_value(Value::Object(values)).map_err(Failure::input)
}

fn failure(input: &Path, output: &Path, error: BigError) -> Failure {
    let folder = big::work_folder(output);
    let command = || resuming(std::env::args_os().map(|a| a.to_string_lossy().into_owned()));
    let saved = || format!("progress is saved in {}; resume with: {}", folder.display(), command());
    match error {
        e if e.is_cancelled() => Failure::Paused(format!("interrupted; {}", saved())),
        BigError::Io(e) => e.into(),
        BigError::Denoise(e) => Failure::denoise(input, e),
        e @ BigError::File { .. } if folder.exists() => Failure::work(format!("{e}; {}", saved())),
        e @ BigError::File { .. } => Failure::work(e),
        e @ BigError::Memory { .. } => Failure::input(naming(input, e)),
        e => Failure::input(e),
    }
}

/// The command line that goes on with this one.
fn resuming(command: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+".contains(c);
    let quoted = |a: String| match a.chars().all(plain) && !a.is_empty() {
        true => a,
        false => format!("'{}'", a.replace('\'', "'\\''")),
    };
    let mut words: Vec<String> = command.map(quoted).collect();
    if !words.iter().any(|w| w == "--resume") {
        words.push("--resume".to_owned());
    }
    words.join(" ")
}

fn report(
    args: &Denoise,
    chosen: &ChosenMethod,
    job: &Job,
    outcome: &Outcome,
    learned: &Learned,
    seconds: f64,
) -> RunReport {
    let mut notes = learned.notes();
    if !learned.is_idle() {
        notes.insert(0, format!("{} tiles", outcome.tiles));
    }
    if outcome.resumed > 0 {
        notes.insert(1, format!("{} of them done by an earlier run", outcome.resumed));
    }
    RunReport {
        input: job.input.display().to_string(),
        output: job.output.display().to_string(),
        method: chosen.method.name,
        preset: chosen.preset.clone(),
        parameters: chosen.changes.clone(),
        seed: args.seed,
        threads: args.threads,
        points: outcome.rows,
        iterations: learned.rounds(),
        stop: learned.stop(),
        seconds,
        displacement: Displacement::of(outcome.movement, Some(learned.spacing())),
        normals: if outcome.has_normals { "kept" } else { "none" },
        part: None,
        viewpoints: None,
        outliers: None,
        attributes: Vec::new(),
        dropped: outcome.dropped.iter().map(DroppedItem::from).collect(),
        report: Report {
            spacing: Some(learned.spacing()),
            noise: Some(learned.noise()),
            skipped_rows: outcome.rows - outcome.points,
            notes,
            ..Report::default()
        },
    }
}
