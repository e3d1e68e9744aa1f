//! Thousands of changed files through the commands that read them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use pellucid_denoise::registry;
use pellucid_io::Format;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::files::{File, Seeds, all_seeds};
use super::program::Program;

/// What to try.
#[derive(clap::Args)]
pub struct Args {
    /// How many files, spread over all formats.
    #[arg(long, default_value_t = 10_000)]
    files: u64,
    /// Another seed makes other files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program; by default the one beside this.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Where files that show a fault are kept.
    #[arg(long, default_value = "target/mutations")]
    keep: PathBuf,
}

/// How often a command ended with which code.
type Codes = BTreeMap<(&'static str, Option<i32>), usize>;

/// Runs all commands on all files.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let program = Program::find(args.program.as_ref())?;
    let seeds = all_seeds();
    let results: Vec<std::io::Result<(Codes, usize)>> = (0..args.files)
        .into_par_iter()
        .map(|i| {
            let name = format!("{}-{i}", args.seed);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed << 32 | i);
            let case = Case::new(&seeds[i as usize % seeds.len()], &mut random);
            let (codes, faults) = case.run(&program)?;
            for fault in &faults {
                println!("{name}.{}: {fault}", case.file.extension);
            }
            if !faults.is_empty() {
                std::fs::create_dir_all(&args.keep)?;
                let kept = args.keep.join(format!("{name}.{}", case.file.extension));
                std::fs::write(kept, &case.file.bytes)?;
            }
            Ok((codes, faults.len()))
        })
        .collect();
    let (mut all, mut faults) = (Codes::new(), 0);
    for result in results {
        let (codes, found) = result?;
        faults += found;
        codes.into_iter().for_each(|(key, n)| *all.entry(key).or_default() += n);
    }
    for ((command, code), n) in all {
        let code = code.map_or("signal".to_owned(), |c| c.to_string());
        println!("{command:<9} exit code {code:<6} {n:>6} times");
    }
    println!("{} files, seed {}, faults: {faults}", args.files, args.seed);
    if faults > 0 {
        Err(format!("{faults} faults; see {}", args.keep.display()).into())
    } else {
        Ok(())
    }
}

/// A file and what is done with it.
pub struct Case {
    pub file: File,
    /// The method of `denoise`; each is tried, the default every other time.
    method: &'static str,
    /// One of its presets, every other time.
    preset: Option<&'static str>,
    /// The extension of what is written.
    to: &'static str,
}

impl Case {
    pub fn new(seeds: &Seeds, random: &mut Xoshiro256PlusPlus) -> Case {
        let (methods, formats) = (registry::methods(), Format::all());
        let (method, presets) = match random.random_range(0..2) {
            0 => (registry::DEFAULT, &[][..]),
            _ => {
                let method = &methods[random.random_range(0..methods.len())];
                (method.name, method.presets)
            }
        };
        let pick = random.random_range(0..2 * presets.len().max(1));
        let preset = presets.get(pick).map(|p| p.name);
        let to = formats[random.random_range(0..formats.len())].extensions[0];
        Case { file: seeds.changed(random), method, preset, to }
    }

    /// Runs all commands; gives their codes and what was wrong.
    pub fn run(&self, program: &Program) -> std::io::Result<(Codes, Vec<String>)> {
        let (mut codes, mut faults) = (Codes::new(), Vec::new());
        let mut unreadable = false;
        for command in ["info", "convert", "denoise", "--memory"] {
            let folder = tempfile::tempdir()?;
            let input = format!("in.{}", self.file.extension);
            std::fs::write(folder.path().join(&input), &self.file.bytes)?;
            let extension = if command == "--memory" { self.file.extension } else { self.to };
            let output = format!("out.{extension}");
            let (from, to) = (folder.path().join(&input), folder.path().join(&output));
            let (from, to) = (from.display().to_string(), to.display().to_string());
            let args = match command {
                "info" => vec!["info", &from],
                "convert" => vec!["convert", &from, &to],
                "denoise" => {
                    let preset = self.preset.map(|p| ["--preset", p]);
                    let args = ["denoise", &from, &to, "--method", self.method].into_iter();
                    args.chain(preset.into_iter().flatten()).collect()
                }
                _ => vec!["denoise", &from, &to, "--memory", "200M"],
            };
            let ran = program.run(&args)?;
            let code = ran.status.code();
            *codes.entry((command, code)).or_default() += 1;
            let fault = ran.fault().or_else(|| left(folder.path(), &input, &output, command, code));
            unreadable |= command == "info" && code == Some(2);
            let fault = fault.or_else(|| {
                let read = unreadable && code == Some(0);
                read.then(|| "info refuses what this command reads".to_owned())
            });
            faults.extend(
                fault.map(|f| {
                    format!("{} to {extension}: {f}", args[..1].join(" ") + " " + command)
                }),
            );
        }
        Ok((codes, faults))
    }
}

/// What is wrong with the files that a run left.
fn left(
    folder: &Path,
    input: &str,
    output: &str,
    command: &str,
    code: Option<i32>,
) -> Option<String> {
    let mut names: Vec<String> = match std::fs::read_dir(folder) {
        Ok(all) => all.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect(),
        Err(e) => return Some(e.to_string()),
    };
    names.sort();
    let mut expected = vec![input];
    expected.extend((code == Some(0) && command != "info").then_some(output));
    if names != expected {
        return Some(format!("files left: {}", names.join(" ")));
    }
    // In STL corners at one place are one point, and a point needs a triangle.
    if expected.len() == 1 || command == "convert" || output.ends_with(".stl") {
        return None;
    }
    let rows = |name: &str| pellucid_io::read(&folder.join(name)).map(|d| d.cloud.len());
    match (rows(input), rows(output)) {
        (Ok(before), Ok(after)) if before != after => Some(format!("{after} of {before} rows")),
        (Ok(_), Err(e)) => Some(format!("the output cannot be read: {e}")),
        _ => None,
    }
}
