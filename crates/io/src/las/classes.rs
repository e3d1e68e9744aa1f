//! The classes of points that LAS 1.4 names.

/// Number and name of each class of points that LAS 1.4 names.
///
/// ```
/// assert!(pellucid_io::LAS_CLASSES.contains(&(2, "ground")));
/// ```
pub const LAS_CLASSES: [(u8, &str); 19] = [
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

/// The name of a class with its number, or the number alone.
///
/// ```
/// assert_eq!(pellucid_io::las_class_in_words(2), "ground (2)");
/// assert_eq!(pellucid_io::las_class_in_words(64), "class 64");
/// ```
pub fn las_class_in_words(class: u8) -> String {
    match LAS_CLASSES.iter().find(|(number, _)| *number == class) {
        Some((_, name)) => format!("{name} ({class})"),
        None => format!("class {class}"),
    }
}

/// A class by its number or name, in any case and with spaces, dashes or underscores.
///
/// ```
/// assert_eq!(pellucid_io::parse_las_class("High Vegetation"), Ok(5));
/// assert!(pellucid_io::parse_las_class("tree").is_err());
/// ```
pub fn parse_las_class(text: &str) -> Result<u8, String> {
    let plain = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let named = LAS_CLASSES.iter().find(|(_, name)| *name == plain).map(|(number, _)| *number);
    named.or_else(|| plain.parse().ok()).ok_or_else(|| {
        let all: Vec<&str> = LAS_CLASSES.iter().map(|(_, name)| *name).collect();
        format!("give a number from 0 to 255 or a name of LAS: {}", all.join(", "))
    })
}
