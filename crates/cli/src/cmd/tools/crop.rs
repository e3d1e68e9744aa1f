//! `pellucid crop`: the points in a box, of some classes, or with some values.

use super::keep_rows;
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
    keep_rows(&args.files, &what, |document, name| {
        let chosen = select::part(&args.part, &document.cloud, name)?.unwrap_or_default();
        Ok((0..chosen.len()).filter(|&row| chosen[row] != args.invert).collect())
    })
}
