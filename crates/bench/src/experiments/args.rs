//! The flags of `paper` and `speed`.

use std::path::PathBuf;

use clap::ValueEnum;

/// Arguments of `paper`.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Folder with srb/<model>_GT.ply and srb/noisy/<model>_<level>.ply; or with clean/,
    /// noisy_<level>/ and meshes/
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Folder for results.csv, iterations.csv, index.md and plots; cells finished there before
    /// are not run again
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Which tables
    #[arg(long, value_name = "T,…", value_delimiter = ',', default_values_t = PaperTable::ALL)]
    pub tables: Vec<PaperTable>,
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
    pub stop: StopBy,
    /// Parameter values to try for each method; the best by the clean cloud counts as oracle
    #[arg(long, value_name = "FILE.toml")]
    pub grid: Option<PathBuf>,
    /// Make the noisy clouds from the clean ones, by the paper's rule, into the output folder
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
    /// Make the paper's visual comparisons instead of tables: strips of pictures, and pages that
    /// show the clouds; clouds that are in the output folder are not made again
    #[arg(long)]
    pub figures: bool,
    /// Also make a page for each cell that shows its clouds, into views/; the tables link them
    #[arg(long, conflicts_with = "figures")]
    pub views: bool,
    /// Forget what earlier runs left in the output folder
    #[arg(long)]
    pub fresh: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `speed`.
#[derive(Debug, clap::Args)]
pub struct SpeedArgs {
    /// Sizes of the clouds to make, such as 100k or 1M
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "100k,1M", value_parser = points)]
    pub points: Vec<usize>,
    /// Use this cloud instead of made ones
    #[arg(long, value_name = "FILE", conflicts_with = "points")]
    pub input: Option<PathBuf>,
    /// Which methods, as NAME, NAME:PRESET or NAME:PRESET{KEY=VALUE,…}
    #[arg(long, value_name = "M,…", default_value = "auto,mls,apss")]
    pub methods: String,
    /// Numbers of threads [default: as many as there are cores]
    #[arg(short, long, value_name = "N,…", value_delimiter = ',', value_parser = threads)]
    pub threads: Vec<usize>,
    /// Do everything this often, in turn; the quickest counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = repeat)]
    pub repeat: usize,
    /// Also run Open3D and MeshLab on the same clouds, with the Python that PELLUCID_PEERS_PYTHON
    /// names or that bench/peers.sh has made
    #[arg(long)]
    pub peers: bool,
    /// Folder for speed.csv, speed.md and plots
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Seed of the clouds and of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// A number of points: digits, perhaps a fraction, perhaps k or M.
fn points(text: &str) -> Result<usize, String> {
    const RANGE: std::ops::RangeInclusive<f64> = 100.0..=1e9;
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1e3),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match digits.parse::<f64>().map(|n| n * unit) {
        Ok(n) if plain && RANGE.contains(&n) => Ok(n.round() as usize),
        _ => Err("give a number between 100 and 1000M, such as 100k or 1M".to_owned()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("give a number between 1 and 1024".to_owned()),
    }
}

fn repeat(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 1..=1000) => Ok(n),
        _ => Err("give a number between 1 and 1000".to_owned()),
    }
}

/// A table of the paper, or one of its searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PaperTable {
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

impl PaperTable {
    /// All of them.
    pub const ALL: [PaperTable; 6] = [
        PaperTable::Mse,
        PaperTable::Snr,
        PaperTable::Partial,
        PaperTable::Vanilla,
        PaperTable::Iterations,
        PaperTable::Trace,
    ];
}

impl std::fmt::Display for PaperTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PaperTable::Mse => "mse",
            PaperTable::Snr => "snr",
            PaperTable::Partial => "partial",
            PaperTable::Vanilla => "vanilla",
            PaperTable::Iterations => "iterations",
            PaperTable::Trace => "trace",
        })
    }
}

/// Who ends a method's iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StopBy {
    /// The clean cloud, as in the paper
    Oracle,
    /// The method itself, as for a user
    Blind,
    /// One after the other
    Both,
}
