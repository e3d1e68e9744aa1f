//! Random files, options and kills, for as long as wanted.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pellucid_io::{Encoding, Format};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::files::{self, Seeds, all_seeds};
use super::mutate::Case;
use super::program::{Program, end_of};

/// How long and with what.
#[derive(clap::Args)]
pub struct Args {
    /// Minutes to go on for.
    #[arg(long, default_value_t = 30.0)]
    minutes: f64,
    /// Another seed makes other trials.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program; by default the one beside this.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// What was done.
#[derive(Default)]
struct Tally {
    files: usize,
    jobs: usize,
    kills: usize,
    resumed: usize,
    damaged: usize,
    pairs: usize,
    faults: usize,
}

/// Runs trials until the time is over.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let program = Program::find(args.program.as_ref())?;
    let (seeds, start) = (all_seeds(), Instant::now());
    let mut tally = Tally::default();
    for trial in 0u64.. {
        if start.elapsed() > Duration::from_secs_f64(60.0 * args.minutes) {
            break;
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed << 32 | trial);
        let faults = match random.random_range(0..3) {
            0 => job(&program, &mut random, &mut tally)?,
            _ => file(&program, &seeds, &mut random, &mut tally)?,
        };
        for fault in faults {
            tally.faults += 1;
            println!("seed {}, trial {trial}: {fault}", args.seed);
        }
    }
    let Tally { files, jobs, kills, resumed, damaged, pairs, faults } = tally;
    println!(
        "{:.1} minutes, seed {}: {files} changed files through four commands each, {jobs} jobs with \
         --memory, {kills} kills, {resumed} resumed runs, {damaged} damaged work folders, {pairs} \
         pairs of runs at once, faults: {faults}",
        start.elapsed().as_secs_f64() / 60.0,
        args.seed
    );
    if faults > 0 { Err(format!("{faults} faults").into()) } else { Ok(()) }
}

type Random = Xoshiro256PlusPlus;

/// A changed file through all commands.
fn file(
    program: &Program,
    seeds: &[Seeds],
    random: &mut Random,
    tally: &mut Tally,
) -> std::io::Result<Vec<String>> {
    tally.files += 1;
    let seeds = &seeds[random.random_range(0..seeds.len())];
    Ok(Case::new(seeds, random).run(program)?.1)
}

/// A job with `--memory` that is killed, resumed, disturbed, and ends as if nothing had been.
fn job(program: &Program, random: &mut Random, tally: &mut Tally) -> std::io::Result<Vec<String>> {
    tally.jobs += 1;
    let formats = [Format::Ply, Format::Las, Format::Laz, Format::E57];
    let format = formats[random.random_range(0..formats.len())];
    let cloud = files::cloud(random.random_range(200..6_000), random.random_range(0..1000));
    let Some(bytes) = files::written(cloud, format, Encoding::BinaryLittle) else {
        return Ok(vec!["a sound cloud cannot be written".to_owned()]);
    };
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(format!("{name}.{}", format.extensions()[0]));
    std::fs::write(path("in"), bytes)?;
    let memory = ["165M", "200M", "1G"][random.random_range(0..3usize)];
    let seed = random.random_range(0..3u32).to_string();
    let args = |output: &Path, resume: bool| -> Vec<String> {
        let (from, to) = (path("in").display().to_string(), output.display().to_string());
        let mut args = vec!["denoise".to_owned(), from, to];
        args.extend(["--memory", memory, "--seed", &seed].map(str::to_owned));
        args.extend(resume.then(|| "--resume".to_owned()));
        args
    };
    let begin = Instant::now();
    let straight = program.run(&args(&path("straight"), false))?;
    let whole = begin.elapsed();
    if let Some(fault) = straight.fault() {
        return Ok(vec![format!("straight run: {fault}")]);
    }
    if !straight.status.success() {
        // Too little memory, said with how much is needed.
        return Ok(Vec::new());
    }
    let job = Job { program, folder: folder.path(), output: path("out"), args: &args };
    let damaged = job.disturb(whole, random, tally)?;
    let mut faults = job.end(tally)?;
    let same = std::fs::read(path("straight"))? == std::fs::read(path("out")).unwrap_or_default();
    if !damaged && faults.is_empty() && !same {
        faults.push("another output than that of a straight run".to_owned());
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())?
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    // What a killed run may leave.
    names.retain(|n| !n.starts_with(".pellucid-"));
    if faults.is_empty() && names.len() != 3 {
        faults.push(format!("files left: {}", names.join(" ")));
    }
    Ok(faults)
}

struct Job<'a> {
    program: &'a Program,
    folder: &'a Path,
    output: PathBuf,
    args: &'a dyn Fn(&Path, bool) -> Vec<String>,
}

impl Job<'_> {
    /// The work folder, if there is one.
    fn work(&self) -> Option<PathBuf> {
        let all = std::fs::read_dir(self.folder).ok()?.flatten().map(|e| e.path());
        all.into_iter().find(|p| p.to_string_lossy().ends_with(".pellucid-work"))
    }

    /// Starts the run a few times and kills it; says whether files of its work were damaged.
    fn disturb(
        &self,
        whole: Duration,
        random: &mut Random,
        tally: &mut Tally,
    ) -> std::io::Result<bool> {
        let mut damaged = false;
        for _ in 0..random.random_range(1..4) {
            let args = (self.args)(&self.output, self.work().is_some());
            let mut child = self.program.start(&args)?;
            let other = match random.random_range(0..4) {
                0 => Some(self.program.start(&args)?),
                _ => None,
            };
            tally.pairs += usize::from(other.is_some());
            std::thread::sleep(whole.mul_f64(random.random_range(0.0..1.0)));
            if random.random_range(0..2) == 0 {
                child.kill()?;
            } else {
                let pid = child.id().to_string();
                std::process::Command::new("kill").args(["-INT", &pid]).status()?;
            }
            tally.kills += 1;
            end_of(child)?;
            if let Some(other) = other {
                end_of(other)?;
            }
            if random.random_range(0..4) == 0 {
                damaged |= self.damage(random, tally)?;
            }
        }
        Ok(damaged)
    }

    /// Changes a byte of a file in the work folder, or cuts it.
    fn damage(&self, random: &mut Random, tally: &mut Tally) -> std::io::Result<bool> {
        let Some(work) = self.work() else { return Ok(false) };
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(work)?.flatten().map(|e| e.path()).collect();
        files.sort();
        let path = &files[random.random_range(0..files.len())];
        let mut bytes = std::fs::read(path)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        tally.damaged += 1;
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..2) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            _ => bytes.truncate(at),
        }
        std::fs::write(path, bytes)?;
        Ok(true)
    }

    /// Resumes to the end. Work that cannot be used is refused; then it starts from scratch.
    fn end(&self, tally: &mut Tally) -> std::io::Result<Vec<String>> {
        for _ in 0..2 {
            if self.output.exists() && self.work().is_none() {
                return Ok(Vec::new());
            }
            let resume = self.work().is_some();
            tally.resumed += usize::from(resume);
            let _ = std::fs::remove_file(&self.output);
            let ran = self.program.run(&(self.args)(&self.output, resume))?;
            if let Some(fault) = ran.fault() {
                return Ok(vec![format!("resumed run: {fault}")]);
            }
            if ran.status.success() {
                return Ok(Vec::new());
            }
            if let Some(work) = self.work() {
                std::fs::remove_dir_all(work)?;
            }
        }
        Ok(vec!["work that cannot be resumed nor started again".to_owned()])
    }
}
