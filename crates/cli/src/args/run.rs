//! The flags of `run`.

use std::path::PathBuf;

use super::{Streams, threads};

const EXAMPLE: &str = "A pipeline file:
  read = \"scan.las\"          # or a list, or a folder; files on the command line go before
  write = \"clean.las\"        # or a folder

  [[step]]
  do = \"outliers\"            # action = \"remove\" or \"label\", method, parameters
  [[step]]
  do = \"denoise\"             # method, preset, strength, parameters, along_ray, viewpoint
  strength = 0.8
  [[step]]
  do = \"normals\"             # neighbors, viewpoint

Other steps: thin (voxel, poisson or random) and dedup (within). Paths are those of the folder
that the program runs in.";

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = "pellucid run [OPTIONS] <PIPELINE.toml> [<IN>... <OUT>]")]
pub struct RunCommand {
    /// Read the steps from this file
    #[arg(value_name = "PIPELINE.toml")]
    pub pipeline: PathBuf,
    /// Read and write these files instead of those that the pipeline names
    #[arg(value_name = "IN… OUT", num_args = 2..)]
    pub paths: Vec<PathBuf>,
    /// Include the clouds in subfolders; OUT gets the same subfolders
    #[arg(short, long)]
    pub recursive: bool,
    /// Formats of stdin and stdout.
    #[command(flatten)]
    pub streams: Streams,
    /// Use this many threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Check the pipeline and its files and print what would be done; write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Replace existing files (never an input)
    #[arg(long)]
    pub overwrite: bool,
    /// Print one JSON document of what was done
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
