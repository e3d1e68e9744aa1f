//! `pellucid crop`: the points in a box, of some classes, or with some values.

use std::path::Path;

use pellucid::Run;
use pellucid::big::Large;
use pellucid::io::Document;

use super::keep_rows;
use super::pieces::Change;
use crate::args::Crop;
use crate::cmd::denoise::select;
use crate::failure::Failure;

pub fn run(args: &Crop) -> Result<(), Failure> {
    let conditions = select::conditions(&args.part);
    if conditions.is_empty() {
        let fault = "say which points to keep: --box, --class or --select";
        return Err(Failure::input(fault));
    }
    let verb = if args.invert { "without" } else { "with" };
    let what = format!("{verb} {}", conditions.join(" and "));
    let pieces = |_: &Large, _: &mut Run| {
        Ok(Box::new(Cropped { args, what: what.clone() }) as Box<dyn Change>)
    };
    keep_rows(&args.files, &what, &pieces, |document, name| {
        let chosen = select::part(&args.part, &document.cloud, name)?.unwrap_or_default();
        Ok((0..chosen.len()).filter(|&row| chosen[row] != args.invert).collect())
    })
}

struct Cropped<'a> {
    args: &'a Crop,
    what: String,
}

impl Change for Cropped<'_> {
    fn change(&mut self, piece: &mut Document) -> Result<(), Failure> {
        let chosen = select::mask(&self.args.part, &piece.cloud, Path::new("a piece"))?;
        let rows: Vec<usize> =
            (0..chosen.len()).filter(|&row| chosen[row] != self.args.invert).collect();
        piece.cloud = piece.cloud.select(&rows);
        Ok(())
    }

    fn said(&self, before: usize, after: usize) -> String {
        super::kept(before, after, &self.what)
    }
}
