//! The table of methods: what it says about parameters, presets and pages is true.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pellucid_cloud::synth::Shape;
use pellucid_denoise::methods::Mls;
use pellucid_denoise::parameters::Kind;
use pellucid_denoise::registry::{self, Method, ParameterMap};
use pellucid_denoise::{Control, Denoiser, Observer, ParameterError, Parameters, Progress, Run};
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
fn numbers_are_accepted_exactly_within_the_range_of_their_row() {
    let mut refused = 0;
    for m in registry::methods() {
        for p in m.parameters.iter().filter(|p| matches!(p.kind, Kind::Number | Kind::Count)) {
            for x in [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 99.0, 255.0, 256.0, 1001.0, 10_001.0] {
                let value = match p.kind {
                    Kind::Count if x < 0.0 || x != f64::trunc(x) => continue,
                    Kind::Count => json!(x as u64),
                    _ => json!(x),
                };
                let changes = ParameterMap::from_iter([(p.name.to_owned(), value.clone())]);
                let built = m.build(None, &changes);
                if p.range.contains(x) {
                    // Patches that are too few to cover the cloud are the one rule for two parameters.
                    let covers = |e: &ParameterError| e.to_string().contains("cover the cloud");
                    let fault = built.err().filter(|e| !covers(e));
                    assert!(fault.is_none(), "{} {} = {value}: {fault:?}", m.name, p.name);
                } else {
                    let fault = built.err().expect("a value out of range").to_string();
                    let said = format!("\"{}\" is {value}, but it must be {}", p.name, p.rule());
                    assert!(fault.contains(&said.replace(".0,", ",")), "{}: {fault}", m.name);
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100, "only {refused} values were out of range");
}

#[test]
fn names_out_of_the_choices_are_errors_that_list_them() {
    for m in registry::methods() {
        for p in m.parameters.iter().filter(|p| p.kind == Kind::Choice) {
            assert!(p.choices.len() > 1, "{} {}", m.name, p.name);
            for choice in p.choices {
                let changes = ParameterMap::from_iter([(p.name.to_owned(), json!(choice))]);
                assert!(m.build(None, &changes).is_ok(), "{} {} = {choice}", m.name, p.name);
            }
            let e = error(m, None, p.name, json!("no such choice")).to_string();
            assert!(p.choices.iter().all(|c| e.contains(c)), "{} {}: {e}", m.name, p.name);
        }
    }
}

#[test]
fn of_two_parameters_that_replace_each_other_one_is_refused() {
    for (method, other) in
        [("mls", "neighbors"), ("apss", "filter_scale"), ("rimls", "filter_scale")]
    {
        let both = ParameterMap::from_iter([
            ("radius".to_owned(), json!(2.0)),
            (other.to_owned(), json!(5)),
        ]);
        let e = registry::find(method).unwrap().build(None, &both).err().unwrap().to_string();
        assert!(e.contains(&format!("null when {other} is given")), "{method}: {e}");
    }
}

#[test]
fn the_table_as_json_has_every_column_of_every_method() {
    let rows = serde_json::to_value(registry::methods()).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), registry::methods().len());
    let mls = &rows[1];
    assert_eq!((&mls["name"], &mls["default"]), (&json!("mls"), &json!(false)));
    assert_eq!(mls["defaults"]["iterations"], 2);
    assert_eq!(mls["presets"][0]["name"], "jet");
    let neighbors = &mls["parameters"][1];
    assert_eq!(neighbors["name"], "neighbors");
    assert_eq!(neighbors["type"], "count");
    assert_eq!(neighbors["optional"], true);
    assert_eq!(neighbors["range"], "from 3 to 10000");
    assert_eq!(neighbors["unit"], "points");
}

/// Remembers on how many threads progress was reported.
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
    let typed = Mls { neighbors: Some(12), ..Mls::default() }.denoiser().unwrap();
    for method in [by_name, Box::new(typed) as Box<dyn Denoiser>] {
        let seen = Arc::new(AtomicUsize::new(0));
        let run = Run::default().with_threads(Some(3)).with_observer(Threads(seen.clone()));
        method.denoise(&noisy, &mut { run }).unwrap();
        assert_eq!(seen.load(Ordering::Relaxed), 3);
    }
    let wrong = Mls { iterations: 0, ..Mls::default() }.denoiser();
    assert!(wrong.err().unwrap().to_string().contains("iterations"));
}
