//! `pellucid normals`: estimated, turned alike, and written with the points.

use pellucid::steps::normals;

use super::change;
use crate::args::NormalsCommand;
use crate::failure::{Failure, naming};

pub fn run(args: &NormalsCommand) -> Result<(), Failure> {
    let viewpoint = args.viewpoint.map(|v| v.0);
    change(&args.files, "normals", |document, name| {
        normals::add(document, args.neighbors, viewpoint)
            .map_err(|fault| Failure::input(naming(name, fault)))
    })
}
