//! The command line. Help, completions and the man page derive from it.

mod denoise;
mod flags;
mod known;
mod outliers;
mod render;
mod run;
mod tools;
mod view;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pellucid::cloud::synth::{NoiseModel, NoiseScale};
use pellucid::io::Encoding;

pub use denoise::{Denoise, Extra, Normals, OutliersWish};
pub use flags::{Accepted, Condition, InFormat, Large, Part, Sight, Streams, Viewpoint};
pub use outliers::{Outliers, RuleName};
pub use render::Render;
pub use run::RunCommand;
pub use tools::{Common, Crop, Dedup, Distance, Files, Merge, NormalsCommand, Split, Thin};
pub use view::View;

/// Denoise 3D point clouds: move the points of a scan onto the surface they were measured from.
#[derive(Debug, Parser)]
#[command(name = "pellucid", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 \
                        after Ctrl-C.\nFirst time? Run: pellucid demo")]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Move the points of a cloud onto the surface they were measured from
    Denoise(Box<Denoise>),
    /// Label or remove points that belong to no surface
    Outliers(Outliers),
    /// Keep fewer points: one in each cube, evenly apart, or chosen at random
    Thin(Thin),
    /// Keep the points in a box, of some classes, or with some values
    Crop(Crop),
    /// Merge several clouds into one file
    Merge(Merge),
    /// Split clouds into files by scan, class or square tile
    Split(Split),
    /// Remove repeated points
    Dedup(Dedup),
    /// Estimate normals, orient them, and write them with the points
    Normals(NormalsCommand),
    /// Write the distance of each point to another cloud or a mesh as an attribute
    Distance(Distance),
    /// Run the steps of a pipeline file: outliers, denoise, normals and more
    Run(RunCommand),
    /// Add noise to a cloud, for experiments
    Noise(Noise),
    /// Measure the distance of a cloud to the true one
    Compare(Compare),
    /// Describe what is in a file: points, attributes, spacing, noise
    Info(Info),
    /// Write a cloud in another format
    Convert(Convert),
    /// Draw clouds into a PNG picture
    Render(Render),
    /// Show clouds in the browser
    View(View),
    /// List the denoising methods and their parameters
    Methods(Methods),
    /// Make a synthetic scan, denoise it, compare the results, and draw a picture
    Demo(Demo),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page
    Man(Man),
}

/// Arguments of `noise`.
#[derive(Debug, clap::Args)]
pub struct Noise {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Add this much noise, in the unit of --scale
    #[arg(short, long, value_name = "X")]
    pub level: f64,
    /// Choose the unit of --level: paper (root of the extent), absolute (file units), spacing,
    /// diagonal (of the bounding box)
    #[arg(long, value_name = "UNIT", default_value = "paper")]
    pub scale: NoiseScale,
    /// Draw the noise from this distribution: gaussian, laplace, ball, normal, outliers or outliers:SHARE
    #[arg(long, value_name = "MODEL", default_value = "gaussian")]
    pub model: NoiseModel,
    /// Set the seed of the noise
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Keep the stored normals of the clean surface, which are dropped otherwise
    #[arg(long)]
    pub keep_normals: bool,
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// Measure this cloud, or each cloud of this folder; - for stdin
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// Compare with this clean cloud, or with the one of the same name in this folder; - for stdin
    #[arg(value_name = "TRUTH")]
    pub truth: PathBuf,
    /// Also measure the distance to this mesh of the true surface
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Format of stdin.
    #[command(flatten)]
    pub stdin: InFormat,
    /// Use this many threads [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Hide the progress bar
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// Read these files; a folder stands for the clouds in it, - for stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Include the clouds in subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Format of stdin.
    #[command(flatten)]
    pub stdin: InFormat,
    /// Print one JSON document; a list if there are several files
    #[arg(long)]
    pub json: bool,
    /// Hide the progress bar
    #[arg(short, long)]
    pub quiet: bool,
}

const CONVERT_EXAMPLES: &str = "Examples:
  pellucid convert scan.las scan.ply --report what-happened.json
  pellucid convert scan.e57 - --format csv | head
  pellucid convert scans/ copies/ --format laz --recursive
  pellucid convert scan.ply scan.ply.zst

What the other format cannot store is dropped, with a note on stderr.";

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct Convert {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Choose how numbers are stored, where the format allows it
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<EncodingName>,
    /// Write a report of how each attribute changed
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
}

/// How numbers are stored in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingName {
    /// As text
    Ascii,
    /// As bytes, in the usual order
    Binary,
    /// As bytes, most significant first
    BinaryBigEndian,
}

impl From<EncodingName> for Encoding {
    fn from(name: EncodingName) -> Self {
        match name {
            EncodingName::Ascii => Encoding::Ascii,
            EncodingName::Binary => Encoding::BinaryLittle,
            EncodingName::BinaryBigEndian => Encoding::BinaryBig,
        }
    }
}

/// Arguments of `methods`.
#[derive(Debug, clap::Args)]
pub struct Methods {
    /// Show one method with all its parameters
    #[arg(value_name = "METHOD", value_parser = known::method())]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub method: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Write the files into this folder [default: pellucid-demo]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Replace existing files; those in the default folder are always replaced
    #[arg(long)]
    pub overwrite: bool,
    /// Use this method; `pellucid methods` lists them
    #[arg(short, long, value_name = "M", value_parser = known::method())]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub method: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// Print the script for this shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Write one page for each command into this folder instead
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("give a number between 1 and 1024".to_owned()),
    }
}
