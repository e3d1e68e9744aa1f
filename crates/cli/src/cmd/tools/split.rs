//! `pellucid split`: one file for each scan, class, value or square.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pellucid::io::{self, Compression, Document, PieceFile, PieceWriter, WriteOptions};
use pellucid::split::{self, By, Key};

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
    let (by, word) = by(args);
    let parts = split::parts(&document.cloud, &by).map_err(|text| at_fault(input, text))?;
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
    let (by, word) = by(args);
    let parts =
        |piece: &Document| split::parts(&piece.cloud, &by).map_err(|text| at_fault(input, text));
    let file = PieceFile::open(input)?;
    piece_run.run("splitting", |run| {
        let mut keys = BTreeSet::new();
        pieces::each(&file, piece_run, run, &mut |piece| {
            keys.extend(parts(&piece)?.into_keys());
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
                for (key, rows) in parts(&piece)? {
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

/// What parts have in common, and the word for it in names of files.
fn by(args: &Split) -> (By, String) {
    match (args.tile, &args.by) {
        (Some(side), _) => (By::Square(side), "tile".to_owned()),
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            (By::Attribute(name.clone()), name)
        }
    }
}

fn at_fault(input: &Path, text: String) -> Failure {
    Failure::input(naming(input, format!("--by {text}")))
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
