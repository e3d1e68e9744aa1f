//! One file for each command.

pub mod bench;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod denoise;
pub mod info;
pub mod man;
pub mod methods;
pub mod noise;

use std::path::Path;

use pellucid::io::{self, Document, Source, WriteOptions, Written};

use crate::failure::Failure;
use crate::output::note;
use crate::progress::Show;
use crate::{interrupt, output};

/// Reads a file, with a spinner if it takes long.
fn read(path: &Path, show: Show) -> Result<Document, Failure> {
    let document = show.busy(&format!("reading {}", path.display()), || io::read(path))?;
    interrupt::check()?;
    Ok(document)
}

/// Writes a file, with a spinner if it takes long; says on stderr what the format cannot hold.
fn write(
    path: &Path,
    document: &Document,
    options: &WriteOptions,
    show: Show,
) -> Result<Written, Failure> {
    let written = show.busy(&format!("writing {}", path.display()), || {
        interrupt::writing(|| Ok(io::write(path, document, options)?))
    })?;
    for d in &written.dropped {
        note(&format!("{}: \"{}\" was left out: {}", path.display(), d.attribute, d.reason));
    }
    Ok(written)
}

/// Name of a format for people.
fn format_name(source: &Source) -> &'static str {
    source.format().map_or("memory", |f| f.name())
}

/// Two columns with the first padded, one line each.
fn columns(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// Prints a table unless told to be quiet.
fn say(quiet: bool, text: &str) -> Result<(), Failure> {
    if quiet { Ok(()) } else { output::print(text) }
}
