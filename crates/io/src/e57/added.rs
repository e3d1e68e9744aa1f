//! Attributes that the standard has no record for: records of an extension of our own, which
//! other readers skip.

use ::e57::{Extension, Record, RecordName, RecordValue};
use pellucid_cloud::Attribute;

use super::create::record_type;
use super::frame::stored;
use crate::document::Dropped;
use crate::meaning;

const NAMESPACE: &str = "pellucid";
const URL: &str = "urn:pellucid:attributes";

/// A record and the component of an attribute that it holds.
pub(super) struct Added<'a> {
    pub record: Record,
    attribute: &'a Attribute,
    component: usize,
}

impl Added<'_> {
    pub fn value(&self, row: usize) -> RecordValue {
        let values = self.attribute.values();
        let x = values.get_f64(row * self.attribute.width() + self.component);
        stored(x.unwrap_or(0.0), &self.record.data_type)
    }
}

pub(super) fn extension() -> Extension {
    Extension::new(NAMESPACE, URL)
}

/// Whether an extension of a file is the one used here.
pub(super) fn is_ours(e: &Extension) -> bool {
    e.namespace == NAMESPACE
}

/// The attribute and component that a record of the extension came from.
pub(super) fn attribute(namespace: &str, name: &str) -> Option<(String, usize)> {
    let gathered = match name {
        "nx" => ("normal", 0),
        "ny" => ("normal", 1),
        "nz" => ("normal", 2),
        name => (name, 0),
    };
    (namespace == NAMESPACE).then(|| (gathered.0.to_owned(), gathered.1))
}

/// Records for attributes, besides `columns` that there are; what cannot be one is added to `dropped`.
pub(super) fn plan<'a>(
    attributes: impl Iterator<Item = &'a Attribute>,
    columns: usize,
    dropped: &mut Vec<Dropped>,
) -> Vec<Added<'a>> {
    let mut taken = meaning::Names::default();
    let mut added = Vec::new();
    for attribute in attributes {
        let mut say = |reason: String| {
            dropped.push(Dropped { attribute: attribute.name().to_owned(), reason });
        };
        let Some(data_type) = record_type(attribute.values()) else {
            say("E57 holds numbers only, and of integers those that doubles hold".to_owned());
            continue;
        };
        if let Err(reason) = meaning::room(columns + added.len(), attribute.width()) {
            say(reason);
            continue;
        }
        let names = meaning::column_names(attribute.name(), attribute.width());
        for (component, name) in names.iter().enumerate() {
            let unique = taken.take(&valid(name));
            if unique != *name {
                say(format!("its name does not do for E57; it is written as \"{unique}\""));
            }
            let name = RecordName::Unknown { namespace: NAMESPACE.to_owned(), name: unique };
            let record = Record { name, data_type: data_type.clone() };
            added.push(Added { record, attribute, component });
        }
    }
    added
}

/// A name that the library and XML take.
fn valid(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let word: String = name.chars().map(letter).collect();
    let start = word.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let reserved = word.to_ascii_lowercase().starts_with("xml");
    if start && !reserved { word } else { format!("_{word}") }
}
