//! The table of methods: what it says about parameters, presets and pages is true.

use std::collections::BTreeSet;
use std::path::Path;

use pellucid_denoise::ParameterError;
use pellucid_denoise::registry::{self, Method, ParameterMap};
use serde_json::{Value, json};

fn error(method: &Method, preset: Option<&str>, name: &str, value: Value) -> ParameterError {
    let changes = ParameterMap::from_iter([(name.to_owned(), value)]);
    match method.build(preset, &changes) {
        Err(e) => e,
        Ok(_) => panic!("{}: {changes:?} was accepted", method.name),
    }
}

#[test]
fn names_are_unique_and_the_default_exists() {
    let names: BTreeSet<_> = registry::methods().iter().map(|m| m.name).collect();
    assert_eq!(names.len(), registry::methods().len());
    assert!(registry::find(registry::DEFAULT).is_ok());
    let unknown = registry::find("no-such-method").err().unwrap().to_string();
    assert!(unknown.contains("no-such-method"));
    assert!(names.iter().all(|n| unknown.contains(n)));
}

#[test]
fn every_field_is_documented_and_nothing_else() {
    for m in registry::methods() {
        let fields: BTreeSet<String> = m.defaults().keys().cloned().collect();
        let documented: BTreeSet<String> = m.parameters.iter().map(|p| p.name.to_owned()).collect();
        assert_eq!(fields, documented, "{}", m.name);
        assert_eq!(documented.len(), m.parameters.len(), "{}: a parameter twice", m.name);
        assert!(m.parameters.iter().all(|p| !p.about.is_empty()), "{}", m.name);
        assert!(!m.summary.is_empty() && !m.reference.is_empty(), "{}", m.name);
    }
}

#[test]
fn presets_build_also_with_their_defaults_spelled_out() {
    for m in registry::methods() {
        assert!(m.build(None, &m.defaults()).is_ok(), "{}", m.name);
        for preset in m.presets {
            assert!(m.build(Some(preset.name), &ParameterMap::new()).is_ok(), "{}", preset.name);
        }
    }
}

#[test]
fn unknown_names_are_errors_that_say_what_there_is() {
    for m in registry::methods() {
        let e = m.build(Some("no-such-preset"), &ParameterMap::new()).err().unwrap();
        assert!(matches!(e, ParameterError::UnknownPreset { .. }), "{}: {e}", m.name);
        assert!(e.to_string().contains("no-such-preset"), "{e}");
        assert!(m.presets.iter().all(|p| e.to_string().contains(p.name)), "{e}");

        let e = error(m, None, "no_such_parameter", json!(1));
        assert!(matches!(e, ParameterError::UnknownParameter { .. }), "{}: {e}", m.name);
        assert!(e.to_string().contains("no_such_parameter"), "{e}");
        assert!(m.parameters.iter().all(|p| e.to_string().contains(p.name)), "{e}");
    }
}

#[test]
fn wrong_types_are_errors_that_name_the_parameter() {
    for m in registry::methods() {
        for p in m.parameters {
            // No parameter is an object without fields.
            let e = error(m, None, p.name, json!({ "no such": "thing" }));
            assert!(matches!(e, ParameterError::Type { .. }), "{} {}: {e}", m.name, p.name);
            assert!(e.to_string().contains(p.name), "{}: {e}", m.name);
        }
    }
}

#[test]
fn numbers_out_of_range_are_errors_that_name_the_parameter() {
    for m in registry::methods() {
        for p in m.parameters.iter().filter(|p| !p.unit.is_empty()) {
            // A parameter with a unit is a size or a count: never below zero.
            let e = error(m, None, p.name, json!(-1));
            assert!(e.to_string().contains(p.name), "{} {}: {e}", m.name, p.name);
        }
    }
}

#[test]
fn every_method_has_a_page_with_every_parameter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods");
    for m in registry::methods() {
        let path = folder.join(format!("{}.md", m.name));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        for name in m.parameters.iter().map(|p| p.name).chain(m.presets.iter().map(|p| p.name)) {
            assert!(page.contains(&format!("`{name}`")), "{path:?} does not explain `{name}`");
        }
        assert!(m.doi.is_none_or(|doi| page.contains(doi)), "{path:?} lacks the DOI");
    }
}
