//! `--class`, `--box` and `--select`: which points move.

use std::collections::BTreeSet;
use std::path::Path;

use pellucid::PointCloud;
use pellucid::cloud::Values;
use pellucid::cloud::attribute::names;

use crate::args::{Accepted, Condition, Part};
use crate::failure::{Failure, naming};

/// Classes that a message lists at most.
const LISTED: usize = 12;

/// An error if there are no conditions where some are needed.
pub fn check(flags: &Part, alone: bool) -> Result<(), Failure> {
    if alone && conditions(flags).is_empty() {
        let fault = "--alone: say which points by --class, --box or --select";
        return Err(Failure::input(fault.to_owned()));
    }
    Ok(())
}

/// Whether each point satisfies all conditions, and at least one must; `None` if there are none.
pub fn part(flags: &Part, cloud: &PointCloud, file: &Path) -> Result<Option<Vec<bool>>, Failure> {
    let conditions = conditions(flags);
    if conditions.is_empty() {
        return Ok(None);
    }
    let part = mask(flags, cloud, file)?;
    if !part.contains(&true) {
        let hint = if flags.class.is_empty() { String::new() } else { present(cloud) };
        let fault = format!(
            "none of its {} points satisfies {}{hint}",
            cloud.len(),
            conditions.join(" and ")
        );
        return Err(Failure::input(naming(file, fault)));
    }
    Ok(Some(part))
}

/// Whether each point satisfies all conditions.
pub fn mask(flags: &Part, cloud: &PointCloud, file: &Path) -> Result<Vec<bool>, Failure> {
    let fault = |f: String| Failure::input(naming(file, f));
    let mut part = vec![true; cloud.len()];
    if !flags.class.is_empty() {
        let name = names::CLASSIFICATION;
        let classes = numbers(cloud, name).map_err(|f| fault(format!("--class: {f}")))?;
        keep(&mut part, |row| flags.class.iter().any(|c| f64::from(*c) == classes[row]));
    }
    if let Some(b) = flags.within {
        let points = cloud.positions();
        keep(&mut part, |row| (0..3).all(|c| (b.lo[c]..=b.hi[c]).contains(&points[row][c])));
    }
    for condition in &flags.select {
        satisfy(&mut part, condition, cloud)
            .map_err(|f| fault(format!("--select {}: {f}", condition.text)))?;
    }
    Ok(part)
}

/// The conditions in words.
pub fn conditions(flags: &Part) -> Vec<String> {
    let mut all = Vec::new();
    if !flags.class.is_empty() {
        let classes: Vec<String> = flags.class.iter().map(u8::to_string).collect();
        all.push(format!("--class {}", classes.join(",")));
    }
    if let Some(b) = flags.within {
        let corners: Vec<String> = b.lo.iter().chain(&b.hi).map(f64::to_string).collect();
        all.push(format!("--box {}", corners.join(",")));
    }
    all.extend(flags.select.iter().map(|c| format!("--select {}", c.text)));
    all
}

fn keep(part: &mut [bool], holds: impl Fn(usize) -> bool) {
    for (row, p) in part.iter_mut().enumerate() {
        *p &= holds(row);
    }
}

fn satisfy(part: &mut [bool], condition: &Condition, cloud: &PointCloud) -> Result<(), String> {
    let name = condition.attribute.as_str();
    match &condition.wanted {
        Accepted::Text(text) => match cloud.attribute(name).map(|a| (a.values(), a.width())) {
            Some((Values::Text(v), 1)) => keep(part, |row| v[row] == *text),
            Some(_) => return Err(format!("\"{name}\" holds numbers; give a number or LO..HI")),
            None => return Err(missing(name, cloud)),
        },
        Accepted::Number(x) => {
            // Text attributes may hold numbers too.
            if let Some(Values::Text(v)) = cloud.attribute(name).map(|a| a.values()) {
                let text = condition.text.split_once('=').map_or("", |t| t.1.trim());
                keep(part, |row| v.get(row).is_some_and(|t| t == text));
                return Ok(());
            }
            let values = numbers(cloud, name)?;
            keep(part, |row| values[row] == *x);
        }
        Accepted::Range(lo, hi) => {
            let values = numbers(cloud, name)?;
            keep(part, |row| (*lo..=*hi).contains(&values[row]));
        }
    }
    Ok(())
}

/// One number for each point: an attribute, one of several values of it, or a coordinate.
fn numbers(cloud: &PointCloud, name: &str) -> Result<Vec<f64>, String> {
    if let Some(a) = cloud.attribute(name) {
        if a.width() > 1 {
            let last = a.width() - 1;
            let fault = format!("\"{name}\" has {} values a point; say which", a.width());
            return Err(format!("{fault}, from \"{name}.0\" to \"{name}.{last}\""));
        }
        return a
            .component(0)
            .ok_or_else(|| format!("\"{name}\" holds {}, not numbers", a.values().type_name()));
    }
    if let Some((base, number)) = name.rsplit_once('.')
        && let (Some(a), Ok(c)) = (cloud.attribute(base), number.parse::<usize>())
    {
        return a
            .component(c)
            .ok_or_else(|| format!("\"{base}\" has {} values a point, from .0", a.width()));
    }
    match ["x", "y", "z"].iter().position(|axis| *axis == name) {
        Some(axis) => Ok(cloud.positions().iter().map(|p| p[axis]).collect()),
        None => Err(missing(name, cloud)),
    }
}

fn missing(name: &str, cloud: &PointCloud) -> String {
    let all: Vec<&str> = cloud.attributes().map(|a| a.name()).collect();
    let all = if all.is_empty() { "none but x, y, z".to_owned() } else { all.join(", ") };
    format!("there is no attribute \"{name}\"; the file has {all}")
}

/// The classes that there are, for a message.
fn present(cloud: &PointCloud) -> String {
    let Ok(classes) = numbers(cloud, names::CLASSIFICATION) else { return String::new() };
    let all: BTreeSet<i64> = classes.iter().map(|c| *c as i64).collect();
    let mut shown: Vec<String> = all.iter().take(LISTED).map(i64::to_string).collect();
    if all.len() > LISTED {
        shown.push("…".to_owned());
    }
    format!(" (its classes are {})", shown.join(", "))
}
