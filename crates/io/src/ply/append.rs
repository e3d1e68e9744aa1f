//! PLY written some points at a time. How many there are stands before the first, so that rows wait
//! in a file of their own.

use std::fs::File;
use std::io::{self, Seek, Write};

use super::header::{self, Header};
use super::write::header_text;
use crate::batches::{Output, Stopped};

/// A file in the making.
pub(crate) struct PlyAppender {
    header: Option<Header>,
    rows: File,
}

impl PlyAppender {
    /// `rows` is an empty file for rows to wait in.
    pub fn new(rows: File) -> PlyAppender {
        PlyAppender { header: None, rows }
    }

    /// Adds the points of a binary file that has nothing else.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        let header = header::parse(bytes)?;
        let body = header.body;
        match &mut self.header {
            Some(all) if is_like(all, &header) => {
                all.elements[0].count += header.elements[0].count;
            }
            Some(_) => {
                let fault = "some points need other properties than those before them; run it \
                             without a limit of memory";
                return Err(Stopped::Unfit(fault.to_owned()));
            }
            none => *none = Some(header),
        }
        Ok(self.rows.write_all(&bytes[body..])?)
    }

    /// Writes the header and all rows. Without any points nothing is written.
    pub fn finish(mut self, mut sink: &mut dyn Output) -> Result<(), Stopped> {
        let Some(header) = &self.header else { return Ok(()) };
        sink.write_all(&header_text(header))?;
        self.rows.rewind()?;
        io::copy(&mut self.rows, &mut sink)?;
        Ok(())
    }
}

/// Whether rows of one file can follow those of the other.
fn is_like(a: &Header, b: &Header) -> bool {
    let only = |h: &Header| match h.elements.as_slice() {
        [vertices] => vertices.properties.iter().map(|p| (p.name.clone(), p.kind)).collect(),
        _ => Vec::new(),
    };
    a.encoding == b.encoding && !only(a).is_empty() && only(a) == only(b)
}
