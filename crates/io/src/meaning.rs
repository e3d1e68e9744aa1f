//! What columns mean by their names: position, normal, color, or just themselves.

use std::collections::{HashMap, HashSet};

use pellucid_cloud::Attribute;
use pellucid_cloud::attribute::names;

use crate::limits;
use crate::scalar::ScalarType;
use crate::standard;

/// One attribute and the columns that make it, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub attribute: String,
    pub columns: Vec<usize>,
}

/// Where a column's values are in the cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    Position(usize),
    Attribute { name: String, component: usize },
}

/// Which columns are what; each is one or the other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub position: [usize; 3],
    pub groups: Vec<Group>,
}

impl Meaning {
    /// Where each of the `n` columns goes.
    pub fn origins(&self, n: usize) -> Vec<From> {
        let mut origins = vec![From::Position(0); n];
        for (axis, &c) in self.position.iter().enumerate() {
            origins[c] = From::Position(axis);
        }
        for group in &self.groups {
            for (component, &c) in group.columns.iter().enumerate() {
                origins[c] = From::Attribute { name: group.attribute.clone(), component };
            }
        }
        origins
    }
}

const POSITION: &[[&str; 3]] = &[["x", "y", "z"], ["px", "py", "pz"], ["posx", "posy", "posz"]];
const NORMAL: &[[&str; 3]] =
    &[["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"], ["normalx", "normaly", "normalz"]];
const COLOR: &[[&str; 4]] = &[
    ["red", "green", "blue", "alpha"],
    ["r", "g", "b", "a"],
    ["diffuse_red", "diffuse_green", "diffuse_blue", "diffuse_alpha"],
];

/// The coordinate that two columns are named for, so that neither can be trusted to be it.
pub(crate) fn twice<'a>(names: impl Iterator<Item = &'a [u8]>) -> Option<&'static str> {
    let mut counts = [0; 3];
    for name in names {
        if let Some(axis) = POSITION[0].iter().position(|n| n.as_bytes() == name) {
            counts[axis] += 1;
        }
    }
    counts.iter().position(|&n| n > 1).map(|axis| POSITION[0][axis])
}

/// Groups columns by name; columns of one group must have one type (`None`: not a number).
///
/// Without columns for the position there is no meaning.
pub(crate) fn of(columns: &[(String, Option<ScalarType>)]) -> Option<Meaning> {
    // An exact match comes before one in another case.
    let lower: Vec<String> = columns.iter().map(|(n, _)| n.to_ascii_lowercase()).collect();
    let find = |name: &str| {
        columns
            .iter()
            .position(|(n, _)| n == name)
            .or_else(|| lower.iter().position(|n| n == name))
            .filter(|&c| columns[c].1.is_some())
    };
    let find3 = |sets: &[[&str; 3]]| {
        sets.iter().find_map(|s| Some([find(s[0])?, find(s[1])?, find(s[2])?]))
    };
    let same = |c: &[usize]| c.iter().all(|&i| columns[i].1 == columns[c[0]].1);

    let position = find3(POSITION)?;
    let normal = find3(NORMAL).filter(|n| same(n)).map(|n| n.to_vec());
    let color = COLOR.iter().find_map(|s| {
        let mut c = vec![find(s[0])?, find(s[1])?, find(s[2])?];
        c.extend(find(s[3]));
        if !same(&c) {
            c.truncate(3);
        }
        same(&c).then_some(c)
    });

    let vectors: Vec<Group> = [(names::NORMAL, normal), (names::COLOR, color)]
        .into_iter()
        .filter_map(|(name, columns)| Some(Group { attribute: name.to_owned(), columns: columns? }))
        .collect();
    Some(Meaning { position, groups: groups(columns, position, &vectors) })
}

/// The attributes in the order of their first columns: `vectors`, and one for each other column.
fn groups(
    columns: &[(String, Option<ScalarType>)],
    position: [usize; 3],
    vectors: &[Group],
) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut used = Names::default();
    for vector in vectors {
        used.insert(vector.attribute.clone());
    }
    for (i, (name, _)) in columns.iter().enumerate() {
        if position.contains(&i) {
            continue;
        }
        match vectors.iter().find(|v| v.columns.contains(&i)) {
            // The attribute stands where its first column does.
            Some(vector) => {
                if vector.columns.iter().min() == Some(&i) {
                    groups.push(vector.clone());
                }
            }
            None => {
                let standard =
                    standard::attribute(name).filter(|s| columns.iter().all(|(n, _)| n != s));
                groups.push(Group {
                    attribute: used.take(standard.unwrap_or(name)),
                    columns: vec![i],
                });
            }
        }
    }
    groups
}

/// Names that are taken.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The number to try next for each name that was asked for again, so that a thousand
    /// columns of one name do not try each other's numbers.
    next: HashMap<String, usize>,
}

impl Names {
    pub fn insert(&mut self, name: String) {
        self.taken.insert(name);
    }

    /// `name`, or `name_2`, `name_3` … if it is taken.
    pub fn free(&mut self, name: &str) -> String {
        if !self.taken.contains(name) {
            return name.to_owned();
        }
        let k = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{name}_{k}");
            if !self.taken.contains(&candidate) {
                return candidate;
            }
            *k += 1;
        }
    }

    /// The same, and takes it.
    pub fn take(&mut self, name: &str) -> String {
        let name = self.free(name);
        self.insert(name.clone());
        name
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Names { taken: names.into_iter().collect(), next: HashMap::new() }
    }
}

/// A name that stands in a line of words: no white space, and none of `marks`.
pub(crate) fn one_word(name: &str, marks: &[char]) -> String {
    let separates = |c: char| c.is_whitespace() || c.is_control() || marks.contains(&c);
    let word: String = name.chars().map(|c| if separates(c) { '_' } else { c }).collect();
    if word.is_empty() { "unnamed".to_owned() } else { word }
}

/// Why `more` columns cannot join `columns`, if they cannot: no reader takes as many.
pub(crate) fn room(columns: usize, more: usize) -> Result<(), String> {
    let most = limits::COLUMNS;
    if more <= most.saturating_sub(columns) {
        return Ok(());
    }
    Err(format!("it takes {more} columns; with those before it there may be {most}"))
}

/// The components that columns hold.
pub(crate) fn held<'a>(columns: impl Iterator<Item = &'a From>) -> HashSet<(&'a str, usize)> {
    columns
        .filter_map(|from| match from {
            From::Attribute { name, component } => Some((name.as_str(), *component)),
            From::Position(_) => None,
        })
        .collect()
}

/// The components of an attribute that are not held yet, with names for their columns; or why
/// they cannot join the `columns` that there are.
pub(crate) fn missing(
    a: &Attribute,
    held: &HashSet<(&str, usize)>,
    columns: usize,
) -> Result<Vec<(usize, String)>, String> {
    let is_missing = |c: &usize| !held.contains(&(a.name(), *c));
    room(columns, (0..a.width()).filter(is_missing).count())?;
    let names = column_names(a.name(), a.width()).into_iter().enumerate();
    Ok(names.filter(|(c, _)| is_missing(c)).collect())
}

/// Names of the columns that an attribute without any becomes.
pub(crate) fn column_names(attribute: &str, width: usize) -> Vec<String> {
    let fixed: &[&str] = match (attribute, width) {
        (names::NORMAL, 3) => &NORMAL[0],
        (names::COLOR, 3 | 4) => &COLOR[0][..width],
        (_, 1) => &[attribute],
        _ => &[],
    };
    if fixed.is_empty() {
        (0..width).map(|c| format!("{attribute}_{c}")).collect()
    } else {
        fixed.iter().map(|&n| n.to_owned()).collect()
    }
}
