//! `paper --figures`: the paper's visual comparisons as strips of pictures, with a
//! page for each that shows its clouds.

mod list;

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pellucid::cloud::KdTree;
use pellucid::cloud::synth::{NoiseModel, add_noise};
use pellucid::cloud::{Point, bounds, vec3};
use pellucid::denoise::{Control, Observer, Snapshot};
use pellucid::io::{self, Document, WriteOptions};
use pellucid::{PointCloud, Run};
use pellucid_page::{Group, Layer, Page};

use super::args::PaperArgs;
use super::item::Item;
use pellucid_cli::Head;
use pellucid_cli::failure::{Failure, naming};
use pellucid_cli::progress::Show;
use pellucid_cli::{interrupt, output};

use list::{FIGURES, Figure, Noisy, Strip};

/// Size of one cloud's picture.
const PANEL: &str = "420x420";
/// Points and bytes of a page; each has up to nine clouds.
const POINTS: usize = 120_000;
const BYTES: usize = 24_000_000;

/// A cloud of a figure: what it is called and where it is.
struct Shown {
    caption: String,
    path: PathBuf,
}

/// Makes all figures whose data is there.
pub fn make(args: &PaperArgs) -> Result<(), Failure> {
    let folder = args.out.join("figures");
    fs::create_dir_all(&folder)
        .map_err(|e| Failure::work(naming(&folder, format!("cannot be made: {e}"))))?;
    let mut text = "# Figures\n\nEach strip shows clouds from one place; methods with their defaults, \
                    without the truth. The page below it shows the same clouds to turn and compare.\n"
        .to_owned();
    for figure in FIGURES {
        let wanted = args.models.is_empty() || args.models.iter().any(|m| m == figure.name);
        let sources = figure.sources();
        let missing = sources.iter().find(|s| !args.data.join(s).is_file());
        if let Some(missing) = missing.filter(|_| wanted) {
            output::note(&format!("{}: left out, there is no {missing}", figure.name));
        }
        if !wanted || missing.is_some() {
            continue;
        }
        let clouds = clouds(args, figure, &folder)?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n## {}\n\n{}\n", figure.title, figure.about);
        for strip in figure.strips {
            let name = format!("{}{}.png", figure.name, strip.suffix);
            draw(args, figure, strip, &clouds, &folder.join(&name))?;
            let _ = writeln!(text, "![{}](figures/{name})\n", strip.about);
        }
        let name = format!("{}.html", figure.name);
        page(args, figure, &clouds, &folder.join(&name))?;
        let _ = writeln!(text, "[Inspect these clouds](figures/{name})");
    }
    output::write_file(&args.out.join("figures.md"), text.as_bytes(), true, &[])?;
    if !args.quiet {
        output::note(&format!("the page is {}", args.out.join("figures.md").display()));
    }
    Ok(())
}

/// The clouds of a figure; those that are missing are made.
fn clouds(args: &PaperArgs, figure: &Figure, folder: &Path) -> Result<Vec<Shown>, Failure> {
    let mut shown = Vec::new();
    let truth = figure.truth.map(|t| args.data.join(t));
    if let Some(path) = &truth {
        shown.push(Shown { caption: "truth".to_owned(), path: path.clone() });
    }
    let noisy = match figure.noisy {
        Noisy::File(file) => args.data.join(file),
        Noisy::Made(share) => made(args, figure, truth.as_deref(), share, folder)?,
    };
    shown.push(Shown { caption: "noisy".to_owned(), path: noisy.clone() });
    for name in figure.methods {
        let path = folder.join(format!("{}-{name}.ply", figure.name));
        if args.fresh || !path.is_file() {
            denoise(args, figure, name, &noisy, &path)?;
        }
        shown.push(Shown { caption: (*name).to_owned(), path });
    }
    if !figure.iterations.is_empty() {
        shown.extend(courses(args, figure, &noisy, folder)?);
    }
    Ok(shown)
}

/// The truth with noise of that share of its diagonal.
fn made(
    args: &PaperArgs,
    figure: &Figure,
    truth: Option<&Path>,
    share: f64,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let path = folder.join(format!("{}-noisy.ply", figure.name));
    let Some(truth) = truth.filter(|_| args.fresh || !path.is_file()) else { return Ok(path) };
    let clean = io::read(truth)?.cloud.without_attributes();
    let Some((lo, hi)) = clean.bounds() else {
        return Err(Failure::input(naming(truth, "there is no point with finite coordinates")));
    };
    let sigma = share * vec3::norm(vec3::sub(hi, lo));
    let noisy = add_noise(&clean, NoiseModel::Gaussian, sigma, args.seed)
        .map_err(|e| Failure::input(naming(truth, e)))?;
    store(noisy, &path)?;
    Ok(path)
}

fn store(cloud: PointCloud, path: &Path) -> Result<(), Failure> {
    let options = WriteOptions { overwrite: true, ..WriteOptions::default() };
    io::write(path, &Document::from(cloud), &options)?;
    Ok(())
}

fn denoise(
    args: &PaperArgs,
    figure: &Figure,
    method: &str,
    noisy: &Path,
    to: &Path,
) -> Result<(), Failure> {
    let denoiser = Item::parse(method)?.build(&Default::default())?;
    let cloud = io::read(noisy)?.cloud.without_attributes();
    let meter = Show::new(args.quiet).meter(&format!("{} {method}", figure.name));
    let result = interrupt::listening(|flag| {
        let mut run = Run::default().with_seed(args.seed).with_observer(meter).with_cancel(flag);
        denoiser.denoise(&cloud, &mut run)
    });
    store(result.map_err(|e| Failure::denoise(noisy, e))?.cloud, to)
}

/// Keeps the clouds after some iterations.
struct Keeper<'a> {
    wanted: &'a [usize],
    kept: &'a mut Vec<(usize, Vec<Point>)>,
}

impl Observer for Keeper<'_> {
    fn iteration(&mut self, snapshot: &Snapshot) -> Control {
        let index = snapshot.record.index;
        if self.wanted.contains(&index) {
            self.kept.push((index, (snapshot.positions)()));
        }
        if Some(&index) == self.wanted.last() { Control::Stop } else { Control::Continue }
    }
}

/// The clouds after the iterations that a figure shows.
fn courses(
    args: &PaperArgs,
    figure: &Figure,
    noisy: &Path,
    folder: &Path,
) -> Result<Vec<Shown>, Failure> {
    let path = |i: usize| folder.join(format!("{}-iteration{i}.ply", figure.name));
    if args.fresh || figure.iterations.iter().any(|&i| !path(i).is_file()) {
        let cloud = io::read(noisy)?.cloud.without_attributes();
        let denoiser = Item::parse("fgl{stop=limit}")?.build(&Default::default())?;
        let mut kept = Vec::new();
        let keeper = Keeper { wanted: figure.iterations, kept: &mut kept };
        let result = interrupt::listening(|flag| {
            let run = Run::default().with_seed(args.seed).with_observer(keeper);
            denoiser.denoise(&cloud, &mut run.with_cancel(flag))
        });
        result.map_err(|e| Failure::denoise(noisy, e))?;
        for (i, positions) in kept {
            store(PointCloud::new(positions), &path(i))?;
        }
    }
    let shown = |&i: &usize| Shown { caption: format!("iteration {i}"), path: path(i) };
    Ok(figure.iterations.iter().map(shown).collect())
}

fn draw(
    args: &PaperArgs,
    figure: &Figure,
    strip: &Strip,
    clouds: &[Shown],
    to: &Path,
) -> Result<(), Failure> {
    let first = clouds.first().map(|c| io::read(&c.path)).transpose()?;
    let middle = first
        .and_then(|d| bounds(d.cloud.positions()))
        .map(|(lo, hi)| [0, 1, 2].map(|c| lo[c] + strip.focus[c] * (hi[c] - lo[c])));
    let columns = if clouds.len() < 7 { clouds.len() } else { clouds.len().div_ceil(2) };
    let captions: Vec<&str> = clouds.iter().map(|c| c.caption.as_str()).collect();
    let mut order: Vec<OsString> = vec!["render".into()];
    order.extend(clouds.iter().map(|c| c.path.clone().into_os_string()));
    order.push(to.into());
    order.extend(["--color", "plain", "--size", PANEL, "--overwrite"].map(OsString::from));
    order.push(format!("--view={}", strip.view).into());
    order.push(format!("--up={}", figure.up).into());
    order.push(format!("--zoom={}", strip.zoom).into());
    order.push(format!("--caption={}", captions.join(",")).into());
    order.push(format!("--columns={columns}").into());
    if let Some([x, y, z]) = middle.filter(|_| strip.zoom != 1.0) {
        order.push(format!("--focus={x},{y},{z}").into());
    }
    if args.quiet {
        order.push("--quiet".into());
    }
    pellucid_cli::call(order)
}

fn page(args: &PaperArgs, figure: &Figure, clouds: &[Shown], to: &Path) -> Result<(), Failure> {
    let truth = match figure.truth {
        Some(file) => Some(KdTree::new(io::read(&args.data.join(file))?.cloud.positions())),
        None => None,
    };
    let mut read = Vec::new();
    for shown in clouds {
        read.push(io::read(&shown.path)?.cloud.without_attributes());
    }
    let layers: Vec<Layer> = clouds
        .iter()
        .zip(&read)
        .map(|(shown, cloud)| Layer::new(&shown.caption, cloud).truth(truth.as_ref()))
        .collect();
    let mut page = Page::new(figure.title);
    page.head = serde_json::to_value(Head::of_command()).map_err(Failure::work)?;
    page.groups.push(Group::pack(figure.title, &layers, POINTS, BYTES));
    output::write_file(to, page.html().map_err(Failure::work)?.as_bytes(), true, &[])
}
