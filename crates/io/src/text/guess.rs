//! What the columns are: by the header line, or by their number and first values.

use pellucid_cloud::Point;
use pellucid_cloud::vec3::norm;

use super::line::{Fields, Separator, comment_mark, lines};
use super::{HeaderLine, Style};
use crate::error::Fault;
use crate::limits;
use crate::meaning::{self, Meaning};
use crate::scalar::{Number, ScalarType, parse_integer};

/// What is known before the points are read.
#[derive(Debug)]
pub(crate) struct Shape {
    pub style: Style,
    pub separator: Separator,
    pub names: Vec<String>,
    pub meaning: Meaning,
    /// Which columns hold words.
    pub words: Vec<bool>,
    /// The number of points that the file says it has.
    pub count: Option<usize>,
    /// Where the first point's line starts.
    pub data: usize,
}

const SAMPLE: usize = 200;

/// Finds the first point and what its columns are.
pub(crate) fn shape(bytes: &[u8]) -> Result<Shape, Fault> {
    let mut comments: Vec<String> = Vec::new();
    // Names in a comment: which of the comments, its mark, the names.
    let mut remark: Option<(usize, &str, Vec<String>)> = None;
    let mut header: Option<Vec<String>> = None;
    let mut count = None;
    let mut seen = 0;
    for (at, raw) in lines(bytes, 0) {
        seen += 1;
        let line = raw.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if line.len() > limits::LINE_BYTES {
            return Err(Fault::line(seen, format!("a line of {} bytes", line.len())));
        }
        if let Some(mark) = comment_mark(line) {
            limits::check_comments(at).map_err(|fault| Fault::line(seen, fault))?;
            let body = &line[mark.len()..];
            let names = names_of(body);
            if named(&names).is_some() {
                remark = Some((comments.len(), mark_of(line, body), names));
            }
            comments.push(String::from_utf8_lossy(line).into_owned());
            continue;
        }
        let separator = Separator::of(line);
        let fields: Vec<&[u8]> = Fields::new(line, separator).collect();
        let Some(&lead) = fields.first() else {
            return Err(Fault::line(seen, "a separator but no values"));
        };
        if fields.len() > limits::COLUMNS {
            return Err(Fault::line(seen, format!("more than {} columns", limits::COLUMNS)));
        }
        if let ([one], None, None) = (fields.as_slice(), &header, count)
            && let Some(n) = parse_integer(one).and_then(|n| usize::try_from(n).ok())
        {
            count = Some(n);
            continue;
        }
        if header.is_none() && f64::parse(lead).is_none() {
            let names = names_of(line);
            if named(&names).is_none() {
                let shown = String::from_utf8_lossy(&lead[..lead.len().min(40)]);
                let fault = format!(
                    "\"{shown}\" is not a number, and the line names no columns x, y and z"
                );
                return Err(Fault::line(seen, fault));
            }
            header = Some(names);
            continue;
        }
        let first = Row { bytes, at, raw, line: seen, separator, fields };
        return first.shape(comments, remark, header, count);
    }
    if count == Some(0) {
        return Ok(nothing(comments, header, bytes.len()));
    }
    Err(Fault::NoPoints(seen))
}

/// A file that says it has no points.
fn nothing(comments: Vec<String>, header: Option<Vec<String>>, end: usize) -> Shape {
    let axes = || ["x", "y", "z"].map(str::to_owned).to_vec();
    let line = if header.is_some() { HeaderLine::Plain } else { HeaderLine::None };
    let names = header.unwrap_or_else(axes);
    let meaning = Meaning { position: [0, 1, 2], groups: Vec::new() };
    let (names, meaning) = match named(&names) {
        Some(meaning) => (names, meaning),
        None => (axes(), meaning),
    };
    Shape {
        style: Style { separator: " ".to_owned(), header: line, count: true, comments },
        separator: Separator::Blank,
        words: vec![false; names.len()],
        names,
        meaning,
        count: Some(0),
        data: end,
    }
}

/// The line of the first point.
struct Row<'a> {
    bytes: &'a [u8],
    at: usize,
    raw: &'a [u8],
    line: usize,
    separator: Separator,
    fields: Vec<&'a [u8]>,
}

impl Row<'_> {
    fn shape(
        self,
        mut comments: Vec<String>,
        remark: Option<(usize, &str, Vec<String>)>,
        header: Option<Vec<String>>,
        count: Option<usize>,
    ) -> Result<Shape, Fault> {
        let n = self.fields.len();
        if n < 3 {
            let fault = format!("{n} columns, but a point has at least three: x, y and z");
            return Err(Fault::line(self.line, fault));
        }
        let words: Vec<bool> = self.fields.iter().map(|f| f64::parse(f).is_none()).collect();
        let (names, header) = match (header, remark) {
            (Some(names), _) if names.len() == n => (names, HeaderLine::Plain),
            (Some(names), _) => {
                let fault = format!(
                    "{n} columns, but the header names {}; do names contain separators?",
                    names.len()
                );
                return Err(Fault::line(self.line, fault));
            }
            (None, Some((which, mark, names))) if names.len() == n => {
                comments.remove(which);
                (names, HeaderLine::Comment(mark.to_owned()))
            }
            _ => (self.names_by_number(), HeaderLine::None),
        };
        if let Some(axis) = meaning::twice(names.iter().map(String::as_bytes)) {
            return Err(Fault::line(self.line, format!("two columns are named {axis}")));
        }
        let meaning = named(&names)
            .ok_or_else(|| Fault::line(self.line, "no columns are named x, y and z"))?;
        if let Some(&c) = meaning.position.iter().find(|&&c| words[c]) {
            let shown = String::from_utf8_lossy(&self.fields[c][..self.fields[c].len().min(40)]);
            let hint = if shown.contains(',') { "; decimal commas are not read" } else { "" };
            return Err(Fault::line(self.line, format!("\"{shown}\" is not a number{hint}")));
        }
        let style = Style { separator: self.between(), header, count: count.is_some(), comments };
        let Row { separator, at, .. } = self;
        Ok(Shape { style, separator, names, meaning, words, count, data: at })
    }

    /// What stands between the first two values.
    fn between(&self) -> String {
        let line = self.raw.trim_ascii();
        let rest = &line[self.fields[0].len().min(line.len())..];
        let end = match self.fields[1].first() {
            Some(&b) => rest.iter().position(|&c| c == b).unwrap_or(1),
            None => 1,
        };
        String::from_utf8_lossy(&rest[..end.min(rest.len())]).into_owned()
    }

    fn names_by_number(&self) -> Vec<String> {
        let n = self.fields.len();
        let sample: Vec<Vec<f64>> = lines(self.bytes, self.at)
            .map(|(_, line)| line.trim_ascii())
            .filter(|line| !line.is_empty() && comment_mark(line).is_none())
            .take(SAMPLE)
            .map(|line| Fields::new(line, self.separator).filter_map(f64::parse).collect())
            .filter(|row: &Vec<f64>| row.len() == n)
            .collect();
        let triple = |c: usize, test: fn(Point) -> bool| {
            c + 3 <= n && sample.iter().all(|r| test([r[c], r[c + 1], r[c + 2]]))
        };
        let is_normal = |c: usize| triple(c, |p| (norm(p) - 1.0).abs() <= 1e-2);
        let is_color = |c: usize| {
            triple(c, |p| p.iter().all(|x| (0.0..=255.0).contains(x) && x.fract() == 0.0))
        };
        const NORMAL: [&str; 3] = ["nx", "ny", "nz"];
        const COLOR: [&str; 3] = ["red", "green", "blue"];

        let mut names = vec!["x".to_owned(), "y".to_owned(), "z".to_owned()];
        let mut add = |new: &[&str]| names.extend(new.iter().map(|&s| s.to_owned()));
        match n {
            4 => add(&["intensity"]),
            6 if is_normal(3) => add(&NORMAL),
            6 if is_color(3) => add(&COLOR),
            7 if is_color(4) => {
                add(&["intensity"]);
                add(&COLOR);
            }
            9 if is_color(3) && is_normal(6) => {
                add(&COLOR);
                add(&NORMAL);
            }
            9 if is_normal(3) && is_color(6) => {
                add(&NORMAL);
                add(&COLOR);
            }
            _ => {}
        }
        let known = names.len();
        names.extend((known..n).map(|c| format!("column_{}", c + 1)));
        names
    }
}

/// The names on a header line.
fn names_of(line: &[u8]) -> Vec<String> {
    Fields::new(line, Separator::of(line))
        .map(|f| String::from_utf8_lossy(f).trim_matches('"').trim().to_owned())
        .collect()
}

/// What columns of these names mean; units in brackets do not count.
pub(crate) fn named(names: &[String]) -> Option<Meaning> {
    let columns: Vec<(String, Option<ScalarType>)> = names
        .iter()
        .map(|name| {
            let bare = name.split(['[', '(']).next().unwrap_or(name).trim();
            let axis = bare.len() == 1 && bare != name;
            (if axis { bare.to_owned() } else { name.clone() }, Some(ScalarType::F64))
        })
        .collect();
    meaning::of(&columns)
}

/// The comment's mark with the blanks after it.
fn mark_of<'a>(line: &'a [u8], body: &[u8]) -> &'a str {
    let length = line.len() - body.trim_ascii_start().len();
    std::str::from_utf8(&line[..length]).unwrap_or("# ")
}
