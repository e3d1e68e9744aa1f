//! What becomes of each point of a large file: kept or not, an outlier or not, its normal.

use std::path::Path;

use pellucid_cloud::outliers::{self, OutlierError, Rule};
use pellucid_cloud::sample::poisson_disk_by_rank;
use pellucid_cloud::{DistinctRows, Point, vec3};
use pellucid_denoise::Run;
use pellucid_io::PieceFile;

use super::store::{self, Merge};
use super::tiles::{Halo, TilePoints, Tiles};
use super::work::BUFFERS;
use super::{BigError, Memory};
use crate::steps::{Dedup, Thin, normals, thin};

/// How far outliers and normals depend on others, in spacings.
const HALO_OF_OUTLIERS: f64 = 24.0;
const HALO_OF_NORMALS: f64 = 12.0;

/// A file whose points are decided on, within a limit of memory. Points wait beside the output.
#[derive(Clone, Copy)]
pub struct Large<'a> {
    /// The file.
    pub file: &'a PieceFile,
    /// What will be written.
    pub output: &'a Path,
    /// Most memory to take.
    pub memory: Memory,
}

/// One bit for each finite point of a file, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    fn new(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)])
    }

    fn set(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    /// The bit of the point with this number.
    pub fn get(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// How many are set.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Which points are outliers, and which of these lie above the surface next to them.
#[derive(Debug, Clone)]
pub struct LargeOutliers {
    /// The outliers.
    pub flags: Bits,
    /// Those above.
    pub above: Bits,
    /// The mean spacing of the cloud.
    pub spacing: f64,
}

impl Large<'_> {
    fn tiles(&self, halo: Halo, run: &mut Run) -> Result<Tiles, BigError> {
        Tiles::new(self.file, self.output, self.memory, halo, run)
    }

    /// The points that are kept by a rule of thinning. With `voxel` and `random` they are those of
    /// a run over the whole cloud; with `poisson` another choice that keeps the same distance.
    pub fn thin(&self, rule: &Thin, seed: u64, run: &mut Run) -> Result<Bits, BigError> {
        match (rule.voxel, rule.poisson) {
            (Some(side), _) => self.voxels(side, run),
            (_, Some(radius)) => self.apart(radius, run, |n| thin::mixed(seed ^ u64::from(n)) >> 1),
            _ => self.random(rule.random.unwrap_or(1.0), seed, run),
        }
    }

    /// The points that repeat no earlier one. With `within`, of points that are near each other
    /// those of earlier tiles count as earlier.
    pub fn distinct(&self, rule: &Dedup, run: &mut Run) -> Result<Bits, BigError> {
        if let Some(radius) = rule.within {
            return self.apart(radius, run, u64::from);
        }
        let tiles = self.tiles(Halo::Length(0.0), run)?;
        let mut kept = Bits::new(tiles.points);
        tiles.each(run, &mut |tile| {
            let mut repeated = vec![false; tile.points.len()];
            let copies = DistinctRows::of(&tile.points).copies;
            copies.iter().for_each(|&(i, _)| repeated[i as usize] = true);
            set_own(&mut kept, tile, |i| !repeated[i]);
            Ok(())
        })?;
        Ok(kept)
    }

    /// All points of a cube are within its diagonal.
    fn voxels(&self, side: f64, run: &mut Run) -> Result<Bits, BigError> {
        let tiles = self.tiles(Halo::Length(2.0 * side), run)?;
        let mut kept = Bits::new(tiles.points);
        tiles.each(run, &mut |tile| {
            let mut chosen = vec![false; tile.points.len()];
            thin::voxels(&tile.points, tiles.low, side).into_iter().for_each(|i| chosen[i] = true);
            set_own(&mut kept, tile, |i| chosen[i]);
            Ok(())
        })?;
        Ok(kept)
    }

    /// Points at least `radius` apart, those of low rank first. What earlier tiles kept, stays.
    fn apart(
        &self,
        radius: f64,
        run: &mut Run,
        rank: impl Fn(u32) -> u64,
    ) -> Result<Bits, BigError> {
        let tiles = self.tiles(Halo::Length(radius), run)?;
        let mut kept = Bits::new(tiles.points);
        tiles.each(run, &mut |tile| {
            let (mut points, mut ranks, mut own) = (Vec::new(), Vec::new(), Vec::new());
            for (i, &p) in tile.points.iter().enumerate() {
                let number = tile.numbers[i];
                let decided = tile.owners[i] < tile.tile && kept.get(number as usize);
                if tile.is_own(i) || decided {
                    points.push(p);
                    ranks.push(if decided { 0 } else { (1 << 63) | rank(number) });
                    own.push(tile.is_own(i).then_some(number));
                }
            }
            let chosen = poisson_disk_by_rank(&points, radius, &ranks);
            chosen.iter().filter_map(|&i| own[i as usize]).for_each(|number| kept.set(number));
            Ok(())
        })?;
        Ok(kept)
    }

    fn random(&self, wanted: f64, seed: u64, run: &mut Run) -> Result<Bits, BigError> {
        let (mut n, mut failure) = (0, None);
        self.file.positions(&mut |points| {
            n += points.iter().filter(|p| vec3::is_finite(**p)).count();
            run.progress("reading", 0, 0.1).map_err(|e| failure = Some(e)).is_ok()
        })?;
        if let Some(e) = failure {
            return Err(e.into());
        }
        let mut kept = Bits::new(n);
        thin::random(n, wanted, seed, |i| kept.set(i as u32));
        Ok(kept)
    }

    /// Looks for outliers; for rules that compare a point with those around it only, such as the
    /// default.
    pub fn outliers(&self, rule: &Rule, run: &mut Run) -> Result<LargeOutliers, BigError> {
        let tiles = self.tiles(Halo::Spacings(HALO_OF_OUTLIERS), run)?;
        let (mut flags, mut above) = (Bits::new(tiles.points), Bits::new(tiles.points));
        tiles.each(run, &mut |tile| {
            let found = match outliers::find(&tile.points, rule) {
                // A tile too small to judge, of many.
                Err(OutlierError::TooFewPoints { .. }) if tiles.len() > 1 => return Ok(()),
                found => found?.flags,
            };
            let side = outliers::above_surface(&tile.points, &found);
            set_own(&mut flags, tile, |i| found[i]);
            set_own(&mut above, tile, |i| side[i]);
            Ok(())
        })?;
        Ok(LargeOutliers { flags, above, spacing: tiles.spacing })
    }

    /// Estimates normals and turns them to a place.
    pub fn normals(
        &self,
        neighbors: usize,
        viewpoint: Point,
        run: &mut Run,
    ) -> Result<LargeNormals, BigError> {
        let tiles = self.tiles(Halo::Spacings(HALO_OF_NORMALS), run)?;
        tiles.each(run, &mut |tile| {
            let found = normals::oriented(&tile.points, neighbors, &[viewpoint], None);
            let own = || (0..tile.points.len()).filter(|&i| tile.is_own(i));
            let numbers: Vec<u32> = own().map(|i| tile.numbers[i]).collect();
            let values: Vec<Point> = own().map(|i| found[i]).collect();
            store::write_numbered(&tiles.result(tile.tile), &numbers, &values)
        })?;
        let paths = (0..tiles.len()).map(|t| tiles.result(t)).collect();
        Ok(LargeNormals { merge: Merge::new(paths, BUFFERS)?, _tiles: tiles })
    }
}

fn set_own(bits: &mut Bits, tile: &TilePoints, is_set: impl Fn(usize) -> bool) {
    for i in (0..tile.points.len()).filter(|&i| tile.is_own(i) && is_set(i)) {
        bits.set(tile.numbers[i]);
    }
}

/// Normals of the finite points of a file, in order.
pub struct LargeNormals {
    merge: Merge,
    _tiles: Tiles,
}

impl LargeNormals {
    /// The normal of the next point, zero if it has none.
    pub fn take(&mut self) -> Result<Point, BigError> {
        Ok(self.merge.take()?.map_or([0.0; 3], |(_, normal)| normal))
    }
}
