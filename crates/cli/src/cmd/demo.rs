//! `pellucid demo`: the first thing a newcomer runs.

mod picture;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pellucid::cloud::attribute::names;
use pellucid::cloud::quality::{self, Comparison};
use pellucid::cloud::spacing::spacing_of;
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::denoise::registry::{self, ParameterMap};
use pellucid::io::WriteOptions;
use pellucid::{PointCloud, Run};
use serde::Serialize;

use crate::args::Demo;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::{interrupt, output};

/// The folder when none is named; its files may be replaced.
const FOLDER: &str = "pellucid-demo";
const PICTURE: &str = "demo.png";
/// A bracket as a careful scanner would see it.
const SHAPE: Shape = Shape::Bracket;
const POINTS: usize = 60_000;
/// Standard deviation of the noise on each axis, in spacings.
const NOISE: f64 = 0.5;
const SEED: u64 = 1;

/// One line of the table.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    /// Mean distance from the points to the true surface, in spacings.
    surface: f64,
    /// The same, 95 % of the points are nearer.
    surface95: f64,
    comparison: Comparison,
}

#[derive(Debug, Serialize)]
struct Summary {
    method: &'static str,
    points: usize,
    spacing: f64,
    noise: f64,
    denoising_seconds: f64,
    rows: Vec<Row>,
    files: Vec<String>,
}

pub fn run(args: &Demo) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let name = args.method.as_deref().unwrap_or(registry::DEFAULT);
    let method = registry::find(name)?;
    let denoiser = method.build(None, &ParameterMap::new())?;
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let options = WriteOptions {
        overwrite: args.overwrite || args.folder.is_none(),
        ..WriteOptions::default()
    };
    let files = ["clean.ply", "noisy.ply", "denoised.ply", PICTURE].map(|f| folder.join(f));
    make_room(&folder, &files, options.overwrite)?;

    let clean = show.busy("making a scan", || SHAPE.sample_even(POINTS, SEED));
    let spacing = spacing_of(clean.positions());
    let mut noisy = add_noise(&clean, NoiseModel::Gaussian, NOISE * spacing, SEED + 1)
        .map_err(Failure::work)?;
    // True normals would be a hint that no scanner gives.
    noisy.remove_attribute(names::NORMAL);

    let start = Instant::now();
    let meter = show.meter(method.name);
    let denoised = interrupt::listening(|flag| {
        let mut run = Run::default().with_observer(meter).with_cancel(flag);
        denoiser.denoise(&noisy, &mut run)
    })
    .map_err(|e| Failure::denoise(Path::new("noisy.ply"), e))?
    .cloud;
    let denoising_seconds = start.elapsed().as_secs_f64();

    let mut rows = Vec::new();
    for (name, cloud) in [("noisy", &noisy), ("denoised", &denoised)] {
        rows.push(show.busy("comparing", || row(name, cloud, &clean, spacing))?);
    }
    for (path, cloud) in files.iter().zip([&clean, &noisy, &denoised]) {
        super::streams::write(path, None, &cloud.clone().into(), &options, show)?;
    }
    let captions = [
        format!("clean: {POINTS} points"),
        format!("noisy: {:.2} spacings off", rows[0].surface),
        format!("denoised: {:.2} spacings off", rows[1].surface),
    ];
    let image =
        show.busy("drawing", || picture::side_by_side(&[&clean, &noisy, &denoised], &captions));
    output::write_file(&files[3], &image.to_png().map_err(Failure::work)?, options.overwrite, &[])?;

    let summary = Summary {
        method: method.name,
        points: POINTS,
        spacing,
        noise: NOISE * spacing,
        denoising_seconds,
        rows,
        files: files.iter().map(|f| f.display().to_string()).collect(),
    };
    if args.json { output::print_json(&summary) } else { super::say(args.quiet, &table(&summary)) }
}

/// Makes the folder; an error if a file in it would be replaced against the wish.
fn make_room(folder: &Path, files: &[PathBuf], overwrite: bool) -> Result<(), Failure> {
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::input(naming(folder, "is a file, but a folder is needed")));
    }
    fs::create_dir_all(folder)
        .map_err(|e| Failure::work(naming(folder, format!("cannot be made: {e}"))))?;
    files.iter().try_for_each(|f| output::check_free(f, overwrite))
}

fn row(
    name: &'static str,
    cloud: &PointCloud,
    clean: &PointCloud,
    spacing: f64,
) -> Result<Row, Failure> {
    let mut off: Vec<f64> =
        cloud.positions().iter().map(|&p| SHAPE.distance(p) / spacing).collect();
    off.sort_unstable_by(f64::total_cmp);
    let comparison = quality::compare(cloud, clean, None).map_err(Failure::work)?;
    let surface = off.iter().sum::<f64>() / off.len().max(1) as f64;
    let surface95 = off.get(off.len() * 95 / 100).copied().unwrap_or_default();
    Ok(Row { name, surface, surface95, comparison })
}

fn table(s: &Summary) -> String {
    let mut out = format!(
        "A bracket of {} points with noise of {NOISE} spacings, denoised by {} in {:.1} s.\n\n\
         {:<10}{:>22}{:>14}{:>12}{:>12}\n",
        s.points,
        s.method,
        s.denoising_seconds,
        "",
        "off the surface, mean",
        "95 %",
        "paper_mse",
        "hausdorff"
    );
    for r in &s.rows {
        out += &format!(
            "{:<10}{:>13.3} spacings{:>14.3}{:>12.5}{:>12.5}\n",
            r.name, r.surface, r.surface95, r.comparison.paper_mse, r.comparison.hausdorff
        );
    }
    out += "\n";
    for f in &s.files {
        out += &format!("{f}\n");
    }
    out
}
