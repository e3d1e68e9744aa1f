//! Files written some points at a time.

use std::io::Seek;
use std::path::{Path, PathBuf};

use crate::atomic::{Part, folder_of};
use crate::batches::Stopped;
use crate::document::{Document, Dropped, WriteJob, WriteOptions, Written};
use crate::e57::E57Appender;
use crate::error::{IoError, WriteFault};
use crate::format::Format;
use crate::las::LasAppender;
use crate::ply::PlyAppender;

/// A LAS, LAZ, E57 or binary PLY file that points are added to some at a time: whole or absent.
///
/// ```
/// use pellucid_cloud::PointCloud;
/// use pellucid_io::{Document, Format, PieceWriter, WriteOptions};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.ply");
/// let mut writer = PieceWriter::create(&path, Format::Ply, &WriteOptions::default())?;
/// for x in [1.0, 2.0] {
///     writer.add(&Document::from(PointCloud::new(vec![[x, 0.0, 0.0]])))?;
/// }
/// assert!(!path.exists());
/// writer.finish()?;
/// assert_eq!(pellucid_io::read(&path)?.cloud.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PieceWriter {
    output: PathBuf,
    part: Part,
    kind: Kind,
    options: WriteOptions,
    written: Written,
}

enum Kind {
    Las(Box<LasAppender>),
    Ply(PlyAppender),
    E57(E57Appender),
}

impl PieceWriter {
    /// Begins a file, after the checks of [`check_output`](crate::check_output).
    pub fn create(
        output: &Path,
        format: Format,
        options: &WriteOptions,
    ) -> Result<PieceWriter, IoError> {
        let file = || output.display().to_string();
        let part = Part::beside(output, options)?;
        let waiting = || {
            tempfile::tempfile_in(folder_of(part.path()))
                .map_err(|source| IoError::Write { file: file(), source })
        };
        let kind = match format {
            Format::Las | Format::Laz => {
                Kind::Las(Box::new(LasAppender::new(format == Format::Laz)))
            }
            Format::Ply => Kind::Ply(PlyAppender::new(waiting()?)),
            Format::E57 => Kind::E57(E57Appender::new(waiting()?)),
            other => {
                let fault = format!("{} cannot be written piece by piece", other.name());
                return Err(IoError::Unfit { file: file(), fault });
            }
        };
        let (output, options) = (output.to_owned(), options.clone());
        Ok(PieceWriter { output, part, kind, options, written: Written::default() })
    }

    /// Adds points; their attributes must be those of the points before them.
    pub fn add(&mut self, document: &Document) -> Result<(), IoError> {
        if let Kind::E57(e57) = &mut self.kind {
            let added = e57.add(document);
            return added.map_err(|e| self.failed(e));
        }
        let mut bytes = Vec::new();
        let (info, extension) = match &self.kind {
            Kind::Las(_) => (Format::Las.info(), "las"),
            _ => (Format::Ply.info(), "ply"),
        };
        let written = (info.write)(document, &WriteJob::new(&self.options, extension), &mut bytes);
        let written = written.map_err(|fault| match fault {
            WriteFault::Io(source) => self.failed(Stopped::Io(source)),
            WriteFault::Unfit(fault) => self.failed(Stopped::Unfit(fault)),
        })?;
        add_new(&mut self.written.dropped, written.dropped);
        add_new(&mut self.written.changed, written.changed);
        let added = match &mut self.kind {
            Kind::Las(las) => las.add(&bytes, self.part.file()),
            Kind::Ply(ply) => ply.add(&bytes),
            Kind::E57(_) => Ok(()),
        };
        added.map_err(|e| self.failed(e))
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<Written, IoError> {
        let PieceWriter { part, kind, written, .. } = &mut self;
        let sink = part.file();
        let finished = match std::mem::replace(kind, Kind::Las(Box::new(LasAppender::new(false)))) {
            Kind::Las(las) => las.finish(sink),
            Kind::Ply(ply) => ply.finish(sink),
            Kind::E57(e57) => e57.finish(sink, &mut written.dropped),
        };
        let end = finished.and_then(|()| Ok(part.file().seek(std::io::SeekFrom::End(0))?));
        let bytes = end.map_err(|e| self.failed(e))?;
        self.part.put_in_place(bytes)?;
        Ok(self.written)
    }

    fn failed(&self, stopped: Stopped) -> IoError {
        let file = self.output.display().to_string();
        match stopped {
            Stopped::Io(source) => IoError::Write { file, source },
            other => other.of(&file),
        }
    }
}

/// Each piece says the same again.
fn add_new(all: &mut Vec<Dropped>, more: Vec<Dropped>) {
    for dropped in more {
        if !all.contains(&dropped) {
            all.push(dropped);
        }
    }
}
