//! `pellucid methods`.

use std::fmt::Write;

use pellucid::denoise::parameters::Parameter;
use pellucid::denoise::registry::{self, Method};

use crate::args::Methods;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &Methods) -> Result<(), Failure> {
    let rows = match &args.method {
        Some(name) => std::slice::from_ref(registry::find(name)?),
        None => registry::methods(),
    };
    match (args.json, &args.method) {
        (true, _) => output::print_json(&rows),
        (false, Some(_)) => output::print(&rows.iter().map(detail).collect::<String>()),
        (false, None) => output::print(&list(rows)),
    }
}

fn list(rows: &[Method]) -> String {
    let line = |r: &Method| {
        let default = if r.name == registry::DEFAULT { " (default)" } else { "" };
        (r.name.to_owned(), format!("{}{default}", r.summary))
    };
    let mut out = super::columns(&rows.iter().map(line).collect::<Vec<_>>());
    out.push_str("\nParameters and presets of one: pellucid methods NAME\n");
    out
}

fn detail(r: &Method) -> String {
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
    let defaults = r.defaults();
    let row = |p: &Parameter| {
        let space = if p.unit.is_empty() { "" } else { " " };
        let default = defaults.get(p.name).map(ToString::to_string).unwrap_or_default();
        let value = format!("  {} = {default}{space}{}", p.name, p.unit);
        (value, format!("{} [{}]", p.about, p.rule()))
    };
    let rows: Vec<(String, String)> = r.parameters.iter().map(row).collect();
    if !rows.is_empty() {
        out += &format!("\nparameters\n{}", super::columns(&rows));
    }
    out
}
