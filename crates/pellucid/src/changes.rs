//! Attribute changes: kept, changed, dropped or added, and why.

use std::path::Path;

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::Dropped;
use serde::Serialize;

use crate::big::Movement;
use crate::numbers::three_digits;

/// The change of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeChange {
    /// Its name; `position` for the points themselves.
    pub attribute: String,
    /// The kind of change.
    pub became: Change,
    /// Why, unless it was kept as it is.
    pub why: Option<String>,
}

/// The kind of change of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The same values.
    Kept,
    /// Other values.
    Changed,
    /// It is not in the output.
    Dropped,
    /// It was not in the input.
    Added,
}

/// The clouds of a run.
pub struct Clouds<'a> {
    /// As read, without rows that were taken out.
    pub before: &'a PointCloud,
    /// As given to the writer.
    pub after: &'a PointCloud,
    /// As read back from the output, where that can be.
    pub stored: Option<&'a PointCloud>,
}

/// What the output holds, if it is a file that can be read again.
pub fn stored(path: &Path) -> Option<PointCloud> {
    // A pipe or device cannot be read back.
    path.is_file().then(|| pellucid_io::read(path).ok().map(|d| d.cloud))?
}

impl Clouds<'_> {
    /// The change of the positions, then of every attribute, in order; `reasons` name what the
    /// command itself changed or left out.
    pub fn changes(&self, dropped: &[Dropped], reasons: &[(&str, String)]) -> Vec<AttributeChange> {
        let mut changes = vec![self.position(reasons)];
        changes.extend(self.before.attributes().map(|a| self.attribute(a, dropped, reasons)));
        let new = self.after.attributes().filter(|a| self.before.attribute(a.name()).is_none());
        changes.extend(new.map(|a| {
            let change = self.in_output(a, dropped);
            match change.became {
                Change::Dropped => change,
                _ => change_of(a.name(), Change::Added, reason(reasons, a.name())),
            }
        }));
        changes
    }

    fn position(&self, reasons: &[(&str, String)]) -> AttributeChange {
        let name = "position";
        let moved = self.before.positions().iter().zip(self.after.positions());
        let moved = moved.filter(|(a, b)| !same_points(a, b)).count();
        let stored = self.stored.map(PointCloud::positions).unwrap_or_default();
        let rounding =
            self.after.positions().iter().zip(stored).flat_map(|(a, b)| {
                (0..3).map(move |c| (a[c] - b[c]).abs()).filter(|d| d.is_finite())
            });
        let rounding = rounding.fold(0.0, f64::max);
        let mut why: Vec<String> = reason(reasons, name).into_iter().collect();
        if moved > 0 {
            why.push(format!("{moved} points moved"));
        }
        if rounding > 0.0 {
            why.push(format!(
                "rounded by at most {} to what the file stores",
                three_digits(rounding)
            ));
        }
        let became = if moved > 0 || rounding > 0.0 { Change::Changed } else { Change::Kept };
        change_of(name, became, (!why.is_empty()).then(|| why.join("; ")))
    }

    fn attribute(
        &self,
        a: &Attribute,
        dropped: &[Dropped],
        reasons: &[(&str, String)],
    ) -> AttributeChange {
        let why = reason(reasons, a.name());
        match self.after.attribute(a.name()) {
            None => change_of(a.name(), Change::Dropped, why),
            Some(now) => {
                let change = self.in_output(now, dropped);
                if change.became == Change::Dropped || is_same(a, now) {
                    return change;
                }
                change_of(a.name(), Change::Changed, why.or(change.why))
            }
        }
    }

    /// How an attribute given to the writer came out.
    fn in_output(&self, a: &Attribute, dropped: &[Dropped]) -> AttributeChange {
        let said = dropped.iter().find(|d| d.attribute == a.name()).map(|d| d.reason.clone());
        let Some(stored) = self.stored else {
            let became = if said.is_some() { Change::Dropped } else { Change::Kept };
            return change_of(a.name(), became, said);
        };
        match stored.attribute(a.name()) {
            Some(out) if is_same(a, out) => {
                let type_name = |a: &Attribute| a.values().type_name();
                let other = (type_name(a) != type_name(out))
                    .then(|| format!("the same values, stored as {}", type_name(out)));
                change_of(a.name(), Change::Kept, said.or(other))
            }
            Some(out) => {
                let how = format!("stored as {} x {}", out.values().type_name(), out.width());
                change_of(a.name(), Change::Changed, Some(said.unwrap_or(how)))
            }
            None if is_split(a, stored) => {
                let how = "its values are columns of their own".to_owned();
                change_of(a.name(), Change::Kept, Some(how))
            }
            None => {
                let how = "it is not in the output under this name".to_owned();
                change_of(a.name(), Change::Dropped, Some(said.unwrap_or(how)))
            }
        }
    }
}

fn change_of(attribute: &str, became: Change, why: Option<String>) -> AttributeChange {
    AttributeChange { attribute: attribute.to_owned(), became, why }
}

fn reason(reasons: &[(&str, String)], name: &str) -> Option<String> {
    reasons.iter().find(|r| r.0 == name).map(|r| r.1.clone())
}

fn same_points(a: &[f64; 3], b: &[f64; 3]) -> bool {
    (0..3).all(|c| same_numbers(a[c], b[c]))
}

/// Equal, or both no number.
fn same_numbers(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// Whether two attributes have the same values, whatever the type.
fn is_same(a: &Attribute, b: &Attribute) -> bool {
    if a.width() != b.width() || a.values().len() != b.values().len() {
        return false;
    }
    match (a.values(), b.values()) {
        (Values::List(_) | Values::Text(_), _) | (_, Values::List(_) | Values::Text(_)) => {
            a.values() == b.values()
        }
        // Large integers do not pass through doubles.
        (x, y) if x.type_name() == y.type_name() && x == y => true,
        (x, y) => (0..x.len()).all(|i| match (x.get_f64(i), y.get_f64(i)) {
            (Some(p), Some(q)) => same_numbers(p, q),
            _ => false,
        }),
    }
}

/// Whether every component is an attribute of its own, as formats without vectors have it.
fn is_split(a: &Attribute, stored: &PointCloud) -> bool {
    a.width() > 1
        && (0..a.width()).all(|c| {
            let own = stored.attribute(&format!("{}_{c}", a.name()));
            match (own.and_then(|o| o.component(0)), a.component(c)) {
                (Some(x), Some(y)) => x.iter().zip(&y).all(|(p, q)| same_numbers(*p, *q)),
                _ => false,
            }
        })
}

/// An attribute that was left out, and why.
#[derive(Debug, Serialize)]
pub struct DroppedItem {
    /// Its name.
    pub attribute: String,
    /// Why.
    pub reason: String,
}

impl From<&Dropped> for DroppedItem {
    fn from(d: &Dropped) -> Self {
        DroppedItem { attribute: d.attribute.clone(), reason: d.reason.clone() }
    }
}

/// How far points moved.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Displacement {
    /// In file units.
    #[serde(flatten)]
    pub movement: Movement,
    /// The mean in spacings, where the method knows the spacing.
    pub mean_spacings: Option<f64>,
}

impl Displacement {
    /// The same in spacings too, if they are known.
    pub fn of(movement: Movement, spacing: Option<f64>) -> Self {
        let mean_spacings = spacing.filter(|s| *s > 0.0).map(|s| movement.mean / s);
        Displacement { movement, mean_spacings }
    }
}
