//! What screen readers and keyboards get, judged by axe (axe-core of npm).

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::chromium::{Browser, program};
use crate::common::Folder;
use crate::file_address;
use crate::report::report;

/// `scripts/test` installs axe, and says where it is.
fn axe() -> Option<String> {
    let Some(path) = std::env::var_os("PELLUCID_AXE").map(PathBuf::from) else {
        eprintln!("skipped: there is no axe; scripts/test installs it");
        return None;
    };
    Some(std::fs::read_to_string(path).unwrap())
}

/// The serious faults that axe finds in the present state.
fn faults(b: &mut Browser) -> Vec<String> {
    let found =
        b.eval("axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations)");
    let serious = |v: &&Value| v["impact"] == json!("serious") || v["impact"] == json!("critical");
    let said = |v: &Value| format!("{}: {} {}", v["id"], v["help"], v["nodes"]);
    found.as_array().unwrap().iter().filter(serious).map(said).collect()
}

#[test]
fn axe_finds_no_serious_fault() {
    let (Some(program), Some(axe)) = (program(), axe()) else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, (1400, 900));
    b.open(&file_address(&page));
    b.eval(&format!("{axe}; 1"));
    for (width, height) in [(1400, 900), (420, 900)] {
        b.resize(width, height);
        for theme in ["light", "dark"] {
            b.eval(&format!("Pellucid.app.theme('{theme}')"));
            b.eval("Pellucid.app.setColor('displacement')");
            b.shot(&format!("axe-{width}-{theme}"));
            let found = faults(&mut b);
            assert!(found.is_empty(), "{width} {theme}: {found:#?}");
        }
    }
    b.resize(1400, 900);
    b.key("x");
    b.eval("document.getElementById('help').showModal()");
    assert!(faults(&mut b).is_empty(), "{:#?}", faults(&mut b));
    b.eval("document.getElementById('help').close()");
    b.click((400.0, 500.0));
    assert!(faults(&mut b).is_empty(), "{:#?}", faults(&mut b));
}
