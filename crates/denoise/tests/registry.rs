//! The table of methods: what it says about parameters, presets and pages is true.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pellucid_cloud::synth::Shape;
use pellucid_denoise::methods::mls::MlsParameters;
use pellucid_denoise::registry::{self, Method, ParameterMap};
use pellucid_denoise::{Control, Observer, ParameterError, Parameters, Progress, Run};
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

/// Remembers on how many threads it was told of progress.
struct Threads(Arc<AtomicUsize>);

impl Observer for Threads {
    fn progress(&mut self, _: &Progress) -> Control {
        self.0.store(rayon::current_num_threads(), Ordering::Relaxed);
        Control::Continue
    }
}

#[test]
fn however_a_method_is_made_it_runs_on_the_threads_that_are_asked_for() {
    let noisy = Shape::Sphere.sample(300, 1);
    let by_name = registry::find("mls").unwrap().build(None, &ParameterMap::new()).unwrap();
    let typed =
        MlsParameters { neighbors: Some(12), ..MlsParameters::default() }.denoiser().unwrap();
    for method in [by_name, typed] {
        let seen = Arc::new(AtomicUsize::new(0));
        let run = Run::default().with_threads(Some(3)).with_observer(Threads(seen.clone()));
        method.denoise(&noisy, &mut { run }).unwrap();
        assert_eq!(seen.load(Ordering::Relaxed), 3);
    }
    let wrong = MlsParameters { iterations: 0, ..MlsParameters::default() }.denoiser();
    assert!(wrong.err().unwrap().to_string().contains("iterations"));
}
