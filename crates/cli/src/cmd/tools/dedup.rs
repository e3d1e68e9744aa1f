//! `pellucid dedup`: each place once.

use pellucid::steps::thin;

use super::keep_rows;
use crate::args::Dedup;
use crate::failure::Failure;

pub fn run(args: &Dedup) -> Result<(), Failure> {
    let what = match args.within {
        Some(x) => format!("the first of those nearer than {x}"),
        None => "the first of those at one place".to_owned(),
    };
    keep_rows(&args.files, &what, |document, _| Ok(thin::distinct(&document.cloud, args.within)))
}
