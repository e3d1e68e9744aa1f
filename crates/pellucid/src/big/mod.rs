//! Clouds larger than memory, from file to file.
//!
//! The method is `auto`. What is global (noise, spacing, metrics, rounds) is learned once from a
//! sample of the whole cloud; then the cloud is cut into tiles, each with as much around it as
//! makes its points come out as they would in one run over all; the results are put together in
//! the order of the input, with everything else that is in the file. At any time it takes no more
//! memory than allowed, and after an interruption it can go on where it was.
//!
//! [`denoise`] does all of it. [`Work`] has the steps, for engines that run the tiles themselves:
//!
//! ```no_run
//! use pellucid::Run;
//! use pellucid::big::{TiledJob, Work};
//!
//! let job = TiledJob::new("big.laz", "out.laz", "2G".parse()?);
//! let mut run = Run::default();
//! let work = Work::start(&job, &mut run)?;
//! for piece in work.pieces() {
//!     let piece = piece?;
//!     let moved = work.learned().denoise_piece(&piece.points, &piece.numbers, piece.core, &mut run)?;
//!     work.put(&piece, &moved)?;
//! }
//! work.finish(&mut run)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decide;
mod finish;
mod folder;
mod memory;
mod movement;
mod plan;
mod private;
mod store;
mod tiles;
mod work;

use std::path::{Path, PathBuf};

use pellucid_cloud::outliers::OutlierError;
use pellucid_denoise::tiles::AutoParameters;
use pellucid_denoise::{DenoiseError, Run};
use pellucid_io::{Dropped, IoError, WriteOptions};

pub use decide::{Bits, Large, LargeNormals, LargeOutliers};
pub use folder::work_folder;
pub use memory::Memory;
pub use movement::Movement;
pub use plan::Tile;
pub use work::{Piece, Pieces, Work};

/// What to do.
#[derive(Debug, Clone)]
pub struct TiledJob {
    /// LAS, LAZ, E57 or binary PLY.
    pub input: PathBuf,
    /// In the format of the input; LAS and LAZ may take each other's place.
    pub output: PathBuf,
    /// Most memory to take.
    pub memory: Memory,
    /// Parameters of the method.
    pub parameters: AutoParameters,
    /// Whether to resume work that was interrupted.
    pub resume: bool,
    /// Whether the output may be replaced.
    pub write: WriteOptions,
}

impl TiledJob {
    /// A job with default parameters.
    pub fn new(input: impl Into<PathBuf>, output: impl Into<PathBuf>, memory: Memory) -> TiledJob {
        let input = input.into();
        let write = WriteOptions { forbid: vec![input.clone()], ..WriteOptions::default() };
        TiledJob {
            input,
            output: output.into(),
            memory,
            parameters: AutoParameters::default(),
            resume: false,
            write,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Rows of the file.
    pub rows: usize,
    /// Points that took part: those that are finite.
    pub points: usize,
    /// How many tiles it was cut into.
    pub tiles: usize,
    /// Tiles that an earlier, interrupted run had done.
    pub resumed: usize,
    /// How far points moved, before the output rounded their positions.
    pub movement: Movement,
    /// Whether the file has normals, which stay as they are.
    pub has_normals: bool,
    /// What the output could not hold.
    pub dropped: Vec<Dropped>,
}

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BigError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The method failed or was cancelled.
    #[error(transparent)]
    Denoise(#[from] DenoiseError),
    /// Outliers cannot be looked for.
    #[error(transparent)]
    Outliers(#[from] OutlierError),
    /// Not even the smallest tiles fit.
    #[error("{given} of memory are too little for this cloud: it takes at least {needed}")]
    Memory {
        /// What was allowed.
        given: Memory,
        /// The least that works.
        needed: Memory,
    },
    /// Another process is at work on it.
    #[error("{folder}: another run to this output is still at work; wait for it, or stop it first")]
    Busy {
        /// The work folder.
        folder: String,
    },
    /// What has the name of the work folder cannot be one of ours, or may have been changed.
    #[error(
        "{folder}: {fault}, so that it cannot be trusted as a work folder; remove it, or choose \
         another output"
    )]
    Foreign {
        /// The work folder.
        folder: String,
        /// Why not.
        fault: String,
    },
    /// There is work that was not finished.
    #[error(
        "{folder}: an earlier run to this output was interrupted here; resume it, or remove the \
         folder to start from scratch"
    )]
    Unfinished {
        /// The work folder.
        folder: String,
    },
    /// There is nothing to resume.
    #[error("{folder}: there is no interrupted run to resume; start it without resuming")]
    NothingToResume {
        /// The work folder.
        folder: String,
    },
    /// The work that was not finished is another.
    #[error(
        "{folder}: the interrupted run cannot be resumed: {fault}; remove the folder and start from scratch"
    )]
    Other {
        /// The work folder.
        folder: String,
        /// What differs.
        fault: String,
    },
    /// A file of the work folder cannot be read or written.
    #[error("{file}: {source}; check the free space and the folder's permissions")]
    File {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl BigError {
    fn file(path: &Path, source: std::io::Error) -> BigError {
        BigError::File { file: path.display().to_string(), source }
    }

    /// Whether it ended because it was asked to; the work can be resumed.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, BigError::Denoise(DenoiseError::Cancelled))
    }

    /// Whether the cloud itself is at fault, so that trying again would end in the same way.
    fn is_of_the_cloud(&self) -> bool {
        match self {
            BigError::Denoise(e) => !matches!(e, DenoiseError::Cancelled),
            BigError::Io(e) => {
                matches!(
                    e,
                    IoError::Malformed { .. } | IoError::NoPoints { .. } | IoError::Unfit { .. }
                )
            }
            _ => false,
        }
    }
}

/// Denoises a file of any size within the given memory.
pub fn denoise(job: &TiledJob, run: &mut Run) -> Result<Outcome, BigError> {
    let work = Work::start(job, run)?;
    work.denoise_tiles(run)?;
    work.finish(run)
}
