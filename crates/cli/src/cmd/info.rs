//! `pellucid info`.

use std::path::Path;

use pellucid::facts::Facts;
use serde::Serialize;

use super::jobs;
use super::streams;
use crate::args::Info;
use crate::failure::Failure;
use crate::output;
use crate::progress::Show;

/// What is in a file of that name.
#[derive(Serialize)]
struct Named {
    file: String,
    #[serde(flatten)]
    facts: Facts,
}

pub fn run(args: &Info) -> Result<(), Failure> {
    for file in &args.files {
        streams::check_input(file, args.stdin.in_format.as_deref())?;
    }
    let files = jobs::files(&args.files, args.recursive, args.quiet)?;
    if let [file] = files.as_slice() {
        let facts = one(args, file)?;
        return if args.json { output::print_json(&facts) } else { output::print(&table(&facts)) };
    }
    let mut all = Vec::new();
    let outcome = jobs::each(&files, |file| {
        let facts = one(args, file)?;
        if !args.json {
            let gap = if all.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{}", table(&facts)))?;
        }
        all.push(facts);
        Ok(())
    });
    if args.json {
        output::print_json(&all)?;
    }
    outcome
}

fn one(args: &Info, file: &Path) -> Result<Named, Failure> {
    let show = Show::new(args.quiet);
    let document = streams::read(file, args.stdin.in_format.as_deref(), show)?;
    let facts = show.busy("measuring", || Facts::of(&document));
    Ok(Named { file: streams::source_name(file).display().to_string(), facts })
}

fn table(Named { file, facts }: &Named) -> String {
    let mut rows = vec![("file".to_owned(), file.clone())];
    rows.extend(facts.table().into_iter().map(|(name, value)| (name.to_owned(), value)));
    super::columns(&rows)
}
