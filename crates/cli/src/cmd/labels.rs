//! Short names of files that tell them apart, for pages that go to other people.

use std::path::Path;

/// For each file as much of the end of its path as no other has: its name, or its folder too.
pub fn labels<P: AsRef<Path>>(paths: &[P]) -> Vec<String> {
    let parts = |p: &Path| -> Vec<String> {
        p.iter().map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let all: Vec<Vec<String>> = paths.iter().map(|p| parts(p.as_ref())).collect();
    let end = |parts: &[String], n: usize| parts[parts.len().saturating_sub(n)..].join("/");
    let label = |own: &Vec<String>| {
        let alone = |n: &usize| all.iter().filter(|a| end(a, *n) == end(own, *n)).count() < 2;
        // The same file twice has the same label.
        end(own, (1..=own.len()).find(alone).unwrap_or(1))
    };
    all.iter().map(label).collect()
}

/// A command line without the folders of whoever gave it.
pub fn without_folders(command: Vec<String>) -> Vec<String> {
    let plain = |word: &str| match Path::new(word).file_name() {
        Some(name) if word.contains(['/', '\\']) => name.to_string_lossy().into_owned(),
        _ => word.to_owned(),
    };
    let word = |word: String| match word.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => format!("{flag}={}", plain(value)),
        _ => plain(&word),
    };
    command.into_iter().map(word).collect()
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
