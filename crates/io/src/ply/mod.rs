//! PLY: a header that declares elements and their properties, then the elements' rows.
//!
//! `header`, `ascii` and `binary` know the format; `read` and `layout` know what the vertex
//! properties mean; `write` puts both together again.

mod append;
mod ascii;
mod binary;
mod header;
mod layout;
mod pieces;
mod read;
mod write;

use pellucid_cloud::{List, Values};

use header::{Element, Header};
use layout::Slot;

pub(crate) use append::PlyAppender;
pub(crate) use pieces::PlyPieces;
pub(crate) use read::read;
pub(crate) use write::write;

/// What a PLY file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct PlySource {
    header: Header,
    /// Index of the vertex element.
    vertex: usize,
    /// Where each vertex property went.
    slots: Vec<Slot>,
    /// The columns of every element but the vertices, whose entry is empty.
    others: Vec<Vec<Values>>,
}

impl PlySource {
    fn others(&self) -> impl Iterator<Item = (&Element, &Vec<Values>)> {
        let vertex = self.vertex;
        self.header
            .elements
            .iter()
            .zip(&self.others)
            .enumerate()
            .filter(move |(i, _)| *i != vertex)
            .map(|(_, pair)| pair)
    }

    /// How many vertices the file had.
    pub fn vertices(&self) -> usize {
        self.header.elements[self.vertex].count
    }

    /// The corners of the faces.
    pub fn faces(&self) -> Option<&List> {
        let (element, columns) = self.others().find(|(e, _)| e.name == b"face")?;
        let mut properties = element.properties.iter().zip(columns);
        properties.find_map(|(p, values)| match values {
            Values::List(list)
                if matches!(p.name.as_slice(), b"vertex_indices" | b"vertex_index") =>
            {
                Some(list.as_ref())
            }
            _ => None,
        })
    }

    pub fn other_elements(&self) -> Vec<(String, usize)> {
        self.others().map(|(e, _)| (e.text(), e.count)).collect()
    }
}

/// Whether the first line is the format's.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    matches!(bytes, [b'p', b'l', b'y', b'\n' | b'\r' | b' ' | b'\t', ..])
}
