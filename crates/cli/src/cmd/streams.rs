//! Files and pipes alike: `-` is stdin as an input and stdout as an output.

use std::io::ErrorKind;
use std::path::Path;

use pellucid::io::{self, Document, Format, IoError, WriteOptions, Written};

use crate::args::Streams;
use crate::failure::{Failure, naming};
use crate::interrupt;
use crate::output::{self, note};
use crate::progress::Show;

/// Whether a path stands for stdin or stdout; a file of that name is `./-`.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An input as messages name it.
pub fn source_name(path: &Path) -> &Path {
    if is_stream(path) { Path::new("stdin") } else { path }
}

/// An output as messages name it.
pub fn target_name(path: &Path) -> &Path {
    if is_stream(path) { Path::new("stdout") } else { path }
}

/// Checks, before any work is done, that the flags fit and the output may be written.
pub fn check(
    input: &Path,
    output: &Path,
    streams: &Streams,
    options: &WriteOptions,
) -> Result<(), Failure> {
    check_input(input, streams.in_format.as_deref())?;
    let format = format_of(output, streams.format.as_deref(), None);
    if streams.las_scale.is_some() && !matches!(format, None | Some(Format::Las | Format::Laz)) {
        let fault = "--las-scale is for LAS and LAZ only; leave it out or write one of them";
        return Err(Failure::input(naming(target_name(output), fault)));
    }
    if is_stream(output) {
        return Ok(());
    }
    if let Some(format) = &streams.format {
        let fault = format!(
            "--format {format} is for stdout; a file's extension chooses its format, so name it \
             to end in .{format}"
        );
        return Err(Failure::input(naming(output, fault)));
    }
    Ok(io::check_output(output, options)?)
}

/// An error if a format is given for an input that is a file.
pub fn check_input(input: &Path, in_format: Option<&str>) -> Result<(), Failure> {
    match in_format {
        Some(format) if !is_stream(input) => {
            let fault = format!("--in-format {format} is for stdin; leave it out for a file");
            Err(Failure::input(naming(input, fault)))
        }
        _ => Ok(()),
    }
}

/// An error if both the cloud and a JSON document are to go to stdout.
pub fn check_json(output: &Path, json: bool) -> Result<(), Failure> {
    if json && is_stream(output) {
        let fault = "--json and the cloud cannot both go to stdout; use --report FILE.json";
        return Err(Failure::input(fault));
    }
    Ok(())
}

/// Reads a cloud, with a spinner if it takes long.
pub fn read(path: &Path, in_format: Option<&str>, show: Show) -> Result<Document, Failure> {
    let name = source_name(path);
    let document = show.busy(&format!("reading {}", name.display()), || {
        if is_stream(path) {
            let stdin = &mut std::io::stdin().lock();
            io::read_stream(stdin, "stdin", in_format).map_err(|e| with_flag(e, "--in-format"))
        } else {
            Ok(io::read(path)?)
        }
    })?;
    interrupt::check()?;
    Ok(document)
}

/// Names the flag that gives the format of a stream.
fn with_flag(error: IoError, flag: &str) -> Failure {
    match error {
        e @ IoError::UnknownStream { .. } => Failure::input(format!("{e} (with {flag})")),
        e => e.into(),
    }
}

/// Writes a cloud, with a spinner if it takes long; says on stderr what the format cannot hold.
pub fn write(
    path: &Path,
    format: Option<&str>,
    document: &Document,
    options: &WriteOptions,
    show: Show,
) -> Result<Written, Failure> {
    let name = target_name(path);
    let written = show.busy(&format!("writing {}", name.display()), || {
        if is_stream(path) {
            // A pipe may wait for ever, so this is nothing that Ctrl-C should wait for.
            interrupt::check()?;
            let stdout = &mut std::io::stdout().lock();
            io::write_stream(stdout, "stdout", document, format, options).map_err(|e| match e {
                IoError::Write { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
                    Failure::ReaderGone
                }
                e => with_flag(e, "--format"),
            })
        } else {
            interrupt::writing(|| Ok(io::write(path, document, options)?))
        }
    })?;
    tell(name, &written);
    Ok(written)
}

/// Says on stderr what a format cannot hold.
pub fn tell(name: &Path, written: &Written) {
    for d in &written.dropped {
        note(&format!("{}: \"{}\" was left out: {}", name.display(), d.attribute, d.reason));
    }
    for d in &written.changed {
        note(&format!("{}: \"{}\" was changed: {}", name.display(), d.attribute, d.reason));
    }
}

/// The format that an output will have, as far as is known.
pub fn format_of(path: &Path, format: Option<&str>, document: Option<&Document>) -> Option<Format> {
    if is_stream(path) {
        let own = || document.and_then(|d| d.source.format());
        return format.and_then(Format::from_name).or_else(own);
    }
    Format::from_path(path)
}

/// Says what was done: on stdout, unless the cloud goes there.
pub fn say(output: &Path, quiet: bool, text: &str) -> Result<(), Failure> {
    match (quiet, is_stream(output)) {
        (true, _) => Ok(()),
        (false, true) => {
            note(text.trim_end());
            Ok(())
        }
        (false, false) => output::print(text),
    }
}
