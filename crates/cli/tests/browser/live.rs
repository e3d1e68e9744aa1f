//! `pellucid view`: the page comes from the server, and again when a file changes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::chromium::{Browser, program};
use crate::common::{Folder, PROGRAM, noisy_sphere, ply};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_changed_file_is_shown_again() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let a = folder.file("a.ply", ply(&noisy_sphere(3_000)));
    let b = folder.file("b.ply", ply(&noisy_sphere(2_000)));
    let mut server = Running(
        Command::new(PROGRAM)
            .arg("view")
            .args([&a, &b])
            .arg("--no-open")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut address = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let address = address.trim();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");

    let mut browser = Browser::start(&program, (1000, 700));
    browser.open(address);
    assert_eq!(browser.eval("Pellucid.app.group.layers.map((l) => l.n)"), json!([3000, 2000]));
    browser.eval("Pellucid.app.setMode('beside')");
    browser.shot("view");

    folder.file("b.ply", ply(&noisy_sphere(2_500)));
    browser.wait("Pellucid.app.group.layers[1].n === 2500");
    let host = address.split('/').take(3).collect::<Vec<_>>().join("/");
    browser.expect_quiet(&host);
}
