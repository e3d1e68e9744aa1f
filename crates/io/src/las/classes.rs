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
