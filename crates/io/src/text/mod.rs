//! Text clouds: one point a line (.xyz, .txt, .csv, .pts, .asc).
//!
//! `line` splits lines, `guess` finds out what the columns are, `read` and `write` do the rest.

mod guess;
mod line;
mod read;
mod write;

use crate::digits::Most;
use crate::meaning::From;

pub(crate) use read::read;
pub(crate) use write::write;

/// What a text file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct TextSource {
    pub style: Style,
    /// Name of each column, and where its values went.
    pub columns: Vec<(String, From)>,
    /// The most digits that a coordinate has ...
    pub digits: Most,
    /// ... and a component of a normal.
    pub normal_digits: Option<Most>,
}

/// How the lines look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// What stands between values.
    pub separator: String,
    pub header: HeaderLine,
    /// Whether the number of points stands on a line of its own before them.
    pub count: bool,
    /// Comment lines before the points, whole, without the one that names the columns.
    pub comments: Vec<String>,
}

/// How the columns are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HeaderLine {
    None,
    Plain,
    /// In a comment that starts like this.
    Comment(String),
}

/// Whether the first lines are those of a text cloud.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    !crate::ply::sniff(bytes) && line::check_text(head).is_ok() && guess::shape(head).is_ok()
}
