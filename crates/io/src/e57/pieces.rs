//! E57 too large for memory: scans go through point by point, with all that is said of them.

use std::fs::File;
use std::sync::Arc;

use ::e57::{E57Reader, Image, PointCloud as Scan, Projection, RawValues};
use pellucid_cloud::Point;
use pellucid_cloud::attribute::names;

use super::append::E57Parts;
use super::frame::Frame;
use super::read::{Columns, Gathering};
use super::widen::Widened;
use super::write::Refused;
use super::{attribute, check, copied, fault, open_with, points, readahead, viewpoints};
use crate::batches::{Batches, Change, Mover, Stopped};
use crate::document::{Detail, Document, Dropped, Encoding, Source};
use crate::error::Fault;
use crate::format::Format;
use crate::pieces::Sink;

/// Values in memory at once, of 16 bytes.
const BATCH: usize = 1 << 20;
/// Longest description in bytes; with a thousand scans and images it has a few million.
const XML_BYTES: usize = 8 << 20;
/// Largest image in bytes; they are copied one by one.
const IMAGE_BYTES: u64 = 128 << 20;

/// What a file says of its scans.
#[derive(Debug)]
pub(crate) struct E57Pieces {
    pub count: usize,
    len: usize,
    scans: Vec<(Scan, Frame)>,
    left_out: Option<Dropped>,
}

/// Some points of a scan.
pub(crate) struct Rows {
    scan: usize,
    rows: Vec<RawValues>,
}

impl E57Pieces {
    pub fn open(file: &mut File) -> Result<E57Pieces, Stopped> {
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let reader = open_with(&mut *file, len, XML_BYTES)?;
        let scans = reader.pointclouds();
        let left_out = copied::left_out(&reader);
        let images = reader.images();
        drop(reader);
        if let Some(size) = images.iter().flat_map(sizes).find(|size| *size > IMAGE_BYTES) {
            let fault = format!(
                "it has an image of {size} bytes, and those above {IMAGE_BYTES} are not copied; \
                 take it out, or read the file as a whole, without a limit of memory"
            );
            return Err(Stopped::Unfit(fault));
        }
        let held = check::scans(file, len, &scans, readahead::MOST)?;
        let framed = |scan: Scan| match Frame::of(&scan) {
            Some(frame) => Ok((scan, frame)),
            None => Err(Fault::byte(scan.file_offset as usize, "a scan without coordinates")),
        };
        let scans = scans.into_iter().map(framed).collect::<Result<_, Fault>>()?;
        Ok(E57Pieces { count: held.points, len, scans, left_out })
    }

    pub fn has_normals(&self) -> bool {
        let mut records = self.scans.iter().flat_map(|(scan, _)| &scan.prototype);
        records.any(|r| attribute(&r.name).is_some_and(|(name, _)| name == names::NORMAL))
    }

    /// Where the scanners stood, if that is known.
    pub fn viewpoints(&self) -> Vec<Point> {
        viewpoints(self.scans.iter().map(|(scan, _)| scan))
    }

    pub fn left_out(&self) -> Vec<Dropped> {
        self.left_out.iter().cloned().collect()
    }

    /// How often positions are needed: twice if their range says how they are stored.
    pub fn passes(&self) -> usize {
        1 + usize::from(self.scans.iter().any(|(scan, frame)| Widened::of(scan, frame).depends()))
    }

    /// The scans, and where their coordinates are.
    pub fn scans(&self) -> &[(Scan, Frame)] {
        &self.scans
    }

    /// Hands all points to `take`, at most `most` at a time.
    pub fn documents(
        parts: &Arc<E57Parts>,
        file: &mut File,
        most: usize,
        take: &mut dyn FnMut(Document) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let scans = &parts.pieces.scans;
        let columns = Columns::of(&scans.iter().map(|(scan, _)| scan).collect::<Vec<_>>());
        parts.pieces.batches(file, &mut |batch| {
            let (scan, frame) = &scans[batch.scan];
            let places = columns.places(scan);
            for rows in batch.rows.chunks(most) {
                let mut gathering = Gathering::new(&columns, rows.len());
                for raw in rows {
                    gathering.push((batch.scan, scan), frame.point(raw), raw, &places);
                }
                gathering.end();
                let source = Source {
                    format: Some(Format::E57),
                    encoding: Some(Encoding::BinaryLittle),
                    position: Some([columns.position; 3]),
                    detail: Detail::E57Parts(parts.clone()),
                    ..Source::default()
                };
                take(Document { cloud: gathering.cloud()?, source })?;
            }
            Ok(())
        })
    }

    pub fn reader<'a>(&self, file: &'a mut File) -> Result<E57Reader<&'a mut File>, Stopped> {
        Ok(open_with(file, self.len, XML_BYTES)?)
    }

    /// The points of one scan.
    fn scan(
        &self,
        reader: &mut E57Reader<&mut File>,
        scan: usize,
        take: &mut dyn FnMut(&mut Rows) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let about = &self.scans[scan].0;
        let failed = |e: ::e57::Error| fault(about.file_offset, &e);
        let width = about.prototype.len();
        // A row has a head of its own, and what the allocator adds.
        let most = (BATCH / (width + 3)).max(1);
        let mut batch = Rows { scan, rows: Vec::new() };
        for raw in points(reader, about).map_err(failed)? {
            let raw = raw.map_err(failed)?;
            if raw.len() != width {
                let fault = "a point without all of its values";
                return Err(Fault::byte(about.file_offset as usize, fault).into());
            }
            batch.rows.push(raw);
            if batch.rows.len() == most {
                take(&mut batch)?;
                batch.rows.clear();
            }
        }
        if batch.rows.is_empty() { Ok(()) } else { take(&mut batch) }
    }

    /// Writes the file with other positions.
    pub fn rewrite(
        &self,
        file: &mut File,
        sink: &mut dyn Sink,
        change: &mut Change<'_>,
    ) -> Result<(), Stopped> {
        let mut widened: Vec<Widened> =
            self.scans.iter().map(|(s, frame)| Widened::of(s, frame)).collect();
        if self.passes() > 1 {
            self.moved(file, change, &mut |batch, _, moved| {
                let (widened, frame) = (&mut widened[batch.scan], &self.scans[batch.scan].1);
                if widened.depends() {
                    moved.iter().for_each(|p| widened.add(frame, *p));
                }
                Ok(())
            })?;
        }
        let mut reader = self.reader(file)?;
        let mut writer = copied::start(&reader, sink)?;
        let mut mover = Mover::new(change);
        for (i, ((scan, frame), widened)) in self.scans.iter().zip(widened).enumerate() {
            let mut w = copied::scan(&mut writer, scan, widened.records())?;
            self.scan(&mut reader, i, &mut |batch| {
                let (points, moved) = mover.step(|points| self.decode(batch, points))?;
                for ((mut raw, was), now) in batch.rows.drain(..).zip(points).zip(moved) {
                    frame.put(&mut raw, *was, *now);
                    w.add_point(raw).map_err(Refused::from)?;
                }
                Ok(())
            })?;
            w.finalize().map_err(Refused::from)?;
        }
        copied::images(&mut reader, &mut writer)?;
        Ok(writer.finalize().map_err(Refused::from)?)
    }
}

impl Batches for E57Pieces {
    type Batch = Rows;

    fn batches(
        &self,
        file: &mut File,
        take: &mut dyn FnMut(&mut Rows) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let mut reader = self.reader(file)?;
        (0..self.scans.len()).try_for_each(|scan| self.scan(&mut reader, scan, take))
    }

    fn decode(&self, batch: &Rows, points: &mut Vec<Point>) {
        let frame = &self.scans[batch.scan].1;
        points.clear();
        points.extend(batch.rows.iter().map(|raw| frame.point(raw)));
    }
}

/// Bytes of the pictures of an image.
fn sizes(image: &Image) -> Vec<u64> {
    let mut sizes = Vec::new();
    macro_rules! add {
        ($image:expr) => {
            sizes.push($image.blob.data.length);
            sizes.extend($image.mask.iter().map(|m| m.length));
        };
    }
    image.visual_reference.iter().for_each(|v| {
        add!(v);
    });
    match &image.projection {
        Some(Projection::Pinhole(p)) => {
            add!(p);
        }
        Some(Projection::Spherical(p)) => {
            add!(p);
        }
        Some(Projection::Cylindrical(p)) => {
            add!(p);
        }
        None => {}
    }
    sizes
}

impl From<Refused> for Stopped {
    fn from(Refused(text): Refused) -> Self {
        Stopped::Unfit(format!("E57 cannot hold this: {text}"))
    }
}
