//! The flags of `thin`, `crop`, `merge`, `split`, `dedup`, `normals` and `distance`.

use std::path::PathBuf;

use pellucid::big::Memory;

use super::{Part, Streams, Viewpoint, flags, threads};

/// What every command has that makes clouds out of others, one of one.
#[derive(Debug, clap::Args)]
pub struct Files {
    /// Read these clouds; a folder stands for the clouds in it, - for stdin
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write this file, whose extension chooses the format, or into this folder if there are several
    /// inputs (then --format chooses it); - for stdout
    #[arg(value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Include the clouds in subfolders; OUT gets the same subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// How it is written.
    #[command(flatten)]
    pub common: Common,
}

/// How commands write a cloud.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Use this many threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Use at most this much memory, such as 2G or 500M: a larger file goes through in pieces (LAS, LAZ,
    /// E57, binary PLY)
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Memory>,
    /// Replace existing files (never an input)
    #[arg(long)]
    pub overwrite: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `thin`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("rule").required(true).args(["voxel", "poisson", "random"]))]
pub struct Thin {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Keep one point in each cube of this side, in file units: the one nearest to their mean
    #[arg(long, value_name = "X", value_parser = length, allow_negative_numbers = true)]
    pub voxel: Option<f64>,
    /// Keep points that are at least this far apart, in file units
    #[arg(long, value_name = "X", value_parser = length, allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Keep this many points chosen at random, or this share if below 1
    #[arg(long, value_name = "N", value_parser = length, allow_negative_numbers = true)]
    pub random: Option<f64>,
    /// Seed of the choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Arguments of `crop`.
#[derive(Debug, clap::Args)]
pub struct Crop {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Which points are kept.
    #[command(flatten)]
    pub part: Part,
    /// Keep the points that do not satisfy the conditions instead
    #[arg(long)]
    pub invert: bool,
}

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct Merge {
    /// The clouds, in the order in which their points come; folders stand for those in them
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The file to write; - for stdout
    #[arg(value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Include the clouds in subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Add the attribute "source": the number of its file for each point, from 0
    #[arg(long)]
    pub source: bool,
    /// How it is written.
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `dedup`.
#[derive(Debug, clap::Args)]
pub struct Dedup {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Also remove points nearer than this to one that is kept, in file units
    #[arg(long, value_name = "X", value_parser = length, allow_negative_numbers = true)]
    pub within: Option<f64>,
}

/// Arguments of `normals`.
#[derive(Debug, clap::Args)]
pub struct NormalsCommand {
    /// Files.
    #[command(flatten)]
    pub files: Files,
    /// Nearest points that a normal is estimated from
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = neighbors)]
    pub neighbors: usize,
    /// Turn normals to this place, in the coordinates of the file [default: to the scanner where the
    /// file says where it stood, else alike on each connected surface]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    #[arg(value_parser = flags::viewpoint)]
    pub viewpoint: Option<Viewpoint>,
}

const DISTANCE_EXAMPLES: &str = "Examples:
  pellucid distance scan.ply model.ply out.ply              attribute \"distance\"
  pellucid distance scan.ply model.off out.ply --signed     to the triangles of a mesh
With --signed, distances are positive on the side that the normals of REFERENCE point to: those of
its triangles, or those stored with its points.";

/// Arguments of `distance`.
#[derive(Debug, clap::Args)]
#[command(after_help = DISTANCE_EXAMPLES)]
#[command(override_usage = "pellucid distance [OPTIONS] <IN>... <REFERENCE> <OUT>")]
pub struct Distance {
    /// IN: the clouds whose distances are wanted; folders stand for those in them, - for stdin.
    /// REFERENCE: the cloud or the mesh (PLY, OFF, OBJ with faces) that distances are measured to.
    /// OUT: the file to write, IN with the attribute "distance", or the folder if there are several; -
    /// for stdout
    #[arg(value_name = "FILE", num_args = 3.., required = true)]
    pub paths: Vec<PathBuf>,
    /// Include the clouds in subfolders; OUT gets the same subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Distances with a sign
    #[arg(long)]
    pub signed: bool,
    /// Measure to the vertices of REFERENCE even if it has faces
    #[arg(long)]
    pub to_points: bool,
    /// How it is written.
    #[command(flatten)]
    pub common: Common,
}

const SPLIT_EXAMPLES: &str = "Examples:
  pellucid split scan.las parts/ --by class         scan_class2.las, scan_class6.las …
  pellucid split scans.e57 parts/ --by scan         scans_scan0.e57, scans_scan1.e57 …
  pellucid split tile.laz parts/ --tile 100         squares of 100 file units, by their lower corner
Each point goes into one file, with its attributes, in the order of IN.";

/// Arguments of `split`.
#[derive(Debug, clap::Args)]
#[command(after_help = SPLIT_EXAMPLES)]
#[command(group = clap::ArgGroup::new("rule").required(true).args(["by", "tile"]))]
pub struct Split {
    /// The clouds; folders stand for those in them
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "FOLDER", required = true)]
    pub output: PathBuf,
    /// Include the clouds in subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// One file for each scan, each class, or each value of an attribute of whole numbers
    #[arg(long, value_name = "scan|class|ATTRIBUTE")]
    pub by: Option<String>,
    /// One file for each square of this side in x and y, in file units
    #[arg(long, value_name = "X", value_parser = length, allow_negative_numbers = true)]
    pub tile: Option<f64>,
    /// How they are written.
    #[command(flatten)]
    pub common: Common,
}

fn length(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|x| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| "give a number above 0".to_owned())
}

fn neighbors(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 3..=1000) => Ok(n),
        _ => Err("give a number between 3 and 1000".to_owned()),
    }
}
