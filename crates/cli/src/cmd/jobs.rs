//! Which file goes where.

use std::collections::HashMap;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use pellucid::io::{Format, IoError};

use super::super::streams::is_stream;
use crate::args::Denoise;
use crate::failure::{Failure, naming};
use crate::output;

/// One input and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub input: PathBuf,
    pub output: PathBuf,
    /// Files that are never written: all inputs of the command and its parameter file.
    pub forbid: Vec<PathBuf>,
}

/// A file that was found, and its name in an output folder.
struct Found {
    path: PathBuf,
    name: PathBuf,
}

/// The jobs of a command line; makes the output folder if it needs one.
pub fn plan(args: &Denoise) -> Result<Vec<Job>, Failure> {
    check_streams(args)?;
    let inputs = inputs(args)?;
    let mut forbid: Vec<PathBuf> = inputs.iter().map(|f| f.path.clone()).collect();
    forbid.extend(args.params.clone());
    let several = args.inputs.len() > 1 || args.inputs.iter().any(|p| p.is_dir());
    let to_folder = several || args.output.is_dir() || ends_with_separator(&args.output);
    if !to_folder {
        let output = args.output.clone();
        return Ok(inputs.into_iter().map(|f| job(f.path, output.clone(), &forbid)).collect());
    }
    if args.output.exists() && !args.output.is_dir() {
        let fault = "several inputs need a folder as output, but this is a file";
        return Err(Failure::input(naming(&args.output, fault)));
    }
    let is_new = !args.output.is_dir() && !ends_with_separator(&args.output);
    if is_new && Format::from_path(&args.output).is_some() {
        let fault = format!(
            "several inputs need a folder as output, but this is the name of a file; name a folder, \
             or write {}{MAIN_SEPARATOR} if it shall be called so",
            args.output.display()
        );
        return Err(Failure::input(naming(&args.output, fault)));
    }
    let jobs = into_folder(inputs, &args.output, &forbid)?;
    if !args.dry_run {
        output::make_folder(&args.output)?;
        for folder in jobs.iter().filter_map(|job| job.output.parent()) {
            output::make_folder(folder)?;
        }
    }
    Ok(jobs)
}

/// stdin and stdout stand for one cloud each.
fn check_streams(args: &Denoise) -> Result<(), Failure> {
    let streamed = args.inputs.iter().any(|p| is_stream(p));
    let several = args.inputs.len() > 1 || args.inputs.iter().any(|p| p.is_dir());
    if streamed && several {
        return Err(Failure::input("stdin (-) cannot be one of several inputs; give it alone"));
    }
    if is_stream(&args.output) && several {
        return Err(Failure::input("several clouds do not fit into stdout; name a folder as OUT"));
    }
    if streamed && (args.output.is_dir() || ends_with_separator(&args.output)) {
        let fault = "a cloud from stdin has no name of its own; name a file in this folder";
        return Err(Failure::input(naming(&args.output, fault)));
    }
    Ok(())
}

fn job(input: PathBuf, output: PathBuf, forbid: &[PathBuf]) -> Job {
    Job { input, output, forbid: forbid.to_vec() }
}

/// Every input under its own name in `folder`; two of one name are an error.
fn into_folder(inputs: Vec<Found>, folder: &Path, forbid: &[PathBuf]) -> Result<Vec<Job>, Failure> {
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut jobs = Vec::new();
    for Found { path, name } in inputs {
        if name.as_os_str().is_empty() {
            return Err(Failure::input(naming(&path, "has no file name")));
        }
        if let Some(other) = seen.insert(name.clone(), path.clone()) {
            let fault = format!("has the same name as {}; denoise them apart", other.display());
            return Err(Failure::input(naming(&path, fault)));
        }
        let output = folder.join(plain_laz(&name));
        jobs.push(job(path, output, forbid));
    }
    Ok(jobs)
}

/// A name that does not promise a cloud-optimized file, which are read, not written.
fn plain_laz(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    match text.to_ascii_lowercase().strip_suffix(".copc.laz") {
        Some(stem) => PathBuf::from(format!("{}_copc.laz", &text[..stem.len()])),
        None => name.to_owned(),
    }
}

/// The files, with the clouds of folders in the order of their names.
fn inputs(args: &Denoise) -> Result<Vec<Found>, Failure> {
    let mut out = Vec::new();
    for path in &args.inputs {
        if !path.is_dir() {
            if !is_stream(path) && !path.exists() && path.symlink_metadata().is_err() {
                return Err(IoError::Missing { file: path.display().to_string() }.into());
            }
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            out.push(Found { path: path.clone(), name });
            continue;
        }
        let mut search = Search { recursive: args.recursive, ..Search::default() };
        search.folder(path, Path::new(""), 0)?;
        if search.skipped > 0 && !args.quiet {
            let n = search.skipped;
            let folders = if n == 1 { "folder" } else { "folders" };
            let fault = format!("{n} {folders} in it skipped; give --recursive to take them too");
            output::note(&naming(path, fault));
        }
        if search.found.is_empty() {
            return Err(Failure::input(naming(path, "this folder holds no point cloud")));
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
    found: Vec<Found>,
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
                self.found.push(Found { path, name });
            }
        }
        Ok(())
    }
}

fn ends_with_separator(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with('/') || text.ends_with(MAIN_SEPARATOR)
}
