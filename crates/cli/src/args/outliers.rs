//! The flags of `outliers`.

use std::path::PathBuf;

use clap::ValueEnum;
use pellucid::big::Memory;

use super::{Streams, threads};

const EXAMPLES: &str = "Examples:
  pellucid outliers scan.las marked.las                    flag \"withheld\", classes stay
  pellucid outliers scan.las marked.las --classify         classes 7 and 18
  pellucid outliers scan.ply marked.ply                    attribute \"outlier\", 0 or 1
  pellucid outliers scan.ply clean.ply --remove --map kept.txt
  pellucid outliers scan.ply marked.ply --method radius --set radius=5 --set neighbors=10

Parameters for --set, with defaults; lengths are in mean spacings of the points:
  isolated        neighbors=8  surroundings=32  factor=3
                  mean distance to the neighbors above factor times its median among the
                  nearest points, so that sparse regions are judged by themselves
  statistical     neighbors=8  ratio=5  robust=true
                  mean distance to the neighbors above median + ratio deviations of the cloud
                  (robust=false: mean + ratio standard deviations)
  radius          radius=4  neighbors=5
                  fewer neighbors than that within the radius
  local-outlier   neighbors=10  factor=1.4
                  density around its neighbors over its own above the factor

With --classify outliers get class 7 (low noise), or in LAS point formats 6 to 10 class 18 (high noise)
if they lie above the surface next to them; their former class is replaced. Rows that are not finite
are neither points nor outliers.";

/// Arguments of `outliers`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Outliers {
    /// Read these clouds; a folder stands for the clouds in it, - for stdin
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write this file, or into this folder if there are several inputs; - for stdout
    #[arg(value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Include the clouds in subfolders; OUT gets the same subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Choose what makes a point an outlier
    #[arg(short, long, value_name = "M", default_value = "isolated")]
    pub method: RuleName,
    /// Set one parameter; can be given several times
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Label outliers and keep every point (the default)
    #[arg(long, conflicts_with = "remove")]
    pub label: bool,
    /// Remove outliers
    #[arg(long)]
    pub remove: bool,
    /// Label outliers by class 7 or 18 instead of a flag or an attribute
    #[arg(long, conflicts_with = "remove")]
    pub classify: bool,
    /// Write the row in IN of each point that is kept, one per line, counted from 0 (with --remove and
    /// one input)
    #[arg(long, value_name = "FILE", requires = "remove")]
    pub map: Option<PathBuf>,
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Use this many threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Use at most this much memory, such as 2G or 500M: a larger file goes through in pieces (LAS, LAZ,
    /// binary PLY; method isolated)
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Memory>,
    /// Write a report of what was found and how each attribute changed
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
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

/// What makes a point an outlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleName {
    /// Its neighbors are much farther away than those of the points around it
    Isolated,
    /// Its neighbors are farther away than is usual in the cloud
    Statistical,
    /// Too few points lie around it
    Radius,
    /// The density around it is lower than around its neighbors
    LocalOutlier,
}
