//! Facts in words, for people.

use pellucid_cloud::Point;
use pellucid_io::{Encoding, las_class_in_words};

use super::Facts;
use crate::numbers::{as_written, three_digits};

impl Facts {
    /// What is known in words, each with its name: lengths in the unit of the file, and no digits that
    /// nobody needs.
    pub fn table(&self) -> Vec<(&'static str, String)> {
        let mut rows =
            vec![("format", self.format_in_words()), ("points", self.points.to_string())];
        if let Some(las) = &self.las {
            rows.push((
                "LAS",
                format!("version {}, point format {}", las.version, las.point_format),
            ));
            rows.push(("scale", las.scale.map(as_written).join(" ")));
            rows.push(("offset", las.offset.map(as_written).join(" ")));
        }
        let unnamed = self.las.is_some().then(|| "the file names no coordinate system".to_owned());
        rows.extend(self.coordinate_system.clone().or(unnamed).map(|s| ("coordinates", s)));
        for a in &self.attributes {
            let width = if a.width > 1 { format!(" x {}", a.width) } else { String::new() };
            let ranges: Vec<String> = a.range.iter().flatten().map(|r| range(*r)).collect();
            rows.push((
                "attribute",
                format!("{} ({}{width}) {}", a.name, a.r#type, ranges.join(", ")),
            ));
        }
        for (class, count) in &self.classes {
            rows.push((
                "class",
                format!("{}: {}", las_class_in_words(*class), counted(*count, "point")),
            ));
        }
        if let Some((columns, lines)) = self.grid {
            rows.push(("grid", format!("{columns} columns, {lines} rows")));
        }
        for (i, p) in self.viewpoints.iter().enumerate() {
            rows.push(("scanner", format!("{i} at {}", self.place(*p).join(" "))));
        }
        for (name, count) in &self.other_elements {
            rows.push(("also holds", counted(*count, name)));
        }
        if let Some(b) = &self.bounds {
            let size = [0, 1, 2].map(|a| b.max[a] - b.min[a]);
            rows.push(("from", self.place(b.min).join(" ")));
            rows.push(("to", self.place(b.max).join(" ")));
            rows.push((
                "size",
                format!("{} {}", self.place(size).join(" x "), self.unit_in_words()),
            ));
        }
        self.add_scales(&mut rows);
        rows
    }

    fn format_in_words(&self) -> String {
        // Of other formats there is one kind.
        let kinds = matches!(self.format, "PLY" | "PCD" | "STL");
        let kind = match self.stored.filter(|_| kinds) {
            Some(Encoding::Ascii) => ", ascii",
            Some(Encoding::BinaryBig) => ", binary, most significant byte first",
            Some(_) => ", binary",
            None => "",
        };
        format!("{}{kind}", self.format)
    }

    fn unit_in_words(&self) -> &'static str {
        self.unit.unwrap_or("file units")
    }

    /// Coordinates with as many digits as tell neighbors apart.
    fn place(&self, p: Point) -> [String; 3] {
        let spacing = self.spacing.filter(|s| *s > 0.0);
        let places = spacing.map_or(6, |s| (2.0 - s.log10().floor()).clamp(0.0, 12.0) as usize);
        p.map(|c| match c {
            _ if c == 0.0 => "0".to_owned(),
            _ if c.abs() >= 1e15 => format!("{c:e}"),
            _ => format!("{c:.places$}"),
        })
    }

    /// Spacing, noise, and rows that are of no use.
    fn add_scales(&self, rows: &mut Vec<(&'static str, String)>) {
        let unknown = || "cannot be estimated from these points".to_owned();
        let length = |x: f64| format!("{} {}", three_digits(x), self.unit_in_words());
        rows.push(("spacing", self.spacing.map_or_else(unknown, length)));
        let sigma = |x: f64| match (self.steps, self.lowest_noise) {
            (Some(steps), _) => format!("coordinates in steps of {}", length(steps)),
            (_, Some(low)) => {
                format!("{} to {} (standard deviation)", three_digits(low), length(x))
            }
            _ => format!("{} (standard deviation)", length(x)),
        };
        rows.push(("noise", self.noise.map_or_else(unknown, sigma)));
        rows.push(("not finite", counted(self.nan_rows, "row")));
        rows.push(("duplicates", self.duplicates.to_string()));
        if self.missing_rows > 0 {
            rows.push((
                "missing",
                format!("{} at exactly 0 0 0", counted(self.missing_rows, "row")),
            ));
        }
        if self.far_rows > 0 {
            let far = counted(self.far_rows, "row");
            rows.push(("far away", format!("{far}, more than 2^40 spacings from the others")));
        }
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The ends of a range with the digits that tell a thousandth of it.
fn range((lo, hi): (f64, f64)) -> String {
    let most = lo.abs().max(hi.abs());
    let wide = if hi > lo { hi - lo } else { most };
    let places = 3.0 - wide.log10().floor();
    let one = |x: f64| {
        if x.fract() == 0.0 && x.abs() < 1e15 {
            format!("{}", x + 0.0)
        } else if most >= 1e15 || places > 9.0 {
            format!("{x:.3e}")
        } else {
            let text = format!("{x:.*}", places.max(0.0) as usize);
            let whole =
                text.contains('.').then(|| text.trim_end_matches('0').trim_end_matches('.'));
            whole.unwrap_or(&text).to_owned()
        }
    };
    format!("{} to {}", one(lo), one(hi))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
