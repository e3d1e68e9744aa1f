//! What is written before, around and behind points that come some at a time.

use std::io::SeekFrom;

use las::raw::{Header, Vlr};
use rayon::prelude::*;

use super::chunks::Packing;
use crate::batches::{Output, Stopped};

/// Compresses records, a few chunks at a time.
pub(super) struct Packer {
    packing: Packing,
    pending: Vec<u8>,
    sizes: Vec<usize>,
}

impl Packer {
    pub fn new(packing: Packing) -> Packer {
        Packer { packing, pending: Vec::new(), sizes: Vec::new() }
    }

    /// Adds records of `length` bytes each.
    pub fn add(&mut self, raw: &[u8], length: usize, sink: &mut dyn Output) -> Result<(), Stopped> {
        self.pending.extend_from_slice(raw);
        let chunk = self.packing.chunk_size() * length;
        let whole = self.pending.len() / chunk * chunk;
        if whole >= 4 * chunk {
            self.pack(whole, chunk, sink)?;
        }
        Ok(())
    }

    fn pack(&mut self, end: usize, chunk: usize, sink: &mut dyn Output) -> Result<(), Stopped> {
        let packed: Vec<std::io::Result<Vec<u8>>> =
            self.pending[..end].par_chunks(chunk).map(|raw| self.packing.pack(raw)).collect();
        for bytes in packed {
            let bytes = bytes?;
            sink.write_all(&bytes)?;
            self.sizes.push(bytes.len());
        }
        self.pending.drain(..end);
        Ok(())
    }

    /// Writes the remaining points and the table of chunks; the points begin at byte `start`.
    pub fn finish(
        mut self,
        length: usize,
        start: usize,
        sink: &mut dyn Output,
    ) -> Result<(), Stopped> {
        self.pack(self.pending.len(), self.packing.chunk_size() * length, sink)?;
        let table = sink.stream_position()?;
        let mut out = Vec::new();
        self.packing.write_table(&self.sizes, &mut out)?;
        sink.write_all(&out)?;
        let end = sink.stream_position()?;
        sink.seek(SeekFrom::Start(start as u64))?;
        sink.write_all(&(table as i64).to_le_bytes())?;
        sink.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

/// Writes everything before the points.
pub(super) fn write_head(
    header: &Header,
    vlrs: &[&Vlr],
    gap: &[u8],
    sink: &mut dyn Output,
) -> Result<(), Stopped> {
    let failed = |e: las::Error| Stopped::Io(std::io::Error::other(e.to_string()));
    let mut head = Vec::new();
    header.write_to(&mut head).map_err(failed)?;
    for vlr in vlrs {
        vlr.write_to(&mut head).map_err(failed)?;
    }
    head.extend_from_slice(gap);
    Ok(sink.write_all(&head)?)
}
