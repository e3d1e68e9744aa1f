//! `pellucid methods`.

use std::fmt::Write;

use pellucid::denoise::registry::{self, Method, Parameter, ParameterMap, Preset, Properties};
use serde::Serialize;

use crate::args::Methods;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    default: bool,
    summary: &'static str,
    reference: &'static str,
    doi: Option<&'static str>,
    min_points: usize,
    properties: Properties,
    presets: &'static [Preset],
    parameters: &'static [Parameter],
    defaults: ParameterMap,
}

impl From<&'static Method> for Row {
    fn from(m: &'static Method) -> Self {
        Row {
            name: m.name,
            default: m.name == registry::DEFAULT,
            summary: m.summary,
            reference: m.reference,
            doi: m.doi,
            min_points: m.min_points,
            properties: m.properties,
            presets: m.presets,
            parameters: m.parameters,
            defaults: m.defaults(),
        }
    }
}

pub fn run(args: &Methods) -> Result<(), Failure> {
    let rows: Vec<Row> = match &args.method {
        Some(name) => vec![registry::find(name)?.into()],
        None => registry::methods().iter().map(Row::from).collect(),
    };
    match (args.json, &args.method) {
        (true, _) => output::print_json(&rows),
        (false, Some(_)) => output::print(&rows.iter().map(detail).collect::<String>()),
        (false, None) => output::print(&list(&rows)),
    }
}

fn list(rows: &[Row]) -> String {
    let line = |r: &Row| {
        let default = if r.default { " (default)" } else { "" };
        (r.name.to_owned(), format!("{}{default}", r.summary))
    };
    let mut out = super::columns(&rows.iter().map(line).collect::<Vec<_>>());
    out.push_str("\nParameters and presets of one: pellucid methods NAME\n");
    out
}

fn detail(r: &Row) -> String {
    let mut out = format!("{}: {}\n{}", r.name, r.summary, r.reference);
    if let Some(doi) = r.doi {
        // Writing to a string cannot fail.
        let _ = write!(out, "\nhttps://doi.org/{doi}");
    }
    let _ = writeln!(out, "\nneeds at least {} points", r.min_points);
    if !r.presets.is_empty() {
        let rows = r.presets.iter().map(|p| (format!("  {}", p.name), p.about.to_owned()));
        out += &format!("\npresets\n{}", super::columns(&rows.collect::<Vec<_>>()));
    }
    let rows: Vec<(String, String)> = r
        .defaults
        .iter()
        .map(|(name, value)| {
            let known = r.parameters.iter().find(|p| p.name == name);
            let unit = known.map_or("", |p| p.unit);
            let about = known.map_or("", |p| p.about);
            let space = if unit.is_empty() { "" } else { " " };
            (format!("  {name} = {value}{space}{unit}"), about.to_owned())
        })
        .collect();
    if !rows.is_empty() {
        out += &format!("\nparameters\n{}", super::columns(&rows));
    }
    out
}
