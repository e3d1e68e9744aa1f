//! How quick the page is in software rendering: `cargo bench -p pellucid-cli --bench page`.

use pellucid::PointCloud;
use pellucid_page::{Group, Layer, Page};

#[path = "../tests/browser/chromium.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod chromium;
#[path = "../tests/common/mod.rs"]
mod common;

use chromium::{Browser, program};
use common::{Folder, noisy_sphere};

fn file_address(path: &std::path::Path) -> String {
    format!("file://{}", path.display())
}

fn page(n: usize) -> String {
    let before = PointCloud::new(noisy_sphere(n));
    let smooth = before.positions().iter().map(|p| {
        let r = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.map(|x| 10.0 * x / r)
    });
    let after = before.with_positions(smooth.collect()).unwrap();
    let layers = [Layer::new("Before", &before), Layer::new("After", &after).moved_from(0)];
    let mut page = Page::new(format!("{n} points"));
    page.groups.push(Group::pack("sphere", &layers, 1_000_000, 24_000_000));
    page.html().unwrap()
}

#[allow(clippy::print_stdout, reason = "the figures are the point")]
fn main() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let large = page(1_000_000);
    println!("1,000,000 points: {:.1} MB", large.len() as f64 / 1e6);
    assert!(large.len() < 25_000_000);
    let large = folder.file("large.html", large);
    let small = folder.file("small.html", page(100_000));

    let mut opened = f64::INFINITY;
    let mut rate: f64 = 0.0;
    for round in 1..=5 {
        let mut b = Browser::start(&program, (1200, 760));
        let seconds = b.open(&file_address(&large));
        opened = opened.min(seconds);
        // Interactive: a turn is on the screen.
        let turned = b.eval(
            "(async () => { const t = performance.now(); const a = Pellucid.app; a.camera.orbit(20, 0); \
             a.moved(); await a.painted(); return performance.now() - t; })()",
        );
        b.open(&file_address(&small));
        // What a person sees while turning: the page draws as many points as it has time for.
        let measured = b.eval(
            "(async () => { const a = Pellucid.app; a.setMode('after'); await a.drawn(); \
             const turn = async (ms) => { const start = performance.now(); const from = a.frames; \
             while (performance.now() - start < ms) { a.camera.orbit(4, 0); a.moved(); \
             await new Promise(requestAnimationFrame); } \
             return (a.frames - from) / (performance.now() - start) * 1000; }; \
             await turn(1500); return [await turn(3000), a.share]; })()",
        );
        let [frames, share] = [0, 1].map(|k| measured[k].as_f64().unwrap());
        rate = rate.max(frames);
        println!(
            "round {round}: 1,000,000 points open after {seconds:.2} s, first turn {turned} ms; \
             100,000 turn at {frames:.1} frames a second, of the points {share:.2} drawn"
        );
        b.expect_quiet("file://");
    }
    assert!(opened < 5.0, "{opened} s");
    assert!(rate > 15.0, "{rate} frames a second");
}
