//! What formats that are gone through piece by piece have in common.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use pellucid_cloud::Point;

use crate::error::{Fault, IoError};

/// Why going through a file ended early.
pub(crate) enum Stopped {
    Io(io::Error),
    At(Fault),
    Unfit(String),
    /// The caller had enough.
    Enough,
}

impl From<io::Error> for Stopped {
    fn from(e: io::Error) -> Self {
        Stopped::Io(e)
    }
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::At(fault)
    }
}

/// Where formats put what needs no reading back.
pub(crate) trait Output: Write + Seek {}

impl<T: Write + Seek> Output for T {}

/// Takes the number of the first of some points and the points, and puts them elsewhere.
pub(crate) type Change<'a> = dyn FnMut(usize, &mut [Point]) -> Result<(), Stopped> + 'a;

/// Takes some stored points, where they are, and where they are put.
pub(crate) type TakeMoved<'a, B> =
    dyn FnMut(&mut B, &[Point], &[Point]) -> Result<(), Stopped> + 'a;

/// A file's points in order, some at a time, in the form that they are stored in.
pub(crate) trait Batches {
    type Batch: ?Sized;

    fn batches(
        &self,
        file: &mut File,
        take: &mut dyn FnMut(&mut Self::Batch) -> Result<(), Stopped>,
    ) -> Result<(), Stopped>;

    /// Where the points of a batch are.
    fn decode(&self, batch: &Self::Batch, points: &mut Vec<Point>);

    /// All positions in order, some at a time.
    fn positions(
        &self,
        file: &mut File,
        take: &mut dyn FnMut(&[Point]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let mut points = Vec::new();
        self.batches(file, &mut |batch| {
            self.decode(batch, &mut points);
            take(&points)
        })
    }

    /// All batches, each with where its points were and where `change` puts them.
    fn moved(
        &self,
        file: &mut File,
        change: &mut Change<'_>,
        take: &mut TakeMoved<'_, Self::Batch>,
    ) -> Result<(), Stopped> {
        let mut mover = Mover::new(change);
        self.batches(file, &mut |batch| {
            let (points, moved) = mover.step(|points| self.decode(batch, points))?;
            take(batch, points, moved)
        })
    }
}

/// Has one batch of points after the other moved.
pub(crate) struct Mover<'a, 'c> {
    change: &'a mut Change<'c>,
    first: usize,
    points: Vec<Point>,
    moved: Vec<Point>,
}

impl<'a, 'c> Mover<'a, 'c> {
    pub fn new(change: &'a mut Change<'c>) -> Self {
        Mover { change, first: 0, points: Vec::new(), moved: Vec::new() }
    }

    /// The points of the next batch as `decode` gives them, and where they are put.
    pub fn step(
        &mut self,
        decode: impl FnOnce(&mut Vec<Point>),
    ) -> Result<(&[Point], &[Point]), Stopped> {
        decode(&mut self.points);
        self.moved.clone_from(&self.points);
        (self.change)(self.first, &mut self.moved)?;
        self.first += self.moved.len();
        Ok((&self.points, &self.moved))
    }
}

impl Stopped {
    pub fn of(self, name: &str) -> IoError {
        let file = name.to_owned();
        match self {
            Stopped::Io(source) => IoError::Read { file, source },
            Stopped::At(fault) => fault.of(name),
            Stopped::Unfit(fault) => IoError::Unfit { file, fault },
            Stopped::Enough => IoError::Unfit { file, fault: "stopped".to_owned() },
        }
    }
}

/// `size` bytes from byte `at` on.
pub(crate) fn read_at(file: &mut File, at: usize, size: usize) -> Result<Vec<u8>, Stopped> {
    file.seek(SeekFrom::Start(at as u64))?;
    let mut bytes = vec![0; size];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Copies `size` bytes from byte `at` on.
pub(crate) fn copy(
    file: &mut File,
    at: usize,
    size: usize,
    mut sink: &mut dyn Output,
) -> Result<(), Stopped> {
    file.seek(SeekFrom::Start(at as u64))?;
    let copied = io::copy(&mut file.take(size as u64), &mut sink)?;
    if copied < size as u64 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(())
}
