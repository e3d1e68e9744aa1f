//! Every method and preset on clouds of hostile numbers, through the program.

#[path = "../../../denoise/tests/hostile/clouds.rs"]
mod clouds;
#[path = "../../../denoise/tests/hostile/rule.rs"]
mod rule;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use pellucid_cloud::{Point, PointCloud};
use pellucid_denoise::registry;
use pellucid_io::{Document, WriteOptions};
use rayon::prelude::*;

use super::program::Program;

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// The program; by default the one beside this.
    #[arg(long)]
    program: Option<PathBuf>,
}

type Variant = (&'static str, Option<&'static str>);

/// Runs every method and preset on every cloud.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let program = Program::find(args.program.as_ref())?;
    let clouds = clouds::all();
    let variants: Vec<Variant> = registry::methods()
        .iter()
        .flat_map(|m| {
            let presets = m.presets.iter().map(|p| (m.name, Some(p.name)));
            std::iter::once((m.name, None)).chain(presets)
        })
        .collect();
    let runs = clouds.par_iter().flat_map(|cloud| variants.par_iter().map(move |v| (cloud, v)));
    let results: Vec<std::io::Result<(Option<i32>, bool)>> = runs
        .map(|((what, points), &variant)| {
            let (code, fault) = denoise(&program, points, variant)?;
            if let Some(fault) = &fault {
                println!("{}:{} on {what}: {fault}", variant.0, variant.1.unwrap_or("default"));
            }
            Ok((code, fault.is_some()))
        })
        .collect();
    let (mut codes, mut faults) = (BTreeMap::<Option<i32>, usize>::new(), 0);
    for result in results {
        let (code, fault) = result?;
        *codes.entry(code).or_default() += 1;
        faults += usize::from(fault);
    }
    for (code, n) in codes {
        println!(
            "exit code {:<6} {n:>6} times",
            code.map_or("signal".to_owned(), |c| c.to_string())
        );
    }
    println!("{} clouds, {} methods and presets, faults: {faults}", clouds.len(), variants.len());
    if faults > 0 { Err(format!("{faults} faults").into()) } else { Ok(()) }
}

/// One run: its exit code, and what is wrong with it.
fn denoise(
    program: &Program,
    points: &[Point],
    (method, preset): Variant,
) -> std::io::Result<(Option<i32>, Option<String>)> {
    let folder = tempfile::tempdir()?;
    let (input, output) = (folder.path().join("in.ply"), folder.path().join("out.ply"));
    let document = Document::from(PointCloud::new(points.to_vec()));
    pellucid_io::write(&input, &document, &WriteOptions::default())
        .map_err(std::io::Error::other)?;
    let mut args =
        vec![Path::new("denoise"), &input, &output, "--method".as_ref(), method.as_ref()];
    args.extend(preset.map(|p| ["--preset".as_ref(), Path::new(p)]).into_iter().flatten());
    let ran = program.run(&args)?;
    let code = ran.status.code();
    let fault = ran.fault().or_else(|| wrong_output(points, &output, code == Some(0)));
    Ok((code, fault))
}

/// What is wrong with the output, or with its being there.
fn wrong_output(points: &[Point], output: &Path, success: bool) -> Option<String> {
    if !success {
        return output.exists().then(|| "an output beside exit code 2".to_owned());
    }
    match pellucid_io::read(output) {
        Ok(document) => rule::fault(points, document.cloud.positions()),
        Err(e) => Some(format!("the output cannot be read: {e}")),
    }
}
