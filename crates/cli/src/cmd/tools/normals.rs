//! `pellucid normals`: estimated, turned alike, and written with the points.

use pellucid::Run;
use pellucid::big::{Large, LargeNormals};
use pellucid::cloud::{Point, vec3};
use pellucid::io::Document;
use pellucid::steps::normals;

use super::change;
use super::pieces::{self, Change};
use crate::args::NormalsCommand;
use crate::failure::{Failure, naming};

pub fn run(args: &NormalsCommand) -> Result<(), Failure> {
    let viewpoint = args.viewpoint.map(|v| v.0);
    let pieces = |large: &Large, run: &mut Run| {
        // Turning normals alike goes from point to point through the whole cloud.
        let fault = "--memory: give --viewpoint X,Y,Z, the place that normals are turned to, such as \
                     one high above the scene for a scan from the air";
        let scanner = || match *large.file.viewpoints() {
            [scanner] => Some(scanner),
            _ => None,
        };
        let viewpoint = viewpoint.or_else(scanner).ok_or_else(|| Failure::input(fault))?;
        let normals = large
            .normals(args.neighbors, viewpoint, run)
            .map_err(|e| pieces::failure(large.output, e))?;
        Ok(Box::new(Added { normals, without: 0 }) as Box<dyn Change>)
    };
    change(&args.files, "normals", &pieces, |document, name| {
        normals::add(document, args.neighbors, viewpoint)
            .map_err(|fault| Failure::input(naming(name, fault)))
    })
}

/// Adds the normals that were estimated.
struct Added {
    normals: LargeNormals,
    without: usize,
}

impl Change for Added {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let mut next = |p: &Point| match vec3::is_finite(*p) {
            true => self.normals.take().map_err(Failure::work),
            false => Ok([0.0; 3]),
        };
        let found = piece.cloud.positions().iter().map(&mut next);
        let found: Vec<Point> = found.collect::<Result<_, _>>()?;
        self.without += found.iter().filter(|n| **n == [0.0; 3]).count();
        piece.cloud.set_normals(&found).map_err(Failure::work)
    }

    fn said(&self, _: usize, after: usize) -> String {
        normals::said(after - self.without, "turned to the scanner", self.without)
    }
}
