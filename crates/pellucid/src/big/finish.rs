//! The last step: the results of all tiles put together into the output.

use std::io;

use pellucid_cloud::{Point, vec3};
use pellucid_denoise::Run;
use pellucid_io::{IoError, Part, PieceFile};

use super::folder::CHANGED;
use super::movement::Lengths;
use super::store::{Checksum, Merge};
use super::work::{BUFFERS, DENOISED, Work};
use super::{BigError, Outcome};

impl Work {
    /// Puts the results of all tiles together and writes the output; then the work folder goes.
    pub fn finish(self, run: &mut Run) -> Result<Outcome, BigError> {
        let tiles = self.tiles().len();
        if let Some(tile) = (0..tiles).find(|&t| !self.is_done(t)) {
            return Err(self.folder.refused(format!("tile {tile} is not done")));
        }
        let mut part = Part::in_folder(self.folder.path(), &self.job.output, &self.job.write)?;
        let mut results = Results::new(&self)?;
        let mut failure = None;
        let written = self.file.rewrite(self.format, part.file(), &mut |first, points| {
            results.put(first, points, run).map_err(|e| failure = Some(e)).is_ok()
        });
        let written = match (failure, written) {
            (Some(e), _) => Err(e),
            (None, Err(IoError::Write { source, .. })) => Err(BigError::file(part.path(), source)),
            (None, written) => written.map_err(BigError::from),
        };
        let bytes = self.folder.unless_at_fault(written)?.unwrap_or(0);
        if results.checksum.0 != self.known.checksum {
            return Err(self.folder.refused(CHANGED));
        }
        self.check_end(&part)?;
        let movement = results.lengths.finish();
        part.put_in_place(bytes)?;
        self.folder.remove()?;
        Ok(Outcome {
            rows: self.known.rows,
            points: self.known.points,
            tiles,
            resumed: self.resumed,
            movement,
            has_normals: self.file.has_normals(),
            dropped: self.file.left_out(),
        })
    }

    /// An error unless the written file can be opened and has all points.
    fn check_end(&self, part: &Part) -> Result<(), BigError> {
        let fault = match PieceFile::open(part.path()) {
            Ok(file) if file.len() == self.known.rows => return Ok(()),
            Ok(file) => format!("{} of {} points were written", file.len(), self.known.rows),
            Err(e) => format!("what was written cannot be read: {e}"),
        };
        Err(BigError::file(part.path(), io::Error::other(fault)))
    }
}

/// Results on their way from the tiles to the output.
struct Results<'a> {
    work: &'a Work,
    merge: Merge,
    /// Of the next finite point.
    number: u32,
    /// Rows so far, of all passes.
    rows: usize,
    lengths: Lengths,
    /// Of the input, as it is now.
    checksum: Checksum,
}

impl Results<'_> {
    fn new(work: &Work) -> Result<Results<'_>, BigError> {
        let paths = (0..work.tiles().len()).map(|t| work.folder.done(t)).collect();
        Ok(Results {
            work,
            merge: Merge::new(paths, BUFFERS)?,
            number: 0,
            rows: 0,
            lengths: Lengths::of(work.known.points),
            checksum: Checksum::new(),
        })
    }

    /// Moves the next points of the file.
    fn put(&mut self, first: usize, points: &mut [Point], run: &mut Run) -> Result<(), BigError> {
        let all = self.work.file.passes() * self.work.known.rows;
        let written = self.rows as f64 / all.max(1) as f64;
        run.progress("writing", 0, DENOISED + (1.0 - DENOISED) * written)?;
        if first == 0 && self.rows > 0 {
            // Once more from the start.
            *self = Results { rows: self.rows, ..Results::new(self.work)? };
        }
        self.rows += points.len();
        self.checksum.add_points(points);
        if self.work.learned().is_idle() {
            return Ok(());
        }
        for p in points.iter_mut().filter(|p| vec3::is_finite(**p)) {
            match self.merge.take()? {
                Some((n, to)) if n == self.number => {
                    self.lengths.add(vec3::distance2(*p, to).sqrt());
                    *p = to;
                }
                _ => {
                    let fault = format!("the result of point {} is missing", self.number);
                    return Err(self.work.folder.refused(fault));
                }
            }
            self.number += 1;
        }
        Ok(())
    }
}
