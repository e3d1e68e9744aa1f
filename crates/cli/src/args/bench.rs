//! The flags of `bench`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::threads;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
pub struct Bench {
    /// Which experiments.
    #[command(subcommand)]
    pub which: BenchKind,
}

/// Which experiments.
#[derive(Debug, Subcommand)]
pub enum BenchKind {
    /// The tables of the feature graph learning paper, beside the published numbers
    Paper(BenchPaper),
    /// One cell of the tables, told on stdin: what `paper` starts
    #[command(hide = true)]
    Cell,
}

/// Arguments of `bench paper`.
#[derive(Debug, clap::Args)]
pub struct BenchPaper {
    /// Folder with srb/<model>_GT.ply and srb/noisy/<model>_<level>.ply; or with clean/,
    /// noisy_<level>/ and meshes/
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Folder for results.csv, iterations.csv, index.md and plots; cells finished there before
    /// are not run again
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Which tables
    #[arg(long, value_name = "T,…", value_delimiter = ',', default_values_t = BenchTable::ALL)]
    pub tables: Vec<BenchTable>,
    /// Which models [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub models: Vec<String>,
    /// Which noise levels [default: all]
    #[arg(long, value_name = "X,…", value_delimiter = ',')]
    pub levels: Vec<f64>,
    /// Which methods, as NAME, NAME:PRESET or NAME:PRESET{KEY=VALUE,…} [default: fgl, all presets]
    #[arg(long, value_name = "M,…")]
    pub methods: Option<String>,
    /// Who stops: the method itself (blind), the clean cloud as in the paper (oracle), or both
    #[arg(long, value_name = "WHO", default_value = "both")]
    pub stop: BenchStop,
    /// Parameter values to try for each method; the best by the clean cloud counts as oracle
    #[arg(long, value_name = "FILE.toml")]
    pub grid: Option<PathBuf>,
    /// Make the noisy clouds anew from the clean ones, by the paper's rule, into the output folder
    #[arg(long)]
    pub generate: bool,
    /// Seed of the noise and of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Cells at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = threads)]
    pub jobs: usize,
    /// Threads for each cell
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub threads: usize,
    /// Make the paper's visual comparisons instead of tables: strips of pictures, and pages to look
    /// at the clouds; clouds that are in the output folder are not made again
    #[arg(long)]
    pub figures: bool,
    /// Forget what earlier runs left in the output folder
    #[arg(long)]
    pub fresh: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// A table of the paper, or one of its searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchTable {
    /// MSE for every model and level
    Mse,
    /// SNR for every model and level
    Snr,
    /// Learning from 20 % of the points
    Partial,
    /// Eigenvalue projection against the fast learner
    Vanilla,
    /// MSE after each iteration
    Iterations,
    /// The search over the trace limit C
    Trace,
}

impl BenchTable {
    /// All of them.
    pub const ALL: [BenchTable; 6] = [
        BenchTable::Mse,
        BenchTable::Snr,
        BenchTable::Partial,
        BenchTable::Vanilla,
        BenchTable::Iterations,
        BenchTable::Trace,
    ];
}

impl std::fmt::Display for BenchTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BenchTable::Mse => "mse",
            BenchTable::Snr => "snr",
            BenchTable::Partial => "partial",
            BenchTable::Vanilla => "vanilla",
            BenchTable::Iterations => "iterations",
            BenchTable::Trace => "trace",
        })
    }
}

/// Who ends a method's iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchStop {
    /// The clean cloud, as in the paper
    Oracle,
    /// The method itself, as for a user
    Blind,
    /// One after the other
    Both,
}
