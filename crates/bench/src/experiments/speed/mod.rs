//! `speed`: time and memory against the number of points.
//!
//! Times on a busy machine say little, so they are also given in units of work on the same points and
//! threads right after: finding the 16 nearest neighbors of every point.

mod clouds;
mod page;
mod peers;
mod run;
mod table;
#[cfg(test)]
mod tests;

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Instant;

use super::args::SpeedArgs;
use super::item::Item;
use pellucid_cli::failure::{Failure, naming};
use pellucid_cli::{interrupt, output};

use clouds::Cloud;
use peers::{Peer, Peers};
use table::{Measured, Table};

pub use run::obey;

/// Who is measured.
enum Runner<'a> {
    Method(&'a Item),
    Peer(&'a Peer),
}

/// One measurement to make.
struct SpeedJob<'a> {
    runner: &'a Runner<'a>,
    name: String,
    cloud: &'a Cloud,
    threads: usize,
}

/// `speed`: time and memory of methods, one after the other.
pub fn run(args: &SpeedArgs) -> Result<(), Failure> {
    let items = Item::list(&args.methods)?;
    if items.is_empty() {
        return Err(Failure::input("--methods names no method"));
    }
    let mut threads = args.threads.clone();
    if threads.is_empty() {
        threads.push(available_parallelism().map_or(1, NonZero::get));
    }
    keep_first(&mut threads);
    let made = !args.out.exists();
    let done = interrupt::listening(|_| measure(args, &items, &threads));
    if done.is_err() && made {
        // Only goes if there is nothing in it, which is the point.
        let _ = fs::remove_dir(&args.out);
    }
    let failed = done?;
    if !args.quiet {
        output::note(&format!("the page is {}", args.out.join(page::PAGE).display()));
    }
    if failed > 0 {
        return Err(Failure::work(format!("{failed} runs failed; the page has the others")));
    }
    Ok(())
}

/// Measures everything and writes the page; how many runs failed.
fn measure(args: &SpeedArgs, items: &[Item], threads: &[usize]) -> Result<usize, Failure> {
    fs::create_dir_all(&args.out)
        .map_err(|e| Failure::input(naming(&args.out, format!("cannot be made: {e}"))))?;
    let folder = tempfile::Builder::new()
        .prefix(".pellucid-speed-")
        .tempdir_in(&args.out)
        .map_err(|e| Failure::work(naming(&args.out, format!("cannot be written to: {e}"))))?;
    let clouds = clouds(args, folder.path())?;
    let found = if args.peers { Some(peers::find()?) } else { None };
    if let (Some(found), false) = (&found, args.quiet) {
        found.notes.iter().for_each(|n| output::note(n));
    }
    let runners: Vec<Runner> = items
        .iter()
        .map(Runner::Method)
        .chain(found.iter().flat_map(|f| f.peers.iter().map(Runner::Peer)))
        .collect();
    let jobs = plan(&runners, &clouds, threads);
    let mut table = Table::new(jobs.iter().map(SpeedJob::key));
    let mut notes = found.as_ref().map_or_else(Vec::new, |f| f.notes.clone());
    let (all, mut done, mut failed) = (jobs.len() * args.repeat, 0, 0);
    let start = Instant::now();
    for _ in 0..args.repeat {
        for job in &jobs {
            interrupt::check()?;
            done += 1;
            match job.run(found.as_ref(), args.seed) {
                Ok(measured) => {
                    tell(args.quiet, &format!("{done}/{all}"), job, &measured, start);
                    table.add(&job.key(), measured);
                }
                Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                Err(failure) => {
                    let message = failure.message().unwrap_or_default().to_owned();
                    output::note(&format!("error: {message}"));
                    notes.push(message);
                    failed += 1;
                }
            }
        }
    }
    let rows = table.rows();
    if rows.is_empty() {
        return Err(Failure::work("every run failed"));
    }
    page::write(&args.out, &rows, &page::About { clouds: &clouds, notes, repeat: args.repeat })?;
    Ok(failed)
}

fn clouds(args: &SpeedArgs, folder: &Path) -> Result<Vec<Cloud>, Failure> {
    if let Some(file) = &args.input {
        return Ok(vec![Cloud::read(file, folder)?]);
    }
    let mut sizes = args.points.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let make = |n: &usize| {
        interrupt::check()?;
        Cloud::make(*n, args.seed, folder)
    };
    sizes.iter().map(make).collect()
}

/// Sizes outermost, so that what is compared runs close together.
fn plan<'a>(
    runners: &'a [Runner<'a>],
    clouds: &'a [Cloud],
    threads: &[usize],
) -> Vec<SpeedJob<'a>> {
    let mut jobs = Vec::new();
    for cloud in clouds {
        for runner in runners {
            for &threads in threads {
                let name = match runner {
                    Runner::Method(item) => item.to_string(),
                    Runner::Peer(peer) => peer.name.clone(),
                };
                jobs.push(SpeedJob { runner, name, cloud, threads });
            }
        }
    }
    jobs
}

impl SpeedJob<'_> {
    fn key(&self) -> table::Key {
        table::Key { method: self.name.clone(), points: self.cloud.points, threads: self.threads }
    }

    fn run(&self, found: Option<&Peers>, seed: u64) -> Result<Measured, Failure> {
        let title = format!(
            "{} on {} points, {}",
            self.name,
            clouds::short(self.cloud.points),
            page::threads(self.threads)
        );
        match (self.runner, found) {
            (Runner::Method(item), _) => {
                run::apart(item, &self.cloud.file, self.threads, seed, &title)
            }
            (Runner::Peer(peer), Some(found)) => {
                found.run(peer, &self.cloud.file, self.threads, &title)
            }
            (Runner::Peer(_), None) => Err(Failure::work(format!("{title}: no Python"))),
        }
    }
}

fn tell(quiet: bool, count: &str, job: &SpeedJob, measured: &Measured, start: Instant) {
    if quiet {
        return;
    }
    let units = match measured.unit {
        Some(unit) if unit.wall > 0.0 => format!(", {:.1} kNN units", measured.wall / unit.wall),
        _ => String::new(),
    };
    output::note(&format!(
        "{count} {} on {} points, {}: {:.2} s, {:.2} CPU s{units}; {:.0} s gone",
        job.name,
        clouds::short(job.cloud.points),
        page::threads(job.threads),
        measured.wall,
        measured.cpu,
        start.elapsed().as_secs_f64()
    ));
}

/// Leaves out what was there before.
fn keep_first(values: &mut Vec<usize>) {
    let mut seen = Vec::new();
    values.retain(|v| {
        let new = !seen.contains(v);
        seen.push(*v);
        new
    });
}
