//! The command line. Help, completions and the man page derive from it.

mod flags;
mod known;
mod outliers;
mod render;
mod tools;
mod view;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pellucid::cloud::synth::{NoiseModel, NoiseScale};
use pellucid::io::Encoding;

pub use flags::{Condition, InFormat, Large, Part, Sight, Streams, Viewpoint, Wanted};
pub use outliers::{Outliers, RuleName};
pub use render::Render;
pub use tools::{Common, Crop, Dedup, Distance, Files, Merge, NormalsCommand, Thin};
pub use view::View;

/// Turns noisy 3D point clouds into clean ones.
#[derive(Debug, Parser)]
#[command(name = "pellucid", version, about, arg_required_else_help = true)]
#[command(after_help = "Ends with 0 when done, 1 when the work failed, 2 for bad \
                        input or usage, 130 after Ctrl-C.\nFirst time? Run: pellucid demo")]
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
    /// Put several clouds into one file
    Merge(Merge),
    /// Remove repeated points
    Dedup(Dedup),
    /// Estimate normals, orient them, and write them with the points
    Normals(NormalsCommand),
    /// Write the distance of each point to another cloud or a mesh as an attribute
    Distance(Distance),
    /// Add noise to a cloud, for experiments
    Noise(Noise),
    /// Measure how far a cloud is from the truth
    Compare(Compare),
    /// Say what is in a file
    Info(Info),
    /// Write a cloud in another format
    Convert(Convert),
    /// Draw clouds into a PNG picture
    Render(Render),
    /// Show clouds in the browser
    View(View),
    /// List the denoising methods and their parameters
    Methods(Methods),
    /// Make a synthetic scan, denoise it, compare, and leave a picture
    Demo(Demo),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page
    Man(Man),
}

const DENOISE_EXAMPLES: &str = "Examples:
  pellucid denoise scan.las clean.las
  pellucid denoise scan.las clean.las --class 2,6        only ground and buildings move
  pellucid denoise scan.ply clean.ply --box=-1,-1,0,1,1,2 --select intensity=100..
  pellucid denoise scan.e57 clean.e57 --along-ray        ranges change, directions do not
  pellucid denoise scan.ply clean.ply --attributes displacement,uncertainty
  pellucid denoise big.laz clean.laz --memory 2G         tile by tile, within that limit
  zcat scan.ply.gz | pellucid denoise - - | gzip > clean.ply.gz

With --class, --box or --select only the points that satisfy all conditions move. The others serve
as neighbours and keep every bit. Spacing and noise are then measured in that part and around it.";

/// Arguments of `denoise`.
#[derive(Debug, clap::Args)]
#[command(after_help = DENOISE_EXAMPLES)]
pub struct Denoise {
    /// Noisy files; folders stand for the clouds in them, - for stdin
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The file to write, or the folder if there are several inputs; - for stdout
    #[arg(value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Also take the clouds in folders inside folders; OUT gets the same folders
    #[arg(short, long)]
    pub recursive: bool,
    /// The method; `pellucid methods` lists them
    #[arg(short, long, value_name = "M", value_parser = known::method())]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub method: Option<String>,
    /// A named set of the method's parameters
    #[arg(short, long, value_name = "P", value_parser = known::preset())]
    #[arg(hide_possible_values = true)]
    pub preset: Option<String>,
    /// Change one parameter; may be given several times
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Denoising strength from 0 to 2; 1 is automatic, lower values keep more detail
    #[arg(long, value_name = "X", value_parser = known::strength, allow_negative_numbers = true)]
    pub strength: Option<f64>,
    /// Say in words what was found in the cloud and what was decided
    #[arg(long)]
    pub explain: bool,
    /// Take parameters (and perhaps `method` and `preset`) from a TOML file
    #[arg(long, value_name = "FILE.toml")]
    pub params: Option<PathBuf>,
    /// Which points move.
    #[command(flatten)]
    pub part: Part,
    /// Denoise the selected points as if there were no others: these are no neighbors of them
    #[arg(long, help_heading = "Selection")]
    pub alone: bool,
    /// In which direction they move.
    #[command(flatten)]
    pub sight: Sight,
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Files larger than memory.
    #[command(flatten)]
    pub large: Large,
    /// What becomes of stored normals once the points have moved; or whether the method uses them
    #[arg(long, value_name = "WHAT", default_value = "update")]
    pub normals: Normals,
    /// Attributes to add to the points, in file units
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    pub attributes: Vec<Extra>,
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write what the run did and learned, and the changes of each attribute: as JSON, or, if the
    /// name ends in .html, as a page that shows the clouds before and after
    #[arg(long, value_name = "FILE.json|html")]
    pub report: Option<PathBuf>,
    /// A clean cloud, for the page only: distances to it can be shown; the method never sees it
    #[arg(long, value_name = "FILE", requires = "report")]
    pub truth: Option<PathBuf>,
    /// Say what would be done, how long it would take and how much memory; write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Replace files that exist (never the input)
    #[arg(long)]
    pub overwrite: bool,
    /// Print the report on stdout as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// What becomes of stored normals once the points have moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Normals {
    /// Leave them as they are
    Keep,
    /// Estimate them again, on the side on which they were
    Update,
    /// Leave them out
    Drop,
    /// The method uses them instead of estimating its own (parameter normals=file); then as update
    File,
}

/// What can be added to the points of a denoised cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// How far each point moved
    Displacement,
    /// About how far each point still is from the surface, judged by its neighbours
    Uncertainty,
    /// 1 for points of a surface, 0 for those of volumes and for outliers, which kept their positions
    Surface,
}

impl Extra {
    /// The name of the attribute.
    pub fn name(self) -> &'static str {
        match self {
            Extra::Displacement => "displacement",
            Extra::Uncertainty => "uncertainty",
            Extra::Surface => "surface",
        }
    }
}

/// Arguments of `noise`.
#[derive(Debug, clap::Args)]
pub struct Noise {
    /// The cloud; - for stdin
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; - for stdout
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// How much noise, in the unit of --scale
    #[arg(short, long, value_name = "X")]
    pub level: f64,
    /// What a level of one means: paper (root of the extent), absolute (file units), spacing,
    /// diagonal (of the bounding box)
    #[arg(long, value_name = "UNIT", default_value = "paper")]
    pub scale: NoiseScale,
    /// How the noise is distributed: gaussian, laplace, ball, normal, outliers or outliers:SHARE
    #[arg(long, value_name = "MODEL", default_value = "gaussian")]
    pub model: NoiseModel,
    /// Seed of the noise
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Keep stored normals, which are truth; they are left out otherwise
    #[arg(long)]
    pub keep_normals: bool,
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Replace files that exist (never the input)
    #[arg(long)]
    pub overwrite: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// The cloud to judge; - for stdin
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// The clean cloud; - for stdin
    #[arg(value_name = "TRUTH")]
    pub truth: PathBuf,
    /// The true surface as triangles
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Format of stdin.
    #[command(flatten)]
    pub stdin: InFormat,
    /// Threads to use [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// The file; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Format of stdin.
    #[command(flatten)]
    pub stdin: InFormat,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

const CONVERT_EXAMPLES: &str = "Examples:
  pellucid convert scan.las scan.ply --report what-happened.json
  pellucid convert scan.e57 - --format csv | head

What the other format cannot hold is left out, and said on stderr.";

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct Convert {
    /// The cloud; - for stdin
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; its extension chooses the format; - for stdout
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// How numbers are stored, where the format leaves a choice
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<EncodingName>,
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Write the changes of each attribute
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Replace files that exist (never the input)
    #[arg(long)]
    pub overwrite: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
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
    /// Only this method, with all its parameters
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
    /// Where the files go [default: pellucid-demo]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Replace files that exist; the default folder's are replaced anyway
    #[arg(long)]
    pub overwrite: bool,
    /// The method; `pellucid methods` lists them
    #[arg(short, long, value_name = "M", value_parser = known::method())]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub method: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
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
