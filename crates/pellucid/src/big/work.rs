//! The steps of a job, each of which leaves files from which the next can start.

use std::fs::{self, File};
use std::path::Path;

use pellucid_cloud::{Point, vec3};
use pellucid_denoise::tiles::{Learned, Survey};
use pellucid_denoise::{Control, DenoiseError, Observer, Progress, Run};
use pellucid_io::{Format, IoError, PieceFile, check_output, put_in_place};
use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::movement::Lengths;
use super::plan::{Counts, Plan};
use super::{BigError, Job, Memory, Outcome, Tile, store};

/// Bytes that a run takes whatever it works on: the program, buffers of files and codecs.
const BASE: u64 = 160_000_000;
/// Bytes for each point of a tile and its surroundings while it is denoised.
const PER_POINT: u64 = 750;
/// Bytes for buffers of many files at once.
const BUFFERS: usize = 48 << 20;
/// Shares of the whole run at the end of: reading, learning, sorting, denoising.
const READ: f64 = 0.03;
const LEARNED: f64 = 0.08;
const SORTED: f64 = 0.1;
const DENOISED: f64 = 0.95;

/// What is known once the cloud has been looked at.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    learned: Learned,
    plan: Plan,
    rows: usize,
    points: usize,
    memory: u64,
}

/// Work on a large file, cut into tiles.
pub struct Work {
    job: Job,
    format: Format,
    file: PieceFile,
    folder: Folder,
    known: Known,
    resumed: usize,
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
    /// Looks at the file, learns, and sorts the points by tile; or goes on where it was.
    pub fn start(job: &Job, run: &mut Run) -> Result<Work, BigError> {
        run.progress("reading", 0, 0.0)?;
        check_output(&job.output, &job.write)?;
        let file = PieceFile::open(&job.input)?;
        let format = Format::from_path(&job.output).unwrap_or(file.format());
        // Refused now rather than after hours.
        file.check_becomes(format)?;
        let folder = Folder::enter(job, run.seed)?;
        let known = match folder.load::<Known>(&folder.plan())? {
            Some(known) if known.learned.is_current() => {
                if known.memory > job.memory.0 {
                    let (given, needed) = (job.memory, Memory(known.memory));
                    return Err(BigError::Memory { given, needed });
                }
                known
            }
            Some(_) => {
                let fault = "it was made by another version of the program".to_owned();
                return Err(BigError::Other { folder: folder.name(), fault });
            }
            None => {
                let result = positions(&file, &folder, run).and_then(|()| look(job, &folder, run));
                match result {
                    Err(e) if !e.is_cancelled() => {
                        // Nothing to go on with; the first error is the one to tell.
                        let _ = folder.remove();
                        return Err(e);
                    }
                    result => result?,
                }
            }
        };
        if !folder.sorted().exists() {
            if !folder.positions().exists() {
                positions(&file, &folder, run)?;
            }
            sort(&known.plan, &folder, run)?;
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
            let fault = format!("the points of tile {tile} are damaged");
            return Err(BigError::Other { folder: self.folder.name(), fault });
        }
        Ok(Piece { tile, points, numbers, core })
    }

    /// Keeps the new positions of the own points of a tile, which is then done.
    pub fn put(&self, piece: &Piece, moved: &[Point]) -> Result<(), BigError> {
        if moved.len() != piece.core {
            let (given, rows) = (moved.len(), piece.core);
            return Err(DenoiseError::PartLength { given, rows }.into());
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
            let moved = self.learned().denoise_piece(points, numbers, piece.core, &mut inner)?;
            drop(inner);
            self.put(&piece, &moved)?;
            done += all;
        }
        Ok(())
    }

    /// Puts the results of all tiles together and writes the output; then the work folder goes.
    pub fn finish(self, run: &mut Run) -> Result<Outcome, BigError> {
        let tiles = self.tiles().len();
        let other = |fault: String| BigError::Other { folder: self.folder.name(), fault };
        if let Some(tile) = (0..tiles).find(|&t| !self.is_done(t)) {
            return Err(other(format!("tile {tile} is not done")));
        }
        let idle = self.learned().is_idle();
        let results = || {
            let paths = (0..tiles).map(|t| self.folder.done(t)).collect();
            store::Merge::new(paths, BUFFERS)
        };
        let mut merge = results()?;
        let part = self.folder.output();
        let failed = |e| BigError::file(&part, e);
        // Some formats read back what they have written.
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let mut sink = options.open(&part).map_err(failed)?;
        let (mut number, mut rows) = (0u32, 0);
        let all = self.file.passes() * self.known.rows;
        let mut lengths = Lengths::of(self.known.points);
        let mut change = |first: usize, points: &mut [Point]| -> Result<(), BigError> {
            let written = rows as f64 / all.max(1) as f64;
            run.progress("writing", 0, DENOISED + (1.0 - DENOISED) * written)?;
            if first == 0 && rows > 0 {
                // Once more from the start.
                (merge, number) = (results()?, 0);
                lengths = Lengths::of(self.known.points);
            }
            rows += points.len();
            if idle {
                return Ok(());
            }
            for p in points.iter_mut().filter(|p| vec3::is_finite(**p)) {
                match merge.take()? {
                    Some((n, to)) if n == number => {
                        lengths.add(vec3::distance2(*p, to).sqrt());
                        *p = to;
                    }
                    _ => return Err(other(format!("the result of point {number} is missing"))),
                }
                number += 1;
            }
            Ok(())
        };
        let mut failure = None;
        let written = self.file.rewrite(self.format, &mut sink, &mut |first, points| {
            change(first, points).map_err(|e| failure = Some(e)).is_ok()
        });
        if let Some(e) = failure {
            return Err(e);
        }
        written.map_err(|e| match e {
            IoError::Write { source, .. } => failed(source),
            e => e.into(),
        })?;
        sink.sync_all().map_err(failed)?;
        drop(sink);
        put_in_place(&part, &self.job.output, &self.job.write)?;
        self.folder.remove()?;
        Ok(Outcome {
            rows: self.known.rows,
            points: self.known.points,
            tiles,
            resumed: self.resumed,
            movement: lengths.finish(),
            has_normals: self.file.has_normals(),
            dropped: self.file.left_out(),
        })
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

/// Copies all positions out of the input, so that it is unpacked only once.
fn positions(file: &PieceFile, folder: &Folder, run: &mut Run) -> Result<(), BigError> {
    let path = folder.positions();
    store::whole(&path, |out| {
        let (mut rows, mut failure) = (0, None);
        file.positions(&mut |points| {
            let part = rows as f64 / file.len().max(1) as f64;
            rows += points.len();
            let told = run.progress("reading", 0, READ * part).map_err(BigError::from);
            told.and_then(|()| store::write_positions(&path, out, points))
                .map_err(|e| failure = Some(e))
                .is_ok()
        })?;
        failure.map_or(Ok(()), Err)
    })
}

/// Learns and decides on tiles.
fn look(job: &Job, folder: &Folder, run: &mut Run) -> Result<Known, BigError> {
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
    let (low, high) = survey.bounds().unwrap_or_default();
    let mut counts = Counts::new(low, high, learned.halo());
    if !learned.is_idle() {
        store::read_positions(&path, &mut |_, points| {
            counts.add(points);
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
    let known = Known { learned, plan, rows, points, memory };
    folder.save(&folder.plan(), &known)?;
    Ok(known)
}

/// Puts every point into the files of the tiles that need it.
fn sort(plan: &Plan, folder: &Folder, run: &mut Run) -> Result<(), BigError> {
    let n = plan.tiles.len();
    let paths = (0..n).map(|t| folder.core(t)).chain((0..n).map(|t| folder.around(t)));
    let mut spill = store::Spill::new(paths.collect(), BUFFERS)?;
    let mut sorter = plan.sorter();
    store::read_positions(&folder.positions(), &mut |first, points| {
        run.progress("sorting", 0, LEARNED)?;
        for (i, &p) in points.iter().enumerate() {
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

/// Tells a run how far a part of it has come.
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
