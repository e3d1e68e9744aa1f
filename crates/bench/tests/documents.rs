//! The documents of the repository say what is true.

use std::fs;
use std::path::PathBuf;

use pellucid::denoise::parameters::Kind;
use pellucid::denoise::registry::{self, Method};
use pellucid::io::Format;
use serde_json::Value;

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

/// Every document, seen from the root.
fn documents() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if name.ends_with(".md") && name != "SUMMARY.md" {
                all.push(path);
            }
        }
    }
    all
}

#[test]
fn links_lead_to_files() {
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let found = text.split("](").skip(1).filter_map(|part| part.split(')').next());
        for link in found.filter(|l| !l.contains("://") && !l.starts_with('#')) {
            let file = document.with_file_name(link.split('#').next().unwrap());
            assert!(file.exists(), "{} links to {link}, which is not there", document.display());
            links += 1;
        }
    }
    assert!(links > 60, "only {links} links were found");
}

/// The table of a method's parameters that its page must have.
fn parameter_table(method: &Method) -> String {
    let mut table =
        "| name | default | unit | values | meaning |\n|---|---|---|---|---|\n".to_owned();
    let defaults = method.defaults();
    let quoted = |name: &str| format!("`{name}`");
    for p in method.parameters {
        let default = match &defaults[p.name] {
            Value::String(name) => quoted(name),
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let values = match p.kind {
            Kind::Choice => p.choices.iter().copied().map(quoted).collect::<Vec<_>>().join(", "),
            _ => p.rule(),
        };
        let row = [quoted(p.name), default, p.unit.to_owned(), values, p.about.to_owned()];
        table += &format!("| {} |\n", row.join(" | "));
    }
    table
}

/// `PELLUCID_UPDATE_DOCS=1 cargo test -p pellucid-bench --test documents` writes the tables.
#[test]
fn pages_have_the_tables_of_parameters_that_the_methods_have() {
    for method in registry::methods() {
        let path = root().join(format!("docs/methods/{}.md", method.name));
        let page = fs::read_to_string(&path).unwrap();
        let table = parameter_table(method);
        if std::env::var_os("PELLUCID_UPDATE_DOCS").is_some() {
            let start = page.find("| name |").expect("a table to replace");
            let end = page[start..].find("\n\n").map_or(page.len(), |n| start + n + 1);
            fs::write(&path, [&page[..start], &table, &page[end..]].concat()).unwrap();
        } else {
            assert!(page.contains(&table), "{path:?} lacks this table:\n{table}");
        }
    }
}

#[test]
fn every_method_has_a_page_with_every_parameter() {
    let folder = root().join("docs/methods");
    for m in registry::methods() {
        let path = folder.join(format!("{}.md", m.name));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        for name in m.parameters.iter().map(|p| p.name).chain(m.presets.iter().map(|p| p.name)) {
            assert!(page.contains(&format!("`{name}`")), "{path:?} does not explain `{name}`");
        }
        assert!(m.doi.is_none_or(|doi| page.contains(doi)), "{path:?} lacks the DOI");
    }
}

#[test]
fn the_repository_has_one_address() {
    let manifest = text("Cargo.toml");
    let line = manifest.lines().find_map(|l| l.strip_prefix("repository = ")).unwrap();
    let address = line.trim_matches('"');
    for file in ["pyproject.toml", "CITATION.cff"] {
        assert!(text(file).contains(address), "{file} does not name {address}");
    }
}
