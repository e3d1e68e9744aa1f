//! What a run did, for `--report` and `--json`.

use std::path::Path;

use pellucid::changes::{AttributeChange, Displacement, DroppedItem};
use pellucid::cloud::Point;
use pellucid::cloud::outliers::Rule;
use pellucid::denoise::registry::ParameterMap;
use pellucid::denoise::{Report, Stop};
use pellucid::numbers::three_digits;
use pellucid::steps::label;
use serde::Serialize;

use crate::cmd::labels::without_folders;
use crate::failure::{Failure, naming};
use crate::output;

/// Who made a report, and by what command.
#[derive(Debug, Serialize)]
pub struct Head {
    /// Name of the program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The command line as given.
    pub command: Vec<String>,
    /// What it ran on.
    pub system: String,
}

impl Head {
    /// The head of a report on the present command.
    pub fn of_command() -> Self {
        let command = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
        let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
        Head { program: "pellucid", version: env!("CARGO_PKG_VERSION"), command, system }
    }

    /// The head of a page that may be sent to others: without the folders of whoever made it.
    pub fn of_page() -> Self {
        let head = Head::of_command();
        Head { command: without_folders(head.command), ..head }
    }
}

/// The document that `--report` writes: everything needed to repeat the run.
#[derive(Debug, Serialize)]
pub struct ReportFile {
    /// Program and command.
    #[serde(flatten)]
    pub head: Head,
    /// One entry for each file.
    pub runs: Vec<RunReport>,
}

impl ReportFile {
    /// An empty report on the present command.
    pub fn new() -> Self {
        ReportFile { head: Head::of_command(), runs: Vec::new() }
    }
}

/// An error unless a report can be written, as far as can be known beforehand; `clouds` are files
/// that it must not replace. It may be a page if `html`.
pub fn check(
    report: Option<&Path>,
    html: bool,
    overwrite: bool,
    clouds: &[&Path],
) -> Result<(), Failure> {
    let Some(path) = report else { return Ok(()) };
    let page = html && has_extension(path, "html");
    if !page && !has_extension(path, "json") {
        let fault = if html {
            "reports are written as .json, or as .html to view in a browser; choose one of these endings"
        } else {
            "reports are written as .json; name it so"
        };
        return Err(Failure::input(naming(path, fault)));
    }
    if clouds.iter().any(|cloud| output::is_same(cloud, path)) {
        return Err(Failure::input(naming(path, "the report would replace a cloud")));
    }
    output::check_free(path, overwrite)
}

/// Whether a file's name ends so.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// The result for one file.
#[derive(Debug, Serialize)]
pub struct RunReport {
    /// The file read.
    pub input: String,
    /// The file written.
    pub output: String,
    /// The method.
    pub method: &'static str,
    /// The preset, if one was named.
    pub preset: Option<String>,
    /// Parameters that differ from the preset, or from the defaults.
    pub parameters: ParameterMap,
    /// Seed of everything random.
    pub seed: u64,
    /// Threads asked for; nothing means all cores.
    pub threads: Option<usize>,
    /// Rows of the cloud.
    pub points: usize,
    /// Outer iterations done.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: Stop,
    /// From reading to writing.
    pub seconds: f64,
    /// How far the points moved.
    pub displacement: Displacement,
    /// What was done with stored normals: none, kept, updated or dropped.
    pub normals: &'static str,
    /// The selection that was denoised, if not all.
    pub part: Option<PartReport>,
    /// Where the scanner stood, if points moved along lines of sight.
    pub viewpoints: Option<Vec<Point>>,
    /// What was done with outliers before, if something was.
    pub outliers: Option<OutliersReport>,
    /// The changes of the positions and of each attribute.
    pub attributes: Vec<AttributeChange>,
    /// What the output's format cannot hold.
    pub dropped: Vec<DroppedItem>,
    /// What the method found out.
    pub report: Report,
}

impl RunReport {
    /// One line for people.
    pub fn line(&self) -> String {
        let d = &self.displacement;
        let unit = match d.mean_spacings {
            Some(s) => format!(" ({s:.2} spacings)"),
            None => String::new(),
        };
        let part = match &self.part {
            Some(part) => format!(" ({} of them to move)", part.points),
            None => String::new(),
        };
        let outliers = match &self.outliers {
            Some(o) => format!("{} {}, ", label::counted(o.found), o.done),
            None => String::new(),
        };
        let moved = match d.movement.moved {
            0 => self.unmoved(),
            _ => format!("moved by {}{unit} on average", three_digits(d.movement.mean)),
        };
        format!(
            "{} -> {}: {} points{part}, {outliers}{} in {:.1} s, {moved}\n",
            self.input, self.output, self.points, self.method, self.seconds
        )
    }
}

impl RunReport {
    /// Why nothing was moved, and what to try.
    fn unmoved(&self) -> String {
        let why = pellucid::unmoved::reason(self.stop, &self.report, &self.parameters);
        if self.parameters.get("strength").is_some_and(|s| s.as_f64() == Some(0.0)) {
            return format!("nothing was moved: {why}");
        }
        let other = if self.method == "mls" { "apss" } else { "mls" };
        format!(
            "nothing was moved: {why}; if the points are noisy all the same, give the noise in file \
             units with --noise X, or try --method {other}"
        )
    }
}

/// What was done with outliers before the rest.
#[derive(Debug, Serialize)]
pub struct OutliersReport {
    /// How they were found.
    pub rule: Rule,
    /// How many there are.
    pub found: usize,
    /// What was done with them.
    pub done: &'static str,
}

/// Which points were to move.
#[derive(Debug, Serialize)]
pub struct PartReport {
    /// The flags that chose them; all hold.
    pub conditions: Vec<String>,
    /// How many they are.
    pub points: usize,
}
