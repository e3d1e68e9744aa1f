//! The page that denoises in the browser gives what the program gives, and can be cancelled.

use std::path::PathBuf;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pellucid::cloud::{Point, vec3};
use serde_json::json;

use crate::chromium::{Browser, program};
use crate::common::{Folder, noisy_sphere, pellucid, ply, points_of};
use crate::file_address;

/// `scripts/build-web` makes it; `scripts/test` runs that, and says by `PELLUCID_WEB=required` that
/// the page must be there.
fn page() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../web/pellucid.html");
    let required = std::env::var("PELLUCID_WEB").is_ok_and(|v| v == "required");
    assert!(path.is_file() || !required, "there is no page; scripts/build-web makes it");
    path.is_file().then(|| path.canonicalize().unwrap()).or_else(|| {
        eprintln!("skipped: there is no page; scripts/build-web makes it");
        None
    })
}

/// A closed surface of 12,000 points with noise.
fn cloud() -> Vec<Point> {
    noisy_sphere(12_000)
        .into_iter()
        .map(|p| {
            // Flattened, with a ridge: neither a sphere nor symmetric.
            let ridge = 1.0 + 0.2 * (0.9 * p[0]).sin();
            [1.3 * p[0], p[1], 0.6 * p[2] * ridge]
        })
        .collect()
}

#[test]
fn it_gives_what_the_program_gives_and_cancels_within_a_second() {
    let (Some(program), Some(page)) = (program(), page()) else { return };
    let folder = Folder::new();
    let noisy = folder.file("noisy.ply", ply(&cloud()));
    let out = folder.path("out.ply");
    pellucid(["denoise".as_ref(), noisy.as_os_str(), out.as_os_str()]).code(0);
    let expected = points_of(&out);

    let mut b = Browser::start(&program, (1200, 760));
    b.call("Page.navigate", json!({ "url": file_address(&page) }));
    b.wait("document.documentElement.dataset.loaded === 'true'");
    b.shot("web-empty");

    // A file that is none is refused in words.
    b.eval("Pellucid.trial.take(new File(['hello'], 'evil<b>.ply'))");
    let trouble = b.eval("document.getElementById('trouble').textContent");
    assert!(trouble.as_str().unwrap().contains("evil<b>.ply"), "{trouble}");

    // As a person does: the file into the input.
    let document = b.call("DOM.getDocument", json!({}));
    let root = document["root"]["nodeId"].clone();
    let node = b.call("DOM.querySelector", json!({ "nodeId": root, "selector": "#file" }));
    let files = json!({ "nodeId": node["nodeId"], "files": [noisy] });
    b.call("DOM.setFileInputFiles", files);
    b.wait("Pellucid.trial.state === 'open'");
    assert_eq!(b.eval("Pellucid.app.group.layers[0].n"), json!(12_000));

    // Cancelled, and ready for the next run.
    b.eval("document.getElementById('go').click()");
    b.wait("Pellucid.trial.heard > 0");
    b.shot("web-running");
    let start = Instant::now();
    b.eval("document.getElementById('cancel').click()");
    b.wait("Pellucid.trial.state === 'open'");
    let took = start.elapsed().as_secs_f64();
    assert!(took < 1.0, "{took} s");

    // The same result.
    b.eval("document.getElementById('go').click()");
    b.wait("Pellucid.trial.state === 'done'");
    b.shot("web-done");
    let bytes = b.eval(
        "(async () => { const bytes = await Pellucid.trial.result(); let s = ''; \
         for (let i = 0; i < bytes.length; i += 8192) \
         s += String.fromCharCode(...bytes.subarray(i, i + 8192)); return btoa(s); })()",
    );
    let bytes = STANDARD.decode(bytes.as_str().unwrap()).unwrap();
    let result = pellucid::io::read_bytes(&bytes, pellucid::io::Format::Ply, "out.ply").unwrap();
    let result = result.cloud.positions();
    assert_eq!(result.len(), expected.len());
    let moved = |(a, b): (&Point, &Point)| vec3::norm(vec3::sub(*a, *b));
    let far = result.iter().zip(&expected).map(moved).filter(|d| *d > 1e-9).count();
    assert!(far <= 12, "{far} of 12,000 points are elsewhere");
    let still = cloud().iter().zip(&expected).map(moved).filter(|d| *d < 1e-6).count();
    assert!(still < 1_200, "{still} points did not move");
    assert_eq!(b.eval("document.getElementById('download').hidden"), json!(false));
    b.expect_quiet("file://");
}
