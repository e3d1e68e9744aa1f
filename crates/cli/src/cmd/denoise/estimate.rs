//! `--dry-run`: what would be done, with time and memory measured on a small part of each cloud.

use std::time::Instant;

use pellucid::cloud::{Point, SpatialOrder};
use pellucid::denoise;
use pellucid::{PointCloud, Run};
use serde::Serialize;

use crate::args::Denoise;
use crate::failure::Failure;
use crate::progress::Show;
use crate::{interrupt, output};

use super::super::jobs::Job;
use super::super::streams;
use super::parameters::ChosenMethod;

/// Points of the sample that is tried.
const TRIED: usize = 8_000;
/// Memory per point when it cannot be measured, and the least that is believed: positions twice,
/// a tree, sixteen neighbors with distances, a little more.
const BYTES_PER_POINT: f64 = 600.0;

#[derive(Debug, Serialize)]
struct Estimate {
    input: String,
    output: String,
    method: &'static str,
    preset: Option<String>,
    parameters: denoise::registry::ParameterMap,
    points: usize,
    seconds: f64,
    bytes: u64,
}

/// Prints what would be done; writes nothing.
pub fn dry_run(args: &Denoise, chosen: &ChosenMethod, jobs: &[Job]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for job in jobs {
        if job.output.parent().is_none_or(|p| p.as_os_str().is_empty() || p.is_dir()) {
            streams::check(&job.input, &job.output, &job.streams, &super::options(args, job))?;
        }
        let estimate = denoise::install(args.threads, || one(args, chosen, job))?;
        if !args.json {
            super::super::say(args.quiet, &line(&estimate))?;
        }
        all.push(estimate);
    }
    if args.json { output::print_json(&all) } else { Ok(()) }
}

fn one(args: &Denoise, chosen: &ChosenMethod, job: &Job) -> Result<Estimate, Failure> {
    let show = Show::new(args.quiet);
    let start = Instant::now();
    let cloud = streams::read(&job.input, args.streams.in_format.as_deref(), show)?.cloud;
    let name = streams::source_name(&job.input);
    // Of a selection, the surroundings take a share that is not known before.
    let selected = super::select::part(&args.part, &cloud, name)?.map(|part| {
        let rows: Vec<usize> = (0..part.len()).filter(|&row| part[row]).collect();
        cloud.select(&rows)
    });
    let reading = start.elapsed().as_secs_f64();

    let worked_on = selected.as_ref().unwrap_or(&cloud);
    let part = part(worked_on);
    let share = worked_on.len() as f64 / part.len().max(1) as f64;
    let before = Memory::begin();
    let start = Instant::now();
    show.busy("trying a sample", || try_out(args, chosen, &part)).map_err(|e| {
        // The sample may be too small where the whole is not; then the whole was tried.
        Failure::denoise(name, e)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let per_point = before
        .grown()
        .map_or(BYTES_PER_POINT, |b| (b as f64 / part.len().max(1) as f64).max(BYTES_PER_POINT));
    let attributes: usize = cloud.attributes().map(|a| a.values().bytes()).sum();
    Ok(Estimate {
        input: name.display().to_string(),
        output: streams::target_name(&job.output).display().to_string(),
        method: chosen.method.name,
        preset: chosen.preset.clone(),
        parameters: chosen.changes.clone(),
        points: cloud.len(),
        // Writing takes about as long as reading.
        seconds: seconds * share + 2.0 * reading,
        bytes: (per_point * worked_on.len() as f64) as u64 + 2 * attributes as u64,
    })
}

fn try_out(
    args: &Denoise,
    chosen: &ChosenMethod,
    part: &PointCloud,
) -> Result<(), denoise::DenoiseError> {
    interrupt::listening(|flag| {
        let mut run = Run::default().with_seed(args.seed).with_cancel(flag);
        chosen.denoiser.denoise(part, &mut run).map(|_| ())
    })
}

/// Points that lie together, as many as are tried; all of a small cloud.
fn part(cloud: &PointCloud) -> PointCloud {
    if cloud.len() <= TRIED {
        return cloud.clone();
    }
    let rows = cloud.finite_rows();
    let points: Vec<Point> = rows.iter().map(|&r| cloud.positions()[r]).collect();
    let sorted = SpatialOrder::new(&points).sort(&rows);
    let start = sorted.len().saturating_sub(TRIED) / 2;
    let mut chosen = sorted[start..(start + TRIED).min(sorted.len())].to_vec();
    chosen.sort_unstable();
    cloud.select(&chosen)
}

fn line(e: &Estimate) -> String {
    let preset = e.preset.as_ref().map(|p| format!(" preset {p}")).unwrap_or_default();
    let changes: String = e.parameters.iter().map(|(k, v)| format!(" {k}={v}")).collect();
    format!(
        "would denoise {} -> {}: {} points, {}{preset}{changes}, about {}, about {}\n",
        e.input,
        e.output,
        e.points,
        e.method,
        time(e.seconds),
        size(e.bytes)
    )
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "less than 1 s".to_owned(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn size(bytes: u64) -> String {
    let mb = bytes as f64 / 1e6;
    if mb < 1000.0 { format!("{:.0} MB", mb.ceil()) } else { format!("{:.1} GB", mb / 1000.0) }
}

/// Growth of this process, where the system tells it (Linux).
struct Memory {
    start: Option<u64>,
}

impl Memory {
    fn begin() -> Self {
        // Resets the high-water mark; where that is refused, an older mark makes it useless.
        let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
        Memory { start: if reset { status("VmRSS:") } else { None } }
    }

    fn grown(&self) -> Option<u64> {
        status("VmHWM:")?.checked_sub(self.start?)
    }
}

fn status(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
