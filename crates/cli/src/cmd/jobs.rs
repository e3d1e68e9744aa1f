//! Which file goes where, for every command that makes clouds out of clouds.

use std::collections::HashMap;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use pellucid::io::{Compression, Document, Format, IoError};

use super::streams::{check_input, format_of, is_stream};
use crate::args::{Files, Streams};
use crate::failure::{Failure, naming};
use crate::output;

/// One input and its output.
#[derive(Debug, Clone)]
pub struct Job {
    pub input: PathBuf,
    pub output: PathBuf,
    /// Files that are never written: all inputs of the command and its other files.
    pub forbid: Vec<PathBuf>,
    /// Formats, as far as names do not tell them.
    pub streams: Streams,
}

impl Job {
    /// The format of the output; `document` is what is written, if it is known yet.
    pub fn target(&self, document: Option<&Document>) -> Option<Format> {
        format_of(&self.output, self.streams.format.as_deref(), document)
    }
}

/// What the command line says about files.
pub struct Request<'a> {
    pub inputs: &'a [PathBuf],
    pub output: &'a Path,
    /// Whether folders inside folders are taken too.
    pub recursive: bool,
    pub streams: &'a Streams,
    pub quiet: bool,
    /// Whether output folders are made.
    pub makes_folders: bool,
    /// Files that are never written, beside the inputs.
    pub forbid: Vec<PathBuf>,
}

impl<'a> Request<'a> {
    /// What the usual flags of a command say.
    pub fn of(files: &'a Files) -> Request<'a> {
        Request {
            inputs: &files.inputs,
            output: &files.output,
            recursive: files.recursive,
            streams: &files.common.streams,
            quiet: files.common.quiet,
            makes_folders: true,
            forbid: Vec::new(),
        }
    }
}

/// A file to read, and its name in an output folder.
struct InputFile {
    path: PathBuf,
    name: PathBuf,
}

/// The jobs of a command line; makes the output folder if it needs one.
pub fn plan(wanted: &Request) -> Result<Vec<Job>, Failure> {
    check_streams(wanted)?;
    let inputs = inputs(wanted.inputs, wanted.recursive, wanted.quiet)?;
    let mut forbid: Vec<PathBuf> = inputs.iter().map(|f| f.path.clone()).collect();
    forbid.extend(wanted.forbid.iter().cloned());
    let output = wanted.output;
    if !is_folder_wanted(wanted) {
        let job = |f: InputFile| Job {
            input: f.path,
            output: output.to_owned(),
            forbid: forbid.clone(),
            streams: wanted.streams.clone(),
        };
        return Ok(inputs.into_iter().map(job).collect());
    }
    if output.exists() && !output.is_dir() {
        let fault = "several inputs need a folder as output, but this is a file";
        return Err(Failure::input(naming(output, fault)));
    }
    let is_new = !output.is_dir() && !ends_with_separator(output);
    if is_new && Format::from_path(output).is_some() {
        let fault = format!(
            "several inputs need a folder as output, but this is the name of a file; name a folder, \
             or write {}{MAIN_SEPARATOR} if that is the name of the folder",
            output.display()
        );
        return Err(Failure::input(naming(output, fault)));
    }
    let jobs = into_folder(inputs, wanted, &forbid)?;
    if wanted.makes_folders {
        output::make_folder(output)?;
        for folder in jobs.iter().filter_map(|job| job.output.parent()) {
            output::make_folder(folder)?;
        }
    }
    Ok(jobs)
}

/// Checks that disks have room for outputs that keep all points.
pub fn check_room(jobs: &[Job]) -> Result<(), Failure> {
    Ok(pellucid::room::check(jobs.iter().map(|job| (&*job.input, &*job.output)))?)
}

/// Whether the output is a folder, by the command line.
fn is_folder_wanted(wanted: &Request) -> bool {
    let several = wanted.inputs.len() > 1 || wanted.inputs.iter().any(|p| p.is_dir());
    several || wanted.output.is_dir() || ends_with_separator(wanted.output)
}

/// stdin and stdout stand for one cloud each.
fn check_streams(wanted: &Request) -> Result<(), Failure> {
    for input in wanted.inputs {
        check_input(input, wanted.streams.in_format.as_deref())?;
    }
    let streamed = wanted.inputs.iter().any(|p| is_stream(p));
    let several = wanted.inputs.len() > 1 || wanted.inputs.iter().any(|p| p.is_dir());
    if streamed && several {
        return Err(Failure::input("stdin (-) cannot be one of several inputs; give it alone"));
    }
    if is_stream(wanted.output) && several {
        return Err(Failure::input("several clouds do not fit into stdout; name a folder as OUT"));
    }
    if streamed && (wanted.output.is_dir() || ends_with_separator(wanted.output)) {
        let fault = "a cloud from stdin has no name of its own; name a file in this folder";
        return Err(Failure::input(naming(wanted.output, fault)));
    }
    Ok(())
}

/// Does `work` with every item, also those after one that fails; says at the end how many failed.
pub fn each<T>(
    items: &[T],
    mut work: impl FnMut(&T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for item in items {
        match work(item) {
            Ok(()) => {}
            Err(failure @ (Failure::Input(_) | Failure::Work(_))) if items.len() > 1 => {
                output::note(&format!("error: {}", failure.message().unwrap_or_default()));
                failures.push(failure);
            }
            // The only one, or none can be done any more.
            Err(stop) => return Err(stop),
        }
    }
    // A failure of the work outweighs one of the input.
    match failures.iter().map(Failure::code).min() {
        None => Ok(()),
        Some(code) => {
            let message = format!("{} of {} files failed", failures.len(), items.len());
            Err(if code == 1 { Failure::Work(message) } else { Failure::Input(message) })
        }
    }
}

/// Every input under its own name in the folder, with the extension of `--format` if that is given;
/// two of one name are an error.
fn into_folder(
    inputs: Vec<InputFile>,
    wanted: &Request,
    forbid: &[PathBuf],
) -> Result<Vec<Job>, Failure> {
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut jobs = Vec::new();
    // It names the files, and is used up by that.
    let streams = Streams { format: None, ..wanted.streams.clone() };
    for InputFile { path, name } in inputs {
        if name.as_os_str().is_empty() {
            return Err(Failure::input(naming(&path, "has no file name")));
        }
        let name = match &wanted.streams.format {
            Some(format) => renamed(&name, format),
            None => plain_laz(&name),
        };
        if let Some(other) = seen.insert(name.clone(), path.clone()) {
            let fault =
                format!("has the same name as {} in OUT; process them separately", other.display());
            return Err(Failure::input(naming(&path, fault)));
        }
        let output = wanted.output.join(name);
        jobs.push(Job { input: path, output, forbid: forbid.to_vec(), streams: streams.clone() });
    }
    Ok(jobs)
}

/// A name with the extension of another format.
fn renamed(name: &Path, format: &str) -> PathBuf {
    let stem = match Compression::from_path(name) {
        Some(_) => name.with_extension(""),
        None => name.to_owned(),
    };
    let known = Format::from_name(format).map(Format::extensions).unwrap_or_default();
    let extension = known.iter().find(|e| e.eq_ignore_ascii_case(format)).or(known.first());
    plain_laz(&stem.with_extension(extension.unwrap_or(&format)))
}

/// A name that does not promise a cloud-optimized file, which are read, not written.
fn plain_laz(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    match text.to_ascii_lowercase().strip_suffix(".copc.laz") {
        Some(stem) => PathBuf::from(format!("{}_copc.laz", &text[..stem.len()])),
        None => name.to_owned(),
    }
}

/// The files of a command that reads only, with the clouds of folders in the order of their names.
pub fn files(paths: &[PathBuf], recursive: bool, quiet: bool) -> Result<Vec<PathBuf>, Failure> {
    Ok(inputs(paths, recursive, quiet)?.into_iter().map(|f| f.path).collect())
}

fn inputs(paths: &[PathBuf], recursive: bool, quiet: bool) -> Result<Vec<InputFile>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        if !path.is_dir() {
            if !is_stream(path) && !path.exists() && path.symlink_metadata().is_err() {
                return Err(IoError::Missing { file: path.display().to_string() }.into());
            }
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            out.push(InputFile { path: path.clone(), name });
            continue;
        }
        let mut search = Search { recursive, ..Search::default() };
        search.folder(path, Path::new(""), 0)?;
        if search.skipped > 0 && !quiet {
            let n = search.skipped;
            let folders = if n == 1 { "folder" } else { "folders" };
            let fault = format!("{n} {folders} in it skipped; give --recursive to take them too");
            output::note(&naming(path, fault));
        }
        if search.found.is_empty() {
            return Err(Failure::input(naming(path, "this folder has no point cloud")));
        }
        search.found.sort_by(|a, b| a.path.cmp(&b.path));
        out.append(&mut search.found);
    }
    Ok(out)
}

/// Folders inside folders that are followed, at most: links may lead round.
const DEPTH: usize = 64;

/// The clouds of a folder.
#[derive(Default)]
struct Search {
    recursive: bool,
    found: Vec<InputFile>,
    /// Folders that were not looked into.
    skipped: usize,
}

impl Search {
    fn folder(&mut self, folder: &Path, name: &Path, depth: usize) -> Result<(), Failure> {
        let fault = |e| Failure::input(naming(folder, format!("cannot be listed: {e}")));
        for entry in fs::read_dir(folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let (path, name) = (entry.path(), name.join(entry.file_name()));
            // Links to folders are not followed.
            let is_folder = entry.file_type().map_err(fault)?.is_dir();
            if is_folder && self.recursive && depth < DEPTH {
                self.folder(&path, &name, depth + 1)?;
            } else if is_folder {
                self.skipped += 1;
            } else if path.is_file() && Format::from_path(&path).is_some() {
                self.found.push(InputFile { path, name });
            }
        }
        Ok(())
    }
}

fn ends_with_separator(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with('/') || text.ends_with(MAIN_SEPARATOR)
}
