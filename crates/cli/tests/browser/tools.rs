//! What the view has beside the clouds: fit, scale bar, axes, measuring, classes, times, charts.

use std::path::PathBuf;

use pellucid::cloud::{Attribute, Point, PointCloud, Values};
use pellucid::io::{self, Document, WriteOptions};
use serde_json::{Value, json};

use crate::chromium::{Browser, Pixels, program};
use crate::common::{Folder, Random, pellucid};
use crate::file_address;

const SIZE: (u32, u32) = (1400, 900);

/// A tile of ground with a house, flat and wide, with classes and times as LAS has them.
fn tile(folder: &Folder, name: &str) -> PathBuf {
    let mut random = Random(3);
    let points: Vec<Point> = (0..8_000)
        .map(|i| {
            let (x, y) = (f64::from(i % 100), f64::from(i / 100));
            let house = (40.0..60.0).contains(&x) && (30.0..50.0).contains(&y);
            [x, y, if house { 8.0 } else { 0.0 } + 0.25 * random.normal()]
        })
        .collect();
    let classes: Vec<u8> = points.iter().map(|p| if p[2] > 4.0 { 6 } else { 2 }).collect();
    let times = (0..points.len()).map(|i| 220_000_000.0 + 0.01 * i as f64).collect();
    let mut cloud = PointCloud::new(points);
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    cloud.set_attribute(Attribute::scalar("time", Values::F64(times))).unwrap();
    let path = folder.path(name);
    io::write(&path, &Document::from(cloud), &WriteOptions::default()).unwrap();
    path
}

fn report(folder: &Folder) -> PathBuf {
    report_with(folder, &[])
}

fn report_with(folder: &Folder, flags: &[&str]) -> PathBuf {
    let input = tile(folder, "tile.las");
    let (out, page) = (folder.path("clean.las"), folder.path("report.html"));
    let args = ["denoise", "--las-scale", "auto", "--method", "mls"];
    let args = args.iter().chain(flags).chain(&["--report"]).map(std::ffi::OsStr::new);
    pellucid(args.chain([page.as_os_str(), input.as_os_str(), out.as_os_str()])).code(0);
    page
}

/// Columns of the picture in which something is drawn, between two of them.
fn drawn(p: &Pixels, from: usize, to: usize) -> Vec<usize> {
    let is_drawn = |x: &usize| {
        (150..700).any(|y| {
            let [r, _, b] = p.at(*x, y);
            // Ground is brown, the house red, the background gray.
            r > b + 25
        })
    };
    (from..to).filter(is_drawn).collect()
}

#[test]
fn the_whole_cloud_is_in_each_view() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    b.eval("Pellucid.app.setColor('scalar:classification')");
    b.key("s");
    let p = Pixels::of(&b.shot("tile-beside"));
    // The canvas is 1020 pixels wide, each view 510.
    for (from, to) in [(0, 510), (512, 1020)] {
        let columns = drawn(&p, from, to);
        let (first, last) = (columns[0], columns[columns.len() - 1]);
        assert!(first > from + 5 && last < to - 5, "{first} to {last} of {from} to {to}");
        assert!(last - first > 250, "{first} to {last}");
    }
    // What a hand has moved is left alone.
    b.key("+");
    let distance = b.eval("Pellucid.app.camera.distance");
    b.key("a");
    assert_eq!(b.eval("Pellucid.app.camera.distance"), distance);
    b.key("r");
    assert_ne!(b.eval("Pellucid.app.camera.distance"), distance);
}

#[test]
fn classes_have_names_and_times_are_times() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    b.eval("Pellucid.app.setColor('scalar:classification')");
    b.shot("tile-classes");
    let legend = b.eval("document.getElementById('legend').innerText");
    let legend = legend.as_str().unwrap();
    assert!(legend.contains("ground") && legend.contains("building"), "{legend}");
    assert_eq!(b.eval("document.getElementById('legend-bar').hidden"), json!(true));
    b.eval("Pellucid.app.setColor('scalar:time')");
    b.shot("tile-times");
    let legend = b.eval("document.getElementById('legend').innerText");
    let legend = legend.as_str().unwrap();
    assert!(
        legend.contains("GPS time from 2018-09-03 08:53") && !legend.contains("e+"),
        "{legend}"
    );
    // The numbers that colors stand for have a histogram, and only one.
    assert_eq!(b.eval("document.querySelectorAll('#panel section.values svg').length"), json!(1));
    b.eval("Pellucid.app.setColor('plain')");
    assert_eq!(b.eval("document.querySelectorAll('#panel section.values').length"), json!(0));
}

#[test]
fn lengths_are_measured_between_two_clicks() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    b.key("b");
    b.key("5");
    b.eval("document.getElementById('measure-button').click()");
    b.shot("measure-begin");
    b.click((350.0, 450.0));
    b.click((650.0, 450.0));
    b.shot("measured");
    let ends = b.eval("Pellucid.app.measure.ends");
    let end = |i: usize, c: usize| ends[i][c].as_f64().unwrap();
    let length = (0..3).map(|c| (end(1, c) - end(0, c)).powi(2)).sum::<f64>().sqrt();
    assert!(length > 10.0, "{ends}");
    let card = b.eval("document.getElementById('picked').innerText");
    let shown = format!("{}", (length * 100.0).round() / 100.0);
    assert!(card.as_str().unwrap().contains(&shown[..4]), "{card} {shown}");
    // The scale bar says the same about the picture: seen from above, on the ground.
    let bar =
        b.eval("[Pellucid.app.scaleLength, document.getElementById('scale-bar').offsetWidth]");
    let (units, pixels) = (bar[0].as_f64().unwrap(), bar[1].as_f64().unwrap());
    let measured = 300.0 * units / pixels;
    assert!((measured - length).abs() < 0.12 * length, "{measured} by the bar, {length} measured");
    b.key("Escape");
    assert_eq!(b.eval("Pellucid.app.measure.on"), json!(false));
    assert_eq!(b.eval("document.querySelectorAll('#overlay .ruler').length"), json!(0));
}

#[test]
fn axes_dome_and_charts_are_there() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    let names = b.eval(
        "[...document.querySelectorAll('#overlay text.arm')].map((t) => t.textContent).sort()",
    );
    assert_eq!(names, json!(["x", "y", "z"]));
    let charts = b.eval("[...document.querySelectorAll('#panel .pair svg')].map((s) => s.getAttribute('aria-label'))");
    let charts: Vec<String> = serde_json::from_value(charts).unwrap();
    assert!(
        charts[0].starts_with("Along the normal") && charts[1].starts_with("Along the surface")
    );
    // A small plain cloud moved along its normals mostly.
    let [along, beside] = ["displacements", "tangential"].map(|f| {
        let layer = "Pellucid.app.group.layers[1]";
        let all = format!("[...Pellucid.{f}(Pellucid.app.group, {layer})].map(Math.abs)");
        b.eval(&format!(
            "(() => {{ const v = {all}; return v.reduce((a, x) => a + x, 0) / v.length; }})()"
        ))
        .as_f64()
        .unwrap()
    });
    assert!(along > 2.0 * beside, "{along} {beside}");
    b.eval("Pellucid.app.setColor('plain')");
    b.key("a");
    let lit = b.shot("dome-off");
    b.key("e");
    assert_ne!(lit, b.shot("dome-on"));
    // The histogram comes before the metric, and the button says what it shows.
    assert_eq!(b.eval("document.getElementById('panel-button').textContent"), json!("Details"));
    b.expect_quiet("file://");
}

#[test]
fn a_report_of_several_files_opens_on_one_that_moved_and_tells_names_apart() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    for name in ["one", "two"] {
        std::fs::create_dir_all(folder.path(&format!("in/{name}"))).unwrap();
        tile(&folder, &format!("in/{name}/scan.las"));
    }
    // The first has nothing to remove: a plane.
    let flat: Vec<Point> = (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 0.0]).collect();
    let document = Document::from(PointCloud::new(flat));
    let options = WriteOptions { overwrite: true, ..WriteOptions::default() };
    io::write(&folder.path("in/one/scan.las"), &document, &options).unwrap();
    let (page, input, out) = (folder.path("r.html"), folder.path("in"), folder.path("out"));
    let args = ["denoise", "-r", "--las-scale", "auto", "--report"].map(std::ffi::OsStr::new);
    pellucid(args.into_iter().chain([page.as_os_str(), input.as_os_str(), out.as_os_str()]))
        .code(0);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    let names = b.eval("[...document.getElementById('group').options].map((o) => o.textContent)");
    assert_eq!(names, json!(["one/scan.las", "two/scan.las"]));
    assert_eq!(b.eval("document.getElementById('group').value"), json!("1"));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(!text.contains(&folder.root().display().to_string()));
}

#[test]
fn on_a_telephone_everything_can_be_reached() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, (420, 900));
    b.open(&file_address(&page));
    b.eval("Pellucid.app.setColor('scalar:classification')");
    b.shot("phone");
    let inside = |b: &mut Browser, selector: &str| -> Value {
        let box_of = format!("document.querySelector('{selector}').getBoundingClientRect()");
        b.eval(&format!("(() => {{ const r = {box_of}; return r.width > 0 && r.left >= 0 && r.right <= 420; }})()"))
    };
    for selector in [
        "#views",
        "#views button:last-child",
        "#panel-button",
        "#color",
        "#legend",
        "#scale",
        "#panel",
    ] {
        assert_eq!(inside(&mut b, selector), json!(true), "{selector}");
    }
    // The panel follows the view, with nothing between.
    let gap = b.eval(
        "document.getElementById('panel').getBoundingClientRect().top - \
         document.getElementById('stage').getBoundingClientRect().bottom",
    );
    assert_eq!(gap, json!(0));
    assert_eq!(b.eval("document.documentElement.scrollWidth"), json!(420));
    b.eval("document.documentElement.scrollTop = 700");
    b.shot("phone-details");
}

#[test]
fn charts_leave_out_what_did_not_move_and_words_stay_whole() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report_with(&folder, &["--class", "building"]);
    let mut b = Browser::start(&program, (420, 900));
    b.open(&file_address(&page));
    let moved = b.eval("Pellucid.app.group.meta.run.displacement.moved").as_u64().unwrap();
    assert!(moved > 100 && moved < 1_000, "{moved}");
    let label = b.eval("document.querySelector('#panel .pair svg').getAttribute('aria-label')");
    assert!(label.as_str().unwrap().contains(&format!("{moved} points")), "{label}");
    let panel = b.eval("document.getElementById('panel').innerText");
    assert!(panel.as_str().unwrap().contains("points that did not move"), "{panel}");
    // Labels are as large as other small text, and inside of the panel.
    let labels = b.eval(
        "[...document.querySelectorAll('#panel svg text')].map((t) => t.getBoundingClientRect()).map((r) => [r.left, r.height])",
    );
    for label in labels.as_array().unwrap() {
        assert!(label[0].as_f64() >= Some(0.0) && label[1].as_f64() > Some(9.0), "{labels}");
    }
    // Names of attributes and flags are not broken inside.
    for part in ["table.plain th", "pre span"] {
        let lines = b.eval(&format!(
            "[...document.querySelectorAll('#panel {part}')].map((e) => {{ const r = document.createRange(); r.selectNodeContents(e); return new Set([...r.getClientRects()].map((c) => c.top)).size; }})"
        ));
        let lines: Vec<usize> = serde_json::from_value(lines).unwrap();
        assert!(lines.len() > 3 && lines.iter().all(|n| *n == 1), "{part}: {lines:?}");
    }
}
