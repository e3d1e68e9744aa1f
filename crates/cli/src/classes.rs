//! The classes of points that LAS 1.4 names.

use pellucid::io::LAS_CLASSES;

/// The name of a class, if it has one.
pub fn name(class: u8) -> Option<&'static str> {
    LAS_CLASSES.iter().find(|(number, _)| *number == class).map(|(_, name)| *name)
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
    let named = LAS_CLASSES.iter().find(|(_, name)| *name == plain).map(|(number, _)| *number);
    named.or_else(|| plain.parse().ok()).ok_or_else(|| {
        let all: Vec<&str> = LAS_CLASSES.iter().map(|(_, name)| *name).collect();
        format!("give a number from 0 to 255 or a name of LAS: {}", all.join(", "))
    })
}
