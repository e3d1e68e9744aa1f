//! `--outliers`: what becomes of points that belong to no surface.

use pellucid::cloud::outliers::{self, Rule};
use pellucid::io::{Document, Format};
use pellucid::steps::label;

use crate::args::OutliersWish;
use crate::report::OutliersReport;

/// Finds outliers by the default rule and removes or labels them in a cloud that will be written in
/// format `target`. What was done, if anything was asked for.
pub fn settle(
    wish: OutliersWish,
    document: &mut Document,
    target: Option<Format>,
) -> Result<Option<OutliersReport>, String> {
    if wish == OutliersWish::Keep {
        return Ok(None);
    }
    let rule = Rule::default();
    let found = outliers::find(document.cloud.positions(), &rule).map_err(|e| e.to_string())?;
    let done = match wish {
        OutliersWish::Label => label::mark(&mut document.cloud, &found.flags, target)
            .map_err(|e| format!("--outliers label: {e}"))?,
        _ => {
            document.cloud = document.cloud.select(&found.kept());
            "removed"
        }
    };
    Ok(Some(OutliersReport { rule, found: found.count(), done }))
}
