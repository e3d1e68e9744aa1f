//! The report of `denoise`: every control does what it says.

use std::fs;
use std::path::PathBuf;

use pellucid::cloud::Point;
use serde_json::json;

use crate::chromium::{Browser, Pixels, program};
use crate::common::{Folder, noisy_sphere, pellucid};
use crate::file_address;

/// Names that would run as markup or end a script if they were not escaped.
const HOSTILE: [&str; 2] =
    ["<img/src=x/onerror=window.hacked=1>", "</script><script>window.hacked=1</script>"];
const SIZE: (u32, u32) = (1200, 760);
/// The canvas begins below the header; the panel is 380 pixels wide.
const MIDDLE: (f64, f64) = (410.0, 400.0);

/// A colored sphere with attributes of evil names, denoised with a report.
pub fn report(folder: &Folder) -> PathBuf {
    // Twice the noise, to be seen.
    let points: Vec<Point> = noisy_sphere(6_000)
        .iter()
        .map(|p| {
            let r = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            p.map(|x| x / r * (2.0 * r - 10.0))
        })
        .collect();
    let mut ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
         property float {}\nproperty int {}\nend_header\n",
        points.len(),
        HOSTILE[0],
        HOSTILE[1]
    );
    for (i, p) in points.iter().enumerate() {
        // Green above, purple below.
        let color = if p[2] > 0.0 { "30 200 60" } else { "160 40 200" };
        ply += &format!("{} {} {} {color} {} {i}\n", p[0], p[1], p[2], p[0]);
    }
    let noisy = folder.file("<b>noisy & co.ply", ply);
    let truth: String = points
        .iter()
        .map(|p| {
            let r = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            let q = p.map(|x| 10.0 * x / r);
            format!("{} {} {}\n", q[0], q[1], q[2])
        })
        .collect();
    let truth = folder.file("truth.xyz", truth);
    let page = folder.path("report.html");
    let out = folder.path("out.ply");
    let args = ["denoise".as_ref(), noisy.as_os_str(), out.as_os_str(), "--report".as_ref()];
    let more = [page.as_os_str(), "--truth".as_ref(), truth.as_os_str()];
    pellucid(args.into_iter().chain(more)).code(0);
    page
}

#[test]
fn the_page_is_one_file_without_any_address() {
    let folder = Folder::new();
    let page = report(&folder);
    let text = fs::read_to_string(&page).unwrap();
    for address in ["http:", "https:", "ws:", "wss:", "ftp:", "@import", "url("] {
        assert!(!text.contains(address), "there is {address} in the page");
    }
    // Markup comes only from us.
    assert!(!text.contains("<img"));
    assert!(!text.contains("<b>noisy"));
    assert!(text.contains("<title>&lt;b&gt;noisy &amp; co.ply, denoised</title>"));
    assert_eq!(text.matches("<script").count(), text.matches("</script>").count());
    // Nor does it tell where it was made.
    let home = folder.root().display().to_string();
    assert!(!text.contains(&home) && !text.contains("target/debug"), "a path is in the page");
}

#[test]
fn every_control_works() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));

    let own = draws_in_its_own_colors(&mut b);
    compares_before_and_after(&mut b);
    shows_both_side_by_side(&mut b);
    colors_by_displacement(&mut b);
    colors_by_other_numbers(&mut b);
    finds_the_point_at_a_click(&mut b, &folder);
    cuts_a_section(&mut b, &own);
    turns_moves_and_zooms(&mut b);
    has_a_dark_theme(&mut b);
    describes_the_run(&mut b);

    // A picture can be saved.
    assert!(b.eval("Pellucid.app.save()").as_u64().unwrap() > 5_000);

    // On a telephone.
    b.resize(400, 800);
    b.shot("narrow");
    b.expect_quiet("file://");
}

/// It draws: the middle is green above, purple below, the corner is background.
fn draws_in_its_own_colors(b: &mut Browser) -> Pixels {
    let own = Pixels::of(&b.shot("own-colors"));
    let upper = own.mean(380..440, 290..320);
    let lower = own.mean(380..440, 580..610);
    assert!(upper[1] > upper[0] + 30.0 && upper[1] > upper[2] + 30.0, "{upper:?}");
    assert!(lower[2] > lower[1] + 30.0, "{lower:?}");
    let corner = own.mean(20..40, 600..620);
    assert!(corner.iter().all(|c| *c > 180.0), "{corner:?}");
    own
}

/// Before is rough, after is smooth.
fn compares_before_and_after(b: &mut Browser) {
    assert_eq!(b.eval("Pellucid.app.mode"), json!("slider"));
    b.eval("Pellucid.app.setColor('plain')");
    b.key("b");
    let before = Pixels::of(&b.shot("before"));
    b.key("a");
    let after = Pixels::of(&b.shot("after"));
    let rough = |p: &Pixels| {
        let pairs = (330..470).flat_map(|y| (300..520).map(move |x| (x, y)));
        pairs.map(|(x, y)| (p.at(x, y)[1] - p.at(x + 1, y)[1]).abs()).sum::<i32>()
    };
    let [wild, calm] = [&before, &after].map(rough);
    assert!(f64::from(wild) > 1.3 * f64::from(calm), "before {wild}, after {calm}");

    // The slider shows the one to its left, the other to its right, wherever it is.
    b.key("w");
    let same = |a: &Pixels, b: &Pixels, x: std::ops::Range<usize>| {
        (300..500).all(|y| x.clone().all(|x| a.at(x, y) == b.at(x, y)))
    };
    let slider = Pixels::of(&b.shot("slider"));
    assert!(same(&slider, &before, 240..380) && same(&slider, &after, 440..580));
    assert!(!same(&before, &after, 240..380) && !same(&before, &after, 440..580));
    b.drag(MIDDLE, (630.0, 400.0));
    let split = b.eval("Pellucid.app.split").as_f64().unwrap();
    assert!((split - 630.0 / 820.0).abs() < 0.02, "{split}");
    let slider = Pixels::of(&b.shot("slider-moved"));
    assert!(same(&slider, &before, 240..590));
}

/// Side by side.
fn shows_both_side_by_side(b: &mut Browser) {
    b.key("s");
    let p = Pixels::of(&b.shot("side-by-side"));
    let background = p.at(20, 620);
    for x in [205, 615] {
        let seen = p.mean(x - 10..x + 10, 390..410);
        assert!((seen[0] - f64::from(background[0])).abs() > 10.0, "{seen:?}");
    }
}

/// Displacement: red and blue, with a legend whose ends are opposite.
fn colors_by_displacement(b: &mut Browser) {
    b.key("a");
    b.eval("Pellucid.app.setColor('displacement')");
    let p = Pixels::of(&b.shot("displacement"));
    let mut counts = [0, 0];
    for y in 200..600 {
        for x in 200..620 {
            let [r, _, bl] = p.at(x, y);
            counts[0] += usize::from(r > bl + 40);
            counts[1] += usize::from(bl > r + 40);
        }
    }
    assert!(counts[0] > 2_000 && counts[1] > 2_000, "{counts:?}");
    assert_eq!(b.eval("document.getElementById('legend').hidden"), json!(false));
    let ends = b.eval("Pellucid.app.legend.ends");
    assert_eq!(ends[0].as_f64().unwrap(), -ends[1].as_f64().unwrap());
}

/// Normals and numbers give other pictures; distances to the truth are there.
fn colors_by_other_numbers(b: &mut Browser) {
    let mut pictures = Vec::new();
    let options = b.eval("[...document.getElementById('color').options].map((o) => o.value)");
    let options: Vec<String> = serde_json::from_value(options).unwrap();
    assert!(options.contains(&"scalar:distance to truth".to_owned()), "{options:?}");
    for name in HOSTILE {
        assert!(options.contains(&format!("scalar:{name}")), "{options:?}");
    }
    for what in ["normal", "scalar:distance to truth", "axis:2", &format!("scalar:{}", HOSTILE[0])]
    {
        b.eval(&format!("Pellucid.app.setColor({})", json!(what)));
        pictures.push(b.shot(&format!("color-{}", pictures.len())));
    }
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 4);
}

/// What a click finds is the point that the file has at that index.
fn finds_the_point_at_a_click(b: &mut Browser, folder: &Folder) {
    b.click(MIDDLE);
    let picked = b.eval("Pellucid.app.picked");
    b.shot("picked");
    let index = picked["index"].as_u64().unwrap() as usize;
    let after = pellucid::io::read(&folder.path("out.ply")).unwrap().cloud;
    for c in 0..3 {
        let shown = picked["place"][c].as_f64().unwrap();
        // 16 bits over a box of 20 units.
        assert!((shown - after.positions()[index][c]).abs() < 3e-4, "{picked}");
    }
    let card = b.eval("document.getElementById('picked').textContent");
    for name in HOSTILE {
        assert!(card.as_str().unwrap().contains(name), "{card}");
    }
    assert!(card.as_str().unwrap().contains("spacings"));
    // The middle of the window is the near side of the sphere, as the camera sees it.
    let toward = b.eval("Pellucid.app.camera.axes().toward");
    let depth: f64 =
        (0..3).map(|c| toward[c].as_f64().unwrap() * picked["place"][c].as_f64().unwrap()).sum();
    assert!(depth > 9.0, "{depth}");
    b.click((30.0, 640.0));
    assert_eq!(b.eval("Pellucid.app.picked"), json!(null));
}

/// A section takes the near half away: the same click finds the inside.
fn cuts_a_section(b: &mut Browser, own: &Pixels) {
    b.key("x");
    b.eval("Pellucid.app.setSection({ axis: 2, place: 0.5 })");
    b.eval("Pellucid.app.setColor('original')");
    let cut = Pixels::of(&b.shot("section"));
    let top = cut.mean(380..440, 200..230);
    let was = own.mean(380..440, 200..230);
    assert!((top[1] - was[1]).abs() > 20.0 || (top[0] - was[0]).abs() > 20.0, "{top:?} {was:?}");
    b.click(MIDDLE);
    let inside = b.eval("Pellucid.app.picked");
    assert!(inside["place"][2].as_f64().unwrap() < 0.01, "{inside}");
    b.key("x");
}

/// Turning, moving and coming closer.
fn turns_moves_and_zooms(b: &mut Browser) {
    let before = b.eval("Pellucid.app.camera.state()");
    b.drag(MIDDLE, (500.0, 430.0));
    b.key("+");
    let now = b.eval("Pellucid.app.camera.state()");
    assert!(now["azimuth"].as_f64() < before["azimuth"].as_f64());
    assert!(now["distance"].as_f64() < before["distance"].as_f64());
    b.key("r");
}

/// Dark: the background of view and page.
fn has_a_dark_theme(b: &mut Browser) {
    b.eval("document.getElementById('theme').click()");
    let dark = Pixels::of(&b.shot("dark"));
    let corner = dark.mean(20..40, 600..620);
    assert!(corner.iter().all(|c| *c < 90.0), "{corner:?}");
    // What lies where in the panel depends on the run, so its color is asked for.
    let panel = b.eval(
        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)",
    );
    let channels = panel.as_array().unwrap();
    assert!(channels.iter().all(|c| c.as_f64().unwrap() < 90.0), "{panel}");
}

/// The run is described in words and numbers; nothing from the file became markup.
fn describes_the_run(b: &mut Browser) {
    let panel = b.eval("document.getElementById('panel').textContent");
    let panel = panel.as_str().unwrap();
    for word in
        ["noise, in spacings", "Stopped because", "count most", "Repeat this run", "--truth"]
    {
        assert!(panel.contains(word), "{word} is not in {panel}");
    }
    assert!(b.eval("document.querySelectorAll('#panel svg polyline').length").as_u64() > Some(1));
    assert_eq!(b.eval("typeof window.hacked"), json!("undefined"));
    assert_eq!(b.eval("document.querySelectorAll('img').length"), json!(0));
}

#[test]
fn fingers_turn_and_pinch() {
    let Some(program) = program() else { return };
    let folder = Folder::new();
    let page = report(&folder);
    let mut b = Browser::start(&program, SIZE);
    b.open(&file_address(&page));
    b.key("a");
    let touch = |b: &mut Browser, kind: &str, at: &[(f64, f64)]| {
        let points: Vec<_> =
            at.iter().enumerate().map(|(i, p)| json!({ "x": p.0, "y": p.1, "id": i })).collect();
        b.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    let before = b.eval("Pellucid.app.camera.state()");
    touch(&mut b, "touchStart", &[(300.0, 400.0)]);
    touch(&mut b, "touchMove", &[(380.0, 400.0)]);
    touch(&mut b, "touchEnd", &[]);
    let turned = b.eval("Pellucid.app.camera.state()");
    assert!(turned["azimuth"].as_f64() < before["azimuth"].as_f64());
    touch(&mut b, "touchStart", &[(300.0, 400.0), (400.0, 400.0)]);
    touch(&mut b, "touchMove", &[(250.0, 400.0), (450.0, 400.0)]);
    touch(&mut b, "touchEnd", &[]);
    let closer = b.eval("Pellucid.app.camera.state()");
    assert!(closer["distance"].as_f64().unwrap() < 0.7 * turned["distance"].as_f64().unwrap());
    assert_eq!(closer["azimuth"], turned["azimuth"]);
    b.expect_quiet("file://");
}
