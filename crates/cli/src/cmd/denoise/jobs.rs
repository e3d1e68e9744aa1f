//! Which file goes where.

use std::collections::HashMap;
use std::ffi::OsString;
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

/// The jobs of a command line; makes the output folder if it needs one.
pub fn plan(args: &Denoise) -> Result<Vec<Job>, Failure> {
    check_streams(args)?;
    let inputs = inputs(&args.inputs)?;
    let mut forbid = inputs.clone();
    forbid.extend(args.params.clone());
    let to_folder = args.inputs.len() > 1
        || args.inputs.iter().any(|p| p.is_dir())
        || args.output.is_dir()
        || ends_with_separator(&args.output);
    if !to_folder {
        let output = args.output.clone();
        return Ok(inputs.into_iter().map(|input| job(input, output.clone(), &forbid)).collect());
    }
    if args.output.exists() && !args.output.is_dir() {
        let fault = "several inputs need a folder as output, but this is a file";
        return Err(Failure::input(naming(&args.output, fault)));
    }
    let jobs = into_folder(inputs, &args.output, &forbid)?;
    if !args.dry_run {
        output::make_folder(&args.output)?;
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
fn into_folder(
    inputs: Vec<PathBuf>,
    folder: &Path,
    forbid: &[PathBuf],
) -> Result<Vec<Job>, Failure> {
    let mut seen: HashMap<OsString, PathBuf> = HashMap::new();
    let mut jobs = Vec::new();
    for input in inputs {
        let Some(name) = input.file_name().map(OsString::from) else {
            return Err(Failure::input(naming(&input, "has no file name")));
        };
        if let Some(other) = seen.insert(name.clone(), input.clone()) {
            let fault = format!("has the same name as {}; denoise them apart", other.display());
            return Err(Failure::input(naming(&input, fault)));
        }
        jobs.push(job(input, folder.join(name), forbid));
    }
    Ok(jobs)
}

/// The files, with the clouds of folders in the order of their names.
fn inputs(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut out = Vec::new();
    for path in given {
        if !path.is_dir() {
            if !is_stream(path) && !path.exists() && path.symlink_metadata().is_err() {
                return Err(IoError::Missing { file: path.display().to_string() }.into());
            }
            out.push(path.clone());
            continue;
        }
        let fault = |e| Failure::input(naming(path, format!("cannot be listed: {e}")));
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(fault)? {
            let file = entry.map_err(fault)?.path();
            if file.is_file() && Format::from_path(&file).is_some() {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(Failure::input(naming(path, "this folder holds no point cloud")));
        }
        found.sort();
        out.append(&mut found);
    }
    Ok(out)
}

fn ends_with_separator(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with('/') || text.ends_with(MAIN_SEPARATOR)
}
