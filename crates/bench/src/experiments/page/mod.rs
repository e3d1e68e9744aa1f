//! `index.md`: the paper's tables, ours beside the published numbers.

mod book;
mod searches;
mod tables;

use std::fmt::Write;
use std::path::Path;

use super::data::Kind;
use super::item::Item;
use super::results::{Results, Stopped};
use super::views::Pages;
use super::{VERSION, plots};
use crate::experiments::args::PaperTable;
use pellucid_cli::failure::Failure;
use pellucid_cli::output;

pub use book::{Book, Line, What, mean};
pub use searches::courses;

/// Writes the page and its plots.
pub fn write(
    folder: &Path,
    results: &Results,
    tables: &[PaperTable],
    kind: Kind,
    items: &[Item],
) -> Result<(), Failure> {
    let order = items.iter().map(Item::to_string).collect();
    let (rows, iterations) = (results.rows()?, results.iterations()?);
    let book = Book { rows, iterations, kind, order, pages: Pages::of(folder) };
    let plots = plots::all(&book)?;
    for (name, svg) in &plots {
        output::write_file(&folder.join(name), svg.as_bytes(), true, &[])?;
    }
    let names: Vec<&str> = plots.iter().map(|p| p.0).collect();
    let figures = folder.join("figures.md").is_file();
    let text = page(&book, tables, &names, figures)?;
    output::write_file(&folder.join("index.md"), text.as_bytes(), true, &[])
}

fn page(
    book: &Book,
    tables: &[PaperTable],
    plots: &[&str],
    figures: bool,
) -> Result<String, Failure> {
    let has = |table| tables.contains(&table);
    let mut out = head(book.kind);
    if !book.pages.is_empty() {
        out += "Numbers with a link lead to the clouds behind them: noisy, denoised and truth, colored \
                by the distance to the truth.\n\n";
    }
    let measures: Vec<What> = match book.kind {
        Kind::Shapes => vec![What::Chamfer, What::Mesh],
        Kind::Paper => [(PaperTable::Mse, What::Mse), (PaperTable::Snr, What::Snr)]
            .into_iter()
            .filter(|t| has(t.0))
            .map(|t| t.1)
            .collect(),
    };
    for &what in &measures {
        out += &tables::summary(book, what)?;
    }
    for name in plots {
        let _ = writeln!(out, "![{}]({name})\n", name.trim_end_matches(".svg"));
    }
    for &what in &measures {
        for level in book.levels() {
            for stop in [Stopped::Oracle, Stopped::Blind] {
                out += &tables::level(book, what, level, stop)?;
            }
        }
    }
    if book.kind == Kind::Paper {
        if has(PaperTable::Partial) {
            out += &searches::partial(book)?;
        }
        if has(PaperTable::Vanilla) {
            out += &searches::vanilla(book)?;
        }
        if has(PaperTable::Trace) {
            out += &searches::trace(book)?;
        }
        if has(PaperTable::Iterations) {
            out += &searches::iterations(book)?;
        }
    }
    out += &tables::time(book)?;
    out += &tables::chosen(book)?;
    if figures {
        out += "\n## Pictures\n\n[Strips and views of the clouds](figures.md)\n";
    }
    Ok(out)
}

fn head(kind: Kind) -> String {
    let (title, about) = match kind {
        Kind::Paper => (
            "The tables of the paper",
            "Published numbers: Hu, Gao, Cheung & Guo 2020, DOI 10.1109/TSP.2020.2978617. \"MSE\" \
             is the paper's: a mean distance to the nearest point, both ways, not squared; \"SNR\" \
             is ten times the natural logarithm of the mean norm over it. A cell reads: ours \
             (published, difference).",
        ),
        Kind::Shapes => (
            "Shapes in the unit sphere",
            "Squared Chamfer distance and squared two-way distance to the mesh, both in the unit \
             sphere of the truth, times ten thousand.",
        ),
    };
    format!(
        "# {title}\n\n{}\n\n{about}\n\n*Oracle*: the clean cloud \
         ends the iterations, as in the published runs (the error falls by less than 5e-5, or 30 \
         iterations; the lowest of all counts; in data of another size than the paper's the \
         threshold is to scale); a method with a parameter grid is given the best of its grid, \
         one with nothing to choose its default. *Blind*: what a user gets. Bold: the best of \
         ours. `results.csv` says which input each number comes from.\n\n",
        made_by()
    )
}

/// Version and command line.
pub fn made_by() -> String {
    let command: Vec<String> =
        std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    format!("pellucid {VERSION}, `pellucid-bench {}`", command.join(" "))
}

/// A table in Markdown.
pub fn markdown(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(head);
    out += &format!("|{}\n", "---|".repeat(head.len()));
    for row in rows {
        out += &line(row);
    }
    out + "\n"
}

/// Ours beside a published number.
fn beside(ours: Option<f64>, published: Option<f64>, digits: usize, best: bool) -> String {
    linked(ours, published, digits, best, None)
}

/// The same, with a link to the clouds that ours comes from.
fn linked(
    ours: Option<f64>,
    published: Option<f64>,
    digits: usize,
    best: bool,
    view: Option<String>,
) -> String {
    let link = |s: String| if let Some(v) = &view { format!("[{s}]({v})") } else { s };
    let bold = |s: String| if best { format!("**{}**", link(s)) } else { link(s) };
    // The paper gives one digit less of the MSE than we do.
    let short = if digits == 4 { 3 } else { digits };
    match (ours, published) {
        (Some(o), Some(p)) => {
            format!("{} ({p:.short$}, {:+.digits$})", bold(format!("{o:.digits$}")), o - p)
        }
        (Some(o), None) => bold(format!("{o:.digits$}")),
        (None, Some(p)) => format!("– ({p:.short$})"),
        (None, None) => "–".to_owned(),
    }
}
