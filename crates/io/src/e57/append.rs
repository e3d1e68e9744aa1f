//! E57 written some points at a time. The library takes the scans of a file one after the other, each as a
//! whole, so that pieces wait in a file of their own.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::sync::Arc;

use ::e57::{E57Writer, Record};
use pellucid_cloud::PointCloud;

use super::added::{self, Added};
use super::create::{About, Guid, Layout};
use super::pieces::E57Pieces;
use super::widen::Widened;
use super::write::{Known, Refused, SCANS, rows_again};
use super::{copied, points};
use crate::batches::Stopped;
use crate::document::{Detail, Document, Dropped, WriteJob};
use crate::error::WriteFault;
use crate::faces::CHANGED;
use crate::limits::Limits;
use crate::npy;
use crate::pieces::Sink;
use crate::standard;

/// A large file that pieces are read from.
#[derive(Debug)]
pub(crate) struct E57Parts {
    pub pieces: Arc<E57Pieces>,
    pub file: File,
}

impl E57Parts {
    /// What only E57 can hold, for a report on what another format loses.
    pub fn records(&self) -> Vec<String> {
        vec![SCANS.to_owned()]
    }
}

/// A file in the making.
pub(crate) struct E57Appender {
    waiting: File,
    points: usize,
    about: Option<About>,
    guid: Guid,
    /// The file that all pieces come from.
    parts: Option<Arc<E57Parts>>,
    pieces: usize,
    /// Whether any point comes from scans.
    scanned: bool,
}

impl E57Appender {
    /// `waiting` is an empty file for pieces to wait in.
    pub fn new(waiting: File) -> E57Appender {
        let (guid, parts) = (Guid::default(), None);
        E57Appender { waiting, points: 0, about: None, guid, parts, pieces: 0, scanned: false }
    }

    /// Adds a piece.
    pub fn add(&mut self, document: &Document) -> Result<(), Stopped> {
        let cloud = &document.cloud;
        self.parts = match &document.source.detail {
            Detail::E57Parts(parts) if self.pieces == 0 => Some(parts.clone()),
            Detail::E57Parts(parts) => self.parts.take().filter(|p| Arc::ptr_eq(p, parts)),
            _ => None,
        };
        self.scanned |= matches!(document.source.detail, Detail::E57(_) | Detail::E57Parts(_));
        self.pieces += 1;
        self.points += cloud.len();
        let about = About::of(cloud, document.source.position);
        self.about = Some(self.about.map_or(about, |all| all.and(about)));
        self.guid.add(cloud.positions());
        let plain = Document::from(cloud.clone());
        let mut bytes = Vec::new();
        let job = WriteJob { encoding: None, extension: "npz", las_scale: None };
        npy::write_npz(&plain, &job, &mut bytes).map_err(|fault| match fault {
            WriteFault::Io(source) => Stopped::Io(source),
            WriteFault::Unfit(fault) => Stopped::Unfit(fault),
        })?;
        self.waiting.write_all(&(bytes.len() as u64).to_le_bytes())?;
        Ok(self.waiting.write_all(&bytes)?)
    }

    /// Writes all pieces; adds what is left out.
    pub fn finish(
        mut self,
        sink: &mut dyn Sink,
        dropped: &mut Vec<Dropped>,
    ) -> Result<(), Stopped> {
        let mut waiting = Waiting { file: self.waiting.try_clone()?, left: self.pieces };
        waiting.file.rewind()?;
        match self.parts.take().filter(|p| p.pieces.count == self.points) {
            Some(parts) => again(&parts, &mut waiting, sink, dropped),
            None => {
                if self.scanned {
                    let (attribute, reason) = (SCANS.to_owned(), CHANGED.to_owned());
                    dropped.push(Dropped { attribute, reason });
                }
                self.create(&mut waiting, sink, dropped)
            }
        }
    }

    /// One scan in the frame of the file.
    fn create(
        &self,
        waiting: &mut Waiting,
        sink: &mut dyn Sink,
        dropped: &mut Vec<Dropped>,
    ) -> Result<(), Stopped> {
        let (Some(mut piece), Some(about)) = (waiting.next()?, self.about) else { return Ok(()) };
        let guid = self.guid.text();
        let mut writer = E57Writer::new(sink, &guid).map_err(Refused::from)?;
        let first = standard::for_e57(&piece).into_owned();
        let layout = Layout::of(&first, &about, dropped);
        if !layout.added.is_empty() {
            writer.register_extension(added::extension()).map_err(Refused::from)?;
        }
        let prototype = layout.prototype.clone();
        let mut w = writer.add_pointcloud(&guid, prototype.clone()).map_err(Refused::from)?;
        loop {
            let cloud = standard::for_e57(&piece);
            let layout = Layout::of(&cloud, &about, &mut Vec::new());
            if !alike(&layout.prototype, &prototype) {
                return Err(differs());
            }
            for row in 0..cloud.len() {
                w.add_point(layout.values(&cloud, row)).map_err(Refused::from)?;
            }
            match waiting.next()? {
                Some(next) => piece = next,
                None => break,
            }
        }
        w.finalize().map_err(Refused::from)?;
        Ok(writer.finalize().map_err(Refused::from)?)
    }
}

/// The file that the pieces came from, with the attributes that they have now.
fn again(
    parts: &E57Parts,
    waiting: &mut Waiting,
    sink: &mut dyn Sink,
    dropped: &mut Vec<Dropped>,
) -> Result<(), Stopped> {
    let Some(mut piece) = waiting.next()? else { return Ok(()) };
    let mut file = parts.file.try_clone()?;
    let mut reader = parts.pieces.reader(&mut file)?;
    let mut writer = copied::start(&reader, sink)?;
    let known = Known::of(parts.pieces.scans().iter().map(|(scan, _)| scan));
    let records = records(&known.others(&piece, dropped));
    if !records.is_empty() && !reader.extensions().iter().any(added::is_ours) {
        writer.register_extension(added::extension()).map_err(Refused::from)?;
    }
    dropped.extend(parts.pieces.left_out());
    let mut at = 0;
    for (scan, frame) in parts.pieces.scans() {
        let own = Widened::of(scan, frame).records();
        let all = [&*own, &*records].concat();
        let mut w = copied::scan(&mut writer, scan, all)?;
        let mut raws = points(&mut reader, scan).map_err(Refused::from)?;
        let mut left = scan.records as usize;
        while left > 0 {
            if at == piece.len() {
                (piece, at) = (waiting.next()?.ok_or_else(differs)?, 0);
            }
            let rows = at..piece.len().min(at + left);
            let new = known.others(&piece, &mut Vec::new());
            if !alike(&self::records(&new), &records) {
                return Err(differs());
            }
            (at, left) = (rows.end, left - rows.len());
            rows_again(&mut w, &mut raws, (frame, &own), (&piece, rows), &new)?;
        }
        drop(raws);
        w.finalize().map_err(Refused::from)?;
    }
    copied::images(&mut reader, &mut writer)?;
    Ok(writer.finalize().map_err(Refused::from)?)
}

fn records(added: &[Added]) -> Vec<Record> {
    added.iter().map(|a| a.record.clone()).collect()
}

/// Whether records are the same, which the library cannot tell.
fn alike(a: &[Record], b: &[Record]) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// Pieces that wait.
struct Waiting {
    file: File,
    left: usize,
}

impl Waiting {
    fn next(&mut self) -> Result<Option<PointCloud>, Stopped> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut length = [0; 8];
        self.file.read_exact(&mut length)?;
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        self.file.read_exact(&mut bytes)?;
        Ok(Some(npy::read_npz(&bytes, &Limits::default())?.cloud))
    }
}

fn differs() -> Stopped {
    let fault = "some points need other records than those before them; run it without a limit of \
                 memory";
    Stopped::Unfit(fault.to_owned())
}
