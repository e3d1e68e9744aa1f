//! `pellucid outliers --memory`.

use pellucid::Run;
use pellucid::big::{Bits, Large, LargeOutliers, Memory};
use pellucid::cloud::outliers::{OutlierFlags, Rule};
use pellucid::cloud::vec3;
use pellucid::io::{Document, Format};
use pellucid::steps::label::Place;

use super::{Report, line, marked, options};
use crate::args::Outliers;
use crate::cmd::jobs::Job;
use crate::cmd::tools::pieces::{self, Change, PieceRun};
use crate::failure::Failure;
use crate::report::Head;

/// One file, in pieces: what a report holds, if one is wanted, and a line for people.
pub fn one(
    args: &Outliers,
    rule: &Rule,
    job: &Job,
    memory: Memory,
) -> Result<(Option<Report>, String), Failure> {
    let Rule::Isolated(isolated) = rule else {
        let fault = "--memory works with the method \"isolated\" only";
        return Err(Failure::input(fault));
    };
    if args.map.is_some() {
        return Err(Failure::input("--map cannot be used with --memory"));
    }
    let (threads, quiet) = (args.threads, args.quiet);
    let piece_run = PieceRun { memory, threads, quiet, options: options(args, job) };
    let summary = std::sync::Mutex::new(Summary::default());
    let prepare = |large: &Large, run: &mut Run| {
        let found = large.outliers(rule, run).map_err(|e| pieces::failure(large.output, e))?;
        let limit = isolated.factor;
        let format = Format::from_path(large.output);
        let marking = Marking { args, found, limit, format, at: 0, summary: &summary };
        Ok(Box::new(marking) as Box<dyn Change + '_>)
    };
    pieces::change(&piece_run, &job.input, &job.output, &prepare)?;
    let Summary { points, outliers, spacing, place, done } =
        summary.into_inner().unwrap_or_default();
    let line = line(&job.input, &job.output, rule, (points, outliers), &place, &done);
    let report = (args.report.is_some() || args.json).then(|| Report {
        head: Head::of_command(),
        input: job.input.display().to_string(),
        output: job.output.display().to_string(),
        rule: *rule,
        points,
        outliers,
        limit: isolated.factor,
        spacing,
        done,
        place,
        attributes: Vec::new(),
        dropped: Vec::new(),
    });
    Ok((report, line))
}

/// What the report says of the whole file.
#[derive(Default)]
struct Summary {
    points: usize,
    outliers: usize,
    spacing: f64,
    place: Place,
    done: String,
}

/// Marks outliers, or leaves them out.
struct Marking<'a> {
    args: &'a Outliers,
    found: LargeOutliers,
    limit: f64,
    format: Option<Format>,
    /// Finite points so far.
    at: usize,
    summary: &'a std::sync::Mutex<Summary>,
}

impl Change for Marking<'_> {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let start = self.at;
        let flags = |bits: &Bits, piece: &Document| {
            let mut at = start;
            let flag = |p: &[f64; 3]| {
                let finite = vec3::is_finite(*p);
                at += usize::from(finite);
                finite && bits.get(at - 1)
            };
            let all: Vec<bool> = piece.cloud.positions().iter().map(flag).collect();
            (all, at)
        };
        let (outliers, end) = flags(&self.found.flags, piece);
        let (above, _) = flags(&self.found.above, piece);
        self.at = end;
        let spacing = self.found.spacing;
        let found = OutlierFlags { flags: outliers, spacing, limit: self.limit };
        let place = Place::of(&piece.cloud, &found, &above);
        let done = if self.args.remove {
            piece.cloud = piece.cloud.select(&found.kept());
            "removed".to_owned()
        } else {
            let (marked, done) =
                marked(self.args, piece, self.format, &found, &above).map_err(Failure::input)?;
            piece.cloud = marked.cloud;
            done
        };
        let mut summary = self.summary.lock().map_err(Failure::work)?;
        summary.points += found.flags.len();
        summary.outliers += found.count();
        summary.spacing = spacing;
        summary.place.add(place);
        summary.done = done;
        Ok(())
    }

    fn said(&self, _: usize, _: usize) -> String {
        String::new()
    }
}
