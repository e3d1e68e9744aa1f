//! `pellucid thin`: fewer points, each with its attributes.

use pellucid::steps::{self, thin};

use super::keep_rows;
use crate::args::Thin;
use crate::failure::Failure;

pub fn run(args: &Thin) -> Result<(), Failure> {
    let how = match (args.voxel, args.poisson) {
        (Some(side), _) => format!("one in each cube of {side}"),
        (_, Some(radius)) => format!("at least {radius} apart"),
        _ => "chosen at random".to_owned(),
    };
    let rule = steps::Thin { voxel: args.voxel, poisson: args.poisson, random: args.random };
    keep_rows(&args.files, &how, |document, _| Ok(thin::rows(&document.cloud, &rule, args.seed)))
}
