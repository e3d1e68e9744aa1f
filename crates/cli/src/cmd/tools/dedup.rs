//! `pellucid dedup`: each place once.

use pellucid::Run;
use pellucid::big::Large;
use pellucid::steps::{self, thin};

use super::keep_rows;
use super::pieces::{Change, Kept, failure};
use crate::args::Dedup;
use crate::failure::Failure;

pub fn run(args: &Dedup) -> Result<(), Failure> {
    let what = match args.within {
        Some(x) => format!("the first of those nearer than {x}"),
        None => "the first of those at one place".to_owned(),
    };
    let rule = steps::Dedup { within: args.within };
    let pieces = |large: &Large, run: &mut Run| {
        let chosen = large.distinct(&rule, run).map_err(|e| failure(large.output, e))?;
        let kept = Kept { chosen, not_finite: true, what: what.clone(), at: 0 };
        Ok(Box::new(kept) as Box<dyn Change>)
    };
    keep_rows(&args.files, &what, &pieces, |document, _| {
        Ok(thin::distinct(&document.cloud, args.within))
    })
}
