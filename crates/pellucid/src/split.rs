//! One cloud in several: by scan, class, another whole number, or square.

use std::collections::BTreeMap;

use pellucid_cloud::PointCloud;
use pellucid_cloud::attribute::names;

/// Attributes that say which scan a point is from, by format.
const SCANS: [&str; 2] = ["scan", "point_source_id"];
/// Numbers of squares and values are below this, so that each is a whole number.
const MOST: f64 = 1e15;

/// What the points of a part have in common.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// The value of an attribute; "class" and "scan" stand for the attributes that formats have for these.
    Attribute(String),
    /// The square of this side, seen from above.
    Square(f64),
}

/// Names a part. Parts are in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The value that its points have.
    Value(i64),
    /// Its square, counted from the origin along x and y.
    Square(i64, i64),
    /// Rows that are not finite lie in no square.
    NotFinite,
}

/// The rows of each part.
pub type Parts = BTreeMap<Key, Vec<usize>>;

/// Finds the parts of a cloud; an error says which attribute does not fit.
///
/// ```
/// use pellucid::PointCloud;
/// use pellucid::split::{By, Key, parts};
///
/// let cloud = PointCloud::new(vec![[0.5, 0.5, 9.0], [1.5, 0.2, 9.0], [0.1, 0.9, 9.0]]);
/// let parts = parts(&cloud, &By::Square(1.0))?;
/// assert_eq!(parts[&Key::Square(0, 0)], [0, 2]);
/// assert_eq!(parts[&Key::Square(1, 0)], [1]);
/// # Ok::<(), String>(())
/// ```
pub fn parts(cloud: &PointCloud, by: &By) -> Result<Parts, String> {
    match by {
        By::Attribute(name) => by_value(cloud, name),
        By::Square(side) => Ok(by_square(cloud, *side)),
    }
}

fn by_square(cloud: &PointCloud, side: f64) -> Parts {
    let mut parts = Parts::new();
    for (row, p) in cloud.positions().iter().enumerate() {
        let (x, y) = ((p[0] / side).floor(), (p[1] / side).floor());
        let key = match p.iter().all(|c| c.is_finite()) && x.abs().max(y.abs()) < MOST {
            true => Key::Square(x as i64, y as i64),
            false => Key::NotFinite,
        };
        parts.entry(key).or_default().push(row);
    }
    parts
}

fn by_value(cloud: &PointCloud, by: &str) -> Result<Parts, String> {
    if by == "scan" && SCANS.iter().all(|name| cloud.attribute(name).is_none()) {
        // Formats number the scans of a file that has several.
        return Ok(Parts::from([(Key::Value(0), (0..cloud.len()).collect())]));
    }
    let name = attribute(by, cloud)?;
    let values = cloud.attribute(&name).filter(|a| a.width() == 1).and_then(|a| a.component(0));
    let values = values.ok_or_else(|| format!("{by}: \"{name}\" is not one number a point"))?;
    let mut parts = Parts::new();
    for (row, v) in values.into_iter().enumerate() {
        if v.fract() != 0.0 || v.abs() >= MOST {
            return Err(format!("{by}: \"{name}\" of row {row} is {v}, not a whole number"));
        }
        parts.entry(Key::Value(v as i64)).or_default().push(row);
    }
    Ok(parts)
}

/// The attribute that is meant.
fn attribute(by: &str, cloud: &PointCloud) -> Result<String, String> {
    let has = |name: &&str| cloud.attribute(name).is_some();
    let found = match by {
        "class" => Some(names::CLASSIFICATION).filter(has),
        "scan" => SCANS.into_iter().find(|name| has(name)),
        name => Some(name).filter(has),
    };
    found.map(str::to_owned).ok_or_else(|| {
        let all: Vec<&str> = cloud.attributes().map(|a| a.name()).collect();
        let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
        format!("{by}: there is no such attribute; the file has {all}")
    })
}
