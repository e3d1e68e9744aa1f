//! `--memory`: files larger than the limit go through in pieces.

use std::path::{Path, PathBuf};

use pellucid::Run;
use pellucid::big::{BigError, Bits, Large, Memory};
use pellucid::cloud::vec3;
use pellucid::io::{Document, Format, PieceFile, PieceWriter, WriteOptions};

use super::options;
use crate::args::Common;
use crate::cmd::denoise::large::read_as_whole;
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::interrupt;
use crate::progress::Show;

/// Bytes that a program takes whatever it works on, and for each point in memory.
const BASE: u64 = 160_000_000;
const PER_POINT: u64 = 700;
/// Most points that are read at once.
const MOST: u64 = 400_000;

/// What is done with the pieces of a file, one after the other.
pub trait Change {
    /// Changes the points of a piece, or leaves out some of them.
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure>;

    /// What was done, in words, with so many points of which so many are left.
    fn said(&self, before: usize, after: usize) -> String;
}

/// Makes ready what is done with a file: all that must be known of it as a whole.
pub type Prepare<'a> =
    &'a (dyn Fn(&Large, &mut Run) -> Result<Box<dyn Change + 'a>, Failure> + Sync);

/// How a command goes through files in pieces.
pub struct PieceRun {
    pub memory: Memory,
    pub threads: Option<usize>,
    pub quiet: bool,
    pub options: WriteOptions,
}

impl PieceRun {
    pub fn new(common: &Common, forbid: &[PathBuf], memory: Memory) -> PieceRun {
        let (threads, quiet) = (common.threads, common.quiet);
        PieceRun { memory, threads, quiet, options: options(common, forbid) }
    }

    /// How many points are read at once.
    pub fn rows(&self) -> usize {
        ((self.memory.0.saturating_sub(BASE)) / (2 * PER_POINT)).clamp(1, MOST) as usize
    }

    /// Runs `work`, which Ctrl-C ends in order.
    pub fn run<T: Send>(
        &self,
        title: &str,
        work: impl FnOnce(&mut Run) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        pellucid::denoise::install(self.threads, || {
            interrupt::listening(|flag| {
                let meter = Show::new(self.quiet).meter(title);
                work(&mut Run::default().with_observer(meter).with_cancel(flag))
            })
        })
    }
}

/// The limit, if these files together do not fit into it and are to go through in pieces.
pub fn wanted(
    memory: Option<Memory>,
    inputs: &[&PathBuf],
    output: &Path,
) -> Result<Option<Memory>, Failure> {
    let Some(memory) = memory else { return Ok(None) };
    if inputs.iter().any(|i| streams::is_stream(i)) || streams::is_stream(output) {
        return Err(Failure::input("--memory needs files, not stdin or stdout"));
    }
    let needed = inputs.iter().map(|i| as_whole(i)).fold(BASE, u64::saturating_add);
    if needed <= memory.0 {
        return Ok(None);
    }
    for input in inputs {
        let format = PieceFile::open(input).map(|f| f.format());
        if !matches!(format, Ok(Format::Las | Format::Laz | Format::Ply | Format::E57)) {
            let fault = format!(
                "--memory {memory}: files of this format are read as a whole, which may take {}; \
                 convert it to LAS, LAZ, E57 or binary PLY first (without .gz or .zst)",
                Memory(needed)
            );
            return Err(Failure::input(naming(input, fault)));
        }
    }
    if memory.0 <= BASE {
        let least = Memory(BASE + PER_POINT * 10_000);
        return Err(Failure::input(format!("--memory {memory} is too little; give {least}")));
    }
    Ok(Some(memory))
}

/// Bytes that a file takes when it is read as a whole.
fn as_whole(input: &Path) -> u64 {
    match PieceFile::open(input) {
        Ok(file) => PER_POINT.saturating_mul(file.len() as u64),
        Err(_) => read_as_whole(input).0,
    }
}

/// An error unless a file that is needed as a whole leaves room for others.
pub fn check_fits(memory: Option<Memory>, input: &Path) -> Result<(), Failure> {
    let needed = Memory(as_whole(input).saturating_mul(2).saturating_add(BASE));
    match memory {
        Some(memory) if needed > memory => {
            let fault = format!("--memory {memory}: this file is needed as a whole; give {needed}");
            Err(Failure::input(naming(input, fault)))
        }
        _ => Ok(()),
    }
}

/// One file, from reading to writing; says what was done.
pub fn change(
    piece_run: &PieceRun,
    input: &Path,
    output: &Path,
    prepare: Prepare,
) -> Result<String, Failure> {
    if piece_run.options.las_scale.is_some() {
        return Err(Failure::input("--las-scale cannot be used with --memory"));
    }
    let file = PieceFile::open(input)?;
    let format = file.check_output(output)?;
    piece_run.run("working", |run| {
        let mut change = prepare(&Large { file: &file, output, memory: piece_run.memory }, run)?;
        let mut writer = PieceWriter::create(output, format, &piece_run.options)?;
        let (mut before, mut after) = (0, 0);
        each(&file, piece_run, run, &mut |mut piece| {
            before += piece.cloud.len();
            change.change(&mut piece)?;
            after += piece.cloud.len();
            if !piece.cloud.is_empty() { Ok(writer.add(&piece)?) } else { Ok(()) }
        })?;
        if after == 0 {
            let fault = "no point would be left; nothing was written";
            return Err(Failure::input(naming(input, fault)));
        }
        streams::tell(output, &interrupt::writing(|| Ok(writer.finish()?))?);
        Ok(change.said(before, after))
    })
}

/// Hands the pieces of a file to `take`, in order.
pub fn each(
    file: &PieceFile,
    piece_run: &PieceRun,
    run: &mut Run,
    take: &mut dyn FnMut(Document) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failure = None;
    file.documents(piece_run.rows(), &mut |piece| {
        let shown = run.progress("writing", 0, 0.95).map_err(|_| Failure::Interrupted);
        shown.and_then(|()| take(piece)).map_err(|e| failure = Some(e)).is_ok()
    })?;
    failure.map_or(Ok(()), Err)
}

/// What went wrong with a large file.
pub fn failure(input: &Path, error: BigError) -> Failure {
    match error {
        e if e.is_cancelled() => Failure::Interrupted,
        BigError::Io(e) => e.into(),
        e @ BigError::File { .. } => Failure::work(e),
        e => Failure::input(naming(input, e)),
    }
}

/// Keeps the points that were chosen.
pub struct Kept {
    pub chosen: Bits,
    /// Whether rows that are not finite are kept too.
    pub not_finite: bool,
    /// What the choice was.
    pub what: String,
    /// Finite points so far.
    pub at: usize,
}

impl Change for Kept {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (row, p) in piece.cloud.positions().iter().enumerate() {
            let finite = vec3::is_finite(*p);
            if if finite { self.chosen.get(self.at) } else { self.not_finite } {
                rows.push(row);
            }
            self.at += usize::from(finite);
        }
        piece.cloud = piece.cloud.select(&rows);
        Ok(())
    }

    fn said(&self, before: usize, after: usize) -> String {
        super::kept(before, after, &self.what)
    }
}
