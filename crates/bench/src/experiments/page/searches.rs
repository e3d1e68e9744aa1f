//! The smaller experiments, all at one level.

use super::super::cells;
use super::super::item::Item;
use super::super::published::{self, MAIN_LEVEL, Measure};
use super::super::results::Stopped;
use super::{Book, Line, What, beside, linked, markdown, mean};
use pellucid_cli::failure::Failure;

const STOPS: [Stopped; 2] = [Stopped::Oracle, Stopped::Blind];

fn line(item: &Item) -> Line {
    Line {
        method: item.method.name.to_owned(),
        preset: item.preset.clone(),
        label: item.to_string(),
    }
}

fn head(first: &[&str], models: &[String]) -> Vec<String> {
    let mut head: Vec<String> = first.iter().map(|&s| s.to_owned()).collect();
    head.extend(models.iter().map(|m| published::printed(m).to_owned()));
    head.push("average".to_owned());
    head
}

/// A row of numbers beside published ones, with their average.
fn numbers(
    ours: &[Option<f64>],
    paper: &[Option<f64>],
    views: Vec<Option<String>>,
    what: What,
) -> Vec<String> {
    let pairs = ours.iter().copied().zip(paper.iter().copied());
    let averages = (mean(ours.iter().copied()), mean(paper.iter().copied()));
    let views = views.into_iter().chain([None]);
    let all = pairs.chain([averages]).zip(views);
    all.map(|((o, p), view)| linked(o, p, what.digits(), false, view)).collect()
}

/// Learning from 20 % of the points.
pub fn partial(book: &Book) -> Result<String, Failure> {
    let models = book.models();
    let mut out = "## Learning from 20 % of the points, at 0.05\n\n".to_owned();
    for (what, measure) in [(What::Mse, Measure::Mse), (What::Snr, Measure::Snr)] {
        let mut rows = Vec::new();
        for (item, whole) in cells::partial_items()?.into_iter().zip(cells::whole_items()?) {
            let preset = item.preset.clone().unwrap_or_default();
            for stop in STOPS {
                let value = |m: &String| book.value(&line(&item), m, MAIN_LEVEL, stop, what);
                let ours: Vec<_> = models.iter().map(value).collect();
                let paper: Vec<_> =
                    models.iter().map(|m| published::partial(measure, &preset, m)).collect();
                let mut row = vec![item.to_string(), stop.name().to_owned()];
                let view = |m: &String| book.view(&line(&item), m, MAIN_LEVEL, stop);
                row.extend(numbers(&ours, &paper, models.iter().map(view).collect(), what));
                let all = book.average(&line(&whole), &models, MAIN_LEVEL, stop, what);
                row.push(match (mean(ours.into_iter()), all) {
                    (Some(a), Some(b)) => format!("{:+.2} %", 100.0 * (a / b - 1.0)),
                    _ => "–".to_owned(),
                });
                rows.push(row);
            }
        }
        let mut head = head(&[what.name(), "stop"], &models);
        head.push("against all points".to_owned());
        out += &markdown(&head, &rows);
    }
    Ok(out)
}

/// Eigenvalue projection against the fast learner.
pub fn vanilla(book: &Book) -> Result<String, Failure> {
    let models = book.models();
    let mut rows = Vec::new();
    for name in ["fgl:vanilla", "fgl:reference"] {
        let item = Item::parse(name)?;
        for stop in STOPS {
            let value = |m: &String| book.value(&line(&item), m, MAIN_LEVEL, stop, What::Mse);
            let ours: Vec<_> = models.iter().map(value).collect();
            let printed = |m: &String| match name {
                "fgl:vanilla" => published::vanilla(m),
                _ => published::table(Measure::Mse, "Ours", m, MAIN_LEVEL),
            };
            let paper: Vec<_> = models.iter().map(printed).collect();
            let mut row = vec![name.to_owned(), stop.name().to_owned()];
            let view = |m: &String| book.view(&line(&item), m, MAIN_LEVEL, stop);
            row.extend(numbers(&ours, &paper, models.iter().map(view).collect(), What::Mse));
            rows.push(row);
        }
    }
    let table = markdown(&head(&["MSE", "stop"], &models), &rows);
    Ok(format!("## Vanilla proximal gradient, at 0.05\n\n{table}"))
}

/// The search over the trace limit.
pub fn trace(book: &Book) -> Result<String, Failure> {
    let items = cells::trace_items()?;
    let there = |m: &String| {
        let has = |i: &Item| STOPS.iter().any(|&s| book.find(&line(i), m, MAIN_LEVEL, s).is_some());
        items.iter().any(has)
    };
    let models: Vec<String> = book.models().into_iter().filter(there).collect();
    let mut head = vec!["C".to_owned()];
    let mut columns = Vec::new();
    for model in &models {
        for stop in STOPS {
            head.push(format!("{} {}", published::printed(model), stop.name()));
            columns.push((model, stop));
        }
    }
    let value = |item: &Item, &(model, stop): &(&String, Stopped)| {
        book.value(&line(item), model, MAIN_LEVEL, stop, What::Mse)
    };
    let mut rows = Vec::new();
    for item in &items {
        let c = item.changes.get("trace_limit").map(ToString::to_string).unwrap_or_default();
        let cells = columns.iter().map(|k| {
            let view = book.view(&line(item), k.0, MAIN_LEVEL, k.1);
            linked(value(item, k), None, 4, false, view)
        });
        rows.push([c].into_iter().chain(cells).collect());
    }
    // How much the result depends on C: the paper says hardly.
    let spread = columns.iter().map(|k| {
        let all: Vec<f64> = items.iter().filter_map(|i| value(i, k)).collect();
        let (lo, hi) = all.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
        if all.is_empty() { "–".to_owned() } else { format!("{:.2} %", 100.0 * (hi / lo - 1.0)) }
    });
    rows.push(["highest over lowest".to_owned()].into_iter().chain(spread).collect());
    let text = "The paper searches around C = 3 in steps of 0.1 and finds that the result hardly \
                depends on it.";
    let table = markdown(&head, &rows);
    Ok(format!("## MSE against the trace limit C, `fgl:standard` at 0.05\n\n{text}\n\n{table}"))
}

/// The model whose iterations are shown: Quasimoto if it was run.
pub fn shown_model(book: &Book) -> Option<String> {
    let models = book.models();
    models.iter().find(|m| *m == "lordquas").or(models.first()).cloned()
}

/// An item and its error after each iteration.
pub type Course = (String, Vec<(usize, f64)>);

/// The error after each iteration, for each line of the main tables.
pub fn courses(book: &Book) -> Result<Vec<Course>, Failure> {
    let Some(model) = shown_model(book) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for line in book.lines()? {
        let here = book
            .iterations
            .iter()
            .filter(|r| r.model == model && r.level == MAIN_LEVEL && r.label() == line.label);
        let mut course: Vec<(usize, f64)> = here.map(|r| (r.iteration, r.mse)).collect();
        course.sort_by_key(|c| c.0);
        if course.len() > 1 {
            all.push((line.label, course));
        }
    }
    Ok(all)
}

/// The paper's convergence experiment, in numbers.
pub fn iterations(book: &Book) -> Result<String, Failure> {
    let courses = courses(book)?;
    let Some(model) = shown_model(book) else { return Ok(String::new()) };
    let last = courses.iter().flat_map(|c| c.1.last()).map(|c| c.0).max().unwrap_or(0);
    let mut head = vec!["iteration".to_owned()];
    head.extend(courses.iter().map(|c| c.0.clone()));
    let rows: Vec<Vec<String>> = (1..=last)
        .map(|i| {
            let at = |c: &Course| {
                let value = c.1.iter().find(|s| s.0 == i).map(|s| s.1);
                beside(value, None, 4, false)
            };
            [i.to_string()].into_iter().chain(courses.iter().map(at)).collect()
        })
        .collect();
    let name = published::printed(&model);
    Ok(format!("## MSE per iteration, {name} at 0.05\n\n{}", markdown(&head, &rows)))
}
