//! `pellucid outliers`.

mod mark;

use std::path::Path;

use pellucid::cloud::outliers::{self, Isolated, LocalOutlier, Radius, Rule, Statistical};
use pellucid::denoise;
use pellucid::io::{Document, WriteOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::denoise::parameters::assignment;
use super::streams;
use crate::args::{Outliers, RuleName};
use crate::failure::{Failure, naming, plain};
use crate::fates::{self, Clouds, Fate};
use crate::output;
use crate::progress::Show;
use crate::report::{self, DroppedItem, Head};
use mark::Place;

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
    /// What the points were compared with: spacings, neighbours or a factor.
    limit: f64,
    spacing: f64,
    /// What was done with them.
    done: String,
    /// Where they are.
    #[serde(rename = "where")]
    place: Place,
    attributes: Vec<Fate>,
    dropped: Vec<DroppedItem>,
}

pub fn run(args: &Outliers) -> Result<(), Failure> {
    let rule = rule(args)?;
    let show = Show::new(args.quiet);
    let mut forbid = vec![args.input.clone()];
    forbid.extend(args.map.clone());
    let options = WriteOptions {
        overwrite: args.overwrite,
        forbid,
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    };
    let inputs = std::slice::from_ref(&args.input);
    let (input, output) = (streams::source_name(&args.input), streams::target_name(&args.output));
    streams::check(&args.input, &args.output, &args.streams, &options)?;
    streams::check_json(&args.output, args.json)?;
    report::check(args.report.as_deref(), false, args.overwrite, &[&args.input, &args.output])?;
    check_map(args)?;
    check_label(args, None)?;

    let document = streams::read(&args.input, args.streams.in_format.as_deref(), show)?;
    check_label(args, Some(&document))?;
    let found = show.busy("looking for outliers", || {
        denoise::install(args.threads, || outliers::find(document.cloud.positions(), &rule))
    });
    let found = found.map_err(|e| Failure::input(naming(input, e)))?;

    let before = document.cloud.clone();
    let above = denoise::install(args.threads, || mark::above(&before, &found));
    let place = Place::of(&before, &found, &above);
    let (cloud, done, reasons) = if args.remove {
        (before.select(&found.kept()), "removed".to_owned(), Vec::new())
    } else {
        let marked = mark::mark(args, &document, &found, &above)
            .map_err(|e| Failure::input(naming(input, e)))?;
        let reason = format!("outliers are {}", marked.done);
        (marked.cloud, marked.done, vec![(marked.attribute, reason)])
    };
    let kept = if args.remove { cloud.clone() } else { before };
    let document = Document { cloud, source: document.source };
    let format = args.streams.format.as_deref();
    let written = streams::write(&args.output, format, &document, &options, show)?;
    if let Some(path) = &args.map {
        let rows: String = found.kept().iter().map(|row| format!("{row}\n")).collect();
        output::write_file(path, rows.as_bytes(), args.overwrite, inputs)?;
    }

    let (points, count) = (found.flags.len(), found.count());
    let share = 100.0 * count as f64 / points.max(1) as f64;
    let mut line = format!(
        "{} -> {}: {points} points, {count} outliers ({share:.2} %) by {}, {done}\n",
        input.display(),
        output.display(),
        rule.name()
    );
    line.extend(place.line(count));
    if !args.json {
        streams::say(&args.output, args.quiet, &line)?;
    }
    if args.report.is_none() && !args.json {
        return Ok(());
    }
    let stored = fates::stored(&args.output);
    let clouds = Clouds { before: &kept, after: &document.cloud, stored: stored.as_ref() };
    let report = Report {
        head: Head::new(),
        input: input.display().to_string(),
        output: output.display().to_string(),
        rule,
        points,
        outliers: count,
        limit: found.limit,
        spacing: found.spacing,
        done,
        place,
        attributes: clouds.fates(&written.dropped, &reasons),
        dropped: written.dropped.iter().map(DroppedItem::from).collect(),
    };
    if let Some(path) = &args.report {
        let text = output::json(&report)? + "\n";
        output::write_file(path, text.as_bytes(), args.overwrite, inputs)?;
    }
    if args.json { output::print_json(&report) } else { Ok(()) }
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
fn check_map(args: &Outliers) -> Result<(), Failure> {
    let Some(path) = &args.map else { return Ok(()) };
    let same = |other: &Path| {
        other == path.as_path()
            || matches!((other.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b)
    };
    let others = [Some(&args.input), Some(&args.output), args.report.as_ref()];
    if others.into_iter().flatten().any(|p| same(p)) {
        return Err(Failure::input(naming(path, "the map would replace another file of this run")));
    }
    output::check_free(path, args.overwrite)
}

/// An error if labels are wanted and the output's format has no place for them.
fn check_label(args: &Outliers, document: Option<&Document>) -> Result<(), Failure> {
    let format = args.streams.format.as_deref();
    match streams::format_of(&args.output, format, document) {
        Some(format) if !args.remove && !format.holds_attributes() => {
            let fault = format!(
                "{} cannot store labels; write another format such as .ply, or give --remove",
                format.name()
            );
            Err(Failure::input(naming(streams::target_name(&args.output), fault)))
        }
        _ => Ok(()),
    }
}
