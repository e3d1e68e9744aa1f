//! `pellucid distance`: how far each point is from another cloud or a mesh, as an attribute.

use std::path::Path;

use pellucid::Run;
use pellucid::big::Large;
use pellucid::cloud::{Attribute, Values};
use pellucid::distances::{Reference, Summary};
use pellucid::io::{self, Document};

use super::pieces::{self, Change};
use super::{checked, each_of};
use crate::args::Distance;
use crate::cmd::compare::number;
use crate::cmd::jobs::{self, Request};
use crate::cmd::streams;
use crate::failure::{Failure, naming};
use crate::progress::Show;

/// The attribute that distances go to.
pub const DISTANCE: &str = "distance";

pub fn run(args: &Distance) -> Result<(), Failure> {
    let [inputs @ .., path, output] = args.paths.as_slice() else {
        return Err(Failure::input("give IN, REFERENCE and OUT"));
    };
    let request = Request {
        inputs,
        output,
        recursive: args.recursive,
        streams: &args.common.streams,
        quiet: args.common.quiet,
        makes_folders: true,
        forbid: vec![path.clone()],
    };
    let jobs = checked(&request, &args.common)?;
    jobs::check_room(&jobs)?;
    pieces::check_fits(args.common.memory, path)?;
    let reference = read(args, path)?;
    let unit = "file units";
    let measured = || Measured { reference: &reference, path, unit, summary: Summary::default() };
    let prepare = |_: &Large, _: &mut Run| Ok(Box::new(measured()) as Box<dyn Change>);
    each_of(&jobs, &args.common, "measuring", &prepare, |document, _| {
        let mut measured = measured();
        measured.change(document)?;
        Ok(measured.said(document.cloud.len(), document.cloud.len()))
    })
}

fn read(args: &Distance, path: &Path) -> Result<Reference, Failure> {
    if streams::is_stream(path) {
        return Err(Failure::input("REFERENCE cannot come from stdin; name a file"));
    }
    let document = streams::read(path, None, Show::new(args.common.quiet))?;
    let faces = |e: &(String, usize)| e.0 == "face" && e.1 > 0;
    let is_mesh = !args.to_points && document.source.other_elements().iter().any(faces);
    let reference = match is_mesh {
        true => Reference::mesh(&io::read_mesh(path)?, args.signed),
        false => Reference::points(document.cloud, args.signed),
    };
    reference.map_err(|fault| Failure::input(naming(path, fault)))
}

/// Distances of a cloud, or of the pieces of one.
struct Measured<'a> {
    reference: &'a Reference,
    path: &'a Path,
    unit: &'static str,
    summary: Summary,
}

impl Change for Measured<'_> {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let distances = self.reference.distances(piece.cloud.positions());
        self.summary.add(&distances);
        self.unit = piece.source.unit().unwrap_or(self.unit);
        let attribute = Attribute::scalar(DISTANCE, Values::F64(distances));
        piece.cloud.set_attribute(attribute).map_err(Failure::work)
    }

    fn said(&self, _: usize, after: usize) -> String {
        let what = if self.reference.is_mesh() { "the mesh" } else { "the points" };
        format!(
            "{after} points, distance to {what} of {}: mean {}, rms {}, largest {} {}",
            self.path.display(),
            number(self.summary.mean()),
            number(self.summary.rms()),
            number(self.summary.largest()),
            self.unit
        )
    }
}
