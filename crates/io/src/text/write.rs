//! From a document to a file.

use std::io::Write;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use super::{HeaderLine, Style};
use crate::digits::Digits;
use crate::document::{Detail, Document, Dropped, WriteJob, Written};
use crate::error::WriteFault;
use crate::faces;
use crate::meaning::{self, From};
use crate::rows::write_chunks;
use crate::scalar::{Number, with_numbers};

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    job.text_only("a text file cannot be binary; choose another format such as .ply")?;
    let (cloud, source) = (&document.cloud, &document.source);
    let text = match &source.detail {
        Detail::Text(text) if source.extension == job.extension => Some(text.as_ref()),
        _ => None,
    };
    let mut style = text.map_or_else(|| usual(job.extension), |t| t.style.clone());
    let mut written = Written::default();
    let old: &[(String, From)] = text.map_or(&[], |t| &t.columns);
    let pts;
    let cloud = if job.extension == "pts" {
        pts = for_pts(cloud, old, &mut written);
        &pts
    } else {
        cloud
    };
    let columns = plan(cloud, old, &style.separator, &mut written.dropped);

    // Names that reading would not guess have to be said.
    let kept = columns.len() == old.len() && columns.iter().zip(old).all(|(c, o)| c.0 == o.0);
    let silent = job.extension == "pts";
    if style.header == HeaderLine::None && !silent && !kept && !is_usual(cloud, &columns) {
        style.header = HeaderLine::Comment("# ".to_owned());
    }
    sink.write_all(top(&style, &columns, cloud.len()).as_bytes())?;
    let digits = Digits::of(source);
    let of_normals = text.and_then(|t| t.normal_digits).map_or(Digits::All, Digits::AtMost);
    let cell = |(_, from): &(String, From)| Cell::of(from, cloud, digits, of_normals);
    let cells: Vec<Cell> = columns.iter().filter_map(cell).collect();
    write_chunks(sink, cloud.len(), |rows, out| {
        for row in rows {
            for (c, cell) in cells.iter().enumerate() {
                if c > 0 {
                    out.extend_from_slice(style.separator.as_bytes());
                }
                cell.print(row, out);
            }
            out.push(b'\n');
        }
    })?;
    Ok(written)
}

/// How files with this extension usually look.
fn usual(extension: &str) -> Style {
    let csv = extension == "csv";
    Style {
        separator: if csv { "," } else { " " }.to_owned(),
        header: if csv { HeaderLine::Plain } else { HeaderLine::None },
        count: extension == "pts",
        comments: Vec::new(),
    }
}

/// What a PTS file holds beside the columns that it has: readers know the columns by their number,
/// take no comments, and want whole numbers after the position.
fn for_pts(cloud: &PointCloud, old: &[(String, From)], written: &mut Written) -> PointCloud {
    let mut pts = PointCloud::new(cloud.positions().to_vec());
    let is_old = |name: &str| {
        old.iter().any(|(_, from)| matches!(from, From::Attribute { name: n, .. } if n == name))
    };
    let mut new = Vec::new();
    let plain = old.is_empty();
    let intensity = cloud.attribute(names::INTENSITY).filter(|a| plain && a.width() == 1);
    if let Some(values) = intensity.and_then(|a| a.component(0)) {
        // As scanners write it: from -2048 to 2047.
        let part = values.iter().all(|x| (0.0..=1.0).contains(x));
        if values.iter().any(|x| x.fract() != 0.0) {
            let how = if part { "0 to 1 became -2048 to 2047" } else { "rounded" };
            let reason = format!("PTS has whole numbers for it; {how}");
            written.changed.push(Dropped { attribute: names::INTENSITY.to_owned(), reason });
            let whole = |x: &f64| (if part { x * 4095.0 - 2048.0 } else { *x }).round() as i32;
            let whole = Values::I32(values.iter().map(whole).collect());
            new.push(Attribute::scalar(names::INTENSITY, whole));
        } else {
            new.extend(intensity.cloned());
        }
    }
    if plain && let Some(bytes) = faces::color_bytes(cloud, "PTS", written) {
        new.push(Attribute::vector(names::COLOR, 3, Values::U8(bytes)));
    }
    for a in cloud.attributes() {
        if is_old(a.name()) {
            new.push(a.clone());
        } else if !new.iter().any(|n| n.name() == a.name()) {
            let reason = "PTS stores positions, intensity and color only; write .csv or .ply";
            let attribute = a.name().to_owned();
            written.dropped.push(Dropped { attribute, reason: reason.to_owned() });
        }
    }
    for a in new {
        // They have a value for each point, as in the cloud that they come from.
        let _ = pts.set_attribute(a);
    }
    pts
}

/// The columns: those of the file first, in their order, then new ones.
fn plan(
    cloud: &PointCloud,
    old: &[(String, From)],
    separator: &str,
    dropped: &mut Vec<Dropped>,
) -> Vec<(String, From)> {
    let mut columns: Vec<(String, From)> = Vec::new();
    if old.is_empty() {
        let axes = ["x", "y", "z"].into_iter().enumerate();
        columns.extend(axes.map(|(axis, name)| (name.to_owned(), From::Position(axis))));
    }
    let fits: Vec<&Attribute> = cloud
        .attributes()
        .filter(|a| match unfit(a, separator) {
            Some(reason) => {
                dropped.push(Dropped { attribute: a.name().to_owned(), reason });
                false
            }
            None => true,
        })
        .collect();
    columns.extend(
        old.iter()
            .filter(|(_, from)| match from {
                From::Position(_) => true,
                From::Attribute { name, component } => {
                    fits.iter().any(|a| a.name() == name && *component < a.width())
                }
            })
            .cloned(),
    );
    let mut taken: meaning::Names = columns.iter().map(|c| c.0.clone()).collect();
    let held = meaning::held(old.iter().map(|c| &c.1));
    for a in fits {
        match meaning::missing(a, &held, columns.len()) {
            Ok(missing) => columns.extend(missing.into_iter().map(|(component, name)| {
                let from = From::Attribute { name: a.name().to_owned(), component };
                (taken.take(&meaning::one_word(&name, &[',', ';'])), from)
            })),
            Err(reason) => dropped.push(Dropped { attribute: a.name().to_owned(), reason }),
        }
    }
    columns
}

/// Why an attribute cannot stand in columns.
fn unfit(a: &Attribute, separator: &str) -> Option<String> {
    match a.values() {
        Values::List(_) => Some("a text file has one value a column, not lists".to_owned()),
        Values::Text(words) => {
            let mark = separator.trim().chars().next();
            let breaks = |w: &String| {
                w.is_empty()
                    || w.trim() != w
                    || w.contains(['\n', '\r'])
                    || mark.map_or_else(|| w.contains(char::is_whitespace), |m| w.contains(m))
            };
            words
                .iter()
                .any(breaks)
                .then(|| "its words contain what separates the columns".to_owned())
        }
        _ => None,
    }
}

/// Whether a file with these columns and no names reads back the same.
fn is_usual(cloud: &PointCloud, columns: &[(String, From)]) -> bool {
    let bytes =
        |name: &str| matches!(cloud.attribute(name).map(Attribute::values), Some(Values::U8(_)));
    let order: Vec<&str> = columns.iter().map(|c| c.0.as_str()).collect();
    match order.as_slice() {
        ["x", "y", "z"] | ["x", "y", "z", "intensity"] => true,
        ["x", "y", "z", "red", "green", "blue"]
        | ["x", "y", "z", "intensity", "red", "green", "blue"] => bytes(names::COLOR),
        ["x", "y", "z", "nx", "ny", "nz"] => cloud.normals().is_some_and(|n| {
            n.iter().all(|&n| (pellucid_cloud::vec3::norm(n) - 1.0).abs() <= 1e-2)
        }),
        _ => false,
    }
}

/// Everything before the first point.
fn top(style: &Style, columns: &[(String, From)], points: usize) -> String {
    let mut out = String::new();
    for comment in &style.comments {
        out.push_str(comment);
        out.push('\n');
    }
    let names: Vec<&str> = columns.iter().map(|c| c.0.as_str()).collect();
    let names = names.join(&style.separator);
    match &style.header {
        HeaderLine::None => {}
        HeaderLine::Plain => out.push_str(&format!("{names}\n")),
        HeaderLine::Comment(mark) => out.push_str(&format!("{mark}{names}\n")),
    }
    // Without points and names nothing else would say that this is a cloud.
    if style.count || points == 0 && style.header != HeaderLine::Plain {
        out.push_str(&format!("{points}\n"));
    }
    out
}

/// A column's values.
enum Cell<'a> {
    Position(&'a [Point], usize, Digits),
    Normal(&'a [f64], usize, Digits),
    Attribute { values: &'a Values, width: usize, component: usize },
}

impl<'a> Cell<'a> {
    fn of(from: &From, cloud: &'a PointCloud, digits: Digits, of_normals: Digits) -> Option<Self> {
        Some(match from {
            From::Position(axis) => Cell::Position(cloud.positions(), *axis, digits),
            From::Attribute { name, component } => {
                let a = cloud.attribute(name)?;
                if let (names::NORMAL, Values::F64(v), 3) = (name.as_str(), a.values(), a.width()) {
                    return Some(Cell::Normal(v, *component, of_normals));
                }
                Cell::Attribute { values: a.values(), width: a.width(), component: *component }
            }
        })
    }

    fn print(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Cell::Position(points, axis, digits) => digits.print(points[row][*axis], out),
            Cell::Normal(v, component, digits) => digits.print(v[3 * row + component], out),
            Cell::Attribute { values: Values::Text(words), width, component } => {
                out.extend_from_slice(words[row * width + component].as_bytes());
            }
            Cell::Attribute { values, width, component } => {
                with_numbers!(values, v => v[row * width + component].print(out), {});
            }
        }
    }
}
