//! `pellucid convert`.

use pellucid::io::WriteOptions;
use serde::Serialize;

use super::streams;
use crate::args::Convert;
use crate::failure::Failure;
use crate::fates::{self, Clouds, Fate};
use crate::output;
use crate::progress::Show;
use crate::report::{self, DroppedItem, Head};

/// What `--report` writes.
#[derive(Debug, Serialize)]
struct Converted {
    #[serde(flatten)]
    head: Head,
    input: String,
    output: String,
    points: usize,
    attributes: Vec<Fate>,
    dropped: Vec<DroppedItem>,
}

pub fn run(args: &Convert) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let options = WriteOptions {
        overwrite: args.overwrite,
        encoding: args.encoding.map(Into::into),
        forbid: vec![args.input.clone()],
        las_scale: args.streams.las_scale,
    };
    let format = args.streams.format.as_deref();
    streams::check(&args.input, &args.output, &args.streams, &options)?;
    report::check(args.report.as_deref(), false, args.overwrite, &[&args.input, &args.output])?;
    let document = streams::read(&args.input, args.streams.in_format.as_deref(), show)?;
    let written = streams::write(&args.output, format, &document, &options, show)?;
    let Some(path) = &args.report else { return Ok(()) };
    let stored = show.busy("checking the output", || fates::stored(&args.output));
    let cloud = &document.cloud;
    let clouds = Clouds { before: cloud, after: cloud, stored: stored.as_ref() };
    let report = Converted {
        head: Head::new(),
        input: streams::source_name(&args.input).display().to_string(),
        output: streams::target_name(&args.output).display().to_string(),
        points: cloud.len(),
        attributes: clouds.fates(&written.dropped, &[]),
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
    };
    let text = output::json(&report)? + "\n";
    output::write_file(path, text.as_bytes(), args.overwrite, &options.forbid)
}
