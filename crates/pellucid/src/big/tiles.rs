//! The points of a large file, tile by tile, each with what is around it.

use std::fs;
use std::path::Path;

use pellucid_cloud::{Point, spacing};
use pellucid_denoise::Run;
use pellucid_denoise::tiles::Survey;
use pellucid_io::PieceFile;
use tempfile::TempDir;

use super::plan::{Counts, Tiling};
use super::work::{BASE, BUFFERS};
use super::{BigError, Memory, store};

/// Bytes for each point of a tile while it is worked on.
const PER_POINT: u64 = 400;
/// The least halo, as a part of the cloud: thinner ones make more cells than help.
const LEAST_HALO: f64 = 1.0 / 1024.0;

/// How far a tile reaches around its own points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Halo {
    /// In file units.
    Length(f64),
    /// In mean spacings of the cloud.
    Spacings(f64),
}

/// A large file cut into tiles. Their points wait in a folder beside the output, which goes with this.
pub struct Tiles {
    folder: TempDir,
    plan: Tiling,
    /// Finite points of the file.
    pub points: usize,
    /// Their lowest coordinates.
    pub low: Point,
    /// Their mean spacing, by a sample.
    pub spacing: f64,
}

/// The points of a tile and those around them, in the order of the file.
pub struct TilePoints {
    /// Which tile.
    pub tile: usize,
    /// Where they are.
    pub points: Vec<Point>,
    /// The number of each among the finite points of the file.
    pub numbers: Vec<u32>,
    /// The tile that each belongs to.
    pub owners: Vec<usize>,
}

impl TilePoints {
    /// Whether a point belongs to this tile.
    pub fn is_own(&self, i: usize) -> bool {
        self.owners[i] == self.tile
    }
}

impl Tiles {
    /// Cuts a file, with halos of this width, so that one tile after the other fits into `memory`.
    pub fn new(
        file: &PieceFile,
        output: &Path,
        memory: Memory,
        halo: Halo,
        run: &mut Run,
    ) -> Result<Tiles, BigError> {
        let parent = output.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = tempfile::Builder::new()
            .prefix(".pellucid-")
            .tempdir_in(parent.unwrap_or(Path::new(".")))
            .map_err(|e| BigError::file(output, e))?;
        let path = folder.path().join("positions.bin");
        store::whole(&path, |out| {
            let mut failure = None;
            file.positions(&mut |points| {
                let shown = run.progress("reading", 0, 0.1).map_err(BigError::from);
                let written = shown.and_then(|()| store::write_positions(&path, out, points));
                written.map_err(|e| failure = Some(e)).is_ok()
            })?;
            failure.map_or(Ok(()), Err)
        })?;
        let survey = survey(&path, run)?;
        let (low, high) = survey.bounds().unwrap_or_default();
        let spacing = spacing::spacing_of(&survey.drawn().0);
        let extent = (0..3).map(|a| high[a] - low[a]).fold(0.0, f64::max);
        let halo = match halo {
            Halo::Length(length) => length,
            Halo::Spacings(n) => n * spacing,
        };
        let mut counts = Counts::new(low, halo.max(LEAST_HALO * extent).max(f64::MIN_POSITIVE));
        store::read_positions(&path, &mut |_, points| {
            counts.add(points.iter().copied());
            Ok(run.progress("cutting", 0, 0.15)?)
        })?;
        let most = (memory.0.saturating_sub(BASE) / PER_POINT) as usize;
        let plan = counts.tiles(most).map_err(|least| BigError::Memory {
            given: memory,
            needed: Memory(BASE + PER_POINT * (least as u64 + 1)),
        })?;
        let tiles = Tiles { folder, plan, points: survey.points(), low, spacing };
        tiles.sort(&path, run)?;
        Ok(tiles)
    }

    /// Puts every point into the files of the tiles that need it.
    fn sort(&self, positions: &Path, run: &mut Run) -> Result<(), BigError> {
        let paths = (0..self.len()).map(|t| self.file(t)).collect();
        let mut spill = store::Spill::new(paths, BUFFERS)?;
        let mut sorter = self.plan.sorter();
        store::read_positions(positions, &mut |first, points| {
            run.progress("sorting", 0, 0.2)?;
            for (i, &p) in points.iter().enumerate() {
                let owners = sorter.owners(p);
                for &tile in owners.own.iter().chain(&owners.others) {
                    spill.add(tile, first + i as u32, p)?;
                }
            }
            Ok(())
        })?;
        spill.finish()?;
        fs::remove_file(positions).map_err(|e| BigError::file(positions, e))
    }

    fn file(&self, tile: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("tile-{tile}.bin"))
    }

    /// A file in the folder, for results that wait.
    pub(super) fn result(&self, tile: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("result-{tile}.bin"))
    }

    /// How many tiles there are.
    pub fn len(&self) -> usize {
        self.plan.tiles.len()
    }

    /// Hands one tile after the other to `work`.
    pub fn each(
        &self,
        run: &mut Run,
        work: &mut dyn FnMut(&TilePoints) -> Result<(), BigError>,
    ) -> Result<(), BigError> {
        let mut sorter = self.plan.sorter();
        for tile in 0..self.len() {
            let done = tile as f64 / self.len() as f64;
            run.progress(&format!("tile {} of {}", tile + 1, self.len()), 0, 0.2 + 0.7 * done)?;
            let (mut points, mut numbers) = (Vec::new(), Vec::new());
            store::read_numbered(&self.file(tile), &mut points, &mut numbers)?;
            let owners = points.iter().map(|p| sorter.owners(*p).own.unwrap_or(tile)).collect();
            work(&TilePoints { tile, points, numbers, owners })?;
        }
        Ok(())
    }
}

/// Counts the points and draws some of them.
fn survey(positions: &Path, run: &mut Run) -> Result<Survey, BigError> {
    let mut survey = Survey::new();
    while !survey.is_done() {
        store::read_positions(positions, &mut |first, points| {
            survey.see(points, |i| first + i as u32);
            Ok(run.progress("inspecting", 0, 0.12)?)
        })?;
        survey.end_pass();
    }
    Ok(survey)
}
