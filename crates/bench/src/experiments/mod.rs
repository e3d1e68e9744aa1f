//! The experiments of the paper, beside its numbers; and speed.

mod apart;
pub mod args;
mod cells;
mod data;
mod figures;
mod grid;
mod item;
mod measure;
mod oracle;
mod page;
mod plots;
mod published;
mod results;
mod speed;
mod svg;
mod usage;
mod views;
mod work;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use args::{PaperArgs, PaperTable};
use pellucid_cli::failure::Failure;
use pellucid_cli::{interrupt, output};

use cells::{Cell, Request};
use data::{DataSet, Generate, Kind};
use grid::Grid;
use item::Item;
use results::{Key, Results};
use views::Views;

/// Results of another version are not the same cell.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub use apart::obey as cell;
pub use speed::{obey as speed_run, run as speed};

/// `paper`: the tables of the paper, beside the published numbers.
pub fn paper(args: &PaperArgs) -> Result<(), Failure> {
    if args.figures {
        return figures::make(args);
    }
    let items = Item::list(args.methods.as_deref().unwrap_or(cells::DEFAULT_METHODS))?;
    let grid = args.grid.as_deref().map(Grid::read).transpose()?.unwrap_or_default();
    let data = DataSet::open(&args.data, &args.models, &args.levels)?;
    let results = Results::open(&args.out, args.fresh)?;
    let generate = args.generate.then(|| Generate { folder: args.out.clone(), seed: args.seed });
    let cells = cells::plan(&Request {
        data: &data,
        items: &items,
        tables: &args.tables,
        stop: args.stop,
        grid: &grid,
        generate: generate.as_ref(),
        named_models: !args.models.is_empty(),
    })?;
    let pages = cells.iter().map(|c| c.stops.len()).sum();
    let views = args.views.then(|| Views::new(&args.out, pages)).transpose()?;
    let todo = unfinished(cells, &results, args.seed, views.as_ref())?;
    let work = work::Work {
        results: &results,
        views: views.as_ref(),
        seed: args.seed,
        jobs: args.jobs,
        threads: args.threads,
        quiet: args.quiet,
    };
    let done = interrupt::listening(|_| work.all(&todo));
    if let Err(Failure::Interrupted) = done {
        let kept = args.out.join("results.csv");
        let message = format!(
            "interrupted; finished cells are in {}, run the same command to resume",
            kept.display()
        );
        return Err(Failure::Paused(message));
    }
    let tables = if data.kind == Kind::Shapes { &[PaperTable::Mse][..] } else { &args.tables };
    page::write(&args.out, &results, tables, data.kind, &items)?;
    done?;
    if !args.quiet {
        let page = args.out.join("index.md");
        output::note(&format!("{} cells run; the page is {}", todo.len(), page.display()));
    }
    Ok(())
}

/// The cells, or the parts of them, that have no row yet, or lack a page that is wanted.
fn unfinished(
    cells: Vec<Cell>,
    results: &Results,
    seed: u64,
    views: Option<&Views>,
) -> Result<Vec<Cell>, Failure> {
    let there: HashSet<Key> = results.rows()?.iter().map(results::Row::key).collect();
    let missing = |mut cell: Cell| {
        let wanted = std::mem::take(&mut cell.stops);
        let done = |key: &Key| there.contains(key) && views.is_none_or(|v| v.has(key));
        cell.stops = wanted.into_iter().filter(|&s| !done(&cell.key(s, seed))).collect();
        (!cell.stops.is_empty()).then_some(cell)
    };
    Ok(cells.into_iter().filter_map(missing).collect())
}
