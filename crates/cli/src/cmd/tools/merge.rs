//! `pellucid merge`: several clouds in one file.

use std::path::PathBuf;

use pellucid::PointCloud;
use pellucid::cloud::{Attribute, Values};
use pellucid::io::{Document, PieceFile, PieceWriter};
use pellucid::merge::{self, Merged, SOURCE};

use super::pieces::{self, PieceRun};
use super::{options, say, write};
use crate::args::Merge;
use crate::cmd::jobs::{self, Job};
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::interrupt;
use crate::output::note;
use crate::progress::Show;

pub fn run(args: &Merge) -> Result<(), Failure> {
    if args.inputs.iter().filter(|p| streams::is_stream(p)).count() > 1 {
        return Err(Failure::input("only one of the clouds can come from stdin; name files"));
    }
    let inputs = jobs::files(&args.inputs, args.recursive, args.common.quiet)?;
    let streams = &args.common.streams;
    for input in &inputs {
        streams::check(input, &args.output, streams, &options(&args.common, &inputs))?;
    }
    let all: Vec<&PathBuf> = inputs.iter().collect();
    if let Some(memory) = pieces::wanted(args.common.memory, &all, &args.output)? {
        return large(args, &inputs, &PieceRun::new(&args.common, &inputs, memory));
    }
    let show = Show::new(args.common.quiet);
    let in_format = streams.in_format.as_deref();
    let mut documents: Vec<Document> = inputs
        .iter()
        .map(|path| streams::read(path, in_format.filter(|_| streams::is_stream(path)), show))
        .collect::<Result<_, _>>()?;
    let clouds: Vec<PointCloud> = documents.iter().map(|d| d.cloud.clone()).collect();
    let fault = |e| Failure::input(naming(streams::target_name(&args.output), e));
    let Merged { cloud, left_out } = merge::merge(&clouds, args.source).map_err(fault)?;
    tell_left_out(&left_out);
    let said = format!("{} points of {} clouds", cloud.len(), clouds.len());
    // Header, coordinate system and scale are those of the first.
    let document = Document { cloud, source: documents.swap_remove(0).source };
    let input = format!("{} files", inputs.len());
    let job = Job {
        input: inputs[0].clone(),
        output: args.output.clone(),
        forbid: inputs,
        streams: streams.clone(),
    };
    write(&document, &input, &job, &args.common, &said)
}

/// Merges files larger than memory, one piece after the other.
fn large(args: &Merge, inputs: &[PathBuf], piece_run: &PieceRun) -> Result<(), Failure> {
    let files = inputs.iter().map(|p| PieceFile::open(p)).collect::<Result<Vec<_>, _>>()?;
    let format = files[0].check_output(&args.output)?;
    let mut firsts = Vec::new();
    for file in &files {
        file.documents(1, &mut |piece| {
            firsts.push(piece);
            false
        })?;
    }
    let Some(source) = firsts.first().map(|d| d.source.without_rows()) else {
        return Err(Failure::input(naming(&inputs[0], "there are no points to merge")));
    };
    let firsts: Vec<PointCloud> = firsts.into_iter().map(|d| d.cloud).collect();
    let (names, left_out) = merge::shared_attributes(&firsts);
    tell_left_out(&left_out);
    let mut writer = PieceWriter::create(&args.output, format, &piece_run.options)?;
    let mut points = 0;
    piece_run.run("merging", |run| {
        for (number, file) in files.iter().enumerate() {
            pieces::each(file, piece_run, run, &mut |piece| {
                let mut cloud = PointCloud::new(piece.cloud.positions().to_vec());
                for name in &names {
                    if let Some(a) = piece.cloud.attribute(name) {
                        cloud.set_attribute(a.clone()).map_err(Failure::work)?;
                    }
                }
                points += cloud.len();
                if args.source {
                    let numbers = Values::U32(vec![number as u32; cloud.len()]);
                    let attribute = Attribute::scalar(SOURCE, numbers);
                    cloud.set_attribute(attribute).map_err(Failure::work)?;
                }
                Ok(writer.add(&Document { cloud, source: source.clone() })?)
            })?;
        }
        Ok(())
    })?;
    streams::tell(&args.output, &interrupt::writing(|| Ok(writer.finish()?))?);
    let said = format!("{points} points of {} clouds", files.len());
    say(&format!("{} files", files.len()), &args.output, &args.common, &said)
}

/// Says which attributes are not in the result.
fn tell_left_out(names: &[String]) {
    for name in names {
        note(&format!("\"{name}\" was left out: not every cloud has it alike"));
    }
}
