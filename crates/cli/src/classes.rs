//! The classes of points that LAS 1.4 names.

/// Number and name of each class.
const NAMES: [(u8, &str); 19] = [
    (0, "never-classified"),
    (1, "unclassified"),
    (2, "ground"),
    (3, "low-vegetation"),
    (4, "medium-vegetation"),
    (5, "high-vegetation"),
    (6, "building"),
    (7, "low-noise"),
    (8, "key-point"),
    (9, "water"),
    (10, "rail"),
    (11, "road"),
    (12, "overlap"),
    (13, "wire-guard"),
    (14, "wire-conductor"),
    (15, "tower"),
    (16, "wire-connector"),
    (17, "bridge-deck"),
    (18, "high-noise"),
];

/// The name of a class, if it has one.
pub fn name(class: u8) -> Option<&'static str> {
    NAMES.iter().find(|(number, _)| *number == class).map(|(_, name)| *name)
}

/// The name with the number, or the number alone.
pub fn in_words(class: u8) -> String {
    match name(class) {
        Some(name) => format!("{name} ({class})"),
        None => format!("class {class}"),
    }
}

/// A class by its number or name, in any case and with spaces, dashes or underscores.
pub fn parse(text: &str) -> Result<u8, String> {
    let plain = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let named = NAMES.iter().find(|(_, name)| *name == plain).map(|(number, _)| *number);
    named.or_else(|| plain.parse().ok()).ok_or_else(|| {
        let all: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
        format!("give a number from 0 to 255 or a name of LAS: {}", all.join(", "))
    })
}
