//! `pellucid split`: one file for each scan, class, value or square.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::attribute::names;
use pellucid::io::{self, Compression, Document, PieceFile, PieceWriter, WriteOptions};

use super::options;
use super::pieces::{self, PieceRun};
use crate::args::Split;
use crate::cmd::jobs;
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::interrupt;
use crate::output;
use crate::progress::Show;

/// Files that one cloud is split into, at most: more is a mistake.
const MOST: usize = 10_000;
/// Parts of a large cloud that are written in one pass over it.
const AT_ONCE: usize = 64;
/// Attributes that say which scan a point is from, by format.
const SCANS: [&str; 2] = ["scan", "point_source_id"];

/// The rows of each part, by what its name ends in.
type Parts = BTreeMap<Key, Vec<usize>>;

/// What the points of a part have in common, in the order in which parts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Value(i64),
    Square(i64, i64),
    /// Rows that are not finite lie in no square.
    NotFinite,
}

pub fn run(args: &Split) -> Result<(), Failure> {
    let inputs = jobs::files(&args.inputs, args.recursive, args.common.quiet)?;
    if inputs.iter().any(|p| streams::is_stream(p)) || streams::is_stream(&args.output) {
        return Err(Failure::input("split needs files and a folder, not stdin or stdout"));
    }
    if args.output.exists() && !args.output.is_dir() {
        return Err(Failure::input(naming(&args.output, "this is a file; name a folder")));
    }
    output::make_folder(&args.output)?;
    let mut written = BTreeSet::new();
    for input in &inputs {
        if let Some(memory) = pieces::wanted(args.common.memory, &[input], &args.output)? {
            let piece_run = PieceRun::new(&args.common, &inputs, memory);
            large(args, input, &piece_run, &mut written)?;
            continue;
        }
        one(args, input, &inputs, &mut written)?;
    }
    Ok(())
}

/// Splits one cloud; no part replaces one of those that were `written` before.
fn one(
    args: &Split,
    input: &Path,
    inputs: &[PathBuf],
    written: &mut BTreeSet<PathBuf>,
) -> Result<(), Failure> {
    let show = Show::new(args.common.quiet);
    let document = streams::read(input, None, show)?;
    let fault = |text: String| Failure::input(naming(input, text));
    let (word, parts) = parts(args, &document.cloud).map_err(fault)?;
    let options = options(&args.common, inputs);
    let paths = paths(args, input, &word, parts.keys().copied(), &options, written)?;
    for (path, rows) in paths.values().zip(parts.values()) {
        interrupt::check()?;
        let cloud = document.cloud.select(rows);
        let part = Document { cloud, source: document.source.clone() };
        streams::write(path, None, &part, &options, show)?;
        let line = format!("{} -> {}: {} points\n", input.display(), path.display(), rows.len());
        streams::say(path, args.common.quiet, &line)?;
    }
    Ok(())
}

/// Where each part goes, which is checked before the first is written.
fn paths(
    args: &Split,
    input: &Path,
    word: &str,
    keys: impl ExactSizeIterator<Item = Key>,
    options: &WriteOptions,
    written: &mut BTreeSet<PathBuf>,
) -> Result<BTreeMap<Key, PathBuf>, Failure> {
    let fault = |text: String| Failure::input(naming(input, text));
    if keys.len() > MOST {
        return Err(fault(format!(
            "it would become {} files, and the limit is {MOST}; give a larger --tile, or another \
             attribute with --by",
            keys.len()
        )));
    }
    let paths: BTreeMap<Key, PathBuf> =
        keys.map(|key| (key, args.output.join(name(args, input, word, key)))).collect();
    for path in paths.values() {
        io::check_output(path, options)?;
        if !written.insert(path.clone()) {
            let text = format!("its part {} was made of another input already", path.display());
            return Err(fault(format!("{text}; split them into folders of their own")));
        }
    }
    Ok(paths)
}

/// Splits a cloud larger than memory: the keys first, then some parts in each pass over it.
fn large(
    args: &Split,
    input: &Path,
    piece_run: &PieceRun,
    written: &mut BTreeSet<PathBuf>,
) -> Result<(), Failure> {
    let fault = |text: String| Failure::input(naming(input, text));
    let file = PieceFile::open(input)?;
    piece_run.run("splitting", |run| {
        let (mut keys, mut word) = (BTreeSet::new(), String::new());
        pieces::each(&file, piece_run, run, &mut |piece| {
            let (called, found) = parts(args, &piece.cloud).map_err(fault)?;
            word = called;
            keys.extend(found.into_keys());
            Ok(())
        })?;
        let keys: Vec<Key> = keys.into_iter().collect();
        let paths = paths(args, input, &word, keys.iter().copied(), &piece_run.options, written)?;
        for some in keys.chunks(AT_ONCE) {
            let mut writers = BTreeMap::new();
            for key in some {
                let format = file.check_output(&paths[key])?;
                writers.insert(
                    *key,
                    (PieceWriter::create(&paths[key], format, &piece_run.options)?, 0),
                );
            }
            pieces::each(&file, piece_run, run, &mut |piece| {
                for (key, rows) in parts(args, &piece.cloud).map_err(fault)?.1 {
                    if let Some((writer, points)) = writers.get_mut(&key) {
                        let (cloud, source) = (piece.cloud.select(&rows), piece.source.clone());
                        writer.add(&Document { cloud, source })?;
                        *points += rows.len();
                    }
                }
                Ok(())
            })?;
            for (key, (writer, points)) in writers {
                let path = &paths[&key];
                streams::tell(path, &interrupt::writing(|| Ok(writer.finish()?))?);
                let line = format!("{} -> {}: {points} points\n", input.display(), path.display());
                streams::say(path, piece_run.quiet, &line)?;
            }
        }
        Ok(())
    })
}

/// What parts are called, and the rows of each.
fn parts(args: &Split, cloud: &PointCloud) -> Result<(String, Parts), String> {
    let mut parts = Parts::new();
    if let Some(side) = args.tile {
        for (row, p) in cloud.positions().iter().enumerate() {
            let square = |x: f64| (x / side).floor();
            let (x, y) = (square(p[0]), square(p[1]));
            let key = match p.iter().all(|c| c.is_finite()) && x.abs().max(y.abs()) < 1e15 {
                true => Key::Square(x as i64, y as i64),
                false => Key::NotFinite,
            };
            parts.entry(key).or_default().push(row);
        }
        return Ok(("tile".to_owned(), parts));
    }
    let (word, name) = attribute(args.by.as_deref().unwrap_or_default(), cloud)?;
    let values = cloud.attribute(&name).filter(|a| a.width() == 1).and_then(|a| a.component(0));
    let values =
        values.ok_or_else(|| format!("--by {word}: \"{name}\" is not one number a point"))?;
    for (row, v) in values.into_iter().enumerate() {
        if v.fract() != 0.0 || v.abs() >= 1e15 {
            return Err(format!("--by {word}: \"{name}\" of row {row} is {v}, not a whole number"));
        }
        parts.entry(Key::Value(v as i64)).or_default().push(row);
    }
    Ok((word, parts))
}

/// What `--by` means in this cloud: a word for names of files, and an attribute.
fn attribute(by: &str, cloud: &PointCloud) -> Result<(String, String), String> {
    let has = |name: &&str| cloud.attribute(name).is_some();
    let found = match by {
        "class" => Some(names::CLASSIFICATION).filter(has),
        "scan" => SCANS.into_iter().find(|name| has(name)),
        name => Some(name).filter(has),
    };
    match found {
        Some(name) => Ok((by.to_owned(), name.to_owned())),
        None => {
            let all: Vec<&str> = cloud.attributes().map(|a| a.name()).collect();
            let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            Err(format!("--by {by}: there is no such attribute; the file has {all}"))
        }
    }
}

/// The name of a part: `scan_class2.las.gz` of `scan.las.gz`.
fn name(args: &Split, input: &Path, word: &str, key: Key) -> PathBuf {
    let packed = Compression::from_path(input);
    let plain = if packed.is_some() { input.with_extension("") } else { input.to_owned() };
    let stem = plain.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".copc").unwrap_or(&stem);
    let own = plain.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mut extension = args.common.streams.format.clone().unwrap_or(own);
    if let Some(packed) = packed.filter(|_| args.common.streams.format.is_none()) {
        extension = format!("{extension}.{}", packed.extension());
    }
    // An attribute may be called anything.
    let word: String = word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let end = match key {
        Key::Value(v) => format!("{word}{v}"),
        Key::Square(x, y) => {
            let corner = |k: i64| format!("{}", k as f64 * args.tile.unwrap_or(1.0));
            format!("{word}_{}_{}", corner(x), corner(y))
        }
        Key::NotFinite => format!("{word}_not_finite"),
    };
    PathBuf::from(format!("{stem}_{end}.{extension}"))
}
