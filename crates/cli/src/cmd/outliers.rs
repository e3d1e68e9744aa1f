//! `pellucid outliers`.

mod large;

use std::path::Path;

use pellucid::changes::{self, AttributeChange, Clouds, DroppedItem};
use pellucid::cloud::outliers::{
    self, Isolated, LocalOutlier, OutlierFlags, Radius, Rule, Statistical,
};
use pellucid::denoise;
use pellucid::io::{Document, Format, WriteOptions};
use pellucid::steps::label::{self, Marked, Place};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::denoise::parameters::assignment;
use super::jobs::{self, Job, Request};
use super::streams;
use super::tools::pieces;
use crate::args::{Outliers, RuleName};
use crate::failure::{Failure, naming, plain};
use crate::output;
use crate::progress::Show;
use crate::report::{self, Head};

/// What `--report` and `--json` hold.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    input: String,
    output: String,
    rule: Rule,
    points: usize,
    outliers: usize,
    /// What the points were compared with: spacings, neighbors or a factor.
    limit: f64,
    spacing: f64,
    /// What was done with them.
    done: String,
    /// Where they are.
    #[serde(rename = "where")]
    place: Place,
    attributes: Vec<AttributeChange>,
    dropped: Vec<DroppedItem>,
}

/// The document for several files.
#[derive(Debug, Serialize)]
struct Reports {
    #[serde(flatten)]
    head: Head,
    files: Vec<Report>,
}

pub fn run(args: &Outliers) -> Result<(), Failure> {
    let rule = rule(args)?;
    let jobs = jobs::plan(&Request {
        inputs: &args.inputs,
        output: &args.output,
        recursive: args.recursive,
        streams: &args.streams,
        quiet: args.quiet,
        makes_folders: true,
        forbid: args.map.iter().cloned().collect(),
    })?;
    for job in &jobs {
        streams::check(&job.input, &job.output, &job.streams, &options(args, job))?;
        check_label(args, job, None)?;
    }
    streams::check_json(&args.output, args.json)?;
    let clouds: Vec<&Path> = jobs.iter().flat_map(|j| [&*j.input, &*j.output]).collect();
    report::check(args.report.as_deref(), false, args.overwrite, &clouds)?;
    check_map(args, &jobs)?;
    jobs::check_room(&jobs)?;

    let mut reports = Vec::new();
    let outcome = jobs::each(&jobs, |job| {
        let (report, line) = one(args, &rule, job)?;
        if !args.json {
            streams::say(&job.output, args.quiet, &line)?;
        }
        reports.extend(report);
        Ok(())
    });
    match reports.len() {
        0 => {}
        1 if jobs.len() == 1 => document(args, &reports[0])?,
        _ => document(args, &Reports { head: Head::of_command(), files: reports })?,
    }
    outcome
}

/// Writes and prints what was found, where that is asked for.
fn document(args: &Outliers, content: &impl Serialize) -> Result<(), Failure> {
    if let Some(path) = &args.report {
        let text = output::json(content)? + "\n";
        output::write_file(path, text.as_bytes(), args.overwrite, &args.inputs)?;
    }
    if args.json { output::print_json(content) } else { Ok(()) }
}

fn options(args: &Outliers, job: &Job) -> WriteOptions {
    WriteOptions {
        overwrite: args.overwrite,
        forbid: job.forbid.clone(),
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    }
}

/// One file, from reading to writing: what a report holds, if one is wanted, and a line for people.
fn one(args: &Outliers, rule: &Rule, job: &Job) -> Result<(Option<Report>, String), Failure> {
    if let Some(memory) = pieces::wanted(args.memory, &[&job.input], &job.output)? {
        return large::one(args, rule, job, memory);
    }
    let show = Show::new(args.quiet);
    let (input, output) = (streams::source_name(&job.input), streams::target_name(&job.output));
    let document = streams::read(&job.input, job.streams.in_format.as_deref(), show)?;
    check_label(args, job, Some(&document))?;
    let found = show.busy("finding outliers", || {
        denoise::install(args.threads, || outliers::find(document.cloud.positions(), rule))
    });
    let found = found.map_err(|e| Failure::input(naming(input, e)))?;

    let before = document.cloud.clone();
    let above = denoise::install(args.threads, || label::above(&before, &found));
    let place = Place::of(&before, &found, &above);
    let format = job.streams.format.as_deref();
    let (cloud, done, reasons) = if args.remove {
        (before.select(&found.kept()), "removed".to_owned(), Vec::new())
    } else {
        let target = streams::format_of(&job.output, format, Some(&document));
        let (marked, done) = marked(args, &document, target, &found, &above)
            .map_err(|e| Failure::input(naming(input, e)))?;
        let reason = format!("outliers are {done}");
        (marked.cloud, done, vec![(marked.attribute, reason)])
    };
    let kept = if args.remove { cloud.clone() } else { before };
    let document = Document { cloud, source: document.source };
    let written = streams::write(&job.output, format, &document, &options(args, job), show)?;
    if let Some(path) = &args.map {
        let rows: String = found.kept().iter().map(|row| format!("{row}\n")).collect();
        output::write_file(path, rows.as_bytes(), args.overwrite, &args.inputs)?;
    }
    let counts = (found.flags.len(), found.count());
    let line = line(input, output, rule, counts, &place, &done);
    if args.report.is_none() && !args.json {
        return Ok((None, line));
    }
    let stored = changes::stored(&job.output);
    let clouds = Clouds { before: &kept, after: &document.cloud, stored: stored.as_ref() };
    let report = Report {
        head: Head::of_command(),
        input: input.display().to_string(),
        output: output.display().to_string(),
        rule: *rule,
        points: found.flags.len(),
        outliers: found.count(),
        limit: found.limit,
        spacing: found.spacing,
        done,
        place,
        attributes: clouds.changes(&written.dropped, &reasons),
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
    };
    Ok((Some(report), line))
}

/// The cloud with its outliers marked, and how they are.
fn marked(
    args: &Outliers,
    document: &Document,
    target: Option<Format>,
    found: &OutlierFlags,
    above: &[bool],
) -> Result<(Marked, String), String> {
    let flag = if args.classify { "--classify: " } else { "" };
    let marked = label::marked(args.classify, document, target, found, above)
        .map_err(|e| format!("{flag}{e}"))?;
    let hint = match marked.attribute == label::WITHHELD {
        true => " (--classify for class 7 or 18)",
        false => "",
    };
    let done = format!("{}{hint}", marked.done);
    Ok((marked, done))
}

/// What was found, for people.
fn line(
    input: &Path,
    output: &Path,
    rule: &Rule,
    (points, count): (usize, usize),
    place: &Place,
    done: &str,
) -> String {
    let share = 100.0 * count as f64 / points.max(1) as f64;
    let mut line = format!(
        "{} -> {}: {points} points, {} ({share:.2} %) by {}, {done}\n",
        input.display(),
        output.display(),
        label::counted(count),
        rule.name()
    );
    line.extend(place.line(count));
    line
}

/// The rule with its parameters.
fn rule(args: &Outliers) -> Result<Rule, Failure> {
    let rule = match args.method {
        RuleName::Isolated => Rule::Isolated(parameters::<Isolated>(args)?),
        RuleName::Statistical => Rule::Statistical(parameters::<Statistical>(args)?),
        RuleName::Radius => Rule::Radius(parameters::<Radius>(args)?),
        RuleName::LocalOutlier => Rule::LocalOutlier(parameters::<LocalOutlier>(args)?),
    };
    rule.check().map_err(Failure::input)?;
    Ok(rule)
}

fn parameters<P: Default + Serialize + DeserializeOwned>(args: &Outliers) -> Result<P, Failure> {
    let mut values = match serde_json::to_value(P::default()) {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    for text in &args.set {
        let (name, value) = assignment(text)?;
        let known: Vec<String> = values.keys().cloned().collect();
        let Some(place) = values.get_mut(&name) else {
            let fault = format!("--set {text}: there is no parameter \"{name}\" for this method");
            return Err(Failure::input(format!("{fault}; it has: {}", known.join(", "))));
        };
        *place = value;
        // After each, so that the message names the one at fault.
        serde_json::from_value::<P>(Value::Object(values.clone()))
            .map_err(|e| Failure::input(plain(&format!("--set {text}: {e}"))))?;
    }
    serde_json::from_value(Value::Object(values)).map_err(Failure::input)
}

/// An error unless the map can be written, as far as can be told beforehand.
fn check_map(args: &Outliers, jobs: &[Job]) -> Result<(), Failure> {
    let Some(path) = &args.map else { return Ok(()) };
    let [job] = jobs else {
        return Err(Failure::input("--map is for one cloud; leave it out, or name one input"));
    };
    let others = [Some(&job.input), Some(&job.output), args.report.as_ref()];
    if others.into_iter().flatten().any(|p| output::is_same(p, path)) {
        return Err(Failure::input(naming(path, "the map would replace another file of this run")));
    }
    output::check_free(path, args.overwrite)
}

/// An error if labels are wanted and the output's format cannot store them.
fn check_label(args: &Outliers, job: &Job, document: Option<&Document>) -> Result<(), Failure> {
    let format = job.streams.format.as_deref();
    match streams::format_of(&job.output, format, document) {
        Some(format) if !args.remove && !format.holds_attributes() => {
            let fault = format!(
                "{} cannot store labels; write another format such as .ply, or give --remove",
                format.name()
            );
            Err(Failure::input(naming(streams::target_name(&job.output), fault)))
        }
        _ => Ok(()),
    }
}
