//! Records to chunks, and the table of chunks.

use std::io::{Cursor, Write};

use laz::LazItem;
use laz::laszip::{ChunkTable, ChunkTableEntry};
use laz::record::{
    LayeredPointRecordCompressor, RecordCompressor, SequentialPointRecordCompressor,
};

use super::Packing;
use crate::caught::caught;

impl Packing {
    /// Compresses the records of one chunk.
    pub fn pack(&self, raw: &[u8]) -> std::io::Result<Vec<u8>> {
        fn run(
            mut c: impl RecordCompressor<Cursor<Vec<u8>>>,
            items: &Vec<LazItem>,
            raw: &[u8],
        ) -> std::io::Result<Vec<u8>> {
            c.set_fields_from(items).map_err(|e| std::io::Error::other(e.to_string()))?;
            c.compress_many(raw)?;
            c.done()?;
            Ok(c.into_inner().into_inner())
        }
        let out = Cursor::new(Vec::new());
        // Last resort here too: a value the library did not foresee must not end the program.
        let result = caught(|| {
            if self.layered {
                run(LayeredPointRecordCompressor::new(out), self.vlr.items(), raw)
            } else {
                run(SequentialPointRecordCompressor::new(out), self.vlr.items(), raw)
            }
        });
        result.unwrap_or_else(|| Err(std::io::Error::other("the points cannot be compressed")))
    }

    /// Writes the table of chunks of the given sizes.
    pub fn write_table(&self, sizes: &[usize], out: &mut dyn Write) -> std::io::Result<()> {
        let mut table = ChunkTable::with_capacity(sizes.len());
        for &size in sizes {
            let point_count = u64::from(self.vlr.chunk_size());
            table.push(ChunkTableEntry { point_count, byte_count: size as u64 });
        }
        table.write_to(out, &self.vlr)
    }
}
