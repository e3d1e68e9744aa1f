//! `pellucid thin`: fewer points, each with its attributes.

use pellucid::Run;
use pellucid::big::Large;
use pellucid::steps::{self, thin};

use super::keep_rows;
use super::pieces::{Change, Kept, failure};
use crate::args::Thin;
use crate::failure::Failure;

pub fn run(args: &Thin) -> Result<(), Failure> {
    let how = match (args.voxel, args.poisson) {
        (Some(side), _) => format!("one in each cube of {side}"),
        (_, Some(radius)) => format!("at least {radius} apart"),
        _ => "chosen at random".to_owned(),
    };
    let rule = steps::Thin { voxel: args.voxel, poisson: args.poisson, random: args.random };
    let pieces = |large: &Large, run: &mut Run| {
        let chosen = large.thin(&rule, args.seed, run).map_err(|e| failure(large.output, e))?;
        let kept = Kept { chosen, not_finite: false, what: how.clone(), at: 0 };
        Ok(Box::new(kept) as Box<dyn Change>)
    };
    keep_rows(&args.files, &how, &pieces, |document, _| {
        Ok(thin::rows(&document.cloud, &rule, args.seed))
    })
}
