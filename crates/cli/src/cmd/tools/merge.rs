//! `pellucid merge`: several clouds in one file.

use std::path::PathBuf;

use pellucid::PointCloud;
use pellucid::cloud::{Attribute, Point, Values};
use pellucid::io::{Document, PieceFile, PieceWriter};

use super::pieces::{self, PieceRun};
use super::{options, say, write};
use crate::args::Merge;
use crate::cmd::jobs::{self, Job};
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::interrupt;
use crate::output::note;
use crate::progress::Show;

/// The attribute that says which file a point came from.
const SOURCE: &str = "source";

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
    let cloud = merged(&clouds, args.source).map_err(fault)?;
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
    let names = common_attributes(&firsts);
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

/// Attributes that every file has in the same form; says which are left out.
fn common_attributes(firsts: &[Document]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for a in firsts.iter().flat_map(|d| d.cloud.attributes()) {
        if names.iter().any(|n| n == a.name()) {
            continue;
        }
        names.push(a.name().to_owned());
    }
    names.retain(|name| {
        let form =
            |d: &Document| d.cloud.attribute(name).map(|a| (a.width(), a.values().type_name()));
        let alike = firsts.windows(2).all(|w| form(&w[0]) == form(&w[1]));
        if !alike {
            note(&format!("\"{name}\" was left out: not every cloud has it alike"));
        }
        alike
    });
    names
}

/// All points, with the attributes that every cloud has.
fn merged(clouds: &[PointCloud], source: bool) -> Result<PointCloud, String> {
    let points: Vec<Point> = clouds.iter().flat_map(|c| c.positions()).copied().collect();
    let mut all = PointCloud::new(points);
    let mut names: Vec<&str> = Vec::new();
    for a in clouds.iter().flat_map(PointCloud::attributes) {
        if !names.contains(&a.name()) {
            names.push(a.name());
        }
    }
    for name in names {
        let of = |c: &PointCloud| c.attribute(name).map(|a| (a.width(), a.values().clone()));
        let parts: Vec<(usize, Values)> = clouds.iter().filter_map(of).collect();
        let width = parts[0].0;
        let alike = parts.len() == clouds.len() && parts.iter().all(|p| p.0 == width);
        let values = if alike { joined(parts.into_iter().map(|p| p.1).collect()) } else { None };
        match values {
            Some(values) => all
                .set_attribute(Attribute::vector(name, width, values))
                .map_err(|e| e.to_string())?,
            None => note(&format!("\"{name}\" was left out: not every cloud has it alike")),
        }
    }
    if source {
        let number = |(i, c): (usize, &PointCloud)| std::iter::repeat_n(i as u32, c.len());
        let numbers = clouds.iter().enumerate().flat_map(number).collect();
        let attribute = Attribute::scalar(SOURCE, Values::U32(numbers));
        all.set_attribute(attribute).map_err(|e| e.to_string())?;
    }
    Ok(all)
}

/// Values one after the other: of one type as they are, of several as doubles.
fn joined(parts: Vec<Values>) -> Option<Values> {
    macro_rules! same {
        ($($kind:ident),*) => {
            match &parts[0] {
                $(Values::$kind(_) if parts.iter().all(|p| matches!(p, Values::$kind(_))) => {
                    let mut all = Vec::new();
                    for part in parts {
                        if let Values::$kind(v) = part {
                            all.extend(v);
                        }
                    }
                    Some(Values::$kind(all))
                })*
                _ => {
                    let numbers = parts.iter().flat_map(|p| (0..p.len()).map(|i| p.get_f64(i)));
                    numbers.collect::<Option<Vec<f64>>>().map(Values::F64)
                }
            }
        };
    }
    same!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64, Text)
}
