//! The README says what is true.

use std::fs;
use std::path::PathBuf;

use pellucid::denoise::registry;
use pellucid::io::Format;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn it_lists_every_method_and_format() {
    let readme = text("README.md");
    for m in registry::methods() {
        assert!(readme.contains(&format!("| `{}` |", m.name)), "{} is missing", m.name);
    }
    for f in Format::all() {
        for e in f.extensions {
            let row =
                |l: &&str| l.starts_with('|') && l.split([' ', '|']).any(|w| w == format!(".{e}"));
            assert!(readme.lines().any(|l| row(&l)), ".{e} is missing");
        }
    }
}

#[test]
fn ci_runs_its_test_command() {
    let command = "scripts/test";
    assert!(text("README.md").lines().any(|l| l == command));
    assert!(text(".ci/run").lines().any(|l| l == format!("step {command}")));
    assert!(text(command).lines().any(|l| l == "cargo test --workspace"));
}

#[test]
fn its_files_exist() {
    let readme = text("README.md");
    let links = readme.split("](").skip(1).filter_map(|part| part.split(')').next());
    for link in links.filter(|l| !l.starts_with("http")) {
        assert!(root().join(link).exists(), "{link} is not there");
    }
}
