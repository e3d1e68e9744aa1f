//! The steps of a job, each of which leaves files from which the next can start.

use std::fs;
use std::path::Path;

use pellucid_cloud::Point;
use pellucid_denoise::tiles::{Learned, Survey};
use pellucid_denoise::{Control, DenoiseError, Observer, Progress, Run};
use pellucid_io::{Format, Part, PieceFile};
use serde::{Deserialize, Serialize};

use super::folder::{CHANGED, Folder};
use super::plan::{Counts, Tiling};
use super::store::Checksum;
use super::{BigError, Memory, Tile, TiledJob, store};

/// Bytes that a run takes whatever it works on: the program, buffers of files and codecs.
pub(super) const BASE: u64 = 160_000_000;
/// Bytes for each point of a tile and its surroundings while it is denoised.
const PER_POINT: u64 = 750;
/// Bytes for buffers of many files at once.
pub(super) const BUFFERS: usize = 48 << 20;
/// Shares of the whole run at the end of: reading, learning, sorting, denoising.
const READ: f64 = 0.03;
const LEARNED: f64 = 0.08;
const SORTED: f64 = 0.1;
pub(super) const DENOISED: f64 = 0.95;

/// What is known once the cloud has been surveyed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Known {
    learned: Learned,
    plan: Tiling,
    pub rows: usize,
    pub points: usize,
    memory: u64,
    /// Of all positions.
    pub checksum: u64,
}

/// Work on a large file, cut into tiles.
pub struct Work {
    pub(super) job: TiledJob,
    pub(super) format: Format,
    pub(super) file: PieceFile,
    pub(super) folder: Folder,
    pub(super) known: Known,
    pub(super) resumed: usize,
}

/// The points of a tile, ready to be denoised.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Which tile.
    pub tile: usize,
    /// Its own points, then those around them.
    pub points: Vec<Point>,
    /// A number of each in the whole cloud.
    pub numbers: Vec<u32>,
    /// How many are its own.
    pub core: usize,
}

impl Work {
    /// Surveys the file, learns, and sorts the points by tile; or resumes where it was.
    pub fn start(job: &TiledJob, run: &mut Run) -> Result<Work, BigError> {
        run.progress("reading", 0, 0.0)?;
        Part::check(&job.output, &job.write)?;
        let file = PieceFile::open(&job.input)?;
        // Refused now rather than after hours.
        let format = file.check_output(&job.output)?;
        let folder = Folder::enter(job, run.seed)?;
        let known = match folder.load::<Known>(&folder.plan())? {
            Some(known) => {
                check_same(&known, job, &file, &folder, run)?;
                known
            }
            None => {
                let sum = positions(&file, &folder, run);
                match sum.and_then(|sum| look(job, &folder, sum, run)) {
                    Err(e) if !e.is_cancelled() => {
                        // Nothing to resume; the first error is the one to report.
                        let _ = folder.remove();
                        return Err(e);
                    }
                    result => result?,
                }
            }
        };
        if !folder.sorted().exists() {
            sort(&known, &folder, run)?;
        }
        let mut work = Work { job: job.clone(), format, file, folder, known, resumed: 0 };
        work.resumed = (0..work.tiles().len()).filter(|&t| work.is_done(t)).count();
        Ok(work)
    }

    /// What was learned of the cloud as a whole.
    pub fn learned(&self) -> &Learned {
        &self.known.learned
    }

    /// All tiles.
    pub fn tiles(&self) -> &[Tile] {
        &self.known.plan.tiles
    }

    /// Whether the result of a tile is there.
    pub fn is_done(&self, tile: usize) -> bool {
        self.folder.done(tile).exists()
    }

    /// The tiles that are not done, one after the other.
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces { work: self, next: 0 }
    }

    /// The points of a tile that is not done.
    pub fn piece(&self, tile: usize) -> Result<Piece, BigError> {
        let (mut points, mut numbers) = (Vec::new(), Vec::new());
        let all = self.tiles()[tile].all;
        points.reserve_exact(all);
        numbers.reserve_exact(all);
        store::read_numbered(&self.folder.core(tile), &mut points, &mut numbers)?;
        let core = points.len();
        store::read_numbered(&self.folder.around(tile), &mut points, &mut numbers)?;
        if (core, points.len()) != (self.tiles()[tile].core, all) {
            return Err(self.folder.refused(format!("the points of tile {tile} are damaged")));
        }
        Ok(Piece { tile, points, numbers, core })
    }

    /// Keeps the new positions of the own points of a tile, which is then done.
    pub fn put(&self, piece: &Piece, moved: &[Point]) -> Result<(), BigError> {
        if moved.len() != piece.core {
            let (given, rows) = (moved.len(), piece.core);
            return Err(DenoiseError::Length { what: "new positions", given, rows }.into());
        }
        let done = self.folder.done(piece.tile);
        store::write_numbered(&done, &piece.numbers[..piece.core], moved)?;
        // Not needed any more; if they stay, nothing is lost.
        let _ = fs::remove_file(self.folder.core(piece.tile));
        let _ = fs::remove_file(self.folder.around(piece.tile));
        Ok(())
    }

    /// Denoises all tiles that are not done.
    pub fn denoise_tiles(&self, run: &mut Run) -> Result<(), BigError> {
        let tiles = self.tiles();
        let total: usize = tiles.iter().map(|t| t.all).sum();
        let part = |points: usize| (DENOISED - SORTED) * points as f64 / total.max(1) as f64;
        let is_done = |t: &(usize, &Tile)| self.is_done(t.0);
        let mut done: usize = tiles.iter().enumerate().filter(is_done).map(|t| t.1.all).sum();
        for piece in self.pieces() {
            let piece = piece?;
            let all = piece.points.len();
            let (seed, threads) = (run.seed, run.threads());
            let cancel = run.cancel_flag().clone();
            let step = format!("tile {} of {}", piece.tile + 1, tiles.len());
            let share = Share { run, step, from: SORTED + part(done), width: part(all) };
            let mut inner = Run::default()
                .with_seed(seed)
                .with_threads(threads)
                .with_cancel(cancel)
                .with_observer(share);
            let (points, numbers) = (&piece.points, &piece.numbers);
            let moved = self.learned().denoise_piece(points, numbers, piece.core, &mut inner);
            drop(inner);
            let moved = self.folder.unless_at_fault(moved.map_err(BigError::from))?;
            self.put(&piece, &moved)?;
            done += all;
        }
        Ok(())
    }
}

/// The tiles of some [`Work`] that are not done.
pub struct Pieces<'a> {
    work: &'a Work,
    next: usize,
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece, BigError>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.next..self.work.tiles().len();
        let tile = left.into_iter().find(|&t| !self.work.is_done(t))?;
        self.next = tile + 1;
        Some(self.work.piece(tile))
    }
}

/// An error unless work that was interrupted can be resumed with this program, memory and input.
fn check_same(
    known: &Known,
    job: &TiledJob,
    file: &PieceFile,
    folder: &Folder,
    run: &mut Run,
) -> Result<(), BigError> {
    if !known.learned.is_current() {
        return Err(folder.refused("it was made by another version of the program"));
    }
    if known.rows != file.len() || known.points > known.rows || !known.plan.is_sound(known.rows) {
        let plan = folder.plan();
        return Err(folder.refused(format!("{} is damaged", plan.display())));
    }
    if known.memory > job.memory.0 {
        return Err(BigError::Memory { given: job.memory, needed: Memory(known.memory) });
    }
    // All positions are read: an input may change and keep its size and time.
    let sum = match folder.sorted().exists() {
        true => read(file, run, &mut |_| Ok(()))?,
        false => positions(file, folder, run)?,
    };
    if sum == known.checksum { Ok(()) } else { Err(folder.refused(CHANGED)) }
}

/// Hands all positions of the input to `take`; gives their checksum.
fn read(
    file: &PieceFile,
    run: &mut Run,
    take: &mut dyn FnMut(&[Point]) -> Result<(), BigError>,
) -> Result<u64, BigError> {
    let (mut rows, mut failure, mut sum) = (0, None, Checksum::new());
    file.positions(&mut |points| {
        let part = rows as f64 / file.len().max(1) as f64;
        rows += points.len();
        sum.add_points(points);
        let reported = run.progress("reading", 0, READ * part).map_err(BigError::from);
        reported.and_then(|()| take(points)).map_err(|e| failure = Some(e)).is_ok()
    })?;
    failure.map_or(Ok(sum.0), Err)
}

/// Copies all positions out of the input, so that it is unpacked only once.
fn positions(file: &PieceFile, folder: &Folder, run: &mut Run) -> Result<u64, BigError> {
    let path = folder.positions();
    store::whole(&path, |out| {
        read(file, run, &mut |points| store::write_positions(&path, out, points))
    })
}

/// Learns and decides on tiles.
fn look(job: &TiledJob, folder: &Folder, checksum: u64, run: &mut Run) -> Result<Known, BigError> {
    let path = folder.positions();
    let mut survey = Survey::new();
    while !survey.is_done() {
        store::read_positions(&path, &mut |first, points| {
            survey.see(points, |i| first + i as u32);
            Ok(run.progress("looking", 0, READ)?)
        })?;
        survey.end_pass();
    }
    run.progress("learning", 0, READ)?;
    let learned = Learned::from_survey(&survey, &job.parameters, run)?;
    run.progress("looking", 0, LEARNED)?;
    let mut counts = Counts::new(learned.center(), learned.halo());
    if !learned.is_idle() {
        store::read_positions(&path, &mut |_, points| {
            counts.add(points.iter().copied().filter(|p| learned.takes_part(*p)));
            Ok(run.progress("looking", 0, LEARNED)?)
        })?;
    }
    // What is learned from must fit too.
    let sample = survey.drawn().0.len();
    let most = (job.memory.0.saturating_sub(BASE) / PER_POINT) as usize;
    let plan = match counts.tiles(most) {
        Ok(plan) if sample <= most => plan,
        other => {
            let least = other.err().unwrap_or(0).max(sample) as u64;
            let needed = Memory(BASE + PER_POINT * (least + 1));
            return Err(BigError::Memory { given: job.memory, needed });
        }
    };
    let rows = fs::metadata(&path).map_err(|e| BigError::file(&path, e))?.len() / 24;
    let (rows, points, memory) = (rows as usize, survey.points(), job.memory.0);
    let known = Known { learned, plan, rows, points, memory, checksum };
    folder.save(&folder.plan(), &known)?;
    Ok(known)
}

/// Puts every point into the files of the tiles that need it.
fn sort(known: &Known, folder: &Folder, run: &mut Run) -> Result<(), BigError> {
    let Known { plan, learned, .. } = known;
    let n = plan.tiles.len();
    let paths = (0..n).map(|t| folder.core(t)).chain((0..n).map(|t| folder.around(t)));
    let mut spill = store::Spill::new(paths.collect(), BUFFERS)?;
    let mut sorter = plan.sorter();
    store::read_positions(&folder.positions(), &mut |first, points| {
        run.progress("sorting", 0, LEARNED)?;
        let counted = points.iter().enumerate().filter(|(_, p)| learned.takes_part(**p));
        for (i, &p) in counted {
            let (number, owners) = (first + i as u32, sorter.owners(p));
            if let Some(own) = owners.own {
                spill.add(own, number, p)?;
            }
            owners.others.iter().try_for_each(|&t| spill.add(n + t, number, p))?;
        }
        Ok(())
    })?;
    spill.finish()?;
    folder.save(&folder.sorted(), &n)?;
    remove(&folder.positions())
}

fn remove(path: &Path) -> Result<(), BigError> {
    fs::remove_file(path).map_err(|e| BigError::file(path, e))
}

/// Reports to a run how far a step of it has come.
struct Share<'a, 'r> {
    run: &'a mut Run<'r>,
    step: String,
    from: f64,
    width: f64,
}

impl Observer for Share<'_, '_> {
    fn progress(&mut self, progress: &Progress) -> Control {
        let fraction = self.from + self.width * progress.fraction;
        match self.run.progress(&self.step, progress.iteration, fraction) {
            Ok(()) => Control::Continue,
            Err(_) => Control::Cancel,
        }
    }
}
