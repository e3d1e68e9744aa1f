//! The flags of `denoise`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Large, Part, Sight, Streams, known, threads};

const DENOISE_EXAMPLES: &str = "Examples:
  pellucid denoise scan.las clean.las
  pellucid denoise scan.las clean.las --class 2,6        only ground and buildings move
  pellucid denoise scan.ply clean.ply --box=-1,-1,0,1,1,2 --select intensity=100..
  pellucid denoise scan.e57 clean.e57 --along-ray        ranges change, directions do not
  pellucid denoise scan.ply clean.ply --attributes displacement,uncertainty
  pellucid denoise scan.las clean.las --outliers remove
  pellucid denoise scan.las clean.las --noise 0.02       noise of 2 cm, whatever the points show
  pellucid denoise big.laz clean.laz --memory 2G         tile by tile, within that limit
  pellucid denoise scan.ply.gz clean.ply.zst             compressed as a whole, in and out
  zcat scan.ply.gz | pellucid denoise - - | gzip > clean.ply.gz

With --class, --box or --select only the points that satisfy all conditions move. The others serve
as neighbors and keep every bit. Spacing and noise are then estimated from the selection and the
points around it.";

/// Arguments of `denoise`.
#[derive(Debug, clap::Args)]
#[command(after_help = DENOISE_EXAMPLES)]
pub struct Denoise {
    /// Read these noisy clouds; a folder stands for the clouds in it, - for stdin
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write this file, or into this folder if there are several inputs; - for stdout
    #[arg(value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Include the clouds in subfolders; OUT gets the same subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Use this method; `pellucid methods` lists them
    #[arg(short, long, value_name = "M", value_parser = known::method())]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub method: Option<String>,
    /// Start from a named set of the method's parameters
    #[arg(short, long, value_name = "P", value_parser = known::preset())]
    #[arg(hide_possible_values = true)]
    pub preset: Option<String>,
    /// Set one parameter; can be given several times
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Set the denoising strength from 0 to 2; 1 is automatic, lower values keep more detail
    #[arg(long, value_name = "X", value_parser = known::strength, allow_negative_numbers = true)]
    pub strength: Option<f64>,
    /// Use this standard deviation of the noise on each axis, in file units, instead of the estimate
    #[arg(long, value_name = "X", value_parser = known::noise, allow_negative_numbers = true)]
    pub noise: Option<f64>,
    /// Explain in words what was found in the cloud and what was decided
    #[arg(long)]
    pub explain: bool,
    /// Read parameters (and optionally `method` and `preset`) from a TOML file
    #[arg(long, value_name = "FILE.toml")]
    pub params: Option<PathBuf>,
    /// Which points move.
    #[command(flatten)]
    pub part: Part,
    /// Ignore the points that are not selected instead of using them as neighbors
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
    /// Choose what happens to points that belong to no surface, before denoising (`pellucid
    /// outliers` has more choices)
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub outliers: OutliersWish,
    /// Choose what happens to stored normals when points move, or let the method use them
    #[arg(long, value_name = "WHAT", default_value = "update")]
    pub normals: Normals,
    /// Add attributes to the points, in file units
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    pub attributes: Vec<Extra>,
    /// Use this many threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Set the seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write a report of the run and of how each attribute changed: as JSON, or, if the name ends in
    /// .html, as a page that shows the clouds before and after
    #[arg(long, value_name = "FILE.json|html")]
    pub report: Option<PathBuf>,
    /// Show distances to this clean cloud on the page; the method never sees it
    #[arg(long, value_name = "FILE", requires = "report")]
    pub truth: Option<PathBuf>,
    /// Print what would be done, how long it would take and how much memory it needs; write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Replace existing files (never an input)
    #[arg(long)]
    pub overwrite: bool,
    /// Print the report on stdout as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// What `denoise` does with outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutliersWish {
    /// Remove them from the output
    Remove,
    /// Label them: flag "withheld" in LAS, attribute "outlier" in other formats
    Label,
    /// Keep them as they are
    Keep,
}

/// What becomes of stored normals once the points have moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Normals {
    /// Keep them as they are
    Keep,
    /// Estimate them again, with the same orientation
    Update,
    /// Leave them out
    Drop,
    /// Let the method use them instead of estimating its own (parameter normals=file), then update them
    File,
}

/// What can be added to the points of a denoised cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// Distance that each point moved
    Displacement,
    /// Estimated distance of each point to the surface, from its neighbors
    Uncertainty,
    /// 1 for points of a surface, 0 for points of volumes and outliers, which are not moved
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
